"""check_kept.py ORIGINAL.glb FACE.glb: a face holds all that its rig's file held, and what mien adds."""

import json
import struct
import sys


def load(path):
    data = open(path, "rb").read()
    size = struct.unpack("<I", data[12:16])[0]
    return json.loads(data[20 : 20 + size]), data[28 + size :]


(old, old_bin), (new, new_bin) = load(sys.argv[1]), load(sys.argv[2])
size = old["buffers"][0]["byteLength"]
assert new_bin[:size] == old_bin[:size], "bytes"
for key in old:
    if key not in ("buffers", "bufferViews", "accessors", "meshes", "nodes"):
        assert new[key] == old[key], key
for a, b in zip(old["nodes"], new["nodes"]):
    b.get("extras", {}).pop("mien", None)
    assert {k: v for k, v in a.items() if v} == {k: v for k, v in b.items() if v}, a["name"]
for a, b in zip(old["meshes"], new["meshes"]):
    for p, q in zip(a["primitives"], b["primitives"]):
        assert p["attributes"].items() <= q["attributes"].items()
        assert p.get("targets") == q.get("targets")
assert "_MIEN_REGION" in new["meshes"][0]["primitives"][0]["attributes"]

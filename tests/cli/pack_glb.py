"""pack_glb.py PACK_DRACO IN.glb OUT.glb|OUT.gltf: the file with its meshes packed by Draco, those without morph
targets in the order that packs best."""

import json
import os
import struct
import subprocess
import sys

from make_quirks import Quirk

EXTENSION = "KHR_draco_mesh_compression"
KIND = {"POSITION": 0, "NORMAL": 1, "COLOR_0": 2, "TEXCOORD_0": 3}
packer, source, out = sys.argv[1:]
q = Quirk(source, os.path.dirname(out))
for _, primitive in q.primitives():
    attributes = primitive["attributes"]
    columns = [q.read(attributes[name]) for name in attributes]
    corners = [r[0] for r in q.read(primitive["indices"])]
    raw = struct.pack("<3i", len(columns[0]), len(corners) // 3, len(columns))
    for name, rows in zip(attributes, columns):
        raw += struct.pack("<2i", KIND.get(name, 4), len(rows[0]))
        raw += b"".join(struct.pack("<%df" % len(r), *r) for r in rows)
    open("unpacked", "wb").write(raw + struct.pack("<%dI" % len(corners), *corners))
    subprocess.run([packer, "0" if "targets" in primitive else "1", "unpacked", "packed"], check=True)
    view = q.view(open("packed", "rb").read())
    ids = {name: k for k, name in enumerate(attributes)}
    primitive["extensions"] = {EXTENSION: {"bufferView": view, "attributes": ids}}
    for index in [*attributes.values(), primitive["indices"]]:
        for key in ("bufferView", "byteOffset"):
            q.json["accessors"][index].pop(key, None)
for key in ("extensionsUsed", "extensionsRequired"):
    q.json[key] = q.json.get(key, []) + [EXTENSION]
if out.endswith(".glb"):
    q.save(out)
else:
    q.json["buffers"][0] = {"byteLength": len(q.bin), "uri": os.path.basename(out) + ".bin"}
    open(out + ".bin", "wb").write(q.bin)
    json.dump(q.json, open(out, "w"))

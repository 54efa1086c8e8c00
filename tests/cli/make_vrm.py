"""make_vrm.py CHARACTER.glb OUT.vrm 0|1: a VRM avatar of that version, with expressions that bind several
morph targets, and joints that no name gives away: only the file's humanoid says which is the head."""

import sys

from make_character import Character

source, out, version = sys.argv[1:]
c = Character(source)
g = c.json
names = g["meshes"][0]["extras"]["targetNames"]
first = next(i for i, n in enumerate(g["nodes"]) if n["name"] == "Hips")
for i in range(3):
    g["nodes"][first + i]["name"] = "J_%02d" % i
del g["extensionsUsed"], g["nodes"][first]["extensions"]
smile = [names.index("mouthSmileLeft"), names.index("mouthSmileRight")]
if version == "0":
    binds = [{"mesh": 0, "index": smile[0], "weight": 100}, {"mesh": 0, "index": smile[1], "weight": 50}]
    groups = [
        {"name": "Joy", "presetName": "joy", "binds": binds, "materialValues": []},
        {"name": "", "presetName": "a", "binds": [{"mesh": 0, "index": names.index("jawOpen"), "weight": 70}]},
        {"name": "LookUp", "presetName": "lookup", "binds": []},
    ]
    bones = [{"bone": "hips", "node": first}, {"bone": "head", "node": first + 2}]
    g["extensions"] = {"VRM": {"specVersion": "0.0", "humanoid": {"humanBones": bones}, "blendShapeMaster": {"blendShapeGroups": groups}}}
    g["extensionsUsed"] = ["VRM"]
    # avatars of 0.x look along -z
    top = g["scenes"][0]["nodes"]
    g["nodes"].append({"name": "turned", "rotation": [0, 1, 0, 0], "children": list(top)})
    g["scenes"][0]["nodes"] = [len(g["nodes"]) - 1]
else:
    def bind(index, weight):
        return {"node": 0, "index": index, "weight": weight}

    expressions = {
        "preset": {"happy": {"morphTargetBinds": [bind(smile[0], 1), bind(smile[1], 0.5)]}, "blink": {"isBinary": True}},
        "custom": {"Ah": {"morphTargetBinds": [bind(names.index("jawOpen"), 0.7)]}},
    }
    bones = {"hips": {"node": first}, "head": {"node": first + 2}}
    g["extensions"] = {"VRMC_vrm": {"specVersion": "1.0", "humanoid": {"humanBones": bones}, "expressions": expressions}}
    g["extensionsUsed"] = ["VRMC_vrm"]
c.save(out)

"""Each way a host can be kinder than Maya is noticed. usage: test_facts.py INCLUDE"""
import os
import shutil
import sys
import tempfile

import facts
from check_facts import check, check_lives

# (header, what is there, what a kinder host would have, a word of the complaint)
KINDER = [
    ("MPlug.h", "bool isArray(", "bool isLovely() const;\n  bool isArray(", "MPlug::isLovely: invented"),
    ("MPlug.h", "MPlug child(MObject &", "MPlug child(const MObject &", "MPlug: const MPlug child(const MObject &"),
    ("MPlug.h", "getExistingArrayAttributeIndices(MIntArray &indices,", "getExistingArrayAttributeIndices(MIntArray &indices, int extra,",
     "getExistingArrayAttributeIndices"),
    ("MPxThreadedDeviceNode.h", "MStatus setDone(", "void setDone(", "void setDone(bool)"),
    ("MFnDagNode.h", "getPath(MDagPath &path) const", "getPath(MDagPath &path)", "MFnDagNode: MStatus getPath"),
    ("MFnMeshData.h", ": public MFnGeometryData", ": public MFnBase", "class MFnMeshData: derives"),
    ("MFnNumericData.h", "kFloat = 11", "kFloat = 7", "MFnNumericData::Type::kFloat = 7"),
    ("MPxCommand.h", "#include <maya/MString.h>", "#include <maya/MString.h>\n#include <maya/MSyntax.h>",
     "MPxCommand.h: makes MSyntax complete"),
    ("MMessage.h", "typedef unsigned long MCallbackId;", "typedef unsigned long MCallbackId;\nvoid mine(int a);",
     "mine: invented, outside"),
    ("MPxNode.h", "private:", "public:", "MPxNode::hostNode: invented"),
]


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    known, headers, outside = facts.read(os.path.join(here, "maya_2022.txt"))
    missed = 0
    with tempfile.TemporaryDirectory() as work:
        copy = os.path.join(work, "include")
        shutil.copytree(sys.argv[1], copy)
        for header, there, kinder, complaint in KINDER:
            path = os.path.join(copy, "maya", header)
            with open(path, encoding="utf-8") as f:
                before = f.read()
            assert there in before, (header, there)
            with open(path, "w", encoding="utf-8") as f:
                f.write(before.replace(there, kinder))
            found = check(copy, known, headers, outside, facts.VERSION)
            if not any(complaint in line for line in found):
                print(f"not noticed in {header}: {kinder}", file=sys.stderr)
                missed += 1
            with open(path, "w", encoding="utf-8") as f:
                f.write(before)
        path = os.path.join(copy, "maya", "MFnBase.h")
        with open(path, encoding="utf-8") as f:
            text = f.read()
        with open(path, "w", encoding="utf-8") as f:
            f.write(text.replace("MFnBase(const MFnBase &) = delete;", "MFnBase(const MFnBase &);"))
        missed += not any("MFnMesh: copy" in line for line in check_lives(copy, known, facts.VERSION))
    print(f"{len(KINDER) + 1 - missed} of {len(KINDER) + 1} kindnesses noticed")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())

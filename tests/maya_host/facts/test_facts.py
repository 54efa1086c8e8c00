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
    # what the first host permitted, one by one
    ("MFnComponentListData.h", "  MObject operator[](", "  MObject get(unsigned int index) const;\n  MObject operator[](",
     "MFnComponentListData::get: invented"),
    ("MPxGeometryFilter.h", "  virtual MStatus deform(", "  MStatus compute(const MPlug &plug, MDataBlock &block);\n  virtual MStatus deform(",
     "MPxGeometryFilter::compute: Maya declares it in MPxNode"),
    ("MString.h", "  const char *asChar() const", "  const char *c_str() const;\n  MString operator+(int v) const;\n  const char *asChar() const",
     "MString::c_str: invented"),
    ("MString.h", "c_str() const;", "c_str() const; ", "MString: const MString operator+(int)"),
    ("MTimeRange.h", "  MTimeRange operator|(", "  MTime min() const;\n  bool isEmpty() const;\n  MTimeRange operator|(",
     "MTimeRange::isEmpty: invented"),
    ("MTimeRange.h", "  MTime min() const;", "  MTime min() const; ", "MTimeRange::min: invented"),
    ("MNodeCacheDisablingInfo.h", "  bool getCacheDisabled(", "  MString getReason() const;\n  bool getCacheDisabled(",
     "MNodeCacheDisablingInfo::getReason: invented"),
    ("MPxThreadedDeviceNode.h", "  bool isLive();", "  int threadingState();\n  bool isLive();",
     "MPxThreadedDeviceNode::threadingState: invented"),
    ("MPxThreadedDeviceNode.h", "createMemoryPools(int poolCount, int count, long size)",
     "createMemoryPools(unsigned poolCount, unsigned count, unsigned size)", "createMemoryPools(unsigned"),
    ("MPlug.h", "evaluateNumElements(MStatus *ReturnStatus = nullptr);",
     "evaluateNumElements(MStatus *ReturnStatus = nullptr) const;", "evaluateNumElements"),
    ("MDGModifier.h", "newPlugValue(const MPlug &plug, MObject &value)", "newPlugValue(const MPlug &plug, const MObject &value)",
     "newPlugValue(const MPlug &, const MObject &)"),
    ("MArrayDataHandle.h", "set(MArrayDataBuilder &builder)", "set(const MArrayDataBuilder &builder)",
     "set(const MArrayDataBuilder &)"),
    ("MFnMesh.h", "setPoints(MPointArray &points", "setPoints(const MPointArray &points", "setPoints(const MPointArray &"),
    ("MFnPlugin.h", "explicit MFnPlugin(MObject &object", "explicit MFnPlugin(const MObject &object", "MFnPlugin(const MObject &"),
    ("MPxNode.h", "kDefaultScheduling = kSerialize", "kDefaultScheduling = 0", "kDefaultScheduling = 0"),
    ("MCacheSchema.h", "  MStatus add(", "  void add(", "void add(const MObject &)"),
]


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    known, headers, outside = facts.read(os.path.join(here, "maya_2022.txt"))
    missed = 0
    with tempfile.TemporaryDirectory() as work:
        copy = os.path.join(work, "include")
        shutil.copytree(sys.argv[1], copy)
        # all of them at once: each has to be complained of by itself
        for header, there, kinder, _ in KINDER:
            path = os.path.join(copy, "maya", header)
            with open(path, encoding="utf-8") as f:
                before = f.read()
            assert there in before, (header, there)
            with open(path, "w", encoding="utf-8") as f:
                f.write(before.replace(there, kinder))
        with open(os.path.join(copy, "maya", "MCharBuffer.h"), "w", encoding="utf-8") as f:
            f.write("#include <maya/MPxThreadedDeviceNode.h>\n")
        found = check(copy, known, headers, outside, facts.VERSION)
        for header, _, kinder, complaint in [*KINDER, ("MCharBuffer.h", "", "", "MCharBuffer.h: no such header")]:
            if not any(complaint in line for line in found):
                print(f"not noticed in {header}: {kinder}", file=sys.stderr)
                missed += 1
        shutil.rmtree(copy)
        shutil.copytree(sys.argv[1], copy)
        path = os.path.join(copy, "maya", "MFnBase.h")
        with open(path, encoding="utf-8") as f:
            text = f.read()
        with open(path, "w", encoding="utf-8") as f:
            f.write(text.replace("MFnBase(const MFnBase &) = delete;", "MFnBase(const MFnBase &);"))
        missed += not any("MFnMesh: copy" in line for line in check_lives(copy, known, facts.VERSION))
    total = len(KINDER) + 2
    print(f"{total - missed} of {total} kindnesses noticed")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())

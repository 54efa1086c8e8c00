#include "geometry_path.h"

#include "node_ids.h"

#include <algorithm>

#include <maya/MFnDagNode.h>
#include <maya/MFnDependencyNode.h>
#include <maya/MIntArray.h>
#include <maya/MPlugArray.h>

namespace mien_maya {

std::vector<unsigned int> indicesOf(MPlug list) {
  MIntArray used;
  list.getExistingArrayAttributeIndices(used);
  std::vector<unsigned int> sorted;
  for (unsigned int i = 0; i < used.length(); i++)
    sorted.push_back(static_cast<unsigned int>(used[i]));
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

unsigned int nextIndex(const MPlug &list) {
  std::vector<unsigned int> used = indicesOf(list);
  return used.empty() ? 0 : used.back() + 1;
}

MienFaceNode *faceOf(const MObject &node) {
  MFnDependencyNode fn(node);
  if (fn.typeId() != MTypeId(kFaceNodeId)) return nullptr;
  return static_cast<MienFaceNode *>(fn.userNode());
}

static MPlug plugNamed(const MObject &node, std::initializer_list<const char *> names) {
  MFnDependencyNode fn(node);
  for (const char *name : names)
    if (fn.hasAttribute(name)) return fn.findPlug(name, false);
  return MPlug();
}

MPlug geometryInto(const MPlug &out) {
  MObject node = out.node();
  if (node.hasFn(MFn::kMesh)) return plugNamed(node, {"inMesh"});
  if (!node.hasFn(MFn::kGeometryFilt)) return plugNamed(node, {"inputGeometry", "inputPolymesh"});
  MFnDependencyNode fn(node);
  // a deformer of Maya's own need not share the attribute object of a plug-in's
  MObject geometry = fn.attribute("inputGeometry");
  return fn.findPlug("input", false).elementByLogicalIndex(out.logicalIndex()).child(geometry);
}

// the other way: what comes out of the node that geometry goes into by a plug
static MPlug geometryOutOf(const MPlug &in) {
  if (!in.node().hasFn(MFn::kGeometryFilt))
    return in == geometryInto(in) ? plugNamed(in.node(), {"outMesh", "outputGeometry", "output"})
                                  : MPlug();
  // another mesh that it looks at is not the one it hands on
  if (in != MFnDependencyNode(in.node()).attribute("inputGeometry")) return MPlug();
  MPlug outputs = MFnDependencyNode(in.node()).findPlug("outputGeometry", false);
  return outputs.elementByLogicalIndex(in.parent().logicalIndex());
}

bool keepsVertices(const MObject &node) {
  if (node.hasFn(MFn::kGeometryFilt) || MFnDependencyNode(node).typeName() == "groupParts")
    return true;
  return node.hasFn(MFn::kMesh) &&
         MFnDependencyNode(node).findPlug("inMesh", false).isDestination();
}

bool toMesh(MDagPath *path) {
  MObject node = path->node();
  if (node.hasFn(MFn::kMesh) && !MFnDagNode(node).isIntermediateObject()) return true;
  if (node.hasFn(MFn::kMesh)) path->pop();
  for (unsigned int i = 0; i < path->childCount(); i++) {
    MObject child = path->child(i);
    if (!child.hasFn(MFn::kMesh) || MFnDagNode(child).isIntermediateObject()) continue;
    return path->push(child) == MS::kSuccess;
  }
  return false;
}

MObject faceBefore(const MObject &shape) {
  MPlug in = MFnDependencyNode(shape).findPlug("inMesh", false);
  for (int depth = 0; depth < kLongestChain && !in.isNull(); depth++) {
    MPlug from = in.source();
    if (from.isNull()) return MObject();
    if (faceOf(from.node())) return from.node();
    in = geometryInto(from);
  }
  return MObject();
}

bool shownShape(const MObject &node, unsigned int index, MDagPath *shape) {
  MPlug out = MPlug(node, MPxDeformerNode::outputGeom).elementByLogicalIndex(index);
  for (int depth = 0; depth < kLongestChain && !out.isNull(); depth++) {
    MPlugArray to;
    if (!out.connectedTo(to, false, true)) return false;
    out = MPlug();
    for (unsigned int i = 0; i < to.length(); i++) {
      MObject next = to[i].node();
      if (next.hasFn(MFn::kMesh) && !MFnDagNode(next).isIntermediateObject())
        return MDagPath::getAPathTo(next, *shape) == MS::kSuccess;
      if (out.isNull()) out = geometryOutOf(to[i]);
    }
  }
  return false;
}

unsigned int firstGeometry(const MObject &node) {
  MPlug inputs(node, MPxDeformerNode::input);
  for (unsigned int index : indicesOf(inputs)) {
    MPlug in = inputs.elementByLogicalIndex(index).child(MPxDeformerNode::inputGeom);
    if (in.isDestination()) return index;
  }
  return 0;
}

} // namespace mien_maya

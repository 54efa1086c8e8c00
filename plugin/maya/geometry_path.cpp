#include "geometry_path.h"

#include "node_ids.h"

#include <maya/MFnDependencyNode.h>
#include <maya/MIntArray.h>
#include <maya/MPlugArray.h>

namespace mien_maya {

enum { kLongest = 100 }; // nodes in a row: a circle ends, too

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
  if (!out.node().hasFn(MFn::kGeometryFilt))
    return plugNamed(out.node(), {"inputGeometry", "inputPolymesh"});
  MPlug inputs = MFnDependencyNode(out.node()).findPlug("input", false);
  return inputs.elementByLogicalIndex(out.logicalIndex()).child(MPxDeformerNode::inputGeom);
}

// the other way: what comes out of the node that geometry goes into by a plug
static MPlug geometryOutOf(const MPlug &in) {
  if (!in.node().hasFn(MFn::kGeometryFilt))
    return in == geometryInto(in) ? plugNamed(in.node(), {"outputGeometry", "output"}) : MPlug();
  if (in != MPxDeformerNode::inputGeom) return MPlug(); // another mesh it looks at
  MPlug outputs = MFnDependencyNode(in.node()).findPlug("outputGeometry", false);
  return outputs.elementByLogicalIndex(in.parent().logicalIndex());
}

bool keepsVertices(const MObject &node) {
  return node.hasFn(MFn::kGeometryFilt) || MFnDependencyNode(node).typeName() == "groupParts";
}

MObject faceBefore(const MObject &shape) {
  MPlug in = MFnDependencyNode(shape).findPlug("inMesh", false);
  for (int depth = 0; depth < kLongest && !in.isNull(); depth++) {
    MPlug from = in.source();
    if (from.isNull()) return MObject();
    if (faceOf(from.node())) return from.node();
    in = geometryInto(from);
  }
  return MObject();
}

bool shownShape(const MObject &node, unsigned int index, MDagPath *shape) {
  MPlug out = MPlug(node, MPxDeformerNode::outputGeom).elementByLogicalIndex(index);
  for (int depth = 0; depth < kLongest && !out.isNull(); depth++) {
    MPlugArray to;
    if (!out.connectedTo(to, false, true)) return false;
    out = MPlug();
    for (unsigned int i = 0; i < to.length(); i++) {
      if (to[i].node().hasFn(MFn::kMesh)) return MDagPath::getAPathTo(to[i].node(), *shape);
      if (out.isNull()) out = geometryOutOf(to[i]);
    }
  }
  return false;
}

unsigned int firstGeometry(const MObject &node) {
  MPlug inputs(node, MPxDeformerNode::input);
  MIntArray used;
  inputs.getExistingArrayAttributeIndices(used);
  for (unsigned int i = 0; i < used.length(); i++) {
    unsigned int index = static_cast<unsigned int>(used[i]);
    MPlug in = inputs.elementByLogicalIndex(index).child(MPxDeformerNode::inputGeom);
    if (in.isDestination()) return index;
  }
  return 0;
}

} // namespace mien_maya

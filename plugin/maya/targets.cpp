// The targets of the blendShapes in front of a face. Names, deltas and weights stay the
// blendShape's own, by connection: a target that is sculpted again is seen.
#include "mien_command.h"

#include <algorithm>

#include <maya/MFnDependencyNode.h>

namespace mien_maya {

enum { kItemOfWeightNull = 5000, kItemsPerWeight = 1000 }; // inputTargetItem[6000] is full at 1

static MPlug childNamed(const MPlug &of, const MObject &node, const char *name) {
  MObject attribute = MFnDependencyNode(node).attribute(name);
  return attribute.isNull() ? MPlug() : of.child(attribute);
}

// An element only if it is there: asking for one by its index would make it.
static MPlug existing(const MPlug &list, unsigned int index) {
  std::vector<unsigned int> used = indicesOf(list);
  bool isThere = std::binary_search(used.begin(), used.end(), index);
  return isThere ? list.elementByLogicalIndex(index) : MPlug();
}

// One target, or one of its in-betweens.
void MienCommand::connectItem(const MPlug &slot, const MObject &blendShape, const MPlug &item,
                              const MString &name) {
  change_.newPlugValueString(slot.child(MienFaceNode::aShapeName), name);
  double full = (static_cast<double>(item.logicalIndex()) - kItemOfWeightNull) / kItemsPerWeight;
  change_.newPlugValueDouble(slot.child(MienFaceNode::aShapeFull), full);
  // A target that is still a mesh of its own has no deltas before the blendShape was evaluated, and
  // nobody is told when they change: the mesh itself says what they are.
  MPlug live = childNamed(item, blendShape, "inputGeomTarget").source();
  if (!live.isNull() && live.node().hasFn(MFn::kMesh)) {
    MPlug mesh = MFnDependencyNode(live.node()).findPlug("outMesh", false);
    change_.connect(mesh, slot.child(MienFaceNode::aShapeMesh));
    return;
  }
  MPlug points = childNamed(item, blendShape, "inputPointsTarget"),
        components = childNamed(item, blendShape, "inputComponentsTarget");
  if (points.asMObject().isNull() || components.asMObject().isNull())
    displayWarning(MString("mien: the target '") + name +
                   "' has no deltas; physics takes it for a target that moves nothing");
  change_.connect(points, slot.child(MienFaceNode::aShapePoints));
  change_.connect(components, slot.child(MienFaceNode::aShapeComponents));
}

// All targets of one blendShape. `shape` and `channel` count on from blendShape to blendShape.
void MienCommand::connectShapes(const MPlug &shapes, const MPlug &channels, const MPlug &out,
                                unsigned int *shape, unsigned int *channel) {
  MObject blendShape = out.node();
  MFnDependencyNode fn(blendShape);
  out.asMObject(); // what it makes of live targets is there once it was evaluated
  MPlug weights = fn.findPlug("weight", false);
  MPlug target = existing(fn.findPlug("inputTarget", false), out.logicalIndex());
  if (target.isNull()) return;
  MPlug groups = childNamed(target, blendShape, "inputTargetGroup");
  for (unsigned int index : indicesOf(weights)) {
    MPlug weight = weights.elementByLogicalIndex(index);
    MPlug group = existing(groups, index);
    if (group.isNull()) continue; // a weight without a target
    MPlug items = childNamed(group, blendShape, "inputTargetItem");
    std::vector<unsigned int> places = indicesOf(items);
    MString alias = fn.plugsAlias(weight), number;
    number += static_cast<int>(index);
    MString name = alias.length() ? alias : MString("shape") + number;
    for (unsigned int place : places) {
      if (place <= kItemOfWeightNull) continue;
      MPlug slot = shapes.elementByLogicalIndex((*shape)++);
      MString percent;
      percent += (static_cast<int>(place) - kItemOfWeightNull) / (kItemsPerWeight / 100);
      bool isFull = place == kItemOfWeightNull + kItemsPerWeight;
      connectItem(slot, blendShape, items.elementByLogicalIndex(place),
                  isFull ? name : name + "_" + percent);
      change_.newPlugValueInt(slot.child(MienFaceNode::aShapeChannel), static_cast<int>(*channel));
    }
    if (!places.empty()) change_.connect(weight, channels.elementByLogicalIndex((*channel)++));
  }
}

// The blendShapes that a mesh comes through, nearest first.
std::vector<MPlug> blendShapesBefore(MPlug at) {
  std::vector<MPlug> found;
  for (int depth = 0; depth < kLongestChain && !at.isNull(); depth++) {
    if (at.node().hasFn(MFn::kBlendShape)) found.push_back(at);
    if (!keepsVertices(at.node())) break;
    at = geometryInto(at).source();
  }
  return found;
}

} // namespace mien_maya

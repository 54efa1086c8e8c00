// Attaching: the node after the deformers that are there, its neutral and shapes by connection.
#include "mien_command.h"

#include "node_ids.h"

#include <maya/MArgList.h>
#include <maya/MFnDagNode.h>
#include <maya/MFnDependencyNode.h>
#include <maya/MFnMatrixData.h>
#include <maya/MPlugArray.h>
#include <maya/MStringArray.h>
#include <maya/MTime.h>

namespace mien_maya {

static bool exists(const MString &name) {
  MSelectionList list;
  return list.add(name) == MS::kSuccess;
}

static MObject nodeNamed(const MString &name) {
  MSelectionList list;
  MObject node;
  if (list.add(name)) list.getDependNode(0, node);
  return node;
}

static MString freeName(const MString &wanted) {
  if (wanted.length() && !exists(wanted)) return wanted;
  MString stem = wanted.length() ? wanted : MString(kFaceNodeName);
  for (int k = 1;; k++)
    if (!exists(stem + k)) return stem + k;
}

MStatus MienCommand::attach(const MArgDatabase &args) {
  MSelectionList list;
  if (!args.getObjects(list)) return MS::kFailure;
  if (list.isEmpty()) return fail("select the face mesh first");
  MString name = freeName(args.isFlagSet("-n") ? args.flagArgumentString("-n", 0) : MString());
  MString has, line = MString("deformer -type ") + kFaceNodeName + " -after -name \"" + name + "\"";
  for (unsigned int i = 0; i < list.length(); i++) {
    MDagPath path;
    if (!list.getDagPath(i, path) || !path.extendToShape() || !path.hasFn(MFn::kMesh)) {
      MStringArray names;
      list.getSelectionStrings(names);
      return fail(std::string("'") + names[i].asChar() + "' is not a mesh");
    }
    line += " \"" + path.partialPathName() + "\"";
    MObject before = faceBefore(path.node());
    if (!before.isNull()) has = MFnDependencyNode(before).name();
  }
  // two in a row would add physics to physics
  if (has.length())
    return fail(std::string("the mesh has physics already: ") + has.asChar() + "; delete it first");
  make_.commandToExecute(line);
  MStatus status = make_.doIt();
  MObject node = nodeNamed(name);
  if (!status || !faceOf(node)) return fail("the deformer could not be created");

  status = connectTime(node);
  for (unsigned int i = 0; status && i < list.length(); i++) {
    MDagPath path; // a referenced mesh has a new shape now: ask the node, not the selection
    if (!shownShape(node, i, &path)) return fail("the deformer shows no mesh");
    status = connectGeometry(node, i, path);
  }
  if (status) {
    MTime start(args.isFlagSet("-sf") ? args.flagArgumentDouble("-sf", 0) : 1, MTime::uiUnit());
    change_.newPlugValueMTime(MPlug(node, MienFaceNode::aStartTime), start);
  }
  if (status) status = change_.doIt();
  if (status) status = applyFlags(node, args);
  if (!status) return status;
  setResult(name);
  displayInfo(MString("mien: ") + name + " is attached; play from its start frame");
  return status;
}

MStatus MienCommand::connectTime(const MObject &node) {
  MObject clock = nodeNamed("time1");
  if (clock.isNull()) return fail("the scene has no time1");
  MPlug to(node, MienFaceNode::aTime);
  MPlug from = to.source();
  if (!from.isNull()) change_.disconnect(from, to);
  return change_.connect(MFnDependencyNode(clock).findPlug("outTime", false), to);
}

// does anything upstream of a node bend the mesh?
static bool isDeformed(const MObject &node, int depth = 0) {
  if (node.hasFn(MFn::kGeometryFilt)) return true;
  MPlugArray plugs;
  if (depth > 50 || !MFnDependencyNode(node).getConnections(plugs)) return false;
  for (unsigned int i = 0; i < plugs.length(); i++) {
    MPlug from = plugs[i].source();
    if (!from.isNull() && isDeformed(from.node(), depth + 1)) return true;
  }
  return false;
}

// The neutral is the mesh before the first deformer. Where a node that is none stands between
// deformers, no such plug has the right vertices: the mesh as it is now is kept instead.
MStatus MienCommand::setRest(const MPlug &slot, const MPlug &incoming) {
  MPlug from = incoming, to = slot.child(MienFaceNode::aRestMesh);
  MPlug old = to.source();
  if (!old.isNull()) change_.disconnect(old, to);
  while (keepsVertices(from.node())) {
    MPlug before = geometryInto(from).source();
    if (before.isNull()) return fail("a deformer in front has no input mesh");
    from = before;
  }
  if (from.node().hasFn(MFn::kMesh) || !isDeformed(from.node())) return change_.connect(from, to);
  displayWarning("mien: a node stands between the mesh and its deformers; the pose of this moment "
                 "is taken for the neutral. With another pose use -restMesh");
  MObject now = from.asMObject();
  return change_.newPlugValue(to, now);
}

MStatus MienCommand::connectGeometry(const MObject &node, unsigned int index,
                                     const MDagPath &shape) {
  MPlug slot = MPlug(node, MienFaceNode::aPerGeometry).elementByLogicalIndex(index);
  MPlug in = MPlug(node, MPxDeformerNode::input)
                 .elementByLogicalIndex(index)
                 .child(MPxDeformerNode::inputGeom);
  MPlug incoming = in.source();
  if (incoming.isNull()) return fail("the mesh has no input");
  MFnMatrixData matrix;
  MObject value = matrix.create(shape.inclusiveMatrix());
  change_.newPlugValue(slot.child(MienFaceNode::aRestMatrix), value);
  MStatus status = setRest(slot, incoming);
  for (MPlug at = incoming; status && keepsVertices(at.node()); at = geometryInto(at).source())
    if (at.node().hasFn(MFn::kBlendShape))
      return connectShapes(slot.child(MienFaceNode::aShapes), at.node(), at.logicalIndex());
  return status;
}

// Names, deltas and weights stay the blendShape's own: a target that is sculpted again is seen.
MStatus MienCommand::connectShapes(const MPlug &shapes, const MObject &blendShape,
                                   unsigned int index) {
  MFnDependencyNode fn(blendShape);
  MPlug weights = fn.findPlug("weight", false);
  MIntArray used;
  weights.getExistingArrayAttributeIndices(used);
  for (unsigned int i = 0; i < used.length(); i++) {
    MString number = MString() + used[i];
    MString item = MString("inputTarget[") + static_cast<int>(index) + "].inputTargetGroup[" +
                   number + "].inputTargetItem[6000].";
    MSelectionList found;
    MPlug points, components;
    MPlug weight = weights.elementByLogicalIndex(static_cast<unsigned int>(used[i]));
    MString alias = fn.plugsAlias(weight);
    if (!found.add(fn.name() + "." + item + "inputPointsTarget") ||
        !found.add(fn.name() + "." + item + "inputComponentsTarget"))
      continue; // a weight without a target
    found.getPlug(0, points);
    found.getPlug(1, components);
    MPlug slot = shapes.elementByLogicalIndex(static_cast<unsigned int>(used[i]));
    change_.newPlugValueString(slot.child(MienFaceNode::aShapeName),
                               alias.length() ? alias : MString("shape") + number);
    change_.connect(points, slot.child(MienFaceNode::aShapePoints));
    change_.connect(components, slot.child(MienFaceNode::aShapeComponents));
    change_.connect(weight, slot.child(MienFaceNode::aShapeWeight));
  }
  return MS::kSuccess;
}

MStatus MienCommand::connectMatrix(const MObject &node, const MString &from, const MObject &matrix,
                                   const MObject &rest) {
  MSelectionList list;
  MDagPath path;
  if (!list.add(from) || !list.getDagPath(0, path))
    return fail(std::string("there is no transform '") + from.asChar() + "'");
  MPlug to(node, matrix), old = to.source();
  if (!old.isNull()) change_.disconnect(old, to);
  MFnMatrixData data;
  MObject value = data.create(path.inclusiveMatrix());
  change_.newPlugValue(MPlug(node, rest), value);
  MPlug world = MFnDependencyNode(path.transform()).findPlug("worldMatrix", false);
  return change_.connect(world.elementByLogicalIndex(0), to);
}

// A closed mesh that the skin does not go through, with its transform.
MStatus MienCommand::addCollider(const MObject &node, const MString &from, unsigned int others) {
  MSelectionList list;
  MDagPath path;
  if (!list.add(from) || !list.getDagPath(0, path) || !path.extendToShape() ||
      !path.hasFn(MFn::kMesh))
    return fail(std::string("there is no mesh '") + from.asChar() + "'");
  MPlug colliders(node, MienFaceNode::aColliders);
  MIntArray used;
  colliders.getExistingArrayAttributeIndices(used);
  unsigned int next = used.length() ? static_cast<unsigned int>(used[used.length() - 1]) + 1 : 0;
  MPlug slot = colliders.elementByLogicalIndex(next + others);
  MFnDependencyNode shape(path.node());
  MStatus status =
      change_.connect(shape.findPlug("outMesh", false), slot.child(MienFaceNode::aColliderMesh));
  if (!status) return status;
  MPlug world = MFnDependencyNode(path.transform()).findPlug("worldMatrix", false);
  return change_.connect(world.elementByLogicalIndex(0), slot.child(MienFaceNode::aColliderMatrix));
}

MStatus MienCommand::edit(const MArgDatabase &args) {
  MObject node;
  std::string why;
  return findFace(args, &node, &why) ? applyFlags(node, args) : fail(why);
}

MStatus MienCommand::applyFlags(const MObject &node, const MArgDatabase &args) {
  MStatus status;
  if (args.isFlagSet("-ct")) status = connectTime(node);
  if (status && args.isFlagSet("-hd"))
    status = connectMatrix(node, args.flagArgumentString("-hd", 0), MienFaceNode::aHeadMatrix,
                           MienFaceNode::aHeadRestMatrix);
  if (status && args.isFlagSet("-jw"))
    status = connectMatrix(node, args.flagArgumentString("-jw", 0), MienFaceNode::aJawMatrix,
                           MienFaceNode::aJawRestMatrix);
  for (unsigned int i = 0; status && i < args.numberOfFlagUses("-cl"); i++) {
    MArgList one;
    status = args.getFlagArgumentList("-cl", i, one);
    if (status) status = addCollider(node, one.asString(0), i);
  }
  if (status && args.isFlagSet("-rm")) {
    MSelectionList list;
    MDagPath path;
    if (!list.add(args.flagArgumentString("-rm", 0)) || !list.getDagPath(0, path) ||
        !path.extendToShape())
      return fail("there is no rest mesh of that name");
    MPlug to = MPlug(node, MienFaceNode::aPerGeometry)
                   .elementByLogicalIndex(firstGeometry(node))
                   .child(MienFaceNode::aRestMesh);
    MPlug old = to.source();
    if (!old.isNull()) change_.disconnect(old, to);
    status = change_.connect(MFnDependencyNode(path.node()).findPlug("outMesh", false), to);
  }
  return status ? change_.doIt() : status;
}

} // namespace mien_maya

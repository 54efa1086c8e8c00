// Attaching: the node after the deformers that are there, its neutral and shapes by connection.
#include "mien_command.h"

#include "node_ids.h"

#include <algorithm>

#include <maya/MArgList.h>
#include <maya/MFnDagNode.h>
#include <maya/MFnDependencyNode.h>
#include <maya/MFnMatrixData.h>
#include <maya/MPlugArray.h>
#include <maya/MStringArray.h>
#include <maya/MTime.h>

namespace mien_maya {

static MObject nodeNamed(const MString &name) {
  MSelectionList list;
  MObject node;
  if (list.add(name)) list.getDependNode(0, node);
  return node;
}

// The mesh of an item of a selection: a transform, a shape, or vertices of one.
static bool meshOf(const MSelectionList &list, unsigned int index, MDagPath *path) {
  return list.getDagPath(index, *path) && toMesh(path);
}

MStatus MienCommand::attach(const MArgDatabase &args) {
  MSelectionList list;
  if (!args.getObjects(list)) return MS::kFailure;
  if (list.isEmpty()) return fail("select the face mesh first");
  // Not -after: that flag makes a new shape, whose input is the posed mesh.
  MString has, line = MString("deformer -type ") + kFaceNodeName;
  if (args.isFlagSet("-n")) line += " -name \"" + args.flagArgumentString("-n", 0) + "\"";
  std::vector<MDagPath> owners; // transforms: a referenced mesh gets a new shape
  for (unsigned int i = 0; i < list.length(); i++) {
    MDagPath path;
    if (!meshOf(list, i, &path)) {
      MStringArray names;
      list.getSelectionStrings(names);
      return fail(std::string("'") + names[i].asChar() + "' is not a mesh");
    }
    MObject before = faceBefore(path.node());
    if (!before.isNull()) has = MFnDependencyNode(before).name();
    MString mesh = " \"" + path.partialPathName() + "\"";
    path.pop();
    // a mesh once, however often it is selected: as a transform, as vertices here and there
    bool isNew = std::none_of(owners.begin(), owners.end(),
                              [&](const MDagPath &other) { return other == path; });
    if (!isNew) continue;
    line += mesh;
    owners.push_back(path);
  }
  // two in a row would add physics to physics
  if (has.length())
    return fail(std::string("the mesh has physics already: ") + has.asChar() + "; delete it first");
  make_.commandToExecute(line);
  MStatus status = apply(make_);
  // found by the mesh: under a name space, or where the name is taken, it is called otherwise
  MObject node;
  if (status && toMesh(&owners[0])) node = faceBefore(owners[0].node());
  if (!faceOf(node)) return fail("the deformer could not be created");

  status = connectTime(node);
  for (unsigned int i = 0; status && i < owners.size(); i++) {
    MDagPath path;
    if (!shownShape(node, i, &path)) return fail("the deformer shows no mesh");
    status = connectGeometry(node, i, path);
  }
  if (status) {
    MTime start(args.isFlagSet("-sf") ? args.flagArgumentDouble("-sf", 0) : 1, MTime::uiUnit());
    change_.newPlugValueMTime(MPlug(node, MienFaceNode::aStartTime), start);
  }
  if (status) status = apply(change_);
  if (status) status = applyFlags(node, args);
  if (!status) return status;
  MString name = MFnDependencyNode(node).name();
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

// Does anything upstream of a node bend the mesh? Rigs are webs: each node is looked at once.
static bool isDeformed(const MObject &node, std::vector<MObject> *seen) {
  if (node.hasFn(MFn::kGeometryFilt)) return true;
  for (const MObject &one : *seen)
    if (one == node) return false;
  seen->push_back(node);
  MPlugArray plugs;
  if (!MFnDependencyNode(node).getConnections(plugs)) return false;
  for (unsigned int i = 0; i < plugs.length(); i++) {
    MPlug from = plugs[i].source();
    if (!from.isNull() && isDeformed(from.node(), seen)) return true;
  }
  return false;
}

// The neutral is the mesh before the first deformer. Where a node that is none stands between
// deformers, no such plug has the right vertices: the mesh as it is now is kept instead.
MStatus MienCommand::setRest(const MPlug &slot, const MPlug &incoming) {
  MPlug from = incoming, to = slot.child(MienFaceNode::aRestMesh);
  MPlug old = to.source();
  if (!old.isNull()) change_.disconnect(old, to);
  for (int depth = 0; depth < kLongestChain && keepsVertices(from.node()); depth++) {
    MPlug before = geometryInto(from).source();
    if (before.isNull()) return fail("a deformer in front has no input mesh");
    from = before;
  }
  std::vector<MObject> seen;
  if (from.node().hasFn(MFn::kMesh) || !isDeformed(from.node(), &seen))
    return change_.connect(from, to);
  displayWarning("mien: a node stands between the mesh and its deformers; the pose of this moment "
                 "is taken for the neutral. With another pose use -restMesh");
  MObject now = from.asMObject();
  return change_.newPlugValue(to, now);
}

MStatus MienCommand::connectGeometry(const MObject &node, unsigned int index,
                                     const MDagPath &shape) {
  MPlug slot = MPlug(node, MienFaceNode::aPerGeometry).elementByLogicalIndex(index);
  MPlug in = geometryInto(MPlug(node, MPxDeformerNode::outputGeom).elementByLogicalIndex(index));
  MPlug incoming = in.source();
  if (incoming.isNull()) return fail("the mesh has no input");
  MFnMatrixData matrix;
  MObject value = matrix.create(shape.inclusiveMatrix());
  change_.newPlugValue(slot.child(MienFaceNode::aRestMatrix), value);
  MStatus status = setRest(slot, incoming);
  MPlug channels = MPlug(node, MienFaceNode::aShapeWeights)
                       .elementByLogicalIndex(index)
                       .child(MienFaceNode::aShapeWeight);
  unsigned int shapes = 0, channel = 0;
  for (const MPlug &out : blendShapesBefore(incoming))
    connectShapes(slot.child(MienFaceNode::aShapes), channels, out, &shapes, &channel);
  return status;
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
  if (!list.add(from) || !meshOf(list, 0, &path))
    return fail(std::string("there is no mesh '") + from.asChar() + "'");
  MPlug colliders(node, MienFaceNode::aColliders);
  MPlug slot = colliders.elementByLogicalIndex(nextIndex(colliders) + others);
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
    if (!list.add(args.flagArgumentString("-rm", 0)) || !meshOf(list, 0, &path))
      return fail("there is no rest mesh of that name");
    MPlug to = MPlug(node, MienFaceNode::aPerGeometry)
                   .elementByLogicalIndex(firstGeometry(node))
                   .child(MienFaceNode::aRestMesh);
    MPlug old = to.source();
    if (!old.isNull()) change_.disconnect(old, to);
    status = change_.connect(MFnDependencyNode(path.node()).findPlug("outMesh", false), to);
  }
  return status ? apply(change_) : status;
}

} // namespace mien_maya

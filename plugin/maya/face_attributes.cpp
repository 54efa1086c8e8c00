// The attributes of the node; parameters and maps come from their tables.
#include "mien_face_node.h"

#include <cmath>

#include <maya/MFnCompoundAttribute.h>
#include <maya/MFnEnumAttribute.h>
#include <maya/MFnMatrixAttribute.h>
#include <maya/MFnNumericAttribute.h>
#include <maya/MFnTypedAttribute.h>
#include <maya/MFnUnitAttribute.h>
#include <maya/MTime.h>

namespace mien_maya {

MObject MienFaceNode::aTime, MienFaceNode::aStartTime, MienFaceNode::aHeadMatrix,
    MienFaceNode::aHeadRestMatrix, MienFaceNode::aJawMatrix, MienFaceNode::aJawRestMatrix;
MObject MienFaceNode::aPerGeometry, MienFaceNode::aRestMesh, MienFaceNode::aRestMatrix,
    MienFaceNode::aFittedMuscles, MienFaceNode::aContraction;
MObject MienFaceNode::aShapeMaps, MienFaceNode::aShapeMapName, MienFaceNode::aShapeMapValues,
    MienFaceNode::aBrushTarget, MienFaceNode::aBrushMap;
MObject MienFaceNode::aColliders, MienFaceNode::aColliderMesh, MienFaceNode::aColliderMatrix;
MObject MienFaceNode::aShapes, MienFaceNode::aShapeName, MienFaceNode::aShapePoints,
    MienFaceNode::aShapeComponents, MienFaceNode::aShapeMesh, MienFaceNode::aShapeFull,
    MienFaceNode::aShapeChannel, MienFaceNode::aShapeWeights, MienFaceNode::aShapeWeight;
MObject MienFaceNode::aOutSolveTime, MienFaceNode::aOutIterations, MienFaceNode::aOutResidual,
    MienFaceNode::aOutMaxOffset, MienFaceNode::aOutContacts, MienFaceNode::aOutStuck,
    MienFaceNode::aOutFramesKept;
MObjectArray MienFaceNode::aParameters, MienFaceNode::aMaps, MienFaceNode::aSources;

static void setRange(MFnNumericAttribute &fn, const mien_param &row) {
  fn.setMin(row.min);
  // Maya's whole numbers are ints
  bool isWhole = row.kind == MIEN_PARAM_WHOLE;
  fn.setMax(isWhole ? std::fmin(row.max, 2147483647.0) : row.max);
  fn.setSoftMin(row.soft_min);
  fn.setSoftMax(row.soft_max);
}

static MObject makeChoice(const Parameter &p) {
  MFnEnumAttribute fn;
  MObject made = fn.create(p.name.c_str(), p.brief.c_str(), static_cast<short>(p.row.value[0]));
  std::string rest = p.row.choices;
  for (short k = 0; !rest.empty(); k++) {
    size_t comma = rest.find(',');
    fn.addField(camelCase(rest.substr(0, comma)).c_str(), k);
    rest = comma == std::string::npos ? "" : rest.substr(comma + 1);
  }
  return made;
}

static MObject makeVector(const Parameter &p) {
  static const char *const kLong[] = {"X", "Y", "Z"}, *const kShort[] = {"x", "y", "z"};
  MObject part[3];
  for (int k = 0; k < 3; k++) {
    MFnNumericAttribute fn;
    part[k] = fn.create((p.name + kLong[k]).c_str(), (p.brief + kShort[k]).c_str(),
                        MFnNumericData::kDouble, p.row.value[k]);
    setRange(fn, p.row);
    fn.setKeyable(p.row.flags & MIEN_PARAM_KEYABLE);
  }
  MFnNumericAttribute fn;
  return fn.create(p.name.c_str(), p.brief.c_str(), part[0], part[1], part[2]);
}

static MObject makeParameter(const Parameter &p) {
  if (p.row.kind == MIEN_PARAM_CHOICE) return makeChoice(p);
  if (p.row.kind == MIEN_PARAM_VECTOR) return makeVector(p);
  MFnNumericAttribute fn;
  MFnNumericData::Type type = p.row.kind == MIEN_PARAM_NUMBER   ? MFnNumericData::kDouble
                              : p.row.kind == MIEN_PARAM_SWITCH ? MFnNumericData::kBoolean
                                                                : MFnNumericData::kInt;
  MObject made = fn.create(p.name.c_str(), p.brief.c_str(), type, p.row.value[0]);
  if (p.row.kind != MIEN_PARAM_SWITCH) setRange(fn, p.row);
  return made;
}

static MObject makeStatistic(const char *name, const char *brief, MFnNumericData::Type type) {
  MFnNumericAttribute fn;
  MObject made = fn.create(name, brief, type, 0);
  fn.setWritable(false);
  fn.setStorable(false);
  return made;
}

static MObject makeMatrix(const char *name, const char *brief, bool isStored) {
  MFnMatrixAttribute fn;
  MObject made = fn.create(name, brief);
  fn.setStorable(isStored);
  fn.setHidden(isStored);
  return made;
}

static MObject makeMap(const PaintedMap &m) {
  MFnNumericAttribute fn;
  MObject made = fn.create(m.name.c_str(), m.brief.c_str(), MFnNumericData::kFloat, kAutomatic);
  fn.setMin(kAutomatic);
  fn.setMax(m.row.max);
  fn.setArray(true);
  fn.setUsesArrayDataBuilder(true);
  fn.setNiceNameOverride(m.nice.c_str());
  return made;
}

// perGeometry[].shapes[]: what the blendShapes in front of the node do, by connection. An
// in-between is a shape of its own, full at another weight of the same channel.
static MStatus makeShapes(MObject out[7]) {
  MFnTypedAttribute typed;
  MFnNumericAttribute number;
  MFnCompoundAttribute compound;
  out[1] = typed.create("shapeName", "shn", MFnData::kString);
  out[2] = typed.create("shapePoints", "shp", MFnData::kPointArray);
  typed.setStorable(false);
  out[3] = typed.create("shapeComponents", "shc", MFnData::kComponentList);
  typed.setStorable(false);
  out[4] = typed.create("shapeMesh", "shm", MFnData::kMesh);
  typed.setStorable(false);
  out[5] = number.create("shapeFull", "shf", MFnNumericData::kDouble, 1);
  out[6] = number.create("shapeChannel", "shl", MFnNumericData::kInt, 0);
  out[0] = compound.create("shapes", "shs");
  for (int k = 1; k < 7; k++) CHECK_MSTATUS_AND_RETURN_IT(compound.addChild(out[k]));
  compound.setArray(true);
  compound.setUsesArrayDataBuilder(true);
  return MS::kSuccess;
}

// shapeWeights[].shapeWeight[]: of its own, because what is dirty anywhere in a compound makes all
// of it dirty for the Evaluation Manager, and weights change with every frame.
static MStatus makeShapeWeights(MObject out[2]) {
  MFnNumericAttribute number;
  MFnCompoundAttribute compound;
  out[1] = number.create("shapeWeight", "shw", MFnNumericData::kFloat, 0);
  number.setArray(true);
  number.setUsesArrayDataBuilder(true);
  out[0] = compound.create("shapeWeights", "sws");
  CHECK_MSTATUS_AND_RETURN_IT(compound.addChild(out[1]));
  compound.setArray(true);
  compound.setUsesArrayDataBuilder(true);
  return MS::kSuccess;
}

// perGeometry[].shapeMaps[]: materials of single shapes, "stiffness:jawOpen", stored sparsely
static MStatus makeShapeMaps(MObject out[3]) {
  MFnTypedAttribute typed;
  MFnNumericAttribute number;
  MFnCompoundAttribute compound;
  out[1] = typed.create("shapeMapName", "smn", MFnData::kString);
  out[2] = number.create("shapeMapValues", "smv", MFnNumericData::kFloat, kAutomatic);
  number.setArray(true);
  number.setUsesArrayDataBuilder(true);
  out[0] = compound.create("shapeMaps", "smp");
  for (int k = 1; k < 3; k++) CHECK_MSTATUS_AND_RETURN_IT(compound.addChild(out[k]));
  compound.setArray(true);
  compound.setUsesArrayDataBuilder(true);
  return MS::kSuccess;
}

// contraction[]: of muscles, by their number; `mien -useMuscles` gives each its name
static MObject makeContraction() {
  MFnNumericAttribute fn;
  MObject made = fn.create("contraction", "ctr", MFnNumericData::kFloat, 0);
  fn.setMin(-1);
  fn.setMax(0.7);
  fn.setSoftMin(0);
  fn.setSoftMax(0.7);
  fn.setKeyable(true);
  fn.setArray(true);
  fn.setUsesArrayDataBuilder(true);
  return made;
}

// colliders[]: closed meshes that the skin does not go through
static MStatus makeColliders(MObject out[3]) {
  MFnTypedAttribute typed;
  MFnCompoundAttribute compound;
  out[1] = typed.create("colliderMesh", "clm", MFnData::kMesh);
  typed.setStorable(false);
  out[2] = makeMatrix("colliderMatrix", "clx", false);
  out[0] = compound.create("colliders", "cls");
  for (int k = 1; k < 3; k++) CHECK_MSTATUS_AND_RETURN_IT(compound.addChild(out[k]));
  compound.setArray(true);
  compound.setUsesArrayDataBuilder(true);
  return MS::kSuccess;
}

static MStatus makePerGeometry(const MObject *children, int count, MObject *out) {
  MFnCompoundAttribute compound;
  *out = compound.create("perGeometry", "pgm");
  for (int k = 0; k < count; k++) CHECK_MSTATUS_AND_RETURN_IT(compound.addChild(children[k]));
  compound.setArray(true);
  compound.setUsesArrayDataBuilder(true);
  return MS::kSuccess;
}

MStatus MienFaceNode::initialize() {
  MFnUnitAttribute unit;
  MFnTypedAttribute typed;
  aTime = unit.create("time", "tim", MTime(0, MTime::kSeconds));
  // A file does not hold what is the default: it must not depend on the frame rate of the moment.
  aStartTime = unit.create("startTime", "stt", MTime(0, MTime::kSeconds));
  unit.setChannelBox(true);
  aHeadMatrix = makeMatrix("headMatrix", "hdm", false);
  aHeadRestMatrix = makeMatrix("headRestMatrix", "hrm", true);
  aJawMatrix = makeMatrix("jawMatrix", "jam", false);
  aJawRestMatrix = makeMatrix("jawRestMatrix", "jrm", true);

  MObject shape[7], weights[2];
  CHECK_MSTATUS_AND_RETURN_IT(makeShapes(shape));
  aShapes = shape[0], aShapeName = shape[1], aShapePoints = shape[2], aShapeComponents = shape[3];
  aShapeMesh = shape[4], aShapeFull = shape[5], aShapeChannel = shape[6];
  CHECK_MSTATUS_AND_RETURN_IT(makeShapeWeights(weights));
  aShapeWeights = weights[0], aShapeWeight = weights[1];
  aRestMesh = typed.create("restMesh", "rsm", MFnData::kMesh);
  aRestMatrix = makeMatrix("restMatrix", "rmx", true);
  MObject stored[3];
  CHECK_MSTATUS_AND_RETURN_IT(makeShapeMaps(stored));
  aShapeMaps = stored[0], aShapeMapName = stored[1], aShapeMapValues = stored[2];
  aBrushTarget = typed.create("brushTarget", "brt", MFnData::kString);
  aFittedMuscles = typed.create("fittedMuscles", "fmu", MFnData::kString);
  aContraction = makeContraction();
  MFnNumericAttribute brush; // the brush paints one map of a shape at a time, here
  aBrushMap = brush.create("brushMap", "brm", MFnNumericData::kFloat, kAutomatic);
  brush.setMin(kAutomatic);
  brush.setMax(1000);
  brush.setArray(true);
  brush.setUsesArrayDataBuilder(true);
  std::vector<MObject> children{aRestMesh,    aRestMatrix, aShapes,       aShapeMaps,
                                aBrushTarget, aBrushMap,   aFittedMuscles};
  aMaps.clear();
  for (const PaintedMap &map : paintedMaps()) {
    children.push_back(makeMap(map));
    aMaps.append(children.back());
  }
  CHECK_MSTATUS_AND_RETURN_IT(
      makePerGeometry(children.data(), static_cast<int>(children.size()), &aPerGeometry));

  MObject collider[3];
  CHECK_MSTATUS_AND_RETURN_IT(makeColliders(collider));
  aColliders = collider[0], aColliderMesh = collider[1], aColliderMatrix = collider[2];

  std::vector<MObject> inputs{aTime,      aStartTime,     aHeadMatrix,  aHeadRestMatrix,
                              aJawMatrix, aJawRestMatrix, aPerGeometry, aShapeWeights,
                              aColliders, aContraction};
  aParameters.clear();
  for (const Parameter &p : parameters()) {
    MObject made = makeParameter(p);
    MFnAttribute fn(made);
    bool isKeyable = p.row.flags & MIEN_PARAM_KEYABLE;
    fn.setKeyable(isKeyable);
    if (!isKeyable) fn.setChannelBox(true);
    fn.setNiceNameOverride(p.nice.c_str());
    aParameters.append(made);
    inputs.push_back(made);
  }
  // the weights of the shapes change with every frame and are not among them
  aSources.clear();
  for (const MObject &a : {aRestMesh, aRestMatrix, aShapeName, aShapePoints, aShapeComponents,
                           aShapeMesh, aShapeFull, aShapeChannel, aColliderMesh, aShapeMapName,
                           aShapeMapValues, aBrushTarget, aBrushMap, aFittedMuscles})
    aSources.append(a);
  for (unsigned int k = 0; k < aMaps.length(); k++) aSources.append(aMaps[k]);
  for (size_t k = 0; k < parameters().size(); k++)
    if (parameters()[k].rebuilds) aSources.append(aParameters[static_cast<unsigned int>(k)]);
  aOutSolveTime = makeStatistic("outSolveTime", "ost", MFnNumericData::kDouble);
  aOutIterations = makeStatistic("outIterations", "oit", MFnNumericData::kInt);
  aOutResidual = makeStatistic("outResidual", "ore", MFnNumericData::kDouble);
  aOutMaxOffset = makeStatistic("outMaxOffset", "omo", MFnNumericData::kDouble);
  aOutContacts = makeStatistic("outContacts", "oco", MFnNumericData::kInt);
  aOutStuck = makeStatistic("outStuck", "osk", MFnNumericData::kInt);
  aOutFramesKept = makeStatistic("outFramesKept", "ofk", MFnNumericData::kInt);

  for (const MObject &a : inputs) {
    CHECK_MSTATUS_AND_RETURN_IT(addAttribute(a));
    CHECK_MSTATUS_AND_RETURN_IT(attributeAffects(a, outputGeom));
  }
  for (const MObject &a : children) CHECK_MSTATUS_AND_RETURN_IT(attributeAffects(a, outputGeom));
  for (int k = 1; k < 7; k++) CHECK_MSTATUS_AND_RETURN_IT(attributeAffects(shape[k], outputGeom));
  CHECK_MSTATUS_AND_RETURN_IT(attributeAffects(aShapeWeight, outputGeom));
  for (int k = 1; k < 3; k++) {
    CHECK_MSTATUS_AND_RETURN_IT(attributeAffects(collider[k], outputGeom));
    CHECK_MSTATUS_AND_RETURN_IT(attributeAffects(stored[k], outputGeom));
  }
  for (const MObject &a : {aOutSolveTime, aOutIterations, aOutResidual, aOutMaxOffset, aOutContacts,
                           aOutStuck, aOutFramesKept}) {
    CHECK_MSTATUS_AND_RETURN_IT(addAttribute(a));
    CHECK_MSTATUS_AND_RETURN_IT(attributeAffects(aTime, a));
  }
  return MS::kSuccess;
}

} // namespace mien_maya

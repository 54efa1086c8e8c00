// The attributes of the node; parameters and maps come from their tables.
#include "mien_face_node.h"

#include <cmath>
#include <cstdlib>

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
MObject MienFaceNode::aPerGeometry, MienFaceNode::aRestMesh, MienFaceNode::aRestMatrix;
MObject MienFaceNode::aShapes, MienFaceNode::aShapeName, MienFaceNode::aShapePoints,
    MienFaceNode::aShapeComponents, MienFaceNode::aShapeWeight;
MObject MienFaceNode::aOutSolveTime, MienFaceNode::aOutIterations, MienFaceNode::aOutResidual,
    MienFaceNode::aOutMaxOffset, MienFaceNode::aOutContacts, MienFaceNode::aOutStuck,
    MienFaceNode::aOutFramesKept;
MObjectArray MienFaceNode::aParameters, MienFaceNode::aMaps;

static void setRange(MFnNumericAttribute &fn, const Parameter &p) {
  if (!std::isnan(p.least)) fn.setMin(p.least);
  if (!std::isnan(p.most)) fn.setMax(p.most);
  if (!std::isnan(p.soft_least)) fn.setSoftMin(p.soft_least);
  if (!std::isnan(p.soft_most)) fn.setSoftMax(p.soft_most);
}

static MObject makeChoice(const Parameter &p) {
  MFnEnumAttribute fn;
  MObject made = fn.create(p.name, p.brief, static_cast<short>(p.value));
  std::string rest = p.choices;
  while (!rest.empty()) {
    size_t equals = rest.find('='), comma = rest.find(',');
    fn.addField(rest.substr(0, equals).c_str(),
                static_cast<short>(std::atoi(rest.c_str() + equals + 1)));
    rest = comma == std::string::npos ? "" : rest.substr(comma + 1);
  }
  return made;
}

static MObject makeVector(const Parameter &p) {
  MObject part[3];
  for (int k = 0; k < 3; k++) {
    MFnNumericAttribute fn;
    part[k] = fn.create(MString(p.name) + (k == 0   ? "X"
                                           : k == 1 ? "Y"
                                                    : "Z"),
                        MString(p.brief) + (k == 0   ? "x"
                                            : k == 1 ? "y"
                                                     : "z"),
                        MFnNumericData::kDouble, p.value);
    setRange(fn, p);
    fn.setKeyable(p.keyable);
  }
  MFnNumericAttribute fn;
  return fn.create(p.name, p.brief, part[0], part[1], part[2]);
}

static MObject makeParameter(const Parameter &p) {
  if (p.kind == Kind::choice) return makeChoice(p);
  if (p.kind == Kind::vector) return makeVector(p);
  MFnNumericAttribute fn;
  MFnNumericData::Type type = p.kind == Kind::real     ? MFnNumericData::kDouble
                              : p.kind == Kind::toggle ? MFnNumericData::kBoolean
                                                       : MFnNumericData::kInt;
  MObject made = fn.create(p.name, p.brief, type, p.value);
  setRange(fn, p);
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
  MObject made = fn.create(m.name, m.brief, MFnNumericData::kFloat, m.value);
  fn.setMin(m.least);
  fn.setMax(m.most);
  fn.setArray(true);
  fn.setUsesArrayDataBuilder(true);
  fn.setNiceNameOverride(m.nice);
  return made;
}

// perGeometry[].shapes[]: what the blendShape in front of the node does, by connection
static MStatus makeShapes(MObject out[5]) {
  MFnTypedAttribute typed;
  MFnNumericAttribute number;
  MFnCompoundAttribute compound;
  out[1] = typed.create("shapeName", "shn", MFnData::kString);
  out[2] = typed.create("shapePoints", "shp", MFnData::kPointArray);
  typed.setStorable(false);
  out[3] = typed.create("shapeComponents", "shc", MFnData::kComponentList);
  typed.setStorable(false);
  out[4] = number.create("shapeWeight", "shw", MFnNumericData::kFloat, 0);
  out[0] = compound.create("shapes", "shs");
  for (int k = 1; k < 5; k++) CHECK_MSTATUS_AND_RETURN_IT(compound.addChild(out[k]));
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
  aStartTime = unit.create("startTime", "stt", MTime(1, MTime::uiUnit()));
  unit.setChannelBox(true);
  aHeadMatrix = makeMatrix("headMatrix", "hdm", false);
  aHeadRestMatrix = makeMatrix("headRestMatrix", "hrm", true);
  aJawMatrix = makeMatrix("jawMatrix", "jam", false);
  aJawRestMatrix = makeMatrix("jawRestMatrix", "jrm", true);

  MObject shape[5];
  CHECK_MSTATUS_AND_RETURN_IT(makeShapes(shape));
  aShapes = shape[0], aShapeName = shape[1], aShapePoints = shape[2], aShapeComponents = shape[3],
  aShapeWeight = shape[4];
  aRestMesh = typed.create("restMesh", "rsm", MFnData::kMesh);
  aRestMatrix = makeMatrix("restMatrix", "rmx", true);
  std::vector<MObject> children{aRestMesh, aRestMatrix, aShapes};
  aMaps.clear();
  for (int k = 0; k < kMapCount; k++) {
    aMaps.append(makeMap(kMaps[k]));
    children.push_back(aMaps[static_cast<unsigned>(k)]);
  }
  CHECK_MSTATUS_AND_RETURN_IT(
      makePerGeometry(children.data(), static_cast<int>(children.size()), &aPerGeometry));

  std::vector<MObject> inputs{aTime,      aStartTime,     aHeadMatrix, aHeadRestMatrix,
                              aJawMatrix, aJawRestMatrix, aPerGeometry};
  aParameters.clear();
  for (int k = 0; k < kParameterCount; k++) {
    MObject made = makeParameter(kParameters[k]);
    MFnAttribute fn(made);
    fn.setKeyable(kParameters[k].keyable);
    if (!kParameters[k].keyable) fn.setChannelBox(true);
    fn.setNiceNameOverride(kParameters[k].nice);
    aParameters.append(made);
    inputs.push_back(made);
  }
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
  for (int k = 1; k < 5; k++) CHECK_MSTATUS_AND_RETURN_IT(attributeAffects(shape[k], outputGeom));
  for (const MObject &a : {aOutSolveTime, aOutIterations, aOutResidual, aOutMaxOffset, aOutContacts,
                           aOutStuck, aOutFramesKept}) {
    CHECK_MSTATUS_AND_RETURN_IT(addAttribute(a));
    CHECK_MSTATUS_AND_RETURN_IT(attributeAffects(aTime, a));
  }
  return MS::kSuccess;
}

} // namespace mien_maya

// A small plug-in that uses each part of the host once, to prove the host before mien relies on it.
// Compiled unchanged for every version.
#include <map>
#include <vector>

#include <maya/MArgDatabase.h>
#include <maya/MArrayDataBuilder.h>
#include <maya/MDGModifier.h>
#include <maya/MDataBlock.h>
#include <maya/MEvaluationNode.h>
#include <maya/MFnCompoundAttribute.h>
#include <maya/MFnDependencyNode.h>
#include <maya/MFnMesh.h>
#include <maya/MFnNumericAttribute.h>
#include <maya/MFnPlugin.h>
#include <maya/MFnUnitAttribute.h>
#include <maya/MGlobal.h>
#include <maya/MIndexMapper.h>
#include <maya/MItGeometry.h>
#include <maya/MMatrix.h>
#include <maya/MNodeCacheSetupInfo.h>
#include <maya/MPlugArray.h>
#include <maya/MPointArray.h>
#include <maya/MPxCommand.h>
#include <maya/MPxDeformerNode.h>
#include <maya/MPxThreadedDeviceNode.h>
#include <maya/MSelectionList.h>
#include <maya/MStringArray.h>
#include <maya/MSyntax.h>
#include <maya/MVector.h>

// Lifts the members by amount * map * weight, and counts how often it ran.
class ExampleLift : public MPxDeformerNode {
public:
  static MObject aTime, aAmount, aPerGeometry, aLiftMap, aCount;
  std::map<unsigned int, int> runs; // state per geometry index
  int dirtied = 0, announced = 0;

  static void *creator() { return new ExampleLift; }
  static MStatus initialize();
  MStatus deform(MDataBlock &block, MItGeometry &iter, const MMatrix &toWorld,
                 unsigned int index) override;
  MStatus compute(const MPlug &plug, MDataBlock &block) override;
  MStatus setDependentsDirty(const MPlug &plug, MPlugArray &affected) override;
  MStatus preEvaluation(const MDGContext &context, const MEvaluationNode &node) override;
  SchedulingType schedulingType() const override { return kParallel; }
  void getCacheSetup(const MEvaluationNode &, MNodeCacheDisablingInfo &, MNodeCacheSetupInfo &setup,
                     MObjectArray &) const override {
    setup.setRequirement(MNodeCacheSetupInfo::kSimulationSupport, true);
  }
  MTimeRange transformInvalidationRange(const MPlug &, const MTimeRange &span) const override {
    return span | MTimeRange(span.bounds().min, MTime(1e9, MTime::kSeconds));
  }
};
MObject ExampleLift::aTime, ExampleLift::aAmount, ExampleLift::aPerGeometry, ExampleLift::aLiftMap,
    ExampleLift::aCount;

MStatus ExampleLift::initialize() {
  MFnUnitAttribute unit;
  MFnNumericAttribute number;
  MFnCompoundAttribute compound;
  aTime = unit.create("time", "tm", MTime(0, MTime::kSeconds));
  aAmount = number.create("amount", "am", MFnNumericData::kDouble, 1);
  number.setKeyable(true);
  number.setMin(-100);
  number.setMax(100);
  aLiftMap = number.create("liftMap", "lm", MFnNumericData::kFloat, 1);
  number.setArray(true);
  number.setUsesArrayDataBuilder(true);
  aPerGeometry = compound.create("perGeometry", "pg");
  compound.addChild(aLiftMap);
  compound.setArray(true);
  compound.setUsesArrayDataBuilder(true);
  aCount = number.create("outCount", "oc", MFnNumericData::kInt, 0);
  number.setWritable(false);
  number.setStorable(false);
  for (const MObject *a : {&aTime, &aAmount, &aPerGeometry, &aCount})
    CHECK_MSTATUS_AND_RETURN_IT(addAttribute(*a));
  for (const MObject *a : {&aTime, &aAmount, &aPerGeometry, &aLiftMap})
    CHECK_MSTATUS_AND_RETURN_IT(attributeAffects(*a, outputGeom));
  return attributeAffects(aTime, aCount);
}

MStatus ExampleLift::compute(const MPlug &plug, MDataBlock &block) {
  if (plug != aCount) return MPxDeformerNode::compute(plug, block);
  int all = 0;
  for (auto &r : runs) all += r.second;
  block.outputValue(aCount).set(all);
  return block.setClean(plug);
}

static float mapValue(MDataBlock &block, const MObject &list, const MObject &map,
                      unsigned int geometry, unsigned int vertex) {
  MArrayDataHandle all = block.inputArrayValue(list);
  if (!all.jumpToElement(geometry)) return 1;
  MArrayDataHandle values(all.inputValue().child(map));
  return values.jumpToElement(vertex) ? values.inputValue().asFloat() : 1;
}

MStatus ExampleLift::deform(MDataBlock &block, MItGeometry &iter, const MMatrix &toWorld,
                            unsigned int index) {
  float envelope_ = block.inputValue(envelope).asFloat();
  double amount = block.inputValue(aAmount).asDouble();
  MTime time = block.inputValue(aTime).asTime();
  if (block.context().isNormal()) runs[index]++;
  MVector up = MVector(0, 1, 0) * toWorld.inverse();
#if MAYA_API_VERSION >= 20240000
  MIndexMapper mapper = indexMapper(index);
  if (static_cast<int>(mapper.affectCount()) != iter.count()) return MS::kFailure;
#endif
  for (; !iter.isDone(); iter.next()) {
    unsigned int v = static_cast<unsigned int>(iter.index());
    float share = envelope_ * weightValue(block, index, v) *
                  mapValue(block, aPerGeometry, aLiftMap, index, v);
    iter.setPosition(iter.position() + up * (amount * static_cast<double>(share)) +
                     MVector(time.as(MTime::kFilm) * 1e-3, 0, 0));
  }
  return MS::kSuccess;
}

MStatus ExampleLift::setDependentsDirty(const MPlug &, MPlugArray &) {
  dirtied++;
  return MS::kSuccess;
}
MStatus ExampleLift::preEvaluation(const MDGContext &context, const MEvaluationNode &node) {
  if (context.isNormal() && node.dirtyPlugExists(aTime)) announced++;
  return MS::kSuccess;
}

// Sums a sparse array and writes one back with a builder.
class ExampleSum : public MPxNode {
public:
  static MObject aIn, aOut, aDoubled;
  static void *creator() { return new ExampleSum; }
  static MStatus initialize() {
    MFnNumericAttribute number;
    aIn = number.create("values", "va", MFnNumericData::kDouble, 0);
    number.setArray(true);
    aOut = number.create("sum", "su", MFnNumericData::kDouble, 0);
    number.setWritable(false);
    aDoubled = number.create("doubled", "db", MFnNumericData::kDouble, 0);
    number.setArray(true);
    number.setUsesArrayDataBuilder(true);
    number.setWritable(false);
    for (const MObject *a : {&aIn, &aOut, &aDoubled}) CHECK_MSTATUS_AND_RETURN_IT(addAttribute(*a));
    attributeAffects(aIn, aOut);
    return attributeAffects(aIn, aDoubled);
  }
  MStatus compute(const MPlug &plug, MDataBlock &block) override {
    if (plug != aOut && plug != aDoubled) return MS::kUnknownParameter;
    MArrayDataHandle in = block.inputArrayValue(aIn), out = block.outputArrayValue(aDoubled);
    MArrayDataBuilder builder = out.builder();
    double sum = 0;
    for (unsigned int k = 0; k < in.elementCount(); k++, in.next()) {
      double v = in.inputValue().asDouble();
      sum += v;
      builder.addElement(in.elementIndex()).set(2 * v);
    }
    out.set(builder);
    out.setAllClean();
    MDataHandle total = block.outputValue(aOut);
    total.set(sum);
    total.setClean();
    return MS::kSuccess;
  }
};
MObject ExampleSum::aIn, ExampleSum::aOut, ExampleSum::aDoubled;

// Counts in its own thread.
class ExampleDevice : public MPxThreadedDeviceNode {
public:
  static MObject aOut;
  ~ExampleDevice() override { destroyMemoryPools(); }
  static void *creator() { return new ExampleDevice; }
  static MStatus initialize() {
    MFnNumericAttribute number;
    aOut = number.create("ticks", "ti", MFnNumericData::kDouble, 0);
    number.setWritable(false);
    CHECK_MSTATUS_AND_RETURN_IT(addAttribute(aOut));
    return attributeAffects(live, aOut);
  }
  void postConstructor() override {
    MObjectArray refreshed;
    refreshed.append(aOut);
    setRefreshOutputAttributes(refreshed);
    createMemoryPools(8, 1, sizeof(double));
  }
  void threadHandler() override {
    double count = 0;
    setDone(false);
    while (!isDone()) {
      MCharBuffer buffer;
      if (!isLive() || !acquireDataStorage(buffer)) continue;
      beginThreadLoop();
      *reinterpret_cast<double *>(buffer.ptr()) = ++count;
      pushThreadData(buffer);
      endThreadLoop();
    }
    setDone(true);
  }
  void threadShutdownHandler() override { setDone(true); }
  MStatus compute(const MPlug &plug, MDataBlock &block) override {
    if (plug != aOut) return MS::kUnknownParameter;
    MCharBuffer buffer;
    if (popThreadData(buffer)) {
      block.outputValue(aOut).set(*reinterpret_cast<double *>(buffer.ptr()));
      releaseDataStorage(buffer);
    }
    return block.setClean(plug);
  }
};
MObject ExampleDevice::aOut;

// exampleAttach [-n NAME] [-am AMOUNT] MESH...: undoable
class ExampleAttach : public MPxCommand {
public:
  static void *creator() { return new ExampleAttach; }
  static MSyntax newSyntax() {
    MSyntax syntax;
    syntax.addFlag("-n", "-name", MSyntax::kString);
    syntax.addFlag("-am", "-amount", MSyntax::kDouble);
    syntax.setObjectType(MSyntax::kSelectionList, 1, 255);
    syntax.useSelectionAsDefault(true);
    return syntax;
  }
  bool isUndoable() const override { return true; }
  bool hasSyntax() const override { return true; }
  MStatus doIt(const MArgList &args) override {
    MStatus status;
    MArgDatabase data(syntax(), args, &status);
    CHECK_MSTATUS_AND_RETURN_IT(status);
    MSelectionList list;
    CHECK_MSTATUS_AND_RETURN_IT(data.getObjects(list));
    MString name = data.isFlagSet("-n") ? data.flagArgumentString("-n", 0) : MString("lift1");
    MString line = "deformer -type exampleLift -n \"" + name + "\"";
    MStringArray names;
    list.getSelectionStrings(names);
    for (unsigned int i = 0; i < names.length(); i++) line += " \"" + names[i] + "\"";
    make_.commandToExecute(line);
    CHECK_MSTATUS_AND_RETURN_IT(make_.doIt());
    MSelectionList made;
    CHECK_MSTATUS_AND_RETURN_IT(made.add(name));
    MObject node, clock;
    made.getDependNode(0, node);
    made.add("time1");
    made.getDependNode(1, clock);
    MFnDependencyNode fn(node), time(clock);
    connect_.connect(time.findPlug("outTime", false), fn.findPlug(ExampleLift::aTime, false));
    if (data.isFlagSet("-am"))
      connect_.newPlugValueDouble(fn.findPlug("amount", false), data.flagArgumentDouble("-am", 0));
    setResult(name);
    return connect_.doIt();
  }
  MStatus redoIt() override {
    CHECK_MSTATUS_AND_RETURN_IT(make_.doIt());
    return connect_.doIt();
  }
  MStatus undoIt() override {
    connect_.undoIt();
    return make_.undoIt();
  }

private:
  MDGModifier make_, connect_;
};

PLUGIN_EXPORT MStatus initializePlugin(MObject object) {
  MFnPlugin plugin(object, "mien tests", "1.0", "Any");
  CHECK_MSTATUS_AND_RETURN_IT(plugin.registerNode("exampleLift", 0x7f001, ExampleLift::creator,
                                                  ExampleLift::initialize, MPxNode::kDeformerNode));
  CHECK_MSTATUS_AND_RETURN_IT(
      plugin.registerNode("exampleSum", 0x7f002, ExampleSum::creator, ExampleSum::initialize));
  CHECK_MSTATUS_AND_RETURN_IT(plugin.registerNode("exampleDevice", 0x7f003, ExampleDevice::creator,
                                                  ExampleDevice::initialize,
                                                  MPxNode::kThreadedDeviceNode));
  MGlobal::executeCommand("makePaintable -attrType multiFloat -sm deformer exampleLift liftMap");
  return plugin.registerCommand("exampleAttach", ExampleAttach::creator, ExampleAttach::newSyntax);
}

PLUGIN_EXPORT MStatus uninitializePlugin(MObject object) {
  MFnPlugin plugin(object);
  CHECK_MSTATUS_AND_RETURN_IT(plugin.deregisterCommand("exampleAttach"));
  for (unsigned int id : {0x7f003u, 0x7f002u, 0x7f001u})
    CHECK_MSTATUS_AND_RETURN_IT(plugin.deregisterNode(MTypeId(id)));
  return MS::kSuccess;
}

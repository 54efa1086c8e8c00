#ifndef HOST_MPXNODE_H
#define HOST_MPXNODE_H

#include <maya/MDGContext.h>
#include <maya/MDataBlock.h>
#include <maya/MObjectArray.h>
#include <maya/MPlug.h>
#include <maya/MPlugArray.h>
#include <maya/MString.h>
#include <maya/MTimeRange.h>
#include <maya/MTypeId.h>

MAYA_HOST_OPEN

class MPxNode {
public:
  enum Type {
    kDependNode = 0,
    kLocatorNode = 1,
    kDeformerNode = 2,
    kThreadedDeviceNode = 21,
    kGeometryFilter = 24,
    kBlendShape = 25
  };
  enum SchedulingType {
    kParallel = 0,
    kSerialize = 1,
    kDefaultScheduling = kSerialize,
    kGloballySerialize,
    kUntrusted
  };
  MPxNode();
  virtual ~MPxNode();
  virtual void postConstructor();
  virtual MStatus compute(const MPlug &plug, MDataBlock &block);
  virtual MStatus setDependentsDirty(const MPlug &plug, MPlugArray &affected);
  virtual MStatus preEvaluation(const MDGContext &context, const MEvaluationNode &node);
  virtual MStatus postEvaluation(const MDGContext &context, const MEvaluationNode &node,
                                 unsigned int type);
  virtual SchedulingType schedulingType() const;
  virtual MStatus connectionMade(const MPlug &plug, const MPlug &other, bool asSrc);
  virtual MStatus connectionBroken(const MPlug &plug, const MPlug &other, bool asSrc);
  virtual void copyInternalData(MPxNode *from);
  virtual MStatus shouldSave(const MPlug &plug, bool &result);
  virtual bool isPassiveOutput(const MPlug &plug) const;
  virtual void getCacheSetup(const MEvaluationNode &node, MNodeCacheDisablingInfo &disabling,
                             MNodeCacheSetupInfo &setup, MObjectArray &monitored) const;
  virtual void configCache(const MEvaluationNode &node, MCacheSchema &schema) const;
  virtual MTimeRange transformInvalidationRange(const MPlug &source, const MTimeRange &input) const;
  virtual MObject thisMObject() const;
  virtual MString name() const;
  virtual MTypeId typeId() const;
  virtual MString typeName() const;
  static MStatus addAttribute(const MObject &attribute);
  static MStatus attributeAffects(const MObject &from, const MObject &to);
  static MObject message, caching, state, frozen, isHistoricallyInteresting;

protected:
  virtual MDataBlock forceCache();

private:
  host::Node *hostNode = nullptr;
};

MAYA_HOST_CLOSE

#endif

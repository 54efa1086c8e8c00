#ifndef HOST_MPXNODE_H
#define HOST_MPXNODE_H

#include <maya/MDGContext.h>
#include <maya/MPlug.h>
#include <maya/MTimeRange.h>
#include <maya/MTypeId.h>

MAYA_HOST_OPEN

class MPxNode {
public:
  enum Type {
    kDependNode,
    kLocatorNode,
    kDeformerNode,
    kThreadedDeviceNode,
    kGeometryFilter,
    kBlendShape
  };
  enum SchedulingType {
    kParallel,
    kDefaultScheduling = kParallel,
    kSerialize,
    kGloballySerialize,
    kUntrusted
  };
  enum PostEvaluationType { kEvaluatedIndirectly, kEvaluatedDirectly, kEvaluatedLeaf };
  MPxNode();
  virtual ~MPxNode();
  virtual void postConstructor();
  virtual MStatus compute(const MPlug &plug, MDataBlock &block);
  virtual MStatus setDependentsDirty(const MPlug &plug, MPlugArray &affected);
  virtual MStatus preEvaluation(const MDGContext &context, const MEvaluationNode &node);
  virtual MStatus postEvaluation(const MDGContext &context, const MEvaluationNode &node,
                                 PostEvaluationType type);
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
  MObject thisMObject() const;
  MString name() const;
  MTypeId typeId() const;
  MString typeName() const;
  static MStatus addAttribute(const MObject &attribute);
  static MStatus attributeAffects(const MObject &from, const MObject &to);
  static MObject message, caching, state, frozen, isHistoricallyInteresting;

  // of the host
  host::Node *hostNode = nullptr;

protected:
  MDataBlock forceCache();
};

MAYA_HOST_CLOSE

#endif

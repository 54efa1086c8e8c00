#ifndef HOST_MPXGEOMETRYFILTER_H
#define HOST_MPXGEOMETRYFILTER_H

#include <maya/MPxNode.h>

MAYA_HOST_OPEN

class MPxGeometryFilter : public MPxNode {
public:
  MPxGeometryFilter();
  ~MPxGeometryFilter() override;
  virtual MStatus deform(MDataBlock &block, MItGeometry &iter, const MMatrix &localToWorld,
                         unsigned int multiIndex);
  virtual MObject &accessoryAttribute() const;
  virtual MStatus accessoryNodeSetup(MDagModifier &cmd);
  virtual void setModifiedCallback(MSelectionList &list, bool listAdded);
  static MObject input, inputGeom, groupId, outputGeom, envelope, componentTagExpression;
#if MAYA_HOST_VERSION >= 20250000
  enum ChangeFlags { kNoChange = 0, kTopologyChanged = 1, kGroupChanged = 2 };
  static MObject originalGeometry;
  virtual MStatus prepareDeform(MDataBlock &block, unsigned int multiIndex, int changeFlags);
#endif
#if MAYA_HOST_VERSION >= 20240000
  MIndexMapper indexMapper(unsigned int multiIndex, MStatus *ReturnStatus = nullptr) const;
#endif
};

MAYA_HOST_CLOSE

#endif

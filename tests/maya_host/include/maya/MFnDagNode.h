#ifndef HOST_MFNDAGNODE_H
#define HOST_MFNDAGNODE_H

#include <maya/MFnDependencyNode.h>

MAYA_HOST_OPEN

class MFnDagNode : public MFnDependencyNode {
public:
  MFnDagNode() = default;
  explicit MFnDagNode(const MObject &object, MStatus *ReturnStatus = nullptr);
  explicit MFnDagNode(const MDagPath &path, MStatus *ReturnStatus = nullptr);
  MStatus getPath(MDagPath &path) const;
  MString fullPathName(MStatus *ReturnStatus = nullptr) const;
  MString partialPathName(MStatus *ReturnStatus = nullptr) const;
  bool isIntermediateObject(MStatus *ReturnStatus = nullptr) const;
};

MAYA_HOST_CLOSE

#endif

#ifndef HOST_MFNDEPENDENCYNODE_H
#define HOST_MFNDEPENDENCYNODE_H

#include <maya/MFnBase.h>
#include <maya/MString.h>
#include <maya/MTypeId.h>

MAYA_HOST_OPEN

class MFnDependencyNode : public MFnBase {
public:
  MFnDependencyNode() = default;
  explicit MFnDependencyNode(const MObject &object, MStatus *ReturnStatus = nullptr);
  MPlug findPlug(const MString &name, bool wantNetworkedPlug,
                 MStatus *ReturnStatus = nullptr) const;
  MPlug findPlug(const MObject &attribute, bool wantNetworkedPlug,
                 MStatus *ReturnStatus = nullptr) const;
  MString name(MStatus *ReturnStatus = nullptr) const;
  MTypeId typeId(MStatus *ReturnStatus = nullptr) const;
  MString typeName(MStatus *ReturnStatus = nullptr) const;
  MPxNode *userNode(MStatus *ReturnStatus = nullptr) const;
  bool hasAttribute(const MString &name, MStatus *ReturnStatus = nullptr) const;
  MObject attribute(const MString &name, MStatus *ReturnStatus = nullptr) const;
  MString plugsAlias(const MPlug &plug, MStatus *ReturnStatus = nullptr);
  MStatus getConnections(MPlugArray &plugs) const;
  bool isFromReferencedFile(MStatus *ReturnStatus = nullptr) const;
};

MAYA_HOST_CLOSE

#endif

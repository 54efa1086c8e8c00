// Emits MApiVersion and declares the entry points: include it in one file of the plug-in only.
#ifndef HOST_MFNPLUGIN_H
#define HOST_MFNPLUGIN_H

#include <maya/MFnBase.h>
#include <maya/MPlugin.h>
#include <maya/MPxNode.h>
#include <maya/MString.h>

MAYA_HOST_OPEN

class MFnPlugin : public MFnBase {
public:
  explicit MFnPlugin(MObject &object, const char *vendor = "Unknown",
                     const char *version = "Unknown", const char *requiredApiVersion = "Any",
                     MStatus *ReturnStatus = nullptr);
  MString name(MStatus *ReturnStatus = nullptr) const;
  MString vendor(MStatus *ReturnStatus = nullptr) const;
  MString version(MStatus *ReturnStatus = nullptr) const;
  MString loadPath(MStatus *ReturnStatus = nullptr) const;
  MStatus registerNode(const MString &type, const MTypeId &id, MCreatorFunction creator,
                       MInitializeFunction initialize, MPxNode::Type kind = MPxNode::kDependNode,
                       const MString *classification = nullptr);
  MStatus deregisterNode(const MTypeId &id);
  MStatus registerCommand(const MString &name, MCreatorFunction creator,
                          MCreateSyntaxFunction syntax = nullptr);
  MStatus deregisterCommand(const MString &name);
  MStatus registerUI(const MString &create, const MString &remove, const MString &batchCreate = "",
                     const MString &batchRemove = "");
};

MAYA_HOST_CLOSE

#ifndef MNoVersionString
PLUGIN_EXPORT extern char MApiVersion[];
char MApiVersion[] = "20220300";
#endif
#ifndef MNoPluginEntry
PLUGIN_EXPORT MStatus initializePlugin(MObject object);
PLUGIN_EXPORT MStatus uninitializePlugin(MObject object);
#endif

#endif

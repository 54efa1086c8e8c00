// Registers the nodes and the command; nothing else.
#include "mien_command.h"
#include "mien_tracker_node.h"
#include "node_ids.h"
#include "presets.h"

#include <maya/MFnPlugin.h>
#include <maya/MGlobal.h>

using namespace mien_maya;

// The brush of Maya itself paints the maps. Stored in the user's preferences, hence taken back.
static void makePaintable(const char *how) {
  for (const PaintedMap &map : paintedMaps())
    MGlobal::executeCommand(MString("makePaintable ") + how +
                            " -attrType multiFloat -sm deformer " + kFaceNodeName + " " +
                            map.name.c_str());
  MGlobal::executeCommand(MString("makePaintable ") + how + " -attrType multiFloat -sm deformer " +
                          kFaceNodeName + " brushMap");
}

PLUGIN_EXPORT MStatus initializePlugin(MObject object) {
  MFnPlugin plugin(object, "mien", "0.1.0", "Any");
  if (mien_version() != MIEN_VERSION) {
    MGlobal::displayError("mien: libmien is of another version than the plug-in");
    return MS::kFailure;
  }
  setPresetFolder(plugin.loadPath().asChar());
  MStatus status = plugin.registerNode(kFaceNodeName, MTypeId(kFaceNodeId), MienFaceNode::creator,
                                       MienFaceNode::initialize, MPxNode::kDeformerNode);
  CHECK_MSTATUS_AND_RETURN_IT(status);
  status = plugin.registerNode(kTrackerNodeName, MTypeId(kTrackerNodeId), MienTrackerNode::creator,
                               MienTrackerNode::initialize, MPxNode::kThreadedDeviceNode);
  if (status) {
    status = plugin.registerCommand(kCommandName, MienCommand::creator, MienCommand::newSyntax);
    if (!status) plugin.deregisterNode(MTypeId(kTrackerNodeId));
  }
  if (!status) {
    plugin.deregisterNode(MTypeId(kFaceNodeId));
    return status;
  }
  makePaintable("");
  if (MGlobal::mayaState() == MGlobal::kInteractive)
    MGlobal::executeCommandOnIdle("source \"mienMenu.mel\"; mienCreateMenu;");
  return MS::kSuccess;
}

PLUGIN_EXPORT MStatus uninitializePlugin(MObject object) {
  MFnPlugin plugin(object);
  if (MGlobal::mayaState() == MGlobal::kInteractive) MGlobal::executeCommand("mienDeleteMenu;");
  makePaintable("-remove");
  MStatus status = plugin.deregisterCommand(kCommandName);
  CHECK_MSTATUS_AND_RETURN_IT(status);
  status = plugin.deregisterNode(MTypeId(kTrackerNodeId));
  CHECK_MSTATUS_AND_RETURN_IT(status);
  return plugin.deregisterNode(MTypeId(kFaceNodeId));
}

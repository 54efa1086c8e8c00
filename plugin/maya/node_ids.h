// Numbers and names that scene files hold: they never change.
//
// The id is from the range Autodesk leaves to a site's own use; a public release needs one from a
// registered block, put in here before the first scene is saved with it.
#ifndef MIEN_MAYA_NODE_IDS_H
#define MIEN_MAYA_NODE_IDS_H

namespace mien_maya {

constexpr unsigned int kFaceNodeId = 0x0006d100, kTrackerNodeId = 0x0006d101;
constexpr const char *kFaceNodeName = "mienFace";
constexpr const char *kTrackerNodeName = "mienTracker";
constexpr const char *kCommandName = "mien";

} // namespace mien_maya

#endif

// `mien -tracker BLENDSHAPE`: a mienTracker whose channels drive the targets of the same name.
#include "mien_command.h"

#include "mien_tracker_node.h"
#include "node_ids.h"

#include <cctype>

#include <maya/MFnDependencyNode.h>
#include <maya/MGlobal.h>

namespace mien_maya {

// "eyeBlink_L", "EyeBlinkLeft" and "eye_blink_left" are one name
static std::string folded(const std::string &name) {
  size_t n = name.size();
  std::string stem = name, side;
  if (n > 2 && name[n - 2] == '_' && (name[n - 1] == 'L' || name[n - 1] == 'R')) {
    side = name[n - 1] == 'L' ? "left" : "right";
    stem = name.substr(0, n - 2);
  }
  std::string out;
  for (char c : stem)
    if (c != '_') out += static_cast<char>(std::tolower(c));
  return out + side;
}

// The blendShape in front of the first mesh of a list, and of no other.
static MObject blendShapeOf(const MSelectionList &list) {
  MDagPath path;
  if (list.isEmpty() || !list.getDagPath(0, path) || !toMesh(&path)) return MObject();
  std::vector<MPlug> found =
      blendShapesBefore(MFnDependencyNode(path.node()).findPlug("inMesh", false).source());
  return found.empty() ? MObject() : found[0].node();
}

MStatus MienCommand::track(const MArgDatabase &args) {
  MString wanted = args.flagArgumentString("-tk", 0);
  MSelectionList list;
  MObject shapes;
  if (wanted.length() == 0 && args.getObjects(list))
    shapes = blendShapeOf(list);
  else if (list.add(wanted))
    list.getDependNode(0, shapes);
  if (wanted.length() == 0 && shapes.isNull()) return fail("select a mesh with a blendShape");
  if (!shapes.hasFn(MFn::kBlendShape))
    return fail(std::string("there is no blendShape '") + wanted.asChar() + "'");
  std::vector<std::string> channels = trackerChannels();
  if (channels.empty()) return fail("no socket can be opened");
  MObject tracker = make_.createNode(kTrackerNodeName);
  if (args.isFlagSet("-n")) make_.renameNode(tracker, args.flagArgumentString("-n", 0));
  MStatus status = apply(make_);
  if (!status) return fail("the tracker could not be created");

  MFnDependencyNode fn(shapes);
  MPlug weights = fn.findPlug("weight", false), out(tracker, MienTrackerNode::aWeight);
  int connected = 0;
  for (unsigned int index : indicesOf(weights)) {
    MPlug to = weights.elementByLogicalIndex(index);
    std::string target = folded(fn.plugsAlias(to).asChar());
    for (size_t k = 0; k < channels.size() && k < TrackerFrame::kMost; k++) {
      if (folded(channels[k]) != target) continue;
      // what the animator connected stays
      if (to.isDestination()) break;
      change_.connect(out.elementByLogicalIndex(static_cast<unsigned int>(k)), to);
      connected++;
    }
  }
  if (!connected) return fail("no free target of the blendShape has the name of a channel");
  status = apply(change_);
  if (MGlobal::mayaState() != MGlobal::kInteractive)
    displayWarning(
        "mien: in batch Maya asks no device for news, the tracker stands still; record the "
        "performance and bake that");
  setResult(MFnDependencyNode(tracker).name());
  displayInfo(MString("mien: ") + std::to_string(connected).c_str() + " targets follow " +
              MFnDependencyNode(tracker).name() + "; set its 'live' to begin");
  return status;
}

} // namespace mien_maya

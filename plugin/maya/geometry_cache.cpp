// `mien -bake NAME.mcx`: Maya's own geometry cache of the face, written and played by Maya itself,
// so that a scene with it needs no plug-in to play or render. Undo takes the cache off the mesh;
// the files stay.
#include "mien_command.h"

#include <filesystem>

#include <maya/MFnDependencyNode.h>
#include <maya/MGlobal.h>

namespace mien_maya {

static MString quoted(const std::string &text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return (out + '"').c_str();
}

// What plays a cache into a shape: a historySwitch right in front of it.
static MObject switchOf(const MDagPath &shape) {
  MObject node = MFnDependencyNode(shape.node()).findPlug("inMesh", false).source().node();
  bool isSwitch = !node.isNull() && MFnDependencyNode(node).typeName() == "historySwitch";
  return isSwitch ? node : MObject();
}

// NAME.mcx in a folder that is there, and no cache of that name: whether Maya would overwrite one
// is not documented.
static bool isFree(const std::filesystem::path &path, std::string *why) {
  std::filesystem::path folder = path.parent_path(), description = path, data = path;
  std::error_code failed;
  if (folder.empty() || path.is_relative())
    *why = "name the whole path of the cache";
  else if (!std::filesystem::is_directory(folder, failed))
    *why = "there is no folder '" + folder.generic_string() + "'";
  else if (std::filesystem::exists(description.replace_extension(".xml"), failed) ||
           std::filesystem::exists(data.replace_extension(".mcx"), failed))
    *why = "there is a cache '" + path.stem().string() + "' already; choose another name";
  return why->empty();
}

MStatus MienCommand::bakeGeometryCache(const MObject &node, int first, int last,
                                       const std::string &path) {
  MDagPath shape;
  std::filesystem::path file(path);
  std::string why;
  if (!shownShape(node, firstGeometry(node), &shape)) return fail("the deformer shows no mesh");
  MObject old = switchOf(shape);
  if (!old.isNull())
    return fail(std::string("the mesh plays a cache already, by ") +
                MFnDependencyNode(old).name().asChar() + "; delete that cache first");
  if (!isFree(file, &why)) return fail(why);
  // Every frame is simulated and kept here, where Esc is heard; Maya then only fetches them.
  auto look = [&](std::string *reason) {
    if (!faceOf(node)->rig(firstGeometry(node)))
      *reason = "the face does not simulate: see its warning";
  };
  if (!playFrames(first, last, look, &why)) return fail(why);

  MString name = shape.partialPathName();
  MString where = MString(" -fileName ") + quoted(file.stem().string()) + " -directory " +
                  quoted(file.parent_path().generic_string()) + " -cacheFormat \"mcx\"";
  std::string range = " -startTime " + std::to_string(first) + " -endTime " + std::to_string(last);
  MString write = MString("cacheFile") + where + " -format \"OneFile\"" + range.c_str() +
                  " -points \"" + name + "\"";
  if (!MGlobal::executeCommand(write)) return fail("Maya could not write the cache: see above");
  make_.commandToExecute(MString("createHistorySwitch \"") + name + "\" 0");
  if (!apply(make_) || switchOf(shape).isNull()) return fail("the cache cannot be attached");
  MFnDependencyNode history(switchOf(shape));
  MPlug positions = history.findPlug("inPositions", false).elementByLogicalIndex(0);
  change_.commandToExecute(MString("cacheFile -attachFile") + where + " -inAttr \"" +
                           history.name() + ".inp[0]\"");
  if (!apply(change_) || positions.source().isNull()) return fail("the cache cannot be attached");
  // outside of its range the mesh is simulated again
  MPlug inRange = MFnDependencyNode(positions.source().node()).findPlug("inRange", false);
  change_.connect(inRange, history.findPlug("playFromCache", false));
  return apply(change_);
}

} // namespace mien_maya

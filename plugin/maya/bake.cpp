// `mien -bake`: one frame after the other, as the user would play them, so that the file is what
// was seen. Esc ends it and leaves no file; the user's frame comes back.
#include "mien_command.h"

#include "base/number.h"

#include <maya/MComputation.h>
#include <maya/MFnDependencyNode.h>
#include <maya/MFnMesh.h>
#include <maya/MGlobal.h>
#include <maya/MPointArray.h>
#include <maya/MTime.h>

namespace mien_maya {

// The mesh that is shown; where a node behind mien has made other vertices of it, mien's own.
static void shownPoints(const MObject &node, unsigned int index, int nvert, MPointArray *points) {
  MDagPath shape;
  if (shownShape(node, index, &shape) && MFnMesh(shape).numVertices() == nvert) {
    MFnMesh(shape).getPoints(*points);
    return;
  }
  MPlug out = MPlug(node, MPxDeformerNode::outputGeom).elementByLogicalIndex(index);
  MFnMesh(out.asMObject()).getPoints(*points);
}

static bool append(mien_cache *cache, const MPointArray &points, std::string *why) {
  std::vector<float> metres;
  metres.reserve(3 * points.length());
  for (unsigned int i = 0; i < points.length(); i++)
    for (unsigned int k = 0; k < 3; k++) metres.push_back(static_cast<float>(points[i][k] * 0.01));
  mien_f32s view = {metres.data(), static_cast<int>(points.length()), 3};
  mien_error err;
  if (mien_cache_append(cache, view, &err) >= 0) return true;
  *why = err.text;
  return false;
}

bool playFrames(int first, int last, const std::function<void(std::string *why)> &each,
                std::string *why) {
  MComputation computation;
  computation.beginComputation(true);
  computation.setProgressRange(first, last);
  for (int frame = first; frame <= last && why->empty(); frame++) {
    computation.setProgress(frame);
    if (computation.isInterruptRequested())
      *why = "the bake was interrupted; nothing was written";
    else if (!MGlobal::executeCommand(("currentTime " + std::to_string(frame)).c_str()))
      *why = "frame " + std::to_string(frame) + " cannot be evaluated";
    if (why->empty()) each(why);
  }
  computation.endComputation();
  return why->empty();
}

bool MienCommand::bakeFrames(const MObject &node, int first, int last, const std::string &path,
                             std::string *why) {
  unsigned int index = firstGeometry(node);
  std::shared_ptr<const mien_rig> rig; // held until the file is whole: flesh may be built anew
  mien_cache *cache = nullptr;
  mien_error err;
  auto write = [&](std::string *reason) {
    if (!rig) rig = faceOf(node)->rig(index);
    if (!rig) {
      *reason = "the face does not simulate: see its warning";
      return;
    }
    MPointArray points;
    shownPoints(node, index, mien_rig_get_info(rig.get())->nvert, &points);
    mien_cache_def def;
    mien_cache_def_init(&def);
    def.rig = rig.get();
    def.first_frame = first;
    def.frame_rate = 1 / frameSeconds();
    if (!cache && mien_cache_create(path.c_str(), &def, nullptr, &cache, &err) < 0)
      *reason = err.text;
    else
      append(cache, points, reason);
  };
  playFrames(first, last, write, why);
  if (why->empty() && mien_cache_finish(cache, &err) < 0) *why = err.text;
  mien_cache_free(cache);
  return why->empty();
}

// The extension of Maya's own geometry caches; ".xml" is the file that describes one.
static bool isGeometryCache(const std::string &path) {
  size_t dot = path.rfind('.');
  std::string end = dot == std::string::npos ? "" : path.substr(dot);
  return end == ".mcx" || end == ".xml";
}

MStatus MienCommand::bake(const MArgDatabase &args) {
  MObject node;
  std::string why, path = args.flagArgumentString("-bk", 0).asChar();
  if (!findFace(args, &node, &why)) return fail(why);
  if (!args.isFlagSet("-sf") || !args.isFlagSet("-ef"))
    return fail("-bake needs -startFrame and -endFrame");
  int first = static_cast<int>(args.flagArgumentDouble("-sf", 0));
  int last = static_cast<int>(args.flagArgumentDouble("-ef", 0));
  if (last < first) return fail("there is no frame to bake");
  double before = 0;
  MGlobal::executeCommand("currentTime -query", before);
  MStatus status;
  changes_scene_ = isGeometryCache(path);
  if (changes_scene_)
    status = bakeGeometryCache(node, first, last, path);
  else if (!bakeFrames(node, first, last, path, &why))
    status = fail(why);
  char back[MI_NUMBER_CHARS]; // with a point, whatever language Maya speaks
  mi_format_double(back, before);
  MGlobal::executeCommand(MString("currentTime ") + back);
  if (!status) return status;
  setResult(last - first + 1);
  return MS::kSuccess;
}

} // namespace mien_maya

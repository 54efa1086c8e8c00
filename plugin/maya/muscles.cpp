// `mien -useMuscles`, `mien -fitMuscles`: a channel for every muscle of the face, and how muscles
// lie in it found from expressions of its shapes. What was found is kept in the scene as text.
#include "mien_command.h"

#include "mien_face_node.h"

#include "base/number.h"

#include <algorithm>
#include <cstdlib>

#include <jansson.h>
#include <unistd.h>

#include <maya/MComputation.h>
#include <maya/MFnDependencyNode.h>
#include <maya/MGlobal.h>
#include <maya/MStringArray.h>

namespace mien_maya {

static const char kUsual[] = "mouthSmileLeft+mouthSmileRight,jawOpen=0.5,browInnerUp+mouthPucker,"
                             "mouthFrownLeft+mouthFrownRight+browDownLeft+browDownRight,"
                             "cheekPuff+noseSneerLeft+noseSneerRight";

using Expressions = std::vector<std::pair<std::string, std::vector<float>>>;

// -- The solver's part ----------------------------------------------------------------------------

std::vector<std::string> FaceSolver::muscles() const {
  std::lock_guard<std::mutex> hold(lock_);
  std::vector<std::string> names;
  const mien_face_info *info = face_ ? mien_face_get_info(face_) : nullptr;
  for (int k = 0; info && k < info->nmuscle; k++) names.push_back(info->muscles[k].name);
  return names;
}

// What a rig is saved with for a fitted face, by way of a file that nobody else sees.
static bool storedMuscles(const mien_rig *rig, const mien_face *face, std::string *out,
                          std::string *why) {
  const char *place = std::getenv("TMPDIR");
  std::string folder = std::string(place && *place ? place : "/tmp") + "/mienXXXXXX";
  mien_error err;
  mien_rig *again = nullptr;
  if (!mkdtemp(&folder[0])) return *why = "cannot write to '" + folder + "'", false;
  std::string path = folder + "/face.glb";
  bool ok = mien_rig_save(rig, face, nullptr, path.c_str(), &err) >= 0 &&
            mien_rig_load(path.c_str(), nullptr, &again, &err) >= 0;
  if (!ok) *why = err.text;
  unlink(path.c_str());
  rmdir(folder.c_str());
  if (!ok) return false;
  json_t *extras = json_loads(mien_rig_get_info(again)->extras, 0, nullptr);
  json_t *kept = json_pack("{s:O}", "muscles", json_object_get(extras, "muscles"));
  char *text = kept ? json_dumps(kept, JSON_COMPACT) : nullptr;
  if (text) *out = text;
  std::free(text);
  json_decref(kept);
  json_decref(extras);
  mien_rig_free(again);
  if (!text) *why = "the fit left nothing to keep";
  return text != nullptr;
}

static int onProgress(void *user, const char *what, double done) {
  return (*static_cast<const FaceSolver::Progress *>(user))(what, done) ? 0 : 1;
}

static double meanOf(const mien_f32s &list) {
  double sum = 0;
  for (int k = 0; k < list.count; k++) sum += static_cast<double>(list.data[k]) / list.count;
  return 1000 * sum;
}

bool FaceSolver::fitMuscles(const Expressions &expressions, const Progress &progress,
                            std::string *found, std::string *told, std::string *why) const {
  std::shared_ptr<const mien_rig> rig;
  mien_face_def def;
  {
    std::lock_guard<std::mutex> hold(lock_);
    rig = rig_;
    def = made_with_.mien.face;
  }
  if (!rig) return *why = "play a frame first: there is no flesh yet", false;
  std::vector<mien_muscle_target> targets;
  for (auto &e : expressions)
    targets.push_back(
        {e.first.c_str(), {e.second.data(), static_cast<int>(e.second.size() / 3), 3}});
  def.muscle_targets = targets.data();
  def.nmuscle_target = static_cast<int>(targets.size());
  mien_host host;
  mien_host_init(&host);
  host.progress = onProgress;
  host.user = const_cast<Progress *>(&progress);
  mien_face *face = nullptr;
  mien_error err;
  if (mien_face_create(rig.get(), &def, &host, &face, &err) < 0) return *why = err.text, false;
  const mien_face_info *info = mien_face_get_info(face);
  char text[160];
  std::snprintf(text, sizeof text,
                "%d muscles fitted: %.2f mm from %d expressions, %.2f mm as in the atlas",
                info->nmuscle, meanOf(info->muscle_errors), def.nmuscle_target,
                meanOf(info->muscle_errors_before));
  *told = text;
  bool ok = storedMuscles(rig.get(), face, found, why);
  mien_face_free(face);
  return ok;
}

// -- Expressions ----------------------------------------------------------------------------------

static std::vector<std::string> split(const std::string &text, char by) {
  std::vector<std::string> parts;
  for (size_t at = 0; at <= text.size();) {
    size_t end = std::min(text.find(by, at), text.size());
    parts.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

// "jawOpen=0.5+mouthSmileLeft" as positions of every vertex
static bool pose(const mien_rig *rig, const std::string &text, std::vector<float> *out,
                 std::string *why) {
  const mien_rig_info *info = mien_rig_get_info(rig);
  std::vector<float> weights(static_cast<size_t>(info->nshape) + 1, 0.0f);
  for (const std::string &term : split(text, '+')) {
    size_t equals = term.find('=');
    std::string name = term.substr(0, equals);
    const char *last = term.c_str() + term.size();
    double weight = 1; // with a point, whatever language Maya speaks
    bool isRead = equals == std::string::npos ||
                  mi_parse_double(term.c_str() + equals + 1, last, &weight) == last;
    int shape = mien_rig_find_shape(rig, name.c_str());
    if (!isRead) return *why = "'" + term + "' needs a number after '='", false;
    if (shape < 0)
      return *why = "there is no shape '" + name + "'; name expressions of this face", false;
    weights[static_cast<size_t>(shape)] = static_cast<float>(weight);
  }
  out->resize(3 * static_cast<size_t>(info->nvert));
  mien_error err;
  if (mien_rig_pose(rig, weights.data(), info->nshape, out->data(), &err) >= 0) return true;
  return *why = err.text, false;
}

// -- The command's part ---------------------------------------------------------------------------

// Frame by frame evaluation happens when somebody looks: here somebody does.
static const FaceSolver *evaluated(const MObject &node, unsigned int index) {
  MPlug(node, MPxDeformerNode::outputGeom).elementByLogicalIndex(index).asMObject();
  return faceOf(node)->solver(index);
}

static MPlug parameterPlug(const MObject &node, const char *name) {
  for (size_t k = 0; k < parameters().size(); k++)
    if (parameters()[k].name == name)
      return MPlug(node, MienFaceNode::aParameters[static_cast<unsigned int>(k)]);
  return MPlug();
}

MStatus MienCommand::useMuscles(const MArgDatabase &args) {
  MObject node;
  std::string why;
  if (!findFace(args, &node, &why)) return fail(why);
  MString name = MFnDependencyNode(node).name();
  change_.newPlugValueBool(parameterPlug(node, "muscles"), true);
  change_.newPlugValueInt(parameterPlug(node, "drive"), MIEN_DRIVE_MUSCLE);
  MStatus status = apply(change_);
  if (!status) return status;
  const FaceSolver *solver = evaluated(node, firstGeometry(node));
  std::vector<std::string> names = solver ? solver->muscles() : std::vector<std::string>();
  if (names.empty())
    return fail("mien finds no place for muscles in this face: it needs a mouth and eyes");
  MPlug list(node, MienFaceNode::aContraction);
  std::vector<unsigned int> used = indicesOf(list);
  for (unsigned int k = 0; k < names.size(); k++)
    if (!std::binary_search(used.begin(), used.end(), k))
      change_.newPlugValueFloat(list.elementByLogicalIndex(k), 0);
  status = apply(change_); // what an alias is for must be there
  MFnDependencyNode fn(node);
  for (unsigned int k = 0; k < names.size(); k++)
    if (fn.plugsAlias(list.elementByLogicalIndex(k)) != names[k].c_str())
      change_.commandToExecute(MString("aliasAttr \"") + names[k].c_str() + "\" \"" + name +
                               ".contraction[" + std::to_string(k).c_str() + "]\"");
  if (status) status = apply(change_);
  setResult(static_cast<int>(names.size()));
  return status;
}

// Runs where the user waits, with Maya's own progress bar; Esc ends it and changes nothing.
MStatus MienCommand::fitMuscles(const MArgDatabase &args) {
  MObject node;
  std::string why, wanted = args.flagArgumentString("-fi", 0).asChar(), found, told;
  if (!findFace(args, &node, &why)) return fail(why);
  unsigned int index = firstGeometry(node);
  const FaceSolver *solver = evaluated(node, index);
  std::shared_ptr<const mien_rig> rig = solver ? solver->rig() : nullptr;
  if (!rig) return fail("the face does not simulate: see its warning");
  Expressions expressions;
  for (const std::string &one : split(wanted.empty() ? kUsual : wanted, ',')) {
    expressions.emplace_back(one, std::vector<float>());
    if (!pose(rig.get(), one, &expressions.back().second, &why)) return fail(why);
  }
  MComputation computation;
  computation.beginComputation(true);
  computation.setProgressRange(0, 1000);
  auto progress = [&](const char *, double done) {
    computation.setProgress(static_cast<int>(1000 * done));
    return !computation.isInterruptRequested();
  };
  bool ok = solver->fitMuscles(expressions, progress, &found, &told, &why);
  computation.endComputation();
  if (!ok) return fail(why);
  MPlug slot = MPlug(node, MienFaceNode::aPerGeometry).elementByLogicalIndex(index);
  change_.newPlugValueString(slot.child(MienFaceNode::aFittedMuscles), found.c_str());
  change_.newPlugValueBool(parameterPlug(node, "muscles"), true);
  displayInfo(MString("mien: ") + told.c_str());
  setResult(MString(told.c_str()));
  return apply(change_);
}

} // namespace mien_maya

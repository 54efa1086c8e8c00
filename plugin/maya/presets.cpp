// Kinds of flesh by name: the files in the module's folder of presets.
#include "presets.h"
#include "mien_command.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include <jansson.h>

#include <maya/MStringArray.h>

namespace mien_maya {

static std::filesystem::path folder;

void setPresetFolder(const std::string &loadPath) {
  folder = std::filesystem::path(loadPath) / ".." / ".." / "presets";
}

static std::vector<std::string> names() {
  std::vector<std::string> found;
  std::error_code error;
  for (const auto &entry : std::filesystem::directory_iterator(folder, error))
    if (entry.path().extension() == ".json") found.push_back(entry.path().stem().string());
  std::sort(found.begin(), found.end());
  return found;
}

static json_t *load(const std::string &name) {
  return json_load_file((folder / (name + ".json")).string().c_str(), 0, nullptr);
}

void setPreset(MDGModifier &change, const MObject &node, json_t *values, const json_t *touched,
               std::string *why) {
  mien_settings settings;
  mien_error err;
  mien_settings_init(&settings);
  char *text = json_dumps(values, 0);
  bool ok = text && mien_settings_read(&settings, text, std::strlen(text), &err) >= 0;
  if (!ok) *why = text ? err.text : "out of memory";
  std::free(text);
  for (size_t k = 0; k < parameters().size() && ok; k++) {
    const Parameter &p = parameters()[k];
    if (p.own || !json_object_get(touched, p.row.name)) continue;
    double v[3];
    mien_param_get(&p.row, &settings, v);
    json_t *value = p.row.kind == MIEN_PARAM_VECTOR ? json_pack("[f, f, f]", v[0], v[1], v[2])
                                                    : json_real(v[0]);
    setParameter(change, MPlug(node, MienFaceNode::aParameters[static_cast<unsigned int>(k)]), p,
                 value);
    json_decref(value);
  }
}

MStatus MienCommand::listPresets() {
  MStringArray lines;
  for (const std::string &name : names()) lines.append(name.c_str());
  setResult(lines);
  return MS::kSuccess;
}

// What any preset sets is set: one takes back what another one did.
MStatus MienCommand::preset(const MArgDatabase &args) {
  MObject node;
  std::string why, wanted = args.flagArgumentString("-pr", 0).asChar(), known;
  if (!findFace(args, &node, &why)) return fail(why);
  json_t *touched = json_object(), *chosen = nullptr;
  for (const std::string &name : names()) {
    json_t *one = load(name);
    json_object_update(touched, one);
    if (name == wanted) chosen = json_incref(one);
    json_decref(one);
    known += (known.empty() ? "" : ", ") + name;
  }
  if (chosen)
    setPreset(change_, node, chosen, touched, &why);
  else
    why = "there is no preset '" + wanted + "'; there are: " + (known.empty() ? "none" : known);
  json_decref(chosen);
  json_decref(touched);
  return why.empty() ? apply(change_) : fail(why);
}

} // namespace mien_maya

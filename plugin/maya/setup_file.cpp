// Parameters and painted maps as JSON, to carry a setup to another mesh or scene. Maps stay sparse.
// Names are written without name space: a setup from the rig's own file fits its reference.
#include "mien_command.h"
#include "presets.h"

#include "io/output.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include <jansson.h>
#include <unistd.h>

#include <maya/MFnDependencyNode.h>
#include <maya/MFnMesh.h>

namespace mien_maya {

enum { kSetupVersion = 1 };

static std::string leafName(const MString &name) {
  std::string text = name.asChar();
  return text.substr(text.find_last_of(":|") + 1);
}

static json_t *parameterValue(const MPlug &plug, mien_param_kind kind) {
  if (kind == MIEN_PARAM_VECTOR) {
    json_t *list = json_array();
    for (unsigned int k = 0; k < 3; k++)
      json_array_append_new(list, json_real(plug.child(k).asDouble()));
    return list;
  }
  return kind == MIEN_PARAM_NUMBER ? json_real(plug.asDouble()) : json_integer(plug.asInt());
}

static json_t *mapValues(const MPlug &map) {
  json_t *object = json_object();
  for (unsigned int k : indicesOf(map)) {
    double v = map.elementByLogicalIndex(k).asDouble();
    if (v < 0) continue; // not painted
    json_object_set_new(object, std::to_string(k).c_str(), json_real(v));
  }
  return object;
}

// those stored, and the one under the brush
static json_t *shapeMapValues(const MPlug &slot) {
  json_t *object = json_object();
  MPlug list = slot.child(MienFaceNode::aShapeMaps);
  for (unsigned int k : indicesOf(list)) {
    MPlug one = list.elementByLogicalIndex(k);
    json_object_set_new(object, one.child(MienFaceNode::aShapeMapName).asString().asChar(),
                        mapValues(one.child(MienFaceNode::aShapeMapValues)));
  }
  MString painted = slot.child(MienFaceNode::aBrushTarget).asString();
  if (painted.length())
    json_object_set_new(object, painted.asChar(), mapValues(slot.child(MienFaceNode::aBrushMap)));
  return object;
}

// of what mien makes, whatever stands behind it
static int vertexCount(const MObject &node, unsigned int index) {
  MPlug out = MPlug(node, MPxDeformerNode::outputGeom).elementByLogicalIndex(index);
  MObject mesh = out.asMObject();
  return mesh.isNull() ? 0 : MFnMesh(mesh).numVertices();
}

static json_t *describe(const MObject &node) {
  json_t *root = json_object(), *values = json_object(), *geometries = json_array();
  json_object_set_new(root, "mienSetup", json_integer(kSetupVersion));
  for (size_t k = 0; k < parameters().size(); k++) {
    MPlug plug(node, MienFaceNode::aParameters[static_cast<unsigned int>(k)]);
    json_object_set_new(values, parameters()[k].name.c_str(),
                        parameterValue(plug, parameters()[k].row.kind));
  }
  json_object_set_new(root, "parameters", values);
  MPlug slots(node, MienFaceNode::aPerGeometry);
  for (unsigned int index : indicesOf(slots)) {
    MPlug slot = slots.elementByLogicalIndex(index);
    json_t *one = json_object(), *maps = json_object();
    MDagPath shape;
    json_object_set_new(one, "index", json_integer(index));
    if (shownShape(node, index, &shape)) {
      json_object_set_new(one, "mesh", json_string(leafName(shape.partialPathName()).c_str()));
      json_object_set_new(one, "vertices", json_integer(vertexCount(node, index)));
    }
    for (size_t k = 0; k < paintedMaps().size(); k++)
      json_object_set_new(maps, paintedMaps()[k].name.c_str(),
                          mapValues(slot.child(MienFaceNode::aMaps[static_cast<unsigned int>(k)])));
    json_object_set_new(one, "maps", maps);
    json_object_set_new(one, "shapeMaps", shapeMapValues(slot));
    MString fitted = slot.child(MienFaceNode::aFittedMuscles).asString();
    if (fitted.length()) json_object_set_new(one, "fittedMuscles", json_string(fitted.asChar()));
    json_array_append_new(geometries, one);
  }
  json_object_set_new(root, "geometries", geometries);
  return root;
}

// The file gets its name when it is whole.
static bool writeFile(const std::string &path, const json_t *root, std::string *why) {
  char reason[MI_OUTPUT_WHY] = "cannot write it";
  int file = mi_output_open(path.c_str(), MI_OUTPUT_NEW, reason);
  bool ok = file >= 0 && json_dumpfd(root, file, JSON_INDENT(1) | JSON_SORT_KEYS) == 0 &&
            mi_output_commit(file, path.c_str(), reason);
  if (!ok) *why = reason;
  if (!ok && file >= 0) mi_output_discard(file, path.c_str());
  if (file >= 0) close(file);
  return ok;
}

MStatus MienCommand::exportFile(const MArgDatabase &args) {
  MObject node;
  std::string why, path = args.flagArgumentString("-ex", 0).asChar();
  if (!findFace(args, &node, &why)) return fail(why);
  json_t *root = describe(node);
  bool ok = writeFile(path, root, &why);
  json_decref(root);
  return ok ? MS::kSuccess : fail(why);
}

void setParameter(MDGModifier &change, const MPlug &plug, const Parameter &p, const json_t *value) {
  if (p.row.kind == MIEN_PARAM_VECTOR) {
    for (unsigned int k = 0; k < 3 && k < json_array_size(value) && !plug.isDestination(); k++)
      if (!plug.child(k).isDestination())
        change.newPlugValueDouble(plug.child(k), json_number_value(json_array_get(value, k)));
  } else if (!plug.isDestination() && json_is_number(value)) {
    double v = json_number_value(value);
    if (p.row.kind == MIEN_PARAM_NUMBER)
      change.newPlugValueDouble(plug, v);
    else if (p.row.kind == MIEN_PARAM_SWITCH)
      change.newPlugValueBool(plug, v != 0);
    else
      change.newPlugValueInt(plug, static_cast<int>(v));
  }
}

// what was painted before goes: the file says the whole map
static void setMap(MDGModifier &change, const MPlug &map, json_t *values) {
  for (unsigned int k : indicesOf(map))
    change.removeMultiInstance(map.elementByLogicalIndex(k), true);
  const char *key;
  json_t *value;
  json_object_foreach(values, key, value) {
    int v = MString(key).asInt();
    if (v >= 0 && json_is_number(value))
      change.newPlugValueFloat(map.elementByLogicalIndex(static_cast<unsigned int>(v)),
                               static_cast<float>(json_number_value(value)));
  }
}

// the file's maps of shapes instead of all that were there; nothing is under the brush then
static void setShapeMaps(MDGModifier &change, const MPlug &slot, json_t *maps) {
  MPlug list = slot.child(MienFaceNode::aShapeMaps);
  for (unsigned int k : indicesOf(list))
    change.removeMultiInstance(list.elementByLogicalIndex(k), true);
  change.newPlugValueString(slot.child(MienFaceNode::aBrushTarget), "");
  setMap(change, slot.child(MienFaceNode::aBrushMap), nullptr);
  unsigned int next = nextIndex(list);
  const char *name;
  json_t *values;
  json_object_foreach(maps, name, values) {
    MPlug one = list.elementByLogicalIndex(next++);
    change.newPlugValueString(one.child(MienFaceNode::aShapeMapName), name);
    setMap(change, one.child(MienFaceNode::aShapeMapValues), values);
  }
}

// the geometry of a file's entry: by name where one fits, else by its index
static unsigned int geometryFor(const MObject &node, const json_t *entry) {
  const char *wanted = json_string_value(json_object_get(entry, "mesh"));
  for (unsigned int index : indicesOf(MPlug(node, MienFaceNode::aPerGeometry))) {
    MDagPath shape;
    if (wanted && shownShape(node, index, &shape) && leafName(shape.partialPathName()) == wanted)
      return index;
  }
  return static_cast<unsigned int>(json_integer_value(json_object_get(entry, "index")));
}

MStatus MienCommand::importFile(const MArgDatabase &args) {
  MObject node;
  std::string why, path = args.flagArgumentString("-im", 0).asChar();
  if (!findFace(args, &node, &why)) return fail(why);
  json_error_t error;
  json_t *root = json_load_file(path.c_str(), 0, &error);
  if (!root) return fail(path + ": " + error.text);
  long long version = json_integer_value(json_object_get(root, "mienSetup"));
  if (version < 1) setPreset(change_, node, root, root, &why);
  if (!why.empty()) why = path + " is neither a setup nor a preset of mien: " + why;
  if (version > kSetupVersion)
    displayWarning(MString("mien: ") + path.c_str() +
                   " was written by a newer version; what is known here is used");
  json_t *values = json_object_get(root, "parameters");
  for (size_t k = 0; k < parameters().size() && why.empty() && version >= 1; k++)
    setParameter(change_, MPlug(node, MienFaceNode::aParameters[static_cast<unsigned int>(k)]),
                 parameters()[k], json_object_get(values, parameters()[k].name.c_str()));
  json_t *geometries = json_object_get(root, "geometries");
  for (size_t i = 0; i < json_array_size(geometries) && why.empty(); i++) {
    json_t *entry = json_array_get(geometries, i), *maps = json_object_get(entry, "maps");
    unsigned int index = geometryFor(node, entry);
    long long count = json_integer_value(json_object_get(entry, "vertices"));
    int here = vertexCount(node, index);
    if (count != here)
      why = path + " is of a mesh with " + std::to_string(count) + " vertices, this one has " +
            std::to_string(here);
    MPlug slot = MPlug(node, MienFaceNode::aPerGeometry).elementByLogicalIndex(index);
    for (size_t k = 0; k < paintedMaps().size() && why.empty(); k++)
      setMap(change_, slot.child(MienFaceNode::aMaps[static_cast<unsigned int>(k)]),
             json_object_get(maps, paintedMaps()[k].name.c_str()));
    if (why.empty()) setShapeMaps(change_, slot, json_object_get(entry, "shapeMaps"));
    const char *fitted = json_string_value(json_object_get(entry, "fittedMuscles"));
    if (why.empty() && fitted)
      change_.newPlugValueString(slot.child(MienFaceNode::aFittedMuscles), fitted);
  }
  json_decref(root);
  return why.empty() ? apply(change_) : fail(why);
}

static bool isPainted(const MPlug &map) {
  for (unsigned int k : indicesOf(map))
    if (map.elementByLogicalIndex(k).asFloat() >= 0) return true;
  return false;
}

// What mien finds by itself, written down so that it can be painted on.
MStatus MienCommand::fillMaps(const MArgDatabase &args) {
  MObject node;
  std::string why;
  if (!findFace(args, &node, &why)) return fail(why);
  unsigned int index = firstGeometry(node);
  MPlug slot = MPlug(node, MienFaceNode::aPerGeometry).elementByLogicalIndex(index);
  int filled = 0;
  for (size_t k = 0; k < paintedMaps().size(); k++) {
    std::vector<float> values = faceOf(node)->automaticMap(index, paintedMaps()[k].core);
    MPlug map = slot.child(MienFaceNode::aMaps[static_cast<unsigned int>(k)]);
    if (isPainted(map)) continue;
    const mien_param &row = paintedMaps()[k].row;
    float start = static_cast<float>(row.value[0] * row.to_si);
    bool isFound = std::any_of(values.begin(), values.end(), [&](float v) { return v != start; });
    // all of it: where nothing is written the brush finds "automatic", no value to paint on
    for (size_t v = 0; v < values.size() && isFound; v++)
      filled += change_.newPlugValueFloat(
                    map.elementByLogicalIndex(static_cast<unsigned int>(v)),
                    static_cast<float>(static_cast<double>(values[v]) / row.to_si)) == MS::kSuccess;
  }
  if (!filled) return fail("there is nothing to fill in: play a frame first, or clear the maps");
  setResult(filled);
  return apply(change_);
}

} // namespace mien_maya

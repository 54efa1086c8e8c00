// `mien -paintShape "stiffness:jawOpen"`: puts the material map of one shape under the brush. What
// was there goes back to where it is stored; "" only puts it back.
#include "mien_command.h"

#include <map>

namespace mien_maya {

static std::map<unsigned int, float> valuesOf(const MPlug &map) {
  std::map<unsigned int, float> values;
  for (unsigned int v : indicesOf(map)) values[v] = map.elementByLogicalIndex(v).asFloat();
  return values;
}

static void putValues(MDGModifier &change, const MPlug &map,
                      const std::map<unsigned int, float> &values) {
  for (auto &old : valuesOf(map))
    if (!values.count(old.first))
      change.removeMultiInstance(map.elementByLogicalIndex(old.first), true);
  for (auto &v : values) change.newPlugValueFloat(map.elementByLogicalIndex(v.first), v.second);
}

// Where a shape's map is stored; false = nowhere, and the next free place.
static bool findStored(const MPlug &maps, const std::string &name, unsigned int *index) {
  for (unsigned int k : indicesOf(maps)) {
    MPlug one = maps.elementByLogicalIndex(k);
    if (name == one.child(MienFaceNode::aShapeMapName).asString().asChar()) return *index = k, true;
  }
  *index = nextIndex(maps);
  return false;
}

static bool isShapeMap(const std::string &name, std::string *why) {
  size_t colon = name.find(':');
  int map = colon == std::string::npos ? -1 : mapNamed(name.substr(0, colon));
  if (map >= 0 && paintedMaps()[static_cast<size_t>(map)].row.flags & MIEN_PARAM_PER_SHAPE &&
      colon + 1 < name.size())
    return true;
  *why = "'" + name + "' is no map of a shape; write for example stiffness:jawOpen";
  return false;
}

MStatus MienCommand::paintShape(const MArgDatabase &args) {
  MObject node;
  std::string why, wanted = args.flagArgumentString("-ps", 0).asChar();
  if (!findFace(args, &node, &why)) return fail(why);
  if (!wanted.empty() && !isShapeMap(wanted, &why)) return fail(why);
  MPlug slot = MPlug(node, MienFaceNode::aPerGeometry).elementByLogicalIndex(firstGeometry(node));
  MPlug target = slot.child(MienFaceNode::aBrushTarget),
        brush = slot.child(MienFaceNode::aBrushMap);
  std::string before = target.asString().asChar();
  if (before == wanted) return MS::kSuccess;
  std::map<unsigned int, float> stored;
  MPlug maps = slot.child(MienFaceNode::aShapeMaps);
  unsigned int at;
  if (!wanted.empty() && findStored(maps, wanted, &at))
    stored = valuesOf(maps.elementByLogicalIndex(at).child(MienFaceNode::aShapeMapValues));
  if (!before.empty()) {
    findStored(maps, before, &at);
    MPlug to = maps.elementByLogicalIndex(at);
    change_.newPlugValueString(to.child(MienFaceNode::aShapeMapName), before.c_str());
    putValues(change_, to.child(MienFaceNode::aShapeMapValues), valuesOf(brush));
  }
  putValues(change_, brush, stored);
  change_.newPlugValueString(target, wanted.c_str());
  return apply(change_);
}

} // namespace mien_maya

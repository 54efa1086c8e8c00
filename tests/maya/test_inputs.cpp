// Every input counts: what is changed is seen at the frame at hand, and what flesh is made of makes
// other flesh. Found by putting faults into the plug-in on purpose. usage: test_inputs PLUGIN
#include "face_scene.h"

#include <mien/mien.h>

using namespace host;

std::string plugin;

// a face with everything that can be connected
static void buildAll(Scene &scene) {
  buildFace(scene);
  scene.create("transform", "jaw", scene.find("head"));
  scene.createMesh("ball", octahedron());
  scene.set("ball.translateZ", 40);
  scene.createMesh("other", puffed(faceMesh(), 0.5f));
  attachFace(scene, "-name \"flesh\" -head head -jawBone jaw -collider ball");
  scene.mel("mien -paintShape \"stiffness:puff\" flesh");
  scene.set("flesh.perGeometry[0].brushMap[3]", 2);
  scene.mel("mien -paintShape \"stiffness:jawOpen\" flesh"); // puff's is stored now
  scene.set("flesh.perGeometry[0].brushMap[4]", 2);
}

static std::vector<std::string> words(const std::string &text) {
  std::vector<std::string> out(1);
  for (char c : text)
    if (std::isspace(static_cast<unsigned char>(c)) || c == '"' || c == '{' || c == '}' || c == ',')
      out.emplace_back();
    else
      out.back() += c;
  std::vector<std::string> full;
  for (const std::string &w : out)
    if (!w.empty()) full.push_back(w);
  return full;
}

static std::vector<std::string> inputs(Scene &scene) {
  std::vector<std::string> list{
      "time",          "startTime", "headMatrix",  "headRestMatrix", "jawMatrix",
      "jawRestMatrix", "envelope",  "perGeometry", "colliders",      "weightList[0].weights[7]"};
  for (const char *of : {"colliderMesh", "colliderMatrix"})
    list.push_back(std::string("colliders[0].") + of);
  for (const char *of : {"restMesh", "restMatrix", "shapes", "shapes[0].shapeName",
                         "shapes[0].shapePoints", "shapes[0].shapeComponents",
                         "shapes[0].shapeMesh", "shapeMaps", "shapeMaps[0].shapeMapName",
                         "shapeMaps[0].shapeMapValues[3]", "brushTarget", "brushMap[4]"})
    list.push_back(std::string("perGeometry[0].") + of);
  std::string maps, rows;
  scene.mel("mien -listMaps", &maps);
  for (const std::string &map : words(maps))
    list.push_back("perGeometry[0]." + map.substr(0, map.find(':')) + "[0]");
  scene.mel("mien -listParameters", &rows);
  std::vector<std::string> parameters = words(rows); // "group attribute group attribute ..."
  for (size_t k = 1; k < parameters.size(); k += 2) list.push_back(parameters[k]);
  return list;
}

static void everyInputIsSeen() {
  Scene scene;
  buildAll(scene);
  playFace(scene, 1, 3);
  std::vector<std::string> list = inputs(scene);
  CHECK(list.size() > 60, "only %zu inputs", list.size());
  for (const std::string &name : list) {
    scene.getMesh("face");
    Plug p = scene.plug("flesh." + name);
    CHECK(!p.isNull(), "there is no flesh.%s", name.c_str());
    if (p.isNull()) continue;
    int before = scene.find("flesh")->ncompute;
    scene.dirty(p);
    scene.getMesh("face");
    CHECK(scene.find("flesh")->ncompute > before, "a change of %s is not seen", name.c_str());
  }
}

// Plays, changes something that flesh is made of, looks at the same frame: all frames from before
// are gone, and played again it is what a scene gives that was so from the first frame.
template <class Change> static void rebuilds(const char *what, Change change) {
  std::vector<std::vector<float>> fresh;
  {
    Scene scene;
    buildAll(scene);
    scene.evaluate(1);
    change(scene);
    scene.mel("mien -reset flesh");
    fresh = playFace(scene, 1, 5);
  }
  Scene scene;
  buildAll(scene);
  playFace(scene, 1, 5);
  CHECK(scene.get("flesh.outFramesKept") == 5, "%g frames kept", scene.get("flesh.outFramesKept"));
  change(scene);
  scene.getMesh("face");
  scene.dirty(scene.plug("flesh.time")); // what the statistics go by
  CHECK(scene.get("flesh.outFramesKept") == 1, "%s: %g frames of the old flesh are kept", what,
        scene.get("flesh.outFramesKept"));
  auto played = playFace(scene, 1, 5);
  CHECK(played == fresh, "%s: off by %g cm", what, apart(played[4], fresh[4]));
  CHECK(scene.count('w') == 0, "%s: something was said", what);
  printMessages(scene);
}

static void sourcesAreReadAgain() {
  const std::string slot = "flesh.perGeometry[0].";
  rebuilds("restMesh", [](Scene &s) { s.mel("mien -edit -restMesh other flesh"); });
  rebuilds("restMatrix", [&](Scene &s) {
    Matrix turned = s.getMatrix(slot + "restMatrix");
    for (double &v : turned) v *= 1.01;
    turned[15] = 1;
    s.setMatrix(slot + "restMatrix", turned);
  });
  rebuilds("shapeName", [&](Scene &s) { s.setText(slot + "shapes[1].shapeName", "frown"); });
  rebuilds("shapePoints", [&](Scene &s) { // a target that moves nothing any more
    s.change(s.plug("shapes.inputTarget[0].inputTargetGroup[1].inputTargetItem[6000]."
                    "inputPointsTarget"),
             [](Value &v, int) { v.data = nullptr; });
  });
  rebuilds("brushTarget", [&](Scene &s) { s.setText(slot + "brushTarget", "density:jawOpen"); });
  rebuilds("brushMap", [&](Scene &s) { s.set(slot + "brushMap[4]", 3); });
  rebuilds("shapeMapName",
           [&](Scene &s) { s.setText(slot + "shapeMaps[0].shapeMapName", "density:puff"); });
  rebuilds("spaceScale", [](Scene &s) { s.set("flesh.spaceScale", 0.5); });
  rebuilds("colliderMesh", [](Scene &s) { s.setMesh("ballShape.inMesh", grid(3)); });
  rebuilds("a shape removed", [&](Scene &s) { s.removeElement(slot + "shapes[1]"); });
  rebuilds("a collider removed", [](Scene &s) { s.removeElement("flesh.colliders[0]"); });
  // the same number at another vertex is another map
  rebuilds("a map moved", [&](Scene &s) {
    s.removeElement(slot + "brushMap[4]");
    s.set(slot + "brushMap[5]", 2);
  });
}

// Painting the second of two meshes.
static void secondMeshIsPainted() {
  Scene scene;
  CHECK(scene.loadPlugin(plugin), "does not load");
  for (const char *name : {"a", "b"}) {
    scene.createMesh(name, faceMesh());
    for (int f = 1; f <= 6; f++)
      scene.setKey(std::string(name) + ".translateY", f, 4 * std::sin(f * 0.9));
  }
  CHECK(scene.mel("mien -name \"flesh\" a b"), "cannot attach to two");
  scene.set("flesh.attachmentRate", 8);
  auto plain = playFace(scene, 1, 6, "b");
  scene.set("flesh.weightList[1].weights[70]", 0);
  scene.evaluate(6);
  auto b = scene.getMesh("b").points;
  CHECK(b[210] == faceMesh().points[210] && b[211] == faceMesh().points[211] && b != plain[5],
        "the weights of another mesh are used");
  scene.set("flesh.weightList[1].weights[70]", 1);
  for (int v = 0; v < 144; v++)
    scene.set("flesh.perGeometry[1].attachmentMap[" + std::to_string(v) + "]", 1);
  CHECK(apart(playFace(scene, 1, 6, "b")[5], plain[5]) > 1e-3, "the second mesh is not painted");
}

// A number that is no vertex: old maps of a mesh that had more of them.
static void mapBeyondTheMesh() {
  Scene scene;
  buildFace(scene);
  attachFace(scene, "-name \"flesh\"");
  scene.set("flesh.perGeometry[0].stiffnessMap[3]", 2);
  auto plain = playFace(scene, 1, 4);
  scene.set("flesh.perGeometry[0].stiffnessMap[90000000]", 2);
  CHECK(playFace(scene, 1, 4) == plain, "a vertex that is not there counts");
}

// Statistics as plugs and as the command says them; nobody may write them.
static void statistics() {
  Scene scene;
  buildFace(scene);
  attachFace(scene, "-name \"flesh\"");
  playFace(scene, 1, 6);
  std::string said;
  scene.mel("mien -q -statistics flesh", &said);
  for (const char *name :
       {"SolveTime", "Iterations", "Residual", "Contacts", "Stuck", "FramesKept"}) {
    std::string plug = std::string("flesh.out") + name, key = name;
    key[0] = static_cast<char>(std::tolower(key[0]));
    size_t at = said.find(key + "=");
    double wanted = at == std::string::npos ? NAN : std::atof(&said[at + key.size() + 1]);
    double has = scene.get(plug);
    CHECK(std::fabs(has - wanted) <= 1e-3 * std::fabs(wanted), "%s is %g, said to be %g", name, has,
          wanted);
    CHECK(!scene.set(plug, 3), "%s can be set", plug.c_str());
  }
  CHECK(scene.get("flesh.outSolveTime") > 0 && scene.get("flesh.outIterations") > 0 &&
            scene.get("flesh.outResidual") > 0,
        "statistics are empty: %s", said.c_str());
}

// Ranges, names of choices and what can be keyed are those of the table.
static void rowsOfTheTable() {
  Scene scene;
  buildFace(scene);
  attachFace(scene, "-name \"flesh\"");
  int count;
  const mien_param *rows = mien_params(&count);
  for (int i = 0; i < count; i++) {
    const mien_param &row = rows[i];
    std::string name;
    for (const char *c = row.name; *c; c++)
      if (*c != '_') name += c > row.name && c[-1] == '_' ? static_cast<char>(toupper(*c)) : *c;
    bool isMap = row.place == MIEN_PARAM_MAP;
    Plug p = scene.plug(isMap ? "flesh.perGeometry[0]." + name + "Map" : "flesh." + name);
    if (p.isNull() || (isMap && name == "region")) continue;
    const Attr &a = row.kind == MIEN_PARAM_VECTOR ? *p.attr->children[1] : *p.attr;
    bool hasRange = isMap || (row.kind != MIEN_PARAM_SWITCH && row.kind != MIEN_PARAM_CHOICE);
    if (hasRange)
      CHECK(a.hasMin && a.min == (isMap ? -1 : row.min) && a.hasMax && a.max <= row.max,
            "range of %s", row.name);
    if (!isMap)
      CHECK(a.keyable == ((row.flags & MIEN_PARAM_KEYABLE) != 0), "%s can%s be keyed", row.name,
            a.keyable ? "" : "not");
    if (row.kind != MIEN_PARAM_CHOICE || isMap) continue;
    std::string all;
    for (size_t k = 0; k < a.fields.size(); k++) {
      CHECK(a.fields[k].second == static_cast<short>(k), "choice %zu of %s is %d", k, row.name,
            a.fields[k].second);
      all += (k ? "," : "") + a.fields[k].first;
    }
    CHECK(all.size() <= std::string(row.choices).size() && a.defaultNumber == row.value[0],
          "choices of %s are %s", row.name, all.c_str());
  }
}

// A warning comes again when what it was about had been mended in between.
static void warnsAgain() {
  Scene scene;
  buildFace(scene);
  scene.createMesh("neutral", faceMesh());
  attachFace(scene, "-name \"flesh\"");
  playFace(scene, 1, 2);
  for (int round = 1; round <= 2; round++) {
    scene.removeElement("flesh.perGeometry[0]");
    playFace(scene, 1, 3);
    CHECK(scene.count('w', "rest mesh") == round, "%d warnings in round %d",
          scene.count('w', "rest mesh"), round);
    CHECK(scene.mel("mien -edit -restMesh neutral flesh"), "cannot mend it");
    playFace(scene, 1, 3);
    CHECK(scene.get("flesh.outFramesKept") == 3, "it is not mended");
  }
}

int main(int argc, char **argv) {
  if (argc < 2) return 2;
  plugin = argv[1];
  everyInputIsSeen();
  sourcesAreReadAgain();
  secondMeshIsPainted();
  mapBeyondTheMesh();
  statistics();
  rowsOfTheTable();
  warnsAgain();
  return verdict();
}

// Every input counts: what is changed is seen at the frame at hand, and what flesh is made of makes
// other flesh. Found by putting faults into the plug-in on purpose. usage: test_inputs PLUGIN
#include "face_scene.h"

#include <mien/mien.h>

using namespace host;

std::string plugin;

static Mesh octahedron(float size = 3) {
  Mesh ball;
  ball.points = {size, 0, 0, -size, 0, 0, 0, size, 0, 0, -size, 0, 0, 0, size, 0, 0, -size};
  for (int c : {0, 2, 4, 2, 1, 4, 1, 3, 4, 3, 0, 4, 2, 0, 5, 1, 2, 5, 3, 1, 5, 0, 3, 5})
    ball.corners.push_back(c);
  ball.counts.assign(8, 3);
  return ball;
}

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
                         "shapes[0].shapeWeight", "shapeMaps", "shapeMaps[0].shapeMapName",
                         "shapeMaps[0].shapeMapValues[3]", "brushTarget", "brushMap[4]"})
    list.push_back(std::string("perGeometry[0].") + of);
  std::string maps, rows;
  scene.mel("mien -listMaps", &maps);
  for (const std::string &map : words(maps)) list.push_back("perGeometry[0]." + map + "[0]");
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

// Between two frames of a motion that is even, a jump goes through what playing goes through.
static void jumpsGoThrough() {
  std::vector<float> played;
  for (bool jumps : {false, true}) {
    Scene scene;
    buildFace(scene, false);
    scene.create("transform", "jaw", scene.find("head"));
    scene.createMesh("ball", octahedron());
    for (int f : {1, 9}) {
      double way = f == 9;
      scene.setKey("head.translateY", f, 6 * way);
      scene.setKey("ball.translateZ", f, 12 - 5 * way);
      scene.setKey("jaw.translateY", f, -2 * way);
      scene.setKey("shapes.weight[0]", f, way);
    }
    scene.evaluate(1);
    attachFace(scene, "-name \"flesh\" -head head -jawBone jaw -collider ball");
    scene.set("flesh.contact", 1);
    for (int v = 0; v < 144; v++) {
      scene.set("flesh.perGeometry[0].contactMap[" + std::to_string(v) + "]", 1);
      if (v < 72) scene.set("flesh.perGeometry[0].jawMap[" + std::to_string(v) + "]", 1);
    }
    scene.mel("mien -paintShape \"stiffness:puff\" flesh");
    for (int v = 0; v < 144; v++)
      scene.set("flesh.perGeometry[0].brushMap[" + std::to_string(v) + "]", 20);
    scene.evaluate(1);
    if (jumps)
      scene.evaluate(9);
    else
      playFace(scene, 2, 9);
    auto at = scene.getMesh("face").points;
    if (!jumps) played = at;
    CHECK(apart(at, played) < 2e-3, "a jump ends %g cm from where playing does", apart(at, played));
  }
}

// A head that looks backwards, upside down or round a full turn moves its flesh as any other.
static void turnedHeads() {
  std::vector<float> straight;
  for (const char *turn : {"", "world.rotateY", "world.rotateX", "world.rotateZ"}) {
    Scene scene;
    buildFace(scene);
    scene.create("transform", "world");
    scene.connect("world.worldMatrix[0]", "head.parentMatrix");
    scene.evaluate(1);
    attachFace(scene, "-name \"flesh\" -head head");
    if (*turn) scene.set(turn, 179);
    auto at = playFace(scene, 1, 8)[7];
    if (!*turn) straight = at;
    CHECK(apart(at, straight) < 1e-3, "%s: %g cm", turn, apart(at, straight));
  }
}

// A quaternion and its negative are one turn: a jump over the place where the sign changes.
static void jumpOverTheSign() {
  std::vector<float> played;
  for (bool jumps : {false, true}) {
    Scene scene;
    buildFace(scene, false);
    scene.setKey("head.rotateY", 1, 170);
    scene.setKey("head.rotateY", 5, 190);
    scene.evaluate(1);
    scene.set("head.rotateX", 0);
    attachFace(scene, "-name \"flesh\" -head head");
    scene.setMatrix("flesh.headRestMatrix", identityMatrix());
    scene.evaluate(1);
    if (jumps)
      scene.evaluate(5);
    else
      playFace(scene, 2, 5);
    auto at = scene.getMesh("face").points;
    if (!jumps) played = at;
    CHECK(apart(at, played) < 0.02, "off by %g cm", apart(at, played));
  }
}

// A ball of half the size in a transform that doubles it.
static void scaledCollider() {
  std::vector<float> plain;
  for (double scale : {1.0, 2.0}) {
    Scene scene;
    buildFace(scene, false);
    scene.createMesh("ball", octahedron(static_cast<float>(3 / scale)));
    for (const char *axis : {"X", "Y", "Z"}) scene.set(std::string("ball.scale") + axis, scale);
    for (int f = 1; f <= 10; f++) scene.setKey("ball.translateZ", f, 14 - 0.7 * f);
    attachFace(scene, "-name \"flesh\" -collider ball");
    scene.set("flesh.contact", 1);
    for (int v = 0; v < 144; v++)
      scene.set("flesh.perGeometry[0].contactMap[" + std::to_string(v) + "]", 1);
    auto at = playFace(scene, 1, 10)[9];
    if (plain.empty()) plain = at;
    CHECK(apart(plain, faceMesh().points) > 0.2, "nothing is pushed");
    CHECK(apart(at, plain) < 1e-3, "a scaled ball pushes otherwise: %g cm", apart(at, plain));
    CHECK(scene.get("flesh.outContacts") > 0 && scene.get("flesh.outStuck") == 0, "%g and %g",
          scene.get("flesh.outContacts"), scene.get("flesh.outStuck"));
  }
}

// Frames before the start are the artist's and leave no trace in those after it.
static void beforeTheStart() {
  Scene scene;
  buildFace(scene);
  auto artist = playFace(scene, -3, 0);
  attachFace(scene, "-name \"flesh\"");
  auto played = playFace(scene, 1, 6);
  scene.mel("mien -reset flesh");
  CHECK(playFace(scene, -3, 0) == artist, "before the start something moves");
  CHECK(playFace(scene, 1, 6) == played, "what is before the start counts");
  scene.mel("mien -reset flesh"); // at frame 6: seen at once, without going anywhere
  scene.getMesh("face");
  scene.dirty(scene.plug("flesh.time"));
  CHECK(scene.get("flesh.outFramesKept") == 1, "a reset is not seen at the frame at hand");
}

// A pre-roll of whole frames is that many steps, not one more.
static void preRollIsCounted() {
  std::vector<std::vector<float>> held;
  Scene scene;
  buildFace(scene, false);
  attachFace(scene, "-name \"flesh\"");
  scene.set("flesh.gravityY", -9.81);
  auto played = playFace(scene, 1, 13);
  scene.set("flesh.preRoll", 0.5); // 12 frames
  CHECK(playFace(scene, 1, 1)[0] == played[12], "half a second is not twelve steps");
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
      CHECK(a.hasMin && a.min == row.min && a.hasMax && a.max <= row.max, "range of %s", row.name);
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

// Switched off and on again every frame is simulated anew.
static void switchedOff() {
  Scene scene;
  buildFace(scene);
  attachFace(scene, "-name \"flesh\"");
  playFace(scene, 1, 6);
  scene.set("flesh.enable", 0);
  scene.getMesh("face");
  scene.set("flesh.enable", 1);
  scene.getMesh("face");
  scene.dirty(scene.plug("flesh.time"));
  CHECK(scene.get("flesh.outFramesKept") == 1, "%g frames of before are kept",
        scene.get("flesh.outFramesKept"));
}

// A bone carries the head and the mesh does not hang on it (a skinCluster's does not): what the
// flesh does is turned back into the mesh's space. Gravity pulls down, whichever way the bone
// looks.
static void boneApartFromTheMesh() {
  Scene scene;
  CHECK(scene.loadPlugin(plugin), "does not load");
  scene.createMesh("face", faceMesh());
  scene.create("transform", "bone");
  attachFace(scene, "-name \"flesh\" -head bone");
  scene.set("flesh.gravityY", -9.81);
  scene.set("bone.rotateZ", 90);
  auto at = playFace(scene, 1, 6)[5];
  double down = 0, aside = 0;
  for (size_t i = 0; i < at.size(); i += 3) {
    down -= static_cast<double>(at[i + 1]) - static_cast<double>(faceMesh().points[i + 1]);
    aside += static_cast<double>(at[i]) - static_cast<double>(faceMesh().points[i]);
  }
  CHECK(down > 0.1 && std::fabs(aside) < 0.2 * down, "it sags by %g and %g to the side", down,
        aside);
}

// The default of a time would be another one at another frame rate: a file that leaves it out must
// not depend on what the session counted in when the plug-in was loaded.
static void startIsStored() {
  std::string file = scratchFile("start.ma");
  {
    Scene scene;
    buildFace(scene, false);
    attachFace(scene, "-name \"flesh\"");
    CHECK(scene.save(file), "cannot save");
  }
  Scene scene;
  framesPerSecond() = 60;
  CHECK(scene.loadPlugin(plugin), "does not load");
  framesPerSecond() = 24;
  CHECK(scene.load(file) && near(scene.get("flesh.startTime"), 1), "it starts at %g",
        scene.get("flesh.startTime"));
  unlink(file.c_str());
}

// A target that moves nothing, with a material: its weight alone makes another frame.
static void weightAlone() {
  Scene scene;
  CHECK(scene.loadPlugin(plugin), "does not load");
  Node *head = scene.create("transform", "head");
  scene.createMesh("face", faceMesh(), head);
  scene.createBlendShape("face", "shapes", {"puff", "tense"}, {puffed(faceMesh(), 1), faceMesh()});
  for (int f = 1; f <= 8; f++) scene.setKey("head.translateY", f, 4 * std::sin(f * 0.9));
  attachFace(scene, "-name \"flesh\"");
  CHECK(scene.mel("mien -paintShape \"stiffness:tense\" flesh"), "cannot paint");
  for (int v = 0; v < 144; v++)
    scene.set("flesh.perGeometry[0].brushMap[" + std::to_string(v) + "]", 30);
  auto loose = playFace(scene, 1, 8)[7];
  scene.set("shapes.weight[1]", 1);
  CHECK(apart(scene.getMesh("face").points, loose) > 1e-4, "flesh that is tense moves as before");
  CHECK(scene.count('w') == 0, "something was said");
  printMessages(scene);
}

int main(int argc, char **argv) {
  if (argc < 2) return 2;
  plugin = argv[1];
  everyInputIsSeen();
  sourcesAreReadAgain();
  secondMeshIsPainted();
  mapBeyondTheMesh();
  jumpsGoThrough();
  turnedHeads();
  jumpOverTheSign();
  scaledCollider();
  beforeTheStart();
  preRollIsCounted();
  statistics();
  rowsOfTheTable();
  warnsAgain();
  switchedOff();
  boneApartFromTheMesh();
  startIsStored();
  weightAlone();
  return verdict();
}

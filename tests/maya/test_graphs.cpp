// Scenes as studios have them: old graphs, nodes behind, other frame rates, several meshes,
// references. usage: test_graphs PLUGIN
#include "face_scene.h"

#include <mien/mien.h>

using namespace host;

std::string plugin;

// A setup exported from the rig's own file fits its reference: names carry no name space.
static void setupAcrossNameSpaces() {
  std::string rig = scratchFile("spaces.ma"), setup = scratchFile("spaces.json");
  std::vector<std::vector<float>> before;
  {
    Scene scene;
    buildFace(scene);
    attachFace(scene, "-name \"flesh\"");
    CHECK(scene.save(rig), "cannot save");
    scene.set("flesh.stiffness", 2500);
    scene.mel("setAttr flesh.perGeometry[0].attachmentMap[70] 0.125");
    before = playFace(scene, 1, 8);
    CHECK(scene.mel("mien -exportFile \"" + setup + "\" flesh"), "cannot export");
  }
  Scene scene;
  CHECK(scene.loadPlugin(plugin) && scene.reference(rig, "hero"), "cannot reference");
  CHECK(scene.mel("mien -importFile \"" + setup + "\" hero:flesh"), "cannot import");
  printMessages(scene);
  CHECK(playFace(scene, 1, 8, "hero:face") == before, "another result in the reference");
  unlink(rig.c_str());
  unlink(setup.c_str());
}

static void manyMeshesOneNode() {
  Scene scene;
  CHECK(scene.loadPlugin(plugin), "does not load");
  scene.createMesh("a", faceMesh());
  scene.createMesh("b", faceMesh(9));
  for (int f = 1; f <= 8; f++) scene.setKey("a.translateY", f, 4 * std::sin(f * 0.9));
  CHECK(scene.mel("mien -name \"flesh\" a b"), "cannot attach to two");
  scene.set("flesh.attachmentRate", 8);
  auto b = playFace(scene, 1, 8, "b");
  CHECK(apart(scene.getMesh("a").points, faceMesh().points) > 0.01, "a does not move");
  CHECK(b[7] == faceMesh(9).points, "b moves with a");
}

static void members() {
  Scene scene;
  CHECK(scene.loadPlugin(plugin), "does not load");
  Mesh m = faceMesh();
  for (int v = 60; v < 84; v++) m.tag["middle"].push_back(v);
  scene.createMesh("face", m);
  for (int f = 1; f <= 8; f++) scene.setKey("face.translateY", f, 4 * std::sin(f * 0.9));
  attachFace(scene, "-name \"flesh\"");
  auto all = playFace(scene, 1, 8);
  scene.setText("flesh.input[0].componentTagExpression", "middle");
  auto some = playFace(scene, 1, 8);
  double in = 0, out = 0;
  for (size_t v = 0; v < 144; v++)
    for (size_t k = 0; k < 3; k++) {
      bool is = v >= 60 && v < 84;
      double off = std::fabs(static_cast<double>(some[7][3 * v + k]) -
                             static_cast<double>((is ? all[7] : m.points)[3 * v + k]));
      (is ? in : out) = std::fmax(is ? in : out, off);
    }
  CHECK(in == 0 && out == 0, "members %g, others %g cm", in, out);
  scene.set("flesh.weightList[0].weights[70]", 0);
  scene.evaluate(8);
  for (size_t k = 0; k < 3; k++)
    CHECK(scene.getMesh("face").points[210 + k] == m.points[210 + k], "weight 0 moves");
}

// A map that is painted in one corner holds that corner: elements are vertices, not places in a
// list.
static void sparseMaps() {
  Scene scene;
  buildFace(scene);
  attachFace(scene, "-name \"flesh\"");
  auto plain = playFace(scene, 1, 10);
  for (int v = 132; v < 144; v++) // the last row
    scene.set("flesh.perGeometry[0].attachmentMap[" + std::to_string(v) + "]", 1);
  auto held = playFace(scene, 1, 10);
  double first = 0, last = 0;
  for (size_t i = 0; i < 36; i++) {
    first = std::fmax(first, std::fabs(static_cast<double>(held[9][i] - plain[9][i])));
    last = std::fmax(last, std::fabs(static_cast<double>(held[9][396 + i] - plain[9][396 + i])));
  }
  // muscles hold what is not painted, too: the difference is small
  CHECK(last > 0.005 && last > 5 * first, "painted %g cm, elsewhere %g cm", last, first);
}

// What flows into one mesh of a node is not evaluated for the sake of another.
static void onlyItsOwnInput() {
  Scene scene;
  CHECK(scene.loadPlugin(plugin), "does not load");
  for (const char *name : {"a", "b"}) {
    scene.createMesh(name, faceMesh());
    scene.createBlendShape(name, std::string(name) + "Shapes", {"puff"}, {puffed(faceMesh(), 1)});
    scene.setKey(std::string(name) + "Shapes.weight[0]", 1, 0);
    scene.setKey(std::string(name) + "Shapes.weight[0]", 10, 1);
  }
  CHECK(scene.mel("mien -name \"flesh\" a b"), "cannot attach to two");
  playFace(scene, 1, 3, "a");
  int own = scene.find("aShapes")->ncompute, other = scene.find("bShapes")->ncompute;
  scene.background("a", 4);
  CHECK(scene.find("aShapes")->ncompute > own, "nothing was evaluated");
  CHECK(scene.find("bShapes")->ncompute == other, "the other mesh was evaluated, too");
}

// Scenes of before component tags have a groupParts in front of every deformer: the neutral and the
// shapes are found behind them.
static void deformerSets() {
  std::vector<std::vector<float>> tags;
  for (bool isOld : {false, true}) {
    Scene scene;
    scene.useDeformerSets = isOld;
    buildFace(scene);
    attachFace(scene, "-name \"flesh\"");
    CHECK(scene.count('w') == 0, "an old graph is not understood");
    printMessages(scene);
    Plug from;
    CHECK(scene.source(scene.plug("flesh.perGeometry[0].restMesh"), &from) &&
              from.node->name == "faceShapeOrig",
          "the neutral is not the original shape");
    CHECK(scene.elements("flesh.perGeometry[0].shapes").size() == 2, "the shapes are not found");
    auto frames = playFace(scene, 1, 8);
    if (isOld)
      CHECK(frames == tags, "an old graph gives another result");
    else
      tags = frames;
  }
}

// polySmooth and its like behind mien: the mesh still leads to its face, and the bake is mien's.
static void nodeBehind() {
  std::string path = scratchFile("behind.pc2"), setup = scratchFile("behind.json");
  Scene scene;
  buildFace(scene);
  attachFace(scene, "-name \"flesh\"");
  auto played = playFace(scene, 1, 6);
  CHECK(scene.create("polyModifier", "smooth"), "no node");
  scene.disconnect("faceShape.inMesh");
  scene.connect("flesh.outputGeometry[0]", "smooth.inputPolymesh");
  scene.connect("smooth.output", "faceShape.inMesh");
  CHECK(playFace(scene, 1, 6) == played, "a node behind disturbs");
  scene.set("smooth.dropFaces", 12);
  std::string stats;
  CHECK(scene.mel("mien -q -statistics face", &stats), "the mesh does not lead to its face");
  CHECK(scene.mel("mien -exportFile \"" + setup + "\" face") &&
            scene.mel("mien -importFile \"" + setup + "\" face"),
        "its setup does not fit itself");
  CHECK(scene.mel("mien -bake \"" + path + "\" -sf 1 -ef 6 face"), "cannot bake");
  printMessages(scene);
  mien_cache *cache = nullptr;
  CHECK(mien_cache_load(path.c_str(), nullptr, &cache, nullptr) >= 0, "cannot read the cache");
  const mien_cache_info *info = mien_cache_get_info(cache);
  CHECK(info && info->npoint == 144, "the bake is not of the face");
  mien_cache_free(cache);
  unlink(path.c_str());
  unlink(setup.c_str());
}

// The plug-in is loaded at 24 frames per second, the scene has 30: frames are the scene's, and
// where the simulation starts does not depend on when the plug-in was loaded.
static void otherFrameRate() {
  std::string file = scratchFile("rate.ma");
  std::vector<std::vector<float>> played;
  {
    Scene scene;
    buildFace(scene, false);
    framesPerSecond() = 30;
    for (int f = 1; f <= 20; f++) scene.setKey("head.translateY", f, 4 * std::sin(f * 0.9));
    attachFace(scene, "-name \"flesh\"");
    played = playFace(scene, 1, 10);
    CHECK(near(scene.get("flesh.startTime"), 1), "starts at %g", scene.get("flesh.startTime"));
    CHECK(scene.get("flesh.outFramesKept") == 10, "%g frames kept",
          scene.get("flesh.outFramesKept"));
    // a start between frames: the next whole frame begins
    scene.set("flesh.startTime", 2.25);
    playFace(scene, 1, 10);
    CHECK(scene.get("flesh.outFramesKept") == 8, "%g frames kept from a start between frames",
          scene.get("flesh.outFramesKept"));
    scene.set("flesh.startTime", 1);
    CHECK(scene.save(file), "cannot save");
  }
  Scene scene;
  framesPerSecond() = 30;
  CHECK(scene.loadPlugin(plugin) && scene.load(file), "does not load");
  CHECK(near(scene.get("flesh.startTime"), 1), "after reopening it starts at %g",
        scene.get("flesh.startTime"));
  CHECK(playFace(scene, 1, 10) == played, "another result after reopening");
  unlink(file.c_str());
}

// A scene that counts in seconds has no frames; mien steps as at 24 of them.
static void noFrames() {
  Scene scene;
  buildFace(scene, false);
  framesPerSecond() = 1;
  for (int k = 0; k <= 24; k++) scene.setKey("head.translateY", k / 24.0, 4 * std::sin(k * 0.9));
  attachFace(scene, "-name \"flesh\" -startFrame 0");
  for (int k = 0; k <= 12; k++) {
    scene.evaluate(k / 24.0);
    scene.getMesh("face");
  }
  CHECK(scene.get("flesh.outFramesKept") == 13 && scene.get("flesh.outMaxOffset") > 0.1,
        "%g frames kept, %g mm", scene.get("flesh.outFramesKept"), scene.get("flesh.outMaxOffset"));
}

// Of two meshes the first is taken out: the other has index 1 and everything still works on it.
static void firstMeshGone() {
  std::string path = scratchFile("second.pc2");
  Scene scene;
  CHECK(scene.loadPlugin(plugin), "does not load");
  scene.createMesh("a", faceMesh(9));
  scene.createMesh("b", faceMesh());
  for (int f = 1; f <= 8; f++) scene.setKey("b.translateY", f, 4 * std::sin(f * 0.9));
  CHECK(scene.mel("mien -name \"flesh\" a b"), "cannot attach to two");
  auto both = playFace(scene, 1, 8, "b");
  scene.disconnect("aShape.inMesh");
  scene.disconnect("flesh.input[0].inputGeometry");
  scene.removeElement("flesh.input[0]");
  CHECK(playFace(scene, 1, 8, "b") == both, "the other mesh is disturbed");
  std::string stats;
  CHECK(scene.mel("mien -q -statistics flesh", &stats) &&
            stats.find("framesKept=8") != std::string::npos,
        "%s", stats.c_str());
  CHECK(scene.get("flesh.outFramesKept") == 8, "statistics of a mesh that is gone");
  CHECK(scene.mel("mien -fillMaps flesh") &&
            !scene.elements("flesh.perGeometry[1].attachmentMap").empty(),
        "maps of a mesh that is gone were filled");
  CHECK(scene.mel("mien -bake \"" + path + "\" -sf 1 -ef 4 b"), "cannot bake");
  printMessages(scene);
  unlink(path.c_str());
}

// Where head, jaw and mesh were when the face was attached is kept in the file.
static void attachedElsewhere() {
  std::string file = scratchFile("elsewhere.ma");
  std::vector<std::vector<float>> played;
  {
    Scene scene;
    buildFace(scene);
    scene.create("transform", "jaw", scene.find("head"));
    scene.set("jaw.translateY", -7);
    for (int f = 1; f <= 8; f++) scene.setKey("jaw.rotateX", f, 3.0 * f);
    scene.evaluate(7); // everything is turned and moved
    CHECK(scene.mel("mien -name \"flesh\" -head head -jawBone jaw face"), "cannot attach");
    scene.set("flesh.attachmentRate", 8);
    played = playFace(scene, 1, 8);
    scene.save(file);
  }
  Scene scene;
  CHECK(scene.loadPlugin(plugin) && scene.load(file), "does not load");
  CHECK(playFace(scene, 1, 8) == played, "reopened it hangs elsewhere");
  unlink(file.c_str());
}

static void attachedTwice() {
  Scene scene;
  buildFace(scene);
  attachFace(scene, "-name \"flesh\"");
  auto played = playFace(scene, 1, 6);
  CHECK(!scene.mel("mien face") && scene.count('e', "flesh") == 1, "physics on physics");
  CHECK(playFace(scene, 1, 6) == played, "the refusal changed something");
}

// An envelope that is animated through nothing hides the flesh, which swings on meanwhile.
static void keyedEnvelope() {
  Scene scene;
  buildFace(scene);
  attachFace(scene, "-name \"flesh\"");
  auto played = playFace(scene, 1, 12);
  scene.mel("mien -reset flesh");
  for (int f = 1; f <= 12; f++) scene.setKey("flesh.envelope", f, f < 9 ? 0 : 1);
  CHECK(playFace(scene, 1, 12)[11] == played[11], "hidden flesh stood still");
}

static void severalColliders() {
  Scene scene;
  buildFace(scene);
  scene.createMesh("left", grid(3));
  scene.createMesh("right", grid(3));
  CHECK(scene.mel("mien -name \"flesh\" -collider left -collider right face"), "cannot attach");
  CHECK(scene.elements("flesh.colliders").size() == 2, "not two");
  scene.createMesh("third", grid(3));
  CHECK(scene.mel("mien -edit -collider third flesh"), "no third one");
  CHECK(scene.elements("flesh.colliders").size() == 3, "one took the place of another");
  scene.undo();
  scene.undo();
  CHECK(!scene.find("flesh"), "not undone");
}

// The user's frame comes back; Esc leaves no file; the file knows the scene's frame rate.
static void bakes() {
  std::string path = scratchFile("bakes.usda");
  Scene scene;
  buildFace(scene);
  framesPerSecond() = 30;
  attachFace(scene, "-name \"flesh\"");
  scene.evaluate(3);
  std::string bake = "mien -bake \"" + path + "\" -startFrame 1 -endFrame 8 flesh";
  scene.escapeAfter = 4;
  CHECK(!scene.mel(bake) && scene.count('e', "interrupted") == 1, "Esc was not heard");
  CHECK(access(path.c_str(), F_OK) != 0 && scene.frame() == 3, "Esc left something behind");
  scene.escapeAfter = -1;
  scene.progressShown = 0;
  CHECK(scene.mel(bake) && scene.progressShown == 8, "progress was shown %d times",
        scene.progressShown);
  CHECK(scene.frame() == 3, "the user is at frame %g now", scene.frame());
  FILE *file = std::fopen(path.c_str(), "r");
  std::string text(4096, 0);
  text.resize(file ? std::fread(&text[0], 1, text.size(), file) : 0);
  if (file) std::fclose(file);
  CHECK(text.find("timeCodesPerSecond = 30") != std::string::npos, "not at 30 frames per second");
  unlink(path.c_str());
}

// A parameter of the flesh that is keyed makes other flesh in every frame, while the file is
// written.
static void bakesWhileBuilding() {
  std::string path = scratchFile("building.pc2");
  Scene scene;
  buildFace(scene);
  attachFace(scene, "-name \"flesh\"");
  for (int f = 1; f <= 6; f++) scene.setKey("flesh.stiffness", f, 5000 + 500 * f);
  auto played = playFace(scene, 1, 6);
  CHECK(scene.mel("mien -bake \"" + path + "\" -startFrame 1 -endFrame 6 flesh"), "cannot bake");
  printMessages(scene);
  mien_cache *cache = nullptr;
  mien_error err;
  CHECK(mien_cache_load(path.c_str(), nullptr, &cache, &err) >= 0, "%s", err.text);
  const mien_cache_info *info = mien_cache_get_info(cache);
  CHECK(info && info->nframe == 6 && info->npoint == 144, "another size");
  mien_cache_free(cache);
  unlink(path.c_str());
}

int main(int argc, char **argv) {
  if (argc < 2) return 2;
  plugin = argv[1];
  setupAcrossNameSpaces();
  manyMeshesOneNode();
  members();
  sparseMaps();
  onlyItsOwnInput();
  deformerSets();
  nodeBehind();
  otherFrameRate();
  noFrames();
  firstMeshGone();
  attachedElsewhere();
  attachedTwice();
  keyedEnvelope();
  severalColliders();
  bakes();
  bakesWhileBuilding();
  return verdict();
}

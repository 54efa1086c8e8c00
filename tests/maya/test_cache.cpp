// Maya's own geometry cache: written from the frames that were seen, played without physics, taken
// off by undo. usage: test_cache PLUGIN
#include "face_scene.h"

#include <filesystem>

using namespace host;

std::string plugin;

static std::string folder() {
  std::string path = scratchFile("cache");
  std::filesystem::create_directory(path);
  return path;
}

static std::string sourceOf(Scene &scene, const std::string &path) {
  Plug from;
  return scene.source(scene.plug(path), &from) ? from.name() : "";
}

static std::string bakeLine(const std::string &name, const char *more = "face") {
  return "mien -bake \"" + folder() + "/" + name + "\" -startFrame 1 -endFrame 8 " + more;
}

// In its range the cache is played and nothing is simulated; behind it the face is live again.
static void plays() {
  Scene scene;
  buildFace(scene);
  attachFace(scene, "-name \"flesh\"");
  auto live = playFace(scene, 1, 10);
  scene.evaluate(4);
  std::string frames;
  CHECK(scene.mel(bakeLine("shot.mcx"), &frames) && frames == "8", "cannot bake");
  printMessages(scene);
  CHECK(scene.frame() == 4, "left at frame %g", scene.frame());
  CHECK(std::filesystem::exists(folder() + "/shot.xml"), "no file");
  std::string player = sourceOf(scene, "faceShape.inMesh");
  CHECK(player.find("cacheSwitch1") == 0, "the mesh comes from %s", player.c_str());
  scene.mel("mien -reset flesh");
  int before = scene.find("flesh")->ncompute;
  auto cached = playFace(scene, 1, 8);
  for (size_t f = 0; f < 8; f++) CHECK(cached[f] == live[f], "frame %zu is another", f + 1);
  CHECK(scene.find("flesh")->ncompute == before, "physics runs behind the cache");
  std::string name;
  CHECK(scene.mel("mien -q -face face", &name) && name == "flesh", "not found behind the cache");
  CHECK(!scene.mel("mien face"), "attached to a cache");
  CHECK(!scene.mel(bakeLine("other.mcx")) && scene.count('e', "plays a cache already") == 1,
        "baked a cache of a cache");
  playFace(scene, 1, 10);
  CHECK(scene.find("flesh")->ncompute > before, "nothing is simulated behind the range");
}

static void undone() {
  Scene scene;
  buildFace(scene);
  attachFace(scene, "-name \"flesh\"");
  auto live = playFace(scene, 1, 8);
  CHECK(scene.mel(bakeLine("undo.mcx")), "cannot bake");
  scene.undo();
  CHECK(sourceOf(scene, "faceShape.inMesh") == "flesh.outputGeometry[0]", "undo: %s",
        sourceOf(scene, "faceShape.inMesh").c_str());
  CHECK(!scene.find("cacheSwitch1") && !scene.find("undoCache1"), "undo left nodes");
  CHECK(playFace(scene, 1, 8) == live, "live is another after undo");
  scene.redo();
  CHECK(sourceOf(scene, "faceShape.inMesh").find("cacheSwitch1") == 0, "redo does not attach");
  CHECK(sourceOf(scene, "cacheSwitch1.playFromCache") == "undoCache1.inRange", "no range");
  CHECK(playFace(scene, 1, 8) == live, "the cache is another after redo");
  scene.undo();
  scene.undo();
  CHECK(!scene.find("flesh"), "attaching is not undone");
}

// Esc, a folder that is not there, a name that is taken: a sentence, no file, the scene as it was.
static void refusals() {
  Scene scene;
  buildFace(scene);
  attachFace(scene, "-name \"flesh\"");
  scene.evaluate(3);
  scene.escapeAfter = 4;
  CHECK(!scene.mel(bakeLine("esc.mcx")) && scene.count('e', "interrupted") == 1, "Esc not heard");
  CHECK(!std::filesystem::exists(folder() + "/esc.xml") && scene.frame() == 3, "Esc left a file");
  scene.escapeAfter = -1;
  CHECK(!scene.mel("mien -bake \"/nowhere/a.mcx\" -sf 1 -ef 3 face") &&
            scene.count('e', "no folder '/nowhere'") == 1,
        "baked to nowhere");
  CHECK(!scene.mel("mien -bake \"a.mcx\" -sf 1 -ef 3 face"), "baked to a relative path");
  CHECK(scene.mel(bakeLine("twice.mcx")), "cannot bake");
  scene.undo();
  CHECK(!scene.mel(bakeLine("twice.mcx")) && scene.count('e', "'twice' already") == 1,
        "wrote over a cache");
  scene.set("flesh.enable", 0);
  CHECK(sourceOf(scene, "faceShape.inMesh") == "flesh.outputGeometry[0]", "something is left");
}

// A scene with a cache is opened where the plug-in never simulates: it plays.
static void savedAndReferenced() {
  std::string path = scratchFile("cached.ma");
  std::vector<std::vector<float>> live;
  {
    Scene scene;
    buildFace(scene);
    attachFace(scene, "-name \"flesh\"");
    live = playFace(scene, 1, 8);
    CHECK(scene.mel(bakeLine("kept.xml")), "cannot bake");
    CHECK(scene.save(path), "cannot save");
  }
  Scene scene;
  CHECK(scene.loadPlugin(plugin) && scene.load(path), "cannot open");
  auto cached = playFace(scene, 1, 8);
  CHECK(cached == live, "the opened scene plays something else");
  CHECK(scene.find("flesh")->ncompute == 0, "physics ran");
  unlink(path.c_str());
}

int main(int argc, char **argv) {
  if (argc < 2) return 2;
  plugin = argv[1];
  plays();
  undone();
  refusals();
  savedAndReferenced();
  std::filesystem::remove_all(scratchFile("cache"));
  return verdict();
}

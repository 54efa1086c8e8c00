// Frames in any order, by any evaluation, as often as the host likes: always the same bits.
// usage: test_playback PLUGIN
#include "face_scene.h"

using namespace host;

std::string plugin;

static bool stepped(Scene &scene) {
  std::string stats;
  scene.mel("mien -q -statistics flesh", &stats);
  return stats.find("stepped=1") != std::string::npos;
}

static void anyOrder() {
  Scene scene;
  buildFace(scene);
  attachFace(scene, "-name \"flesh\"");
  auto played = playFace(scene, 1, 20);
  CHECK(stepped(scene), "nothing was simulated");
  for (int f : {7, 19, 3, 3, 20, 1, 12, 11, 12, 2}) {
    scene.evaluate(f);
    CHECK(scene.getMesh("face").points == played[static_cast<size_t>(f - 1)],
          "frame %d is another when scrubbed to", f);
    CHECK(!stepped(scene), "frame %d was simulated again", f);
  }
  CHECK(playFace(scene, 1, 20) == played, "playing again is another result");
  scene.mel("mien -reset flesh");
  CHECK(scene.get("flesh.outFramesKept") >= 0 && playFace(scene, 1, 20) == played,
        "another result after a reset");
  scene.evaluate(-5);
  CHECK(scene.frame() == -5, "no frame before the start");
}

static void sameFrameAgain() {
  Scene scene;
  buildFace(scene);
  attachFace(scene, "-name \"flesh\"");
  auto played = playFace(scene, 1, 10);
  for (int k = 0; k < 5; k++) { // a stroke, a drag, a redraw
    scene.mel("dgdirty flesh");
    CHECK(scene.getMesh("face").points == played[9], "evaluation %d moved the flesh on", k);
  }
  scene.set("shapes.puff", 0.5); // refused: it is keyed
  scene.set("flesh.gravityY", -9.8);
  auto heavy = scene.getMesh("face").points;
  CHECK(apart(heavy, played[9]) > 1e-5, "gravity has no effect on the frame at hand");
  scene.set("flesh.gravityY", 0);
  CHECK(scene.getMesh("face").points == played[9], "the frame does not come back");
}

static void evaluationManager() {
  Scene scene;
  buildFace(scene);
  attachFace(scene, "-name \"flesh\" -head head");
  auto dg = playFace(scene, 1, 15);
  scene.mel("mien -reset flesh");
  scene.mode = Mode::em;
  auto em = playFace(scene, 1, 15);
  for (size_t f = 0; f < 15; f++)
    CHECK(em[f] == dg[f], "EM and DG differ at frame %zu by %g cm", f + 1, apart(em[f], dg[f]));
  // painting with the Evaluation Manager: only preEvaluation is told
  int said = scene.count('w');
  for (int v = 0; v < 144; v++)
    scene.drag("flesh.perGeometry[0].attachmentMap[" + std::to_string(v) + "]", 1);
  auto held = playFace(scene, 1, 15);
  CHECK(apart(held[14], dg[14]) > 0.001, "a map painted under the EM is not seen");
  CHECK(scene.count('w') == said, "painting warns");
  // and so with the map of one shape under the brush
  CHECK(scene.mel("mien -paintShape \"stiffness:puff\" flesh"), "cannot paint a shape");
  playFace(scene, 1, 15);
  auto soft = playFace(scene, 1, 15);
  for (int v = 0; v < 144; v++)
    scene.drag("flesh.perGeometry[0].brushMap[" + std::to_string(v) + "]", 20);
  CHECK(apart(playFace(scene, 1, 15)[14], soft[14]) > 1e-4, "the brush is not seen under the EM");
}

static void manyFaces() {
  Scene scene;
  buildFace(scene);
  scene.mode = Mode::em;
  attachFace(scene, "-name \"flesh\" -head head");
  for (int k = 1; k < 4; k++) {
    std::string name = "face" + std::to_string(k);
    scene.createMesh(name, faceMesh(), scene.find("head"));
    CHECK(scene.mel("mien -name \"flesh" + std::to_string(k) + "\" -head head " + name), "failed");
    scene.set("flesh" + std::to_string(k) + ".attachmentRate", 8);
  }
  CHECK(scene.find("flesh")->behaviour->scheduling() == Scheduling::parallel, "not parallel");
  playFace(scene, 1, 12);
  auto one = scene.getMesh("face1").points;
  CHECK(scene.getMesh("face2").points == one && scene.getMesh("face3").points == one,
        "faces side by side disturb each other: %g %g", apart(scene.getMesh("face2").points, one),
        apart(scene.getMesh("face3").points, one));
  CHECK(apart(one, faceMesh().points) > 0.01, "nothing moved");
}

static void background() {
  Scene scene;
  buildFace(scene);
  attachFace(scene, "-name \"flesh\"");
  auto played = playFace(scene, 1, 20);
  scene.mel("mien -reset flesh");
  scene.evaluate(1);
  CHECK(scene.fillCache("face", 1, 20) == 20, "not filled");
  for (int f = 1; f <= 20; f++) {
    Mesh m;
    scene.cached("face", f, &m);
    CHECK(m.points == played[static_cast<size_t>(f - 1)], "cached frame %d differs by %g", f,
          apart(m.points, played[static_cast<size_t>(f - 1)]));
  }
  CHECK(scene.frame() == 1 && scene.getMesh("face").points == played[0], "the user was disturbed");
}

// Maya stops filling in the middle and goes on there, with the user elsewhere in between.
static void resumedInTheMiddle() {
  Scene scene;
  buildFace(scene);
  attachFace(scene, "-name \"flesh\"");
  auto played = playFace(scene, 1, 20);
  scene.mel("mien -reset flesh");
  CHECK(scene.cacheSetup("flesh").simulation && scene.cacheSetup("flesh").wanted, "not asked for");
  // switching the node on and off changes the answer, so Maya has to ask again
  CHECK(scene.cacheSetup("flesh").monitored == std::vector<std::string>{"enable"},
        "not asked again");
  CHECK(scene.fillCache("face", 1, 20, 8) == 8, "not filled");
  scene.evaluate(3);
  scene.evaluate(1);
  CHECK(scene.fillCache("face", 1, 20) == 12, "not resumed");
  scene.dropCached("face", 13); // memory pressure
  CHECK(scene.fillCache("face", 1, 20) == 1, "not refilled");
  for (int f = 1; f <= 20; f++) {
    Mesh m;
    scene.cached("face", f, &m);
    CHECK(m.points == played[static_cast<size_t>(f - 1)], "frame %d differs after resuming", f);
  }
  scene.set("flesh.enable", 0);
  CHECK(!scene.cacheSetup("flesh").simulation, "a disabled node still simulates");
  scene.setKey("flesh.enable", 1, 0);
  scene.setKey("flesh.enable", 5, 1);
  CHECK(scene.cacheSetup("flesh").simulation, "a node that is switched on later does not simulate");
}

static std::vector<std::vector<float>> playedWithKey() {
  Scene scene;
  buildFace(scene);
  scene.setKey("head.translateY", 10, 9);
  attachFace(scene, "-name \"flesh\"");
  return playFace(scene, 1, 20);
}

static void changedKey() {
  auto wanted = playedWithKey();
  Scene scene;
  buildFace(scene);
  attachFace(scene, "-name \"flesh\"");
  scene.fillCache("face", 1, 20);
  scene.setKey("head.translateY", 10, 9);
  CHECK(!scene.cached("face", 10) && !scene.cached("face", 20), "stale frames are kept");
  scene.fillCache("face", 1, 20);
  for (int f = 1; f <= 20; f++) {
    Mesh m;
    scene.cached("face", f, &m);
    CHECK(m.points == wanted[static_cast<size_t>(f - 1)], "the new key is not in frame %d", f);
  }
  CHECK(playFace(scene, 1, 20) == wanted, "the new key is not everywhere");
}

// The user scrubs while the background fills: both get what they asked for.
static void besideEachOther() {
  Scene scene;
  buildFace(scene);
  attachFace(scene, "-name \"flesh\"");
  auto played = playFace(scene, 1, 16);
  for (int round = 0; round < 6; round++) {
    for (int f = 2; f <= 16; f += 3) scene.startBackground("face", f);
    for (int f : {5, 9, 2, 14}) {
      scene.mel("dgdirty flesh");
      CHECK(scene.frame() == 16 && scene.getMesh("face").points == played[15],
            "the user's frame is disturbed (%d)", f);
    }
    std::vector<Mesh> there = scene.join();
    for (size_t k = 0; k < there.size(); k++)
      CHECK(there[k].points == played[3 * k + 1], "background frame %zu differs", 3 * k + 2);
  }
}

// A stroke, and Cached Playback asks for frames in several threads before the flesh is built anew:
// one thread builds, the others wait for it; none takes the mesh for one without flesh. (A frame
// that is held in gravity tells the two apart: unsimulated it would be the artist's.)
static void builtOnce() {
  Scene scene;
  buildFace(scene, false);
  attachFace(scene, "-name \"flesh\"");
  scene.set("flesh.gravityY", -9.81);
  scene.set("flesh.preRoll", 0.2);
  auto artist = faceMesh().points;
  for (int round = 0; round < 8; round++) {
    std::string stroke = "flesh.perGeometry[0].attachmentMap[" + std::to_string(round) + "]";
    scene.set(stroke, 0.1 * round);
    for (int k = 0; k < 4; k++) scene.startBackground("face", 1);
    std::vector<Mesh> there = scene.join();
    scene.mel("mien -reset flesh");
    scene.evaluate(1);
    auto alone = scene.getMesh("face").points;
    CHECK(apart(alone, artist) > 0.01, "nothing hangs");
    for (size_t k = 0; k < there.size(); k++)
      CHECK(there[k].points == alone, "round %d: thread %zu is off by %g cm", round, k,
            apart(there[k].points, alone));
  }
  CHECK(scene.count('w') == 0 && scene.count('e') == 0, "something was said");
  printMessages(scene);
}

static void memoryLimit() {
  Scene scene;
  buildFace(scene);
  attachFace(scene, "-name \"flesh\"");
  auto played = playFace(scene, 1, 120);
  CHECK(scene.get("flesh.outFramesKept") == 120, "%g frames kept",
        scene.get("flesh.outFramesKept"));
  scene.set("flesh.cacheMemory", 1);
  scene.mel("mien -reset flesh");
  CHECK(playFace(scene, 1, 120) == played, "little memory changes the result");
  double kept = scene.get("flesh.outFramesKept");
  CHECK(kept >= 2 && kept <= 100, "%g frames kept in a megabyte", kept);
  scene.evaluate(2); // the start is the last thing that is forgotten
  CHECK(scene.getMesh("face").points == played[1], "the way from the start is lost");
}

// Frame times are not exact in binary; the step must be, or every frame factors its matrix anew.
// Played at whole frames and as one long shot far from frame 1 the bits are those of equal steps.
static void equalSteps() {
  std::vector<std::vector<float>> near_one, far_on;
  for (int first : {1, 100001}) {
    Scene scene;
    buildFace(scene, false);
    for (int f = 0; f <= 12; f++) scene.setKey("head.translateY", first + f, 4 * std::sin(f * 0.9));
    attachFace(scene, "-name \"flesh\" -startFrame " + std::to_string(first));
    (first == 1 ? near_one : far_on) = playFace(scene, first, first + 12);
  }
  for (size_t f = 0; f < near_one.size(); f++)
    CHECK(near_one[f] == far_on[f], "frame %zu depends on where the shot starts: %g cm", f,
          apart(near_one[f], far_on[f]));
}

// The start is moved: the artist's pose is there, and what follows is what a fresh start gives.
static void movedStart() {
  std::vector<std::vector<float>> fresh;
  {
    Scene scene;
    buildFace(scene);
    attachFace(scene, "-name \"flesh\" -startFrame 5");
    fresh = playFace(scene, 5, 12);
  }
  Scene scene;
  buildFace(scene);
  auto artist = playFace(scene, 5, 5);
  scene.evaluate(0); // where the head is when it is attached is its rest
  attachFace(scene, "-name \"flesh\"");
  playFace(scene, 1, 12);
  scene.set("flesh.startTime", 5);
  auto moved = playFace(scene, 5, 12);
  CHECK(moved[0] == artist[0], "the new start is not the artist's: %g cm",
        apart(moved[0], artist[0]));
  for (size_t f = 0; f < fresh.size(); f++)
    CHECK(moved[f] == fresh[f], "frame %zu is of the old start: %g cm", f + 5,
          apart(moved[f], fresh[f]));
}

static void jumps() {
  Scene scene;
  buildFace(scene);
  attachFace(scene, "-name \"flesh\"");
  scene.evaluate(1);
  scene.evaluate(6); // within the limit: through the frames between
  CHECK(stepped(scene), "a short jump was not simulated");
  auto jumped = scene.getMesh("face").points;
  CHECK(std::isfinite(jumped[0]), "not finite");
  scene.evaluate(30); // beyond: starts again, at the pose
  CHECK(!stepped(scene), "a jump beyond the limit was simulated");
  auto played = playFace(scene, 1, 30);
  scene.mel("mien -reset flesh");
  scene.evaluate(25); // a scene opened in the middle
  scene.evaluate(26);
  CHECK(playFace(scene, 1, 30) == played, "playing from the start does not heal it");
  scene.mel("mien -reset flesh");
  scene.evaluate(1);
  scene.evaluate(30);
  CHECK(!stepped(scene), "a jump beyond the limit was simulated");
  scene.set("flesh.frameJumpLimit", 60); // now the start leads there
  scene.getMesh("face");
  CHECK(stepped(scene), "a longer limit is not seen");
}

int main(int argc, char **argv) {
  if (argc < 2) return 2;
  plugin = argv[1];
  anyOrder();
  sameFrameAgain();
  evaluationManager();
  manyFaces();
  background();
  resumedInTheMiddle();
  changedKey();
  besideEachOther();
  builtOnce();
  memoryLimit();
  equalSteps();
  movedStart();
  jumps();
  return verdict();
}

// Bugs that other tools of this kind shipped, each as a test. usage: test_rivals PLUGIN
#include "face_scene.h"

#include <mien/mien.h>

#include <limits>

using namespace host;

std::string plugin;

// A scene saved with the deformer off must open.
static void reopenedDisabled() {
  std::string path = scratchFile("disabled.ma");
  Scene scene;
  buildFace(scene);
  attachFace(scene, "-name \"flesh\"");
  auto played = playFace(scene, 1, 5);
  scene.set("flesh.enable", 0);
  scene.save(path);
  CHECK(scene.load(path), "does not load");
  playFace(scene, 1, 5);
  scene.set("flesh.enable", 1);
  CHECK(playFace(scene, 1, 5) == played, "switched on again it is another");
  unlink(path.c_str());
}

// Motion blur asks for times between frames; whole frames must not change by it.
static void subframes() {
  Scene scene;
  buildFace(scene);
  attachFace(scene, "-name \"flesh\"");
  auto played = playFace(scene, 1, 12);
  scene.mel("mien -reset flesh");
  for (int f = 1; f <= 12; f++) {
    for (double part : {-0.25, 0.0, 0.25}) {
      if (f == 1 && part < 0) continue;
      scene.evaluate(f + part);
      auto at = scene.getMesh("face").points;
      if (part == 0)
        CHECK(at == played[static_cast<size_t>(f - 1)], "frame %d changes by motion blur: %g cm", f,
              apart(at, played[static_cast<size_t>(f - 1)]));
    }
  }
  scene.evaluate(11);
  auto a = scene.getMesh("face").points;
  scene.evaluate(11.01);
  CHECK(apart(scene.getMesh("face").points, a) < 0.5, "a hundredth of a frame jumps by %g cm",
        apart(scene.getMesh("face").points, a));
}

// Ten kilometres from the origin the flesh does not flicker.
static void farAway() {
  std::vector<float> home;
  for (double place : {0.0, 1e6}) {
    Scene scene;
    buildFace(scene);
    Node *world = scene.create("transform", "world");
    scene.connect("world.worldMatrix[0]", "head.parentMatrix");
    CHECK(world != nullptr, "no world");
    scene.set("world.translateX", place);
    attachFace(scene, "-name \"flesh\" -head head");
    auto frames = playFace(scene, 1, 12);
    if (place == 0.0)
      home = frames[11];
    else
      CHECK(apart(frames[11], home) < 1e-3, "far away it differs by %g cm",
            apart(frames[11], home));
  }
}

// Eyes and teeth combined into the face mesh: pieces that hang together nowhere.
static void disconnectedPieces() {
  Scene scene;
  CHECK(scene.loadPlugin(plugin), "does not load");
  Mesh m = faceMesh(), eye = faceMesh(4);
  int first = m.nvert();
  for (size_t k = 0; k < eye.points.size(); k++)
    m.points.push_back(eye.points[k] * 0.1f + (k % 3 == 2 ? 20.0f : 0.0f));
  for (int c : eye.counts) m.counts.push_back(c);
  for (int c : eye.corners) m.corners.push_back(c + first);
  scene.createMesh("face", m);
  for (int f = 1; f <= 10; f++) scene.setKey("face.translateY", f, 4 * std::sin(f * 0.9));
  attachFace(scene, "-name \"flesh\"");
  auto frames = playFace(scene, 1, 10);
  CHECK(scene.count('w') == 0 && apart(frames[9], m.points) > 0.01, "pieces are not simulated");
  printMessages(scene);
}

// Vertices were added or deleted upstream: unchanged mesh, one warning with both numbers.
static void topologyChange() {
  Scene scene;
  buildFace(scene);
  attachFace(scene, "-name \"flesh\"");
  scene.mel("setAttr flesh.perGeometry[0].stiffnessMap[5] 0.5");
  auto played = playFace(scene, 1, 6);
  Node *poly = scene.create("polyModifier", "cut");
  scene.disconnect("flesh.input[0].inputGeometry");
  scene.connect("shapes.outputGeometry[0]", "cut.inputPolymesh");
  scene.connect("cut.output", "flesh.input[0].inputGeometry");
  CHECK(poly && playFace(scene, 1, 6) == played, "a node in between disturbs");
  scene.set("cut.dropFaces", 12);
  auto cut = playFace(scene, 1, 6);
  CHECK(cut[5].size() < played[5].size() && scene.count('w') == 1, "%d warnings", scene.count('w'));
  CHECK(scene.count('w', "144") == 1 && scene.count('w', "flesh") == 1, "no numbers, no name");
  auto direct = scene.getMesh("cut.output").points;
  CHECK(cut[5] == direct, "a mesh that does not fit is deformed");
  scene.set("cut.dropFaces", 0);
  CHECK(playFace(scene, 1, 6) == played, "taking the change back does not bring back the result");
  CHECK(scene.elements("flesh.perGeometry[0].stiffnessMap").size() == 1, "the map is gone");
}

// A character modelled ten times too large, told so, moves as the right one does.
static void spaceScale() {
  std::vector<float> right;
  for (float size : {1.0f, 10.0f}) {
    Scene scene;
    CHECK(scene.loadPlugin(plugin), "does not load");
    Mesh m = faceMesh();
    for (float &v : m.points) v *= size;
    scene.createMesh("face", m);
    for (int f = 1; f <= 10; f++)
      scene.setKey("face.translateY", f, static_cast<double>(size) * 4 * std::sin(f * 0.9));
    attachFace(scene, "-name \"flesh\"");
    scene.set("flesh.spaceScale", 1 / static_cast<double>(size));
    scene.set("flesh.gravityY", -9.81);
    auto frames = playFace(scene, 1, 10);
    CHECK(apart(frames[9], m.points) > 0.1, "nothing moves");
    for (float &v : frames[9]) v /= size;
    if (right.empty()) right = frames[9];
    CHECK(apart(frames[9], right) < 2e-3, "ten times as large it differs by %g cm",
          apart(frames[9], right));
  }
}

// Same numbers as libmien itself gives in metres and seconds: gravity is not 100 times too strong,
// and a frame is as long as the scene says.
static void units(double rate) {
  Scene scene;
  CHECK(scene.loadPlugin(plugin), "does not load");
  framesPerSecond() = rate;
  Mesh m = faceMesh();
  scene.createMesh("face", m);
  attachFace(scene, "-name \"flesh\"");
  scene.set("flesh.gravityY", -9.81);
  auto frames = playFace(scene, 1, 4);

  std::vector<float> metres;
  for (float v : m.points) metres.push_back(static_cast<float>(static_cast<double>(v) * 0.01));
  std::vector<int32_t> counts(m.counts.begin(), m.counts.end());
  std::vector<int32_t> corners(m.corners.begin(), m.corners.end());
  mien_rig_def def;
  mien_rig_def_init(&def);
  def.positions = {metres.data(), m.nvert(), 3};
  def.faces = {corners.data(), static_cast<int>(corners.size())};
  def.face_sizes = {counts.data(), static_cast<int>(counts.size())};
  def.weld = 0;
  mien_rig *rig = nullptr;
  mien_face *face = nullptr;
  mien_state *state = nullptr;
  mien_error err;
  CHECK(mien_rig_create(&def, nullptr, &rig, &err) >= 0, "%s", err.text);
  mien_face_def flesh;
  mien_face_def_init(&flesh);
  flesh.attachment_rate = 8; // as attachFace sets it
  CHECK(mien_face_create(rig, &flesh, nullptr, &face, &err) >= 0, "%s", err.text);
  CHECK(mien_state_create(face, nullptr, &state, &err) >= 0, "%s", err.text);
  mien_input input;
  mien_step_opts opts;
  mien_input_init(&input);
  mien_step_opts_init(&opts);
  opts.gravity[1] = -9.81;
  opts.dt = 1 / rate;
  for (int f = 1; f <= 4; f++) mien_step(state, &input, &opts, &err);
  const mien_state_info *info = mien_state_get_info(state);
  double worst = 0, most = 0;
  for (size_t i = 0; i < metres.size(); i++) {
    double want = (static_cast<double>(info->positions.data[i]) - static_cast<double>(metres[i]));
    double have = static_cast<double>(frames[3][i]) - static_cast<double>(m.points[i]);
    worst = std::fmax(worst, std::fabs(have - 100 * want));
    most = std::fmax(most, std::fabs(have));
  }
  CHECK(most > 1e-3 && worst < 2e-6 * 100, "at %g fps it sags %g cm, off by %g cm", rate, most,
        worst);
  mien_state_free(state);
  mien_face_free(face);
  mien_rig_free(rig);
}

// An attribute that has nothing to do with the result does not throw frames away.
static void unrelatedEdits() {
  Scene scene;
  buildFace(scene);
  attachFace(scene, "-name \"flesh\"");
  playFace(scene, 1, 10);
  for (const char *edit : {"flesh.frameJumpLimit 20", "flesh.cacheMemory 512", "flesh.ihi 1"}) {
    scene.mel(std::string("setAttr ") + edit);
    scene.evaluate(10);
    std::string stats;
    scene.mel("mien -q -statistics flesh", &stats);
    CHECK(stats.find("stepped=0") != std::string::npos && stats.find("framesKept=10") < 4096,
          "%s simulates again: %s", edit, stats.c_str());
  }
}

// Users break the connection to time; one flag brings it back.
static void brokenTime() {
  Scene scene;
  buildFace(scene);
  attachFace(scene, "-name \"flesh\"");
  auto played = playFace(scene, 1, 6);
  scene.disconnect("flesh.time");
  playFace(scene, 1, 6);
  CHECK(scene.mel("mien -edit -connectTime flesh"), "cannot reconnect");
  CHECK(scene.mel("mien -edit -connectTime flesh"), "cannot reconnect twice");
  scene.mel("mien -reset flesh");
  CHECK(playFace(scene, 1, 6) == played, "another result with time connected again");
}

// Nothing to simulate, nothing connected, numbers that are none: pass through, never crash.
static void noRestMesh() {
  Scene scene;
  CHECK(scene.loadPlugin(plugin), "does not load");
  scene.createMesh("face", faceMesh());
  scene.mel("deformer -type mienFace -n \"bare\" face"); // not by our command
  auto frames = playFace(scene, 1, 5);
  CHECK(frames[4] == faceMesh().points, "a node without rest mesh deforms");
  CHECK(scene.count('w', "rest mesh") == 1, "%d warnings", scene.count('w'));
}

static void emptyMesh() {
  Scene scene;
  CHECK(scene.loadPlugin(plugin), "does not load");
  scene.createMesh("empty", Mesh());
  scene.mel("mien -name \"flesh\" empty");
  scene.evaluate(1);
  scene.evaluate(2);
  CHECK(scene.getMesh("empty").nvert() == 0, "an empty mesh has vertices");
}

static void notFinite() {
  Scene scene;
  buildFace(scene);
  attachFace(scene, "-name \"flesh\"");
  auto played = playFace(scene, 1, 3);
  scene.set("face.scaleX", 0); // no inverse
  playFace(scene, 1, 3);
  scene.set("face.scaleX", 1);
  Mesh nan = faceMesh();
  nan.points[7] = std::numeric_limits<float>::quiet_NaN();
  scene.setMesh("faceShapeOrig.inMesh", nan);
  int said = scene.count('w');
  auto through = playFace(scene, 1, 3);
  for (size_t i = 3 * 80; i < 3 * 144; i++) // rows that no shape moves
    CHECK(through[2][i] == nan.points[i] || faceMesh().points[3 * (i / 3) + 2] > 5,
          "a mesh that is no mesh is deformed at %zu", i);
  CHECK(scene.count('w') >= 1 && scene.count('w') <= 3, "%d warnings", scene.count('w'));
  CHECK(scene.count('w') > said, "nobody says that the mesh is none");
  scene.setMesh("faceShapeOrig.inMesh", faceMesh());
  CHECK(playFace(scene, 1, 3) == played, "does not recover");
}

static void jawMatrix() {
  Scene scene;
  buildFace(scene, false);
  Node *jaw = scene.create("transform", "jaw", scene.find("head"));
  CHECK(jaw && scene.mel("mien -name \"flesh\" -head head -jawBone jaw face"), "cannot attach");
  Plug from;
  CHECK(scene.source(scene.plug("flesh.jawMatrix"), &from), "the jaw is not connected");
  scene.evaluate(1);
  for (int f = 2; f < 8; f++) {
    scene.set("jaw.rotateX", 3.0 * f);
    scene.evaluate(f);
  }
  CHECK(scene.count('w') == 0 && scene.count('e') == 0, "the jaw is not understood");
  printMessages(scene);
}

// A jaw bone that stands somewhere, turned, and does not move, moves nothing.
static void stillJaw() {
  Scene scene;
  buildFace(scene, false);
  auto artist = playFace(scene, 1, 6);
  scene.create("transform", "jaw", scene.find("head"));
  for (const char *set : {"jaw.translateY -7", "jaw.translateZ 3", "jaw.rotateX 20"})
    scene.mel(std::string("setAttr ") + set);
  attachFace(scene, "-name \"flesh\" -head head -jawBone jaw");
  for (int v = 0; v < 72; v++) // the lower half hangs on the jaw
    scene.set("flesh.perGeometry[0].jawMap[" + std::to_string(v) + "]", 1);
  double off = apart(playFace(scene, 1, 6)[5], artist[5]);
  CHECK(off < 1e-5, "a still jaw moves the face by %g cm", off);
  scene.set("flesh.iterations", 60); // of the converged flesh
  // in a shaken head it counts where the flesh of the jaw hangs
  for (int f = 1; f <= 6; f++) scene.setKey("head.translateY", f, 4 * std::sin(f * 0.9));
  auto closed = playFace(scene, 1, 6)[5];
  for (int f = 1; f <= 6; f++) scene.setKey("jaw.rotateX", f, 20 + 4.0 * f);
  auto opened = playFace(scene, 1, 6)[5];
  double low = 0, high = 0; // means: waves of the shaken flesh have peaks everywhere
  for (size_t i = 0; i < 180; i++) low += std::fabs(double(opened[i] - closed[i])) / 180;
  for (size_t i = 252; i < opened.size(); i++)
    high += std::fabs(double(opened[i] - closed[i])) / double(opened.size() - 252);
  CHECK(low > 0.002 && low > 2 * high, "the jaw moves %g cm below, %g cm above", low, high);
}

// A ball that moves into the cheek pushes it in; taken away, the result is what it was.
static void colliders() {
  Scene scene;
  buildFace(scene, false);
  Mesh ball; // an octahedron, counter-clockwise from outside
  ball.points = {3, 0, 0, -3, 0, 0, 0, 3, 0, 0, -3, 0, 0, 0, 3, 0, 0, -3};
  for (int c : {0, 2, 4, 2, 1, 4, 1, 3, 4, 3, 0, 4, 2, 0, 5, 1, 2, 5, 3, 1, 5, 0, 3, 5})
    ball.corners.push_back(c);
  ball.counts.assign(8, 3);
  scene.createMesh("ball", ball);
  for (int f = 1; f <= 12; f++) scene.setKey("ball.translateZ", f, 14 - 0.6 * f);
  attachFace(scene, "-name \"flesh\"");
  auto free = playFace(scene, 1, 12);
  CHECK(scene.mel("mien -edit -collider ball flesh"), "cannot add a collider");
  printMessages(scene);
  scene.mel("setAttr flesh.contact 1");
  for (int v = 0; v < 144; v++)
    scene.mel("setAttr flesh.perGeometry[0].contactMap[" + std::to_string(v) + "] 1");
  auto pushed = playFace(scene, 1, 12);
  CHECK(scene.count('w') == 0 && scene.count('e') == 0, "the collider is not understood");
  printMessages(scene);
  CHECK(apart(pushed[11], free[11]) > 0.2, "the ball pushes by %g cm", apart(pushed[11], free[11]));
  scene.mel("mien -reset flesh");
  double most = 0;
  for (int f = 1; f <= 12; f++) {
    scene.evaluate(f);
    scene.getMesh("face");
    most = std::fmax(most, scene.get("flesh.outContacts"));
  }
  CHECK(most > 0, "no contacts");
  scene.set("ball.translateX", 60); // known frames, but the ball is elsewhere
  CHECK(apart(playFace(scene, 1, 12)[11], pushed[11]) > 0.2, "a ball that is gone still pushes");
  CHECK(!scene.mel("mien -edit -collider nobody flesh"), "a mesh that is not there");
}

// What mien finds for attachment is what it holds the inner surface by, not the skin's own zeros.
static void attachmentIsShown() {
  Scene scene;
  buildFace(scene);
  attachFace(scene, "-name \"flesh\"");
  playFace(scene, 1, 2);
  CHECK(scene.mel("mien -fillMaps flesh"), "fillMaps failed");
  auto filled = scene.elements("flesh.perGeometry[0].attachmentMap");
  CHECK(filled.size() > 100, "only %zu vertices are held", filled.size());
  double most = 0;
  for (int v : filled)
    most =
        std::fmax(most, scene.get("flesh.perGeometry[0].attachmentMap[" + std::to_string(v) + "]"));
  CHECK(most > 0.1 && most <= 1, "held by %g at most", most);
}

static void preRollAndShares() {
  Scene scene;
  buildFace(scene, false);
  for (int f = 1; f <= 20; f++) scene.setKey("head.translateY", f, 4 * std::sin(f * 0.9));
  auto artist = playFace(scene, 1, 8);
  attachFace(scene, "-name \"flesh\" -head head");
  for (const char *share : {"headTranslation", "headRotation"})
    for (const char *axis : {"X", "Y", "Z"}) scene.set(std::string("flesh.") + share + axis, 0);
  CHECK(playFace(scene, 1, 8) == artist, "motion that flesh does not feel moves it");
  scene.set("flesh.gravityY", -9.81);
  // the start frame is a step like the others: it has begun to sag, and hangs after a pre-roll
  double begun = apart(playFace(scene, 1, 1)[0], artist[0]);
  scene.set("flesh.preRoll", 1);
  double hangs = apart(playFace(scene, 1, 1)[0], artist[0]);
  CHECK(begun > 0 && hangs > 0.01 && hangs > 1.05 * begun, "%g cm at once, %g after a pre-roll",
        begun, hangs);
  scene.set("flesh.timeScale", 0.5);
  CHECK(scene.count('w') == 0, "something was said");
  printMessages(scene);
}

int main(int argc, char **argv) {
  if (argc < 2) return 2;
  plugin = argv[1];
  reopenedDisabled();
  subframes();
  farAway();
  disconnectedPieces();
  topologyChange();
  units(24);
  units(30);
  spaceScale();
  unrelatedEdits();
  brokenTime();
  noRestMesh();
  emptyMesh();
  notFinite();
  jawMatrix();
  stillJaw();
  colliders();
  attachmentIsShown();
  preRollAndShares();
  return verdict();
}

// Where the head, the jaw, a bone and a ball are, in any order and from any side: jumps, turns,
// what is before the start, what is switched off. Found by faults put in on purpose. usage:
// test_motion PLUGIN
#include "face_scene.h"

#include <algorithm>

using namespace host;

std::string plugin;

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

// As a mirror shows it: what is left is right, and polygons go round the other way.
static Mesh inMirror(Mesh m) {
  for (size_t i = 0; i < m.points.size(); i += 3) m.points[i] = -m.points[i];
  auto corner = m.corners.begin();
  for (int count : m.counts) {
    std::reverse(corner + 1, corner + count);
    corner += count;
  }
  return m;
}

// Mirrored twice, by its mesh and by its transform: the same face in the world.
static void mirrored() {
  std::vector<float> plain;
  for (bool isMirrored : {false, true}) {
    Scene scene;
    buildFace(scene, false);
    if (isMirrored)
      scene.setMesh("faceShapeOrig.inMesh", inMirror(faceMesh())); // its targets go up and out
    for (int f = 1; f <= 12; f++) scene.setKey("head.translateY", f, 4 * std::sin(f * 0.9));
    if (isMirrored) scene.set("face.scaleX", -1);
    scene.evaluate(1);
    attachFace(scene, "-name \"flesh\"");
    Mesh shown = scene.getMesh("face");
    shown.points = playFace(scene, 1, 12)[11];
    if (isMirrored) shown = inMirror(shown);
    if (!isMirrored) plain = shown.points;
    CHECK(apart(plain, faceMesh().points) > 0.1, "nothing moves");
    double off = apart(shown.points, plain);
    CHECK(off < 1e-4, "mirrored it is %g cm off", off);
    printMessages(scene);
  }
}

// A quaternion and its negative are one turn: a jump over the place where the sign changes.
static void jumpOverTheSign() {
  std::vector<float> played;
  for (bool jumps : {false, true}) {
    Scene scene;
    buildFace(scene, false);
    scene.setKey("head.rotateY", 1, -110);
    scene.setKey("head.rotateY", 5, -130);
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

// A ball of half the size in a transform that doubles it, or mirrors it, too.
static void scaledCollider() {
  std::vector<float> plain;
  for (double scale : {1.0, 2.0, -2.0}) {
    Scene scene;
    buildFace(scene, false);
    Mesh ball = octahedron(static_cast<float>(3 / std::fabs(scale)));
    scene.createMesh("ball", scale < 0 ? inMirror(ball) : ball);
    scene.set("ball.scaleX", scale);
    for (const char *axis : {"Y", "Z"})
      scene.set(std::string("ball.scale") + axis, std::fabs(scale));
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

// A face modelled lying on its side, put upright by its transform: in the world the same face.
static void uprightByItsTransform() {
  auto lying = [](Mesh m) {
    for (size_t i = 0; i < m.points.size(); i += 3) {
      float x = m.points[i];
      m.points[i] = m.points[i + 1];
      m.points[i + 1] = -x;
    }
    return m;
  };
  Mesh upright;
  {
    Scene plain;
    buildFace(plain);
    attachFace(plain, "-name \"flesh\"");
    upright.points = playFace(plain, 1, 12)[11];
  }
  Scene turned;
  CHECK(turned.loadPlugin(plugin), "does not load");
  Node *head = turned.create("transform", "head");
  turned.createMesh("face", lying(faceMesh()), head);
  Mesh jaw = faceMesh();
  for (size_t i = 1; i < jaw.points.size(); i += 3)
    if (jaw.points[i] < -4) jaw.points[i] -= 1.5f;
  turned.createBlendShape("face", "shapes", {"puff", "jawOpen"},
                          {lying(puffed(faceMesh(), 1)), lying(jaw)});
  turned.set("face.rotateZ", 90);
  for (int f = 1; f <= 12; f++) turned.setKey("head.translateY", f, 4 * std::sin(f * 0.9));
  turned.setKey("head.rotateY", 1, 0);
  turned.setKey("head.rotateY", 20, 40);
  turned.setKey("shapes.weight[0]", 1, 0);
  turned.setKey("shapes.weight[0]", 20, 1);
  attachFace(turned, "-name \"flesh\"");
  auto expected = lying(upright).points, at = playFace(turned, 1, 12)[11];
  CHECK(apart(at, expected) < 1e-3, "off by %g cm", apart(at, expected));
}

// Two colliders, each where its own transform is: one that stays away changes nothing.
static void eachColliderItsOwnPlace() {
  std::vector<float> alone;
  for (const char *flags :
       {"-collider ball", "-collider far -collider ball", "-collider ball -collider far"}) {
    Scene scene;
    buildFace(scene, false);
    scene.createMesh("ball", octahedron(3));
    scene.createMesh("far", octahedron(3));
    scene.set("far.translateX", 80);
    for (int f = 1; f <= 10; f++) scene.setKey("ball.translateZ", f, 14 - 0.7 * f);
    attachFace(scene, std::string("-name \"flesh\" ") + flags);
    scene.set("flesh.contact", 1);
    for (int v = 0; v < 144; v++)
      scene.set("flesh.perGeometry[0].contactMap[" + std::to_string(v) + "]", 1);
    auto at = playFace(scene, 1, 10)[9];
    if (alone.empty()) alone = at;
    CHECK(apart(alone, faceMesh().points) > 0.2, "nothing is pushed");
    CHECK(apart(at, alone) < 1e-3, "%s: another push by %g cm", flags, apart(at, alone));
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
  scene.set("flesh.gravityY", -9.81);
  scene.set("flesh.preRoll", 0.25); // lets the start hang, not what is before it
  CHECK(playFace(scene, -3, 0) == artist, "before the start something hangs");
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

// The scene is set to another frame rate: no frame of the old one leads to one of the new.
static void frameRateChanges() {
  std::vector<std::vector<float>> fresh;
  for (bool played : {false, true}) {
    Scene scene;
    buildFace(scene, false);
    attachFace(scene, "-name \"flesh\"");
    scene.set("flesh.gravityY", -9.81);
    if (played) playFace(scene, 1, 8);
    framesPerSecond() = 30;
    auto frames = playFace(scene, 1, 8);
    if (!played) fresh = frames;
    CHECK(frames == fresh, "frames of another rate are used: %g cm", apart(frames[7], fresh[7]));
    CHECK(apart(frames[7], faceMesh().points) > 1e-3, "nothing sags");
  }
}

int main(int argc, char **argv) {
  if (argc < 2) return 2;
  plugin = argv[1];
  jumpsGoThrough();
  turnedHeads();
  mirrored();
  jumpOverTheSign();
  scaledCollider();
  uprightByItsTransform();
  eachColliderItsOwnPlace();
  beforeTheStart();
  preRollIsCounted();
  switchedOff();
  boneApartFromTheMesh();
  startIsStored();
  weightAlone();
  frameRateChanges();
  return verdict();
}

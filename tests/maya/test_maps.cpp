// Painted maps, setups and statistics in the artist's units, and what importing leaves alone.
// usage: test_maps PLUGIN
#include "face_scene.h"

#include <cstring>

using namespace host;

std::string plugin;

static void paintAll(Scene &scene, const std::string &map, double value) {
  for (int v = 0; v < 144; v++)
    scene.set("flesh.perGeometry[0]." + map + "[" + std::to_string(v) + "]", value);
}

// The brush paints millimetres, as the parameter of that name counts.
static void thicknessInMillimetres() {
  Scene scene;
  buildFace(scene);
  attachFace(scene, "-name \"flesh\"");
  auto plain = playFace(scene, 1, 8);
  scene.set("flesh.thickness", 9);
  auto set = playFace(scene, 1, 8);
  scene.set("flesh.thickness", 0);
  paintAll(scene, "thicknessMap", 9);
  auto painted = playFace(scene, 1, 8);
  CHECK(scene.count('w') == 0 && scene.count('e') == 0, "9 mm are refused");
  printMessages(scene);
  double moved = apart(set[7], plain[7]), off = apart(painted[7], set[7]);
  CHECK(moved > 1e-3 && off < 0.05 * moved, "9 mm painted are off by %g cm of %g", off, moved);
  // and so for one shape: what is there already changes nothing
  CHECK(scene.mel("mien -paintShape \"thickness:puff\" flesh"), "cannot paint a shape");
  paintAll(scene, "brushMap", 9);
  auto under = playFace(scene, 1, 8);
  CHECK(apart(under[7], painted[7]) < 0.05 * moved, "under the brush: off by %g cm",
        apart(under[7], painted[7]));
  CHECK(scene.mel("mien -paintShape \"\" flesh"), "cannot put the brush away");
  auto stored = playFace(scene, 1, 8);
  CHECK(stored == under, "put away it is another map: %g cm", apart(stored[7], under[7]));
  paintAll(scene, "shapeMaps[0].shapeMapValues", 2);
  CHECK(apart(playFace(scene, 1, 8)[7], stored[7]) > 1e-4, "a stored map that changes is not seen");
  // and so for what is taken away (removeMultiInstance)
  CHECK(scene.removeElement("flesh.perGeometry[0].shapeMaps[0]"), "cannot remove");
  CHECK(playFace(scene, 1, 8) == painted, "the map of a shape that is gone still counts");
  for (int v = 0; v < 144; v++)
    scene.removeElement("flesh.perGeometry[0].thicknessMap[" + std::to_string(v) + "]");
  CHECK(playFace(scene, 1, 8) == plain, "a map that is gone still counts");
}

// What mien found is written down in the unit of the brush: filled in, the result stays.
static void filledInTheBrushsUnit() {
  Scene scene;
  buildFace(scene);
  attachFace(scene, "-name \"flesh\"");
  auto plain = playFace(scene, 1, 6);
  CHECK(scene.mel("mien -fillMaps flesh"), "cannot fill");
  for (const char *map : {"thicknessMap", "stiffnessMap", "densityMap"})
    CHECK(scene.elements(std::string("flesh.perGeometry[0].") + map).empty(),
          "%s is filled with what every vertex has", map);
  CHECK(apart(playFace(scene, 1, 6)[5], plain[5]) < 1e-4, "filling changes the result");
}

static void offsetInMillimetres() {
  Scene scene;
  buildFace(scene);
  auto artist = playFace(scene, 1, 8);
  attachFace(scene, "-name \"flesh\"");
  auto moved = playFace(scene, 1, 8);
  double most = 0;
  for (size_t v = 0; v < artist[7].size(); v += 3) {
    double sum = 0;
    for (size_t k = v; k < v + 3; k++)
      sum += std::pow(static_cast<double>(moved[7][k]) - static_cast<double>(artist[7][k]), 2);
    most = std::fmax(most, 10 * std::sqrt(sum));
  }
  double said = scene.get("flesh.outMaxOffset");
  CHECK(most > 0.1 && std::fabs(said - most) < 0.02 * most, "%g mm, the node says %g", most, said);
}

// Somebody cleans up the scene and removes the whole slot: the artist's mesh, and one sentence.
static void slotRemoved() {
  Scene scene;
  buildFace(scene);
  auto artist = playFace(scene, 1, 6);
  scene.evaluate(0); // where the head is when it is attached is its rest
  attachFace(scene, "-name \"flesh\"");
  CHECK(playFace(scene, 1, 6) != artist, "nothing moves");
  CHECK(scene.removeElement("flesh.perGeometry[0]"), "cannot remove");
  auto through = playFace(scene, 1, 6);
  CHECK(through == artist, "flesh of a slot that is gone: %g cm", apart(through[5], artist[5]));
  CHECK(scene.count('w', "rest mesh") == 1, "%d warnings", scene.count('w'));
}

// Importing replaces maps, also the one under the brush, and leaves alone what is connected.
static void importing() {
  std::string path = scratchFile("maps.json");
  Scene scene;
  buildFace(scene);
  attachFace(scene, "-name \"flesh\"");
  scene.set("flesh.gravityX", 1);
  scene.set("flesh.stiffness", 5000);
  CHECK(scene.mel("mien -exportFile \"" + path + "\" flesh"), "cannot export");
  auto before = playFace(scene, 1, 6);
  CHECK(scene.mel("mien -paintShape \"stiffness:puff\" flesh"), "cannot paint a shape");
  paintAll(scene, "brushMap", 30);
  CHECK(apart(playFace(scene, 1, 6)[5], before[5]) > 1e-5, "the brush changes nothing");
  CHECK(scene.mel("mien -importFile \"" + path + "\" flesh"), "cannot import");
  CHECK(scene.elements("flesh.perGeometry[0].brushMap").empty(), "the brush still holds a map");
  CHECK(playFace(scene, 1, 6) == before, "the brush is still in the result");
  scene.setKey("flesh.gravityX", 1, 7);
  scene.setKey("flesh.stiffness", 1, 8000);
  CHECK(scene.mel("mien -importFile \"" + path + "\" flesh"), "refuses because of a key");
  scene.evaluate(1);
  CHECK(scene.get("flesh.gravityX") == 7 && scene.get("flesh.stiffness") == 8000,
        "importing breaks a connection: %g %g", scene.get("flesh.gravityX"),
        scene.get("flesh.stiffness"));
  CHECK(scene.count('e') == 0, "something was said");
  printMessages(scene);
  unlink(path.c_str());
}

// Three shapes share one brush: each has a place of its own and comes back to it as it was left.
static void brushGoesFromShapeToShape() {
  Scene scene;
  buildFace(scene);
  attachFace(scene, "-name \"flesh\"");
  const std::string slot = "flesh.perGeometry[0].";
  for (const char *shape : {"stiffness:puff", "density:puff", "stiffness:jawOpen"}) {
    CHECK(scene.mel(std::string("mien -paintShape \"") + shape + "\" flesh"), "cannot paint");
    scene.set(slot + "brushMap[" + std::to_string(std::strlen(shape)) + "]", 3);
  }
  CHECK(scene.mel("mien -paintShape \"\" flesh"), "cannot put the brush away");
  CHECK(scene.elements(slot + "shapeMaps").size() == 3, "%zu maps of three are stored",
        scene.elements(slot + "shapeMaps").size());
  auto all = playFace(scene, 1, 6);
  for (const char *shape : {"density:puff", "stiffness:jawOpen", "stiffness:puff"}) {
    CHECK(scene.mel(std::string("mien -paintShape \"") + shape + "\" flesh"), "cannot go back");
    CHECK(scene.elements(slot + "brushMap") ==
              std::vector<int>{static_cast<int>(std::strlen(shape))},
          "%s is not what was painted", shape);
    CHECK(playFace(scene, 1, 6) == all, "taking up %s changes the result", shape);
  }
  for (const char *wrong : {"stiffness:", ":puff", "stiffness", "sticky:puff"})
    CHECK(!scene.mel(std::string("mien -paintShape \"") + wrong + "\" flesh"), "'%s' is taken",
          wrong);
}

// Painted vertices are set into what mien finds: of the mesh as it is, not as it was when they were
// painted.
static void paintedIntoWhatIsFoundNow() {
  std::vector<std::vector<float>> shown[2];
  for (int isLater = 0; isLater < 2; isLater++) {
    Scene scene;
    buildFace(scene);
    Mesh flat = faceMesh();
    for (size_t k = 2; k < flat.points.size(); k += 3) flat.points[k] *= 0.2f;
    scene.createMesh("flat", flat);
    attachFace(scene, "-name \"flesh\"");
    scene.set("flesh.perGeometry[0].attachmentMap[5]", 0.3);
    scene.set("flesh.thickness", 8);
    if (isLater) playFace(scene, 1, 3);
    CHECK(scene.mel("mien -edit -restMesh flat flesh"), "cannot take another mesh");
    shown[isLater] = playFace(scene, 1, 8);
    CHECK(scene.count('i', "is attached") == 1, "nothing is said of attaching");
  }
  CHECK(shown[0] == shown[1], "what was found for the mesh before still counts: %g cm",
        apart(shown[0][7], shown[1][7]));
}

// Switching it off and on over time is what its switch is for; memory is nothing to animate.
static void ownParametersKeyed() {
  Scene scene;
  buildFace(scene);
  attachFace(scene, "-name \"flesh\"");
  CHECK(scene.plug("flesh.enable").attr->keyable, "enable cannot be keyed");
  CHECK(!scene.plug("flesh.cacheMemory").attr->keyable, "memory can be keyed");
}

int main(int argc, char **argv) {
  if (argc < 2) return 2;
  plugin = argv[1];
  thicknessInMillimetres();
  filledInTheBrushsUnit();
  offsetInMillimetres();
  slotRemoved();
  importing();
  brushGoesFromShapeToShape();
  paintedIntoWhatIsFoundNow();
  ownParametersKeyed();
  return verdict();
}

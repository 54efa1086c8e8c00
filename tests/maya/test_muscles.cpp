// Muscles in the plug-in: a channel for each, keyed, saved, undone; fitted to shapes, stopped,
// kept. usage: test_muscles PLUGIN SAMPLES
#include "face_scene.h"

#include <mien/mien.h>

#include <clocale>
#include <cstring>

using namespace host;

std::string plugin;
extern "C" bool scene_use_decimal_comma(void); // of tests/scenes
static std::string samples;

static const char *const kShapes[] = {"jawOpen",   "mouthSmileLeft", "mouthPressLeft",
                                      "cheekPuff", "eyeBlinkLeft",   "eyeBlinkRight"};

static Mesh skinOf(const mien_rig_info *rig, const mien_part &skin, const mien_shape *shape) {
  Mesh m;
  std::vector<float> at(rig->positions.data, rig->positions.data + 3 * rig->nvert);
  for (int k = 0; shape && k < shape->indices.count; k++)
    for (int c = 0; c < 3; c++)
      at[static_cast<size_t>(3 * shape->indices.data[k] + c)] += shape->deltas.data[3 * k + c];
  for (int i = 3 * skin.first_vertex; i < 3 * (skin.first_vertex + skin.nvert); i++)
    m.points.push_back(100 * at[static_cast<size_t>(i)]); // cm
  for (int k = 3 * skin.first_triangle; k < 3 * (skin.first_triangle + skin.ntri); k++)
    m.corners.push_back(rig->triangles.data[k] - skin.first_vertex);
  m.counts.assign(static_cast<size_t>(skin.ntri), 3);
  return m;
}

// a head with eyes and a mouth, which muscles need, and physics on it
static void buildHead(Scene &scene) {
  mien_rig *rig = nullptr;
  mien_error err;
  CHECK(scene.loadPlugin(plugin), "the plug-in does not load");
  CHECK(mien_rig_load((samples + "/head_small.glb").c_str(), nullptr, &rig, &err) >= 0, "%s",
        err.text);
  const mien_rig_info *info = mien_rig_get_info(rig);
  const mien_part *skin = nullptr;
  for (int p = 0; p < info->npart; p++)
    if (info->parts[p].kind == MIEN_PART_SKIN) skin = info->parts + p;
  std::vector<std::string> names(std::begin(kShapes), std::end(kShapes));
  std::vector<Mesh> targets;
  for (const std::string &name : names)
    targets.push_back(skinOf(info, *skin, info->shapes + mien_rig_find_shape(rig, name.c_str())));
  scene.createMesh("face", skinOf(info, *skin, nullptr), scene.create("transform", "head"));
  scene.createBlendShape("face", "shapes", names, targets);
  CHECK(scene.mel("mien -name \"flesh\" face"), "mien failed");
  scene.set("flesh.blendvolumes", 0);
  mien_rig_free(rig);
}

// The smile by its channel, keyed, in any order, in both graphs.
static std::vector<std::vector<float>> keyedSmile(const std::string &path) {
  Scene scene;
  std::string said;
  buildHead(scene);
  auto rest = playFace(scene, 1, 1);
  CHECK(scene.mel("mien -useMuscles face", &said) && said == "44", "%s channels", said.c_str());
  CHECK(!scene.plug("flesh.zygomaticus_major_left").isNull(), "no channel has the muscle's name");
  scene.setKey("flesh.zygomaticus_major_left", 1, 0);
  scene.setKey("flesh.zygomaticus_major_left", 6, 0.4);
  auto smile = playFace(scene, 1, 6);
  CHECK(apart(smile[0], rest[0]) < 1e-4, "at rest it is not the neutral: %g cm",
        apart(smile[0], rest[0]));
  CHECK(apart(smile[5], rest[0]) > 0.05, "the muscle moves %g cm", apart(smile[5], rest[0]));
  scene.evaluate(3);
  CHECK(scene.getMesh("face").points == smile[2], "another frame when it is scrubbed to");
  scene.mode = Mode::em;
  CHECK(playFace(scene, 1, 6) == smile, "another face under the Evaluation Manager");
  CHECK(scene.count('w') == 0 && scene.count('e') == 0, "warnings");
  printMessages(scene);
  CHECK(scene.save(path), "cannot save");
  return smile;
}

// The file has the channels, their names and their keys.
static void channels() {
  std::string path = scratchFile("muscles.ma");
  auto smile = keyedSmile(path);
  Scene again; // one at a time
  CHECK(again.loadPlugin(plugin) && again.load(path), "cannot open");
  CHECK(playFace(again, 1, 6) == smile, "opened again the muscles do something else");
  CHECK(!again.plug("flesh.zygomaticus_major_left").isNull(), "the name is lost");
  std::remove(path.c_str());
}

static void channelsUndone() {
  Scene scene;
  buildHead(scene);
  CHECK(scene.mel("mien -useMuscles face"), "no muscles");
  scene.undo();
  CHECK(scene.get("flesh.drive") == 0 && scene.get("flesh.muscles") == 0 &&
            scene.plug("flesh.zygomaticus_major_left").isNull(),
        "undo leaves muscles");
  scene.redo();
  CHECK(scene.get("flesh.muscles") == 1 && !scene.plug("flesh.zygomaticus_major_left").isNull(),
        "redo makes no channels");
}

// With shapes in charge a channel stiffens what it contracts, and moves nothing by itself.
static void stiffening() {
  Scene scene;
  buildHead(scene);
  CHECK(scene.mel("mien -useMuscles face"), "no muscles");
  scene.set("flesh.drive", 0);
  scene.set("flesh.muscleStiffening", 10);
  scene.setKey("head.translateY", 1, 0);
  scene.setKey("head.translateY", 6, 5);
  auto soft = playFace(scene, 1, 6);
  scene.set("flesh.zygomaticus_major_left", 0.4);
  auto stiff = playFace(scene, 1, 6);
  CHECK(stiff[0] == soft[0], "a head that did not move yet is another one");
  double by = apart(stiff[5], soft[5]);
  CHECK(by > 1e-4 && by < 0.5, "it swings by %g cm less", by);
}

// A sheet has no mouth: a sentence, and the scene as it was.
static void noPlaceForMuscles() {
  Scene scene;
  buildFace(scene);
  attachFace(scene, "-name \"flesh\"");
  CHECK(!scene.mel("mien -useMuscles face") && scene.count('e', "mouth and eyes") == 1, "not said");
  CHECK(scene.get("flesh.drive") == 0 && scene.get("flesh.muscles") == 0, "the drive stays");
}

static void refuse(Scene &scene, const std::string &list, const char *words) {
  int before = scene.count('e', words);
  CHECK(!scene.mel("mien -fitMuscles \"" + list + "\" face"), "'%s' is fitted", list.c_str());
  CHECK(scene.count('e', words) == before + 1, "'%s' is not said", words);
  CHECK(scene.getText("flesh.perGeometry[0].fittedMuscles").empty(), "something is left");
}

static void fitting() {
  Scene scene;
  std::string path = scratchFile("fitted.json"), said;
  buildHead(scene);
  scene.set("flesh.muscleRounds", 1);
  scene.evaluate(1);
  refuse(scene, "jawOpen", "2 expressions at least");
  refuse(scene, "", "there is no shape 'mouthSmileRight'");
  refuse(scene, "jawOpen=x,cheekPuff", "needs a number after '='");
  scene.escapeAfter = 3;
  refuse(scene, "jawOpen=0.5,cheekPuff", "stopped");
  scene.escapeAfter = -1;
  scene.progressShown = 0;
  CHECK(scene.mel("mien -fitMuscles \"jawOpen=0.5,mouthSmileLeft\" face", &said), "cannot fit");
  printMessages(scene);
  CHECK(said.find("mm from 2 expressions") != std::string::npos, "it says '%s'", said.c_str());
  CHECK(scene.progressShown > 3, "progress shown %d times", scene.progressShown);
  std::string found = scene.getText("flesh.perGeometry[0].fittedMuscles");
  CHECK(found.size() > 1000 && scene.get("flesh.muscles") == 1, "nothing is kept");
  // it is used: the same contraction moves otherwise
  CHECK(scene.mel("mien -useMuscles face"), "no muscles");
  CHECK(scene.mel("mien -useMuscles face"), "not again");
  scene.set("flesh.zygomaticus_major_left", 0.4);
  auto fitted = playFace(scene, 1, 3);
  CHECK(scene.mel("mien -exportFile \"" + path + "\" face"), "cannot export");
  scene.setText("flesh.perGeometry[0].fittedMuscles", "");
  auto atlas = playFace(scene, 1, 3);
  CHECK(apart(atlas[2], fitted[2]) > 1e-3, "the fit is not used: %g cm",
        apart(atlas[2], fitted[2]));
  CHECK(scene.mel("mien -importFile \"" + path + "\" face"), "cannot import");
  CHECK(playFace(scene, 1, 3) == fitted, "a setup loses the fit");
  std::remove(path.c_str());
}

// A Maya that speaks German writes 0,5; expressions and MEL do not.
static void decimalComma() {
  Scene scene;
  std::string path = scratchFile("comma.pc2");
  buildHead(scene);
  scene.evaluate(1.5);
  CHECK(scene_use_decimal_comma(), "no locale with a comma can be made");
  refuse(scene, "jawOpen=0.5,nobody", "there is no shape 'nobody'");
  CHECK(scene.mel("mien -bake \"" + path + "\" -startFrame 1 -endFrame 2 face"), "cannot bake");
  CHECK(scene.frame() == 1.5, "left at frame %g", scene.frame());
  std::setlocale(LC_ALL, "C");
  printMessages(scene);
  std::remove(path.c_str());
}

int main(int argc, char **argv) {
  if (argc < 3) return 2;
  plugin = argv[1];
  samples = argv[2];
  channels();
  channelsUndone();
  stiffening();
  noPlaceForMuscles();
  fitting();
  decimalComma();
  return verdict();
}

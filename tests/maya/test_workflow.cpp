// What an artist does from the first click to the reopened scene. usage: test_workflow PLUGIN
#include "face_scene.h"

#include <mien/mien.h>

using namespace host;

std::string plugin;

static void attaching() {
  Scene scene;
  buildFace(scene);
  std::string name = attachFace(scene, "-name \"flesh\"");
  CHECK(name == "flesh", "the node is called '%s'", name.c_str());
  Plug from;
  CHECK(scene.source(scene.plug("flesh.time"), &from), "time is not connected");
  CHECK(scene.source(scene.plug("flesh.perGeometry[0].restMesh"), &from) &&
            from.node->name == "faceShapeOrig",
        "the neutral is not the original shape");
  CHECK(scene.elements("flesh.perGeometry[0].shapes").size() == 2, "shapes are not connected");
  CHECK(scene.getText("flesh.perGeometry[0].shapes[1].shapeName") == "jawOpen", "name lost");
  auto frames = playFace(scene, 1, 12);
  CHECK(scene.count('e') == 0 && scene.count('w') == 0, "something was said");
  printMessages(scene);
  double most = scene.get("flesh.outMaxOffset");
  CHECK(most > 0.1 && most < 100, "physics adds %g mm", most);
  CHECK(scene.get("flesh.outFramesKept") == 12, "%g frames kept", scene.get("flesh.outFramesKept"));
  std::string stats;
  CHECK(scene.mel("mien -q -statistics flesh", &stats) && stats.find("framesKept=12") < 4096, "%s",
        stats.c_str());
  CHECK(scene.mel("mien -q -remarks face", &stats), "a mesh does not lead to its face");
  CHECK(scene.count('e') == 0, "an error was reported");
}

// With no motion of the head the artist's pose comes out to the last bit.
static void still() {
  Scene scene;
  buildFace(scene, false);
  scene.setKey("shapes.weight[0]", 1, 0);
  scene.setKey("shapes.weight[0]", 10, 1);
  auto before = playFace(scene, 1, 10);
  attachFace(scene, "-name \"flesh\"");
  scene.set("head.translateX", 17.123);
  auto after = playFace(scene, 1, 10);
  for (size_t f = 0; f < before.size(); f++)
    CHECK(after[f] == before[f], "frame %zu differs by %g cm", f + 1, apart(after[f], before[f]));
  CHECK(scene.get("flesh.outFramesKept") == 10, "it did not run");
}

static void envelopeAndEnable() {
  Scene scene;
  buildFace(scene);
  auto artist = playFace(scene, 1, 8);
  attachFace(scene, "-name \"flesh\"");
  auto full = playFace(scene, 1, 8);
  CHECK(apart(full[7], artist[7]) > 0.01, "physics adds %g cm", apart(full[7], artist[7]));
  CHECK(full[0] == artist[0], "the start frame is not the artist's");
  scene.set("flesh.envelope", 0.5);
  auto half = playFace(scene, 1, 8);
  double ratio = apart(half[7], artist[7]) / apart(full[7], artist[7]);
  CHECK(near(ratio, 0.5, 1e-3), "half the envelope gives %g", ratio);
  scene.set("flesh.envelope", 0);
  CHECK(playFace(scene, 1, 8) == artist, "envelope 0 changes the mesh");
  scene.set("flesh.envelope", 1);
  scene.set("flesh.enable", 0);
  CHECK(playFace(scene, 1, 8) == artist, "a disabled node changes the mesh");
  scene.set("flesh.enable", 1);
  CHECK(playFace(scene, 1, 8) == full, "enabling again is not a fresh start");
  scene.set("flesh.nodeState", 1);
  CHECK(playFace(scene, 1, 8) == artist, "HasNoEffect has an effect");
}

static void painting() {
  Scene scene;
  buildFace(scene);
  attachFace(scene, "-name \"flesh\"");
  auto plain = playFace(scene, 1, 8);
  for (int v = 0; v < 144; v++)
    scene.mel("setAttr flesh.perGeometry[0].attachmentMap[" + std::to_string(v) + "] 1");
  CHECK(scene.getMesh("face").points != plain[7], "a stroke is not seen at the frame at hand");
  auto held = playFace(scene, 1, 8);
  CHECK(apart(held[7], plain[7]) > 0.001, "painting attachment changes nothing");
  for (int k = 0; k < 144; k++) scene.undo();
  CHECK(scene.elements("flesh.perGeometry[0].attachmentMap").empty(), "undo left painted values");
  CHECK(playFace(scene, 1, 8) == plain, "undoing the paint does not bring back the result");
  CHECK(scene.mel("mien -fillMaps flesh"), "fillMaps failed");
  auto filled = playFace(scene, 1, 8);
  CHECK(apart(filled[7], plain[7]) < 1e-4, "what mien found is not what it uses: %g",
        apart(filled[7], plain[7]));
  scene.undo();
  CHECK(playFace(scene, 1, 8) == plain, "undoing fillMaps does not bring back the result");
  CHECK(!scene.recorded.empty() && scene.recorded[0].find("makePaintable") == 0, "not paintable");
}

static void undoing() {
  Scene scene;
  buildFace(scene);
  auto artist = playFace(scene, 1, 6);
  attachFace(scene, "-name \"flesh\" -head head -startFrame 2");
  CHECK(scene.get("flesh.startTime") == 2, "starts at %g", scene.get("flesh.startTime"));
  auto physics = playFace(scene, 1, 6);
  Node *node = scene.find("flesh");
  scene.undo();
  CHECK(!scene.find("flesh"), "undo left the node");
  CHECK(playFace(scene, 1, 6) == artist, "undo left something behind");
  scene.redo();
  CHECK(scene.find("flesh") == node, "redo made another node");
  CHECK(playFace(scene, 1, 6) == physics, "redo is not what it was");
  scene.mel("delete flesh");
  scene.undo();
  CHECK(playFace(scene, 1, 6) == physics, "undelete is not what it was");
  CHECK(!scene.mel("mien nobody"), "attached to nobody");
  size_t count = scene.nodes.size();
  CHECK(!scene.mel("mien -head nobody face"), "a head that is not there was taken");
  int alive = 0;
  for (size_t k = count; k < scene.nodes.size(); k++) alive += scene.nodes[k]->alive;
  CHECK(alive == 0, "a failed command left %d nodes", alive);
}

static void filesAndReferences() {
  std::string rig = scratchFile("rig.ma"), shot = scratchFile("shot.ma");
  std::vector<std::vector<float>> before;
  {
    Scene scene;
    buildFace(scene);
    attachFace(scene, "-name \"flesh\" -head head");
    scene.set("flesh.stiffness", 5000);
    scene.mel("setAttr flesh.perGeometry[0].attachmentMap[7] 0.5");
    before = playFace(scene, 1, 10);
    CHECK(scene.save(rig), "cannot save");
  }
  {
    Scene scene;
    CHECK(scene.loadPlugin(plugin), "the plug-in does not load");
    CHECK(scene.load(rig), "the file does not load");
    printMessages(scene);
    CHECK(playFace(scene, 1, 10) == before, "another result after reopening");
    CHECK(scene.get("flesh.stiffness") == 5000, "a parameter was lost");
  }
  Scene scene;
  CHECK(scene.loadPlugin(plugin), "the plug-in does not load");
  CHECK(scene.reference(rig, "hero"), "cannot reference");
  CHECK(playFace(scene, 1, 10, "hero:face") == before, "another result in a reference");
  scene.set("hero:flesh.stiffness", 20000);
  auto stiff = playFace(scene, 1, 10, "hero:face");
  CHECK(stiff != before, "the edit has no effect");
  scene.save(shot);
  CHECK(scene.load(shot), "the shot does not load");
  CHECK(playFace(scene, 1, 10, "hero:face") == stiff, "the edit of a reference was lost");
  unlink(rig.c_str());
  unlink(shot.c_str());
}

// A rig without physics, referenced; physics is added in the shot.
static void attachToReference() {
  std::string rig = scratchFile("plain.ma");
  {
    Scene scene;
    buildFace(scene);
    scene.save(rig);
  }
  Scene scene;
  CHECK(scene.loadPlugin(plugin) && scene.reference(rig, "hero"), "cannot reference");
  auto artist = playFace(scene, 1, 6, "hero:face");
  CHECK(scene.mel("mien -name \"flesh\" hero:face"), "cannot attach to a referenced mesh");
  printMessages(scene);
  CHECK(apart(playFace(scene, 1, 6, "hero:face")[5], artist[5]) > 0.01, "physics does nothing");
  unlink(rig.c_str());
}

// A smile that stiffens the cheeks: a map for one shape, painted, stored, exported, undone.
static void shapeMaps() {
  std::string path = scratchFile("shape_maps.json");
  Scene scene;
  buildFace(scene);
  attachFace(scene, "-name \"flesh\"");
  auto plain = playFace(scene, 1, 14);
  CHECK(!scene.mel("mien -paintShape \"sticky:puff\" flesh"), "sticky is not per shape");
  CHECK(!scene.mel("mien -paintShape \"stiffness\" flesh"), "no shape was named");
  CHECK(scene.mel("mien -paintShape \"stiffness:puff\" flesh"), "cannot paint");
  CHECK(playFace(scene, 1, 14) == plain, "an empty map changes the result");
  for (int v = 0; v < 144; v++)
    scene.mel("setAttr flesh.perGeometry[0].brushMap[" + std::to_string(v) + "] 20");
  auto stiff = playFace(scene, 1, 14);
  CHECK(stiff[0] == plain[0] && apart(stiff[13], plain[13]) > 0.005, "it stiffens by %g cm",
        apart(stiff[13], plain[13]));
  CHECK(scene.mel("mien -paintShape \"\" flesh"), "cannot put it back");
  CHECK(scene.elements("flesh.perGeometry[0].brushMap").empty() &&
            scene.elements("flesh.perGeometry[0].shapeMaps").size() == 1,
        "it was not put back");
  CHECK(playFace(scene, 1, 14) == stiff, "stored it is another");
  CHECK(scene.mel("mien -exportFile \"" + path + "\" flesh"), "cannot export");
  scene.undo();
  CHECK(scene.elements("flesh.perGeometry[0].brushMap").size() == 144, "not undone");
  CHECK(playFace(scene, 1, 14) == stiff, "undone it is another");
  CHECK(scene.mel("mien -importFile \"" + path + "\" flesh"), "cannot import");
  printMessages(scene);
  CHECK(playFace(scene, 1, 14) == stiff, "imported it is another");
  std::string file = scratchFile("shape_maps.ma");
  scene.save(file);
  CHECK(scene.load(file) && playFace(scene, 1, 14) == stiff, "reopened it is another");
  unlink(path.c_str());
  unlink(file.c_str());
}

static void setupFiles() {
  std::string path = scratchFile("setup.json");
  Scene scene;
  buildFace(scene);
  attachFace(scene, "-name \"flesh\"");
  scene.set("flesh.gravityY", -9.8);
  scene.set("flesh.substeps", 2);
  scene.mel("setAttr flesh.perGeometry[0].stiffnessMap[100] 0.25");
  auto before = playFace(scene, 1, 6);
  CHECK(scene.mel("mien -exportFile \"" + path + "\" flesh"), "cannot export");
  scene.set("flesh.gravityY", 0);
  scene.set("flesh.substeps", 1);
  scene.mel("setAttr flesh.perGeometry[0].stiffnessMap[3] 2");
  CHECK(scene.mel("mien -importFile \"" + path + "\" flesh"), "cannot import");
  printMessages(scene);
  CHECK(scene.elements("flesh.perGeometry[0].stiffnessMap") == std::vector<int>{100},
        "the map is not the file's");
  CHECK(playFace(scene, 1, 6) == before, "another result after importing");
  scene.undo();
  CHECK(scene.get("flesh.substeps") == 1 && scene.elements("flesh.pgm[0].stfm").size() == 2,
        "import is not undone");
  CHECK(!scene.mel("mien -importFile \"/nowhere.json\" flesh"), "a missing file was imported");
  std::string preset = scratchFile("preset.json");
  for (bool wrong : {false, true}) {
    FILE *file = std::fopen(preset.c_str(), "w");
    std::fputs("{\"about\": \"soft\", \"stiffness\": 1500, \"gravity\": [0, -2, 0], ", file);
    std::fputs(wrong ? "\"stifness\": 3}" : "\"contact\": \"plane\"}", file);
    std::fclose(file);
    bool done = scene.mel("mien -importFile \"" + preset + "\" flesh");
    CHECK(done != wrong, "a preset: %d", done);
    CHECK(scene.get("flesh.stiffness") == 1500 && scene.get("flesh.gravityY") == -2 &&
              scene.get("flesh.contact") == 1,
          "the preset is not set");
  }
  CHECK(scene.count('e', "is 'stiffness' meant?") == 1, "the wrong name is not said");
  unlink(preset.c_str());
  scene.createMesh("other", faceMesh(5));
  scene.mel("mien -name \"other1\" other");
  CHECK(!scene.mel("mien -importFile \"" + path + "\" other1"), "another mesh took the maps");
  CHECK(scene.count('e', "144") >= 1 && scene.count('e', "25") >= 1, "both counts are not said");
  unlink(path.c_str());
}

// By name; one takes back what another set, and what no preset knows stays.
static void presets() {
  Scene scene;
  buildFace(scene);
  attachFace(scene, "-name \"flesh\"");
  scene.set("flesh.substeps", 2);
  scene.set("flesh.gravityX", 1);
  CHECK(scene.mel("mien -preset \"jowly\" flesh"), "there is no preset 'jowly'");
  printMessages(scene);
  CHECK(scene.get("flesh.stiffness") == 3500 && scene.get("flesh.gravityY") == -2 &&
            scene.get("flesh.gravityX") == 0,
        "jowly is not set");
  CHECK(scene.mel("mien -preset \"stiff\" face"), "not by the mesh");
  CHECK(scene.get("flesh.stiffness") > 3500 && scene.get("flesh.gravityY") == 0,
        "stiff keeps what jowly set");
  CHECK(scene.get("flesh.substeps") == 2, "a preset sets what none knows");
  scene.undo();
  CHECK(scene.get("flesh.stiffness") == 3500 && scene.get("flesh.gravityY") == -2,
        "a preset is not undone");
  CHECK(!scene.mel("mien -preset \"../jowly\" flesh"), "a preset of another folder");
  CHECK(scene.count('e', "there are: cartoon, fat, jowly, skin, stiff") == 1,
        "the presets are not named");
}

static void baking() {
  std::string path = scratchFile("bake.pc2");
  Scene scene;
  buildFace(scene);
  attachFace(scene, "-name \"flesh\"");
  auto before = playFace(scene, 1, 6);
  CHECK(scene.mel("mien -bake \"" + path + "\" -startFrame 1 -endFrame 6 flesh"), "cannot bake");
  printMessages(scene);
  mien_cache *cache = nullptr;
  CHECK(mien_cache_load(path.c_str(), nullptr, &cache, nullptr) >= 0, "cannot read the cache");
  const mien_cache_info *info = mien_cache_get_info(cache);
  CHECK(info && info->nframe == 6 && info->npoint == 144, "not 6 frames of 144 points");
  double worst = 0;
  for (size_t i = 0; info && i < 3 * 144; i++)
    worst = std::fmax(worst, std::fabs(static_cast<double>(info->points[5 * 3 * 144 + i]) -
                                       static_cast<double>(before[5][i]) * 0.01));
  CHECK(worst < 1e-6, "the cache differs by %g m", worst);
  mien_cache_free(cache);
  CHECK(!scene.mel("mien -bake \"/nowhere/x.pc2\" -sf 1 -ef 2 flesh"), "baked to nowhere");
  unlink(path.c_str());
}

// Every row of mien's table is an attribute with its default, and the command lists them all.
static void parametersAreTheTable() {
  Scene scene;
  buildFace(scene);
  attachFace(scene, "-name \"flesh\"");
  scene.set("flesh.attachmentRate", 50);
  std::string listed, maps;
  CHECK(scene.mel("mien -listParameters", &listed) && scene.mel("mien -listMaps", &maps),
        "no list");
  int count, checked = 0;
  const mien_param *rows = mien_params(&count);
  for (int i = 0; i < count; i++) {
    const mien_param &row = rows[i];
    std::string name;
    for (const char *c = row.name; *c; c++)
      if (*c != '_') name += c > row.name && c[-1] == '_' ? static_cast<char>(toupper(*c)) : *c;
    if (row.flags & MIEN_PARAM_OF_HOST || name == "startFrame" || name == "region") continue;
    checked++;
    if (row.place == MIEN_PARAM_MAP) {
      CHECK(maps.find(name + "Map") != std::string::npos, "the map %s is not listed", row.name);
      continue;
    }
    CHECK(listed.find(std::string(row.group) + " " + name) != std::string::npos,
          "%s is not listed: %s", row.name, listed.c_str());
    bool isVector = row.kind == MIEN_PARAM_VECTOR;
    double value = scene.get("flesh." + name + (isVector ? "Y" : ""));
    CHECK(near(value, row.value[isVector ? 1 : 0], 1e-9), "%s is %g, not %g", row.name, value,
          row.value[0]);
  }
  CHECK(checked > 30, "only %d rows", checked);
}

static void loadingWithAndWithoutWindow() {
  Scene scene;
  CHECK(scene.loadPlugin(plugin), "does not load in batch");
  for (const std::string &line : scene.recorded)
    CHECK(line.find("mienCreateMenu") == std::string::npos, "a menu in batch: %s", line.c_str());
  CHECK(scene.unloadPlugin("mienFace"), "does not unload");
  scene.interactive = true;
  CHECK(scene.loadPlugin(plugin), "does not load with a window");
  CHECK(scene.recorded.back().find("mienCreateMenu") != std::string::npos, "no menu");
  std::string text;
  CHECK(scene.mel("mien -help", &text) && text.find("-fillMaps") != std::string::npos, "no help");
  CHECK(scene.mel("mien -q -versionText", &text) && text.find("mien 0") == 0, "%s", text.c_str());
}

int main(int argc, char **argv) {
  if (argc < 2) return 2;
  plugin = argv[1];
  attaching();
  still();
  envelopeAndEnable();
  painting();
  undoing();
  filesAndReferences();
  attachToReference();
  shapeMaps();
  setupFiles();
  presets();
  baking();
  parametersAreTheTable();
  loadingWithAndWithoutWindow();
  return verdict();
}

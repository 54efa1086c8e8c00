// A shot that Blender exported, played in the Maya host: rig, poses, weights, head and settings.
// usage: maya_shot PLUGIN FOLDER     writes FOLDER/maya.f32
#include "check.h"

#include <mien/mien.h>

#include <fstream>
#include <sstream>

using namespace host;

static std::string folder;

static std::string camelCase(const char *name) {
  std::string out;
  for (const char *c = name; *c; c++)
    if (*c != '_') out += c > name && c[-1] == '_' ? static_cast<char>(toupper(*c)) : *c;
  return out;
}

// With a space scale of 100 a centimetre of Maya's is a metre: the numbers of the file unchanged.
static Mesh meshOf(const mien_rig_info *rig, const float *points) {
  Mesh m;
  m.points.assign(points, points + 3 * rig->nvert);
  m.corners.assign(rig->triangles.data, rig->triangles.data + 3 * rig->ntri);
  m.counts.assign(static_cast<size_t>(rig->ntri), 3);
  return m;
}

static void buildScene(Scene &scene, const mien_rig_info *rig) {
  Node *head = scene.create("transform", "head");
  std::vector<std::string> names;
  std::vector<Mesh> targets;
  for (int s = 0; s < rig->nshape; s++) {
    const mien_shape &shape = rig->shapes[s];
    Mesh target = meshOf(rig, rig->positions.data);
    for (int k = 0; k < shape.indices.count; k++)
      for (int c = 0; c < 3; c++)
        target.points[static_cast<size_t>(3 * shape.indices.data[k] + c)] +=
            shape.deltas.data[3 * k + c];
    names.push_back(shape.name);
    targets.push_back(target);
  }
  scene.createMesh("rest", meshOf(rig, rig->positions.data));
  scene.createMesh("face", meshOf(rig, rig->positions.data), head);
  scene.createBlendShape("face", "shapes", names, targets);
  CHECK(scene.mel("mien -name \"flesh\" -head head -restMesh rest face"), "cannot attach");
  scene.set("shapes.nodeState", 1); // the pose is the file's; weights still move the jaw
}

// every parameter of the file that is one of the node
static void setParameters(Scene &scene) {
  std::ifstream file(folder + "/settings.json");
  std::stringstream text;
  text << file.rdbuf();
  mien_settings settings;
  mien_error err;
  mien_settings_init(&settings);
  CHECK(mien_settings_read(&settings, text.str().c_str(), text.str().size(), &err) >= 0, "%s",
        err.text);
  settings.play.space_scale = 100;
  int count;
  const mien_param *rows = mien_params(&count);
  for (int i = 0; i < count; i++) {
    double values[3];
    std::string name = "flesh." + camelCase(rows[i].name);
    if (rows[i].place == MIEN_PARAM_MAP || rows[i].flags & MIEN_PARAM_OF_HOST ||
        name == "flesh.startFrame")
      continue;
    mien_param_get(rows + i, &settings, values);
    for (int k = 0; k < (rows[i].kind == MIEN_PARAM_VECTOR ? 3 : 1); k++) {
      static const char *const axes[] = {"X", "Y", "Z"};
      CHECK(scene.set(rows[i].kind == MIEN_PARAM_VECTOR ? name + axes[k] : name, values[k]),
            "cannot set %s", name.c_str());
    }
  }
}

int main(int argc, char **argv) {
  if (argc < 3) return 2;
  folder = argv[2];
  mien_rig *rig = nullptr;
  mien_take *take = nullptr, *bound = nullptr;
  mien_cache *poses = nullptr;
  mien_error err;
  CHECK(mien_rig_load((folder + "/face.glb").c_str(), nullptr, &rig, &err) >= 0, "%s", err.text);
  CHECK(mien_take_load((folder + "/take.csv").c_str(), nullptr, &take, &err) >= 0, "%s", err.text);
  CHECK(mien_take_bind(take, rig, &bound, nullptr, &err) >= 0, "%s", err.text);
  CHECK(mien_cache_load((folder + "/pose.pc2").c_str(), nullptr, &poses, &err) >= 0, "%s",
        err.text);
  if (!rig || !bound || !poses) return verdict();
  const mien_rig_info *info = mien_rig_get_info(rig);
  const mien_cache_info *pose = mien_cache_get_info(poses);
  CHECK(info->nrender == info->nvert && info->nmap == 0, "vertices are welded, or maps painted");

  Scene scene;
  CHECK(scene.loadPlugin(argv[1]), "the plug-in does not load");
  buildScene(scene, info);
  setParameters(scene);
  std::vector<float> weights(static_cast<size_t>(info->nshape));
  FILE *out = std::fopen((folder + "/maya.f32").c_str(), "wb");
  for (int f = 0; f < pose->nframe; f++) {
    mien_rigid head;
    mien_take_sample(bound, f / 24.0, weights.data(), &head, nullptr);
    for (int k = 0; k < info->nshape; k++)
      scene.set("shapes.weight[" + std::to_string(k) + "]",
                static_cast<double>(weights[static_cast<size_t>(k)]));
    scene.set("head.translateX", head.translation[0]);
    scene.set("head.translateY", head.translation[1]);
    scene.set("head.translateZ", head.translation[2]);
    scene.setMesh(
        "faceShapeOrig.inMesh",
        meshOf(info, pose->points + static_cast<size_t>(f) * 3 * static_cast<size_t>(info->nvert)));
    scene.evaluate(f + 1);
    std::vector<float> shown = scene.getMesh("face").points;
    CHECK(shown.size() == 3 * static_cast<size_t>(info->nvert), "%zu numbers", shown.size());
    if (out) std::fwrite(shown.data(), sizeof(float), shown.size(), out);
  }
  if (out) std::fclose(out);
  CHECK(scene.count('w') == 0 && scene.count('e') == 0, "something was said");
  printMessages(scene);
  mien_cache_free(poses);
  mien_take_free(bound);
  mien_take_free(take);
  mien_rig_free(rig);
  return verdict();
}

// Units and axes. What Assimp 5.2 does, found out with files from Blender 3.4:
//   FBX   neither is applied; both stand in the scene's metadata (UnitScaleFactor in centimetres)
//   DAE   both are applied in the root node's transform: the scene is in metres, Y up
//   glTF  metres, Y up, as the format says
//   else  the file's numbers as they are; nobody knows the unit
#include "import_scene.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

static bool find_number(const struct aiScene *scene, const char *key, double *number) {
  const struct aiMetadata *data = scene->mMetaData;
  for (unsigned i = 0; data && i < data->mNumProperties; i++) {
    const struct aiMetadataEntry *entry = data->mValues + i;
    if (strcmp(data->mKeys[i].data, key) != 0) continue;
    if (entry->mType == AI_INT32) *number = *(const int32_t *)entry->mData;
    if (entry->mType == AI_FLOAT) *number = *(const float *)entry->mData;
    if (entry->mType == AI_DOUBLE) *number = *(const double *)entry->mData;
    return entry->mType == AI_INT32 || entry->mType == AI_FLOAT || entry->mType == AI_DOUBLE;
  }
  return false;
}

static bool ends_with(const char *path, const char *ending) {
  size_t length = strlen(path), tail = strlen(ending);
  return length >= tail && !strcasecmp(path + length - tail, ending);
}

static double determinant(const double m[3][3]) {
  return m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) -
         m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
         m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
}

// Later versions of Assimp turn the root node themselves.
static bool is_turned(const struct aiMatrix4x4 *m) {
  return fabsf(m->b2) < 0.9F * fabsf(m->a1) || fabsf(m->c3) < 0.9F * fabsf(m->a1);
}

void import_axes(import_reader *r) {
  const char *key[3][2] = {
      {"CoordAxis", "CoordAxisSign"}, {"UpAxis", "UpAxisSign"}, {"FrontAxis", "FrontAxisSign"}};
  double axes[3][3] = {{0}};
  memset(r->axes, 0, sizeof r->axes);
  for (int k = 0; k < 3; k++) r->axes[k][k] = 1;
  if (!ends_with(r->path, ".fbx") || is_turned(&r->scene->mRootNode->mTransformation)) return;
  for (int k = 0; k < 3; k++) {
    double axis, sign = 1;
    if (!find_number(r->scene, key[k][0], &axis) || !(axis >= 0 && axis <= 2)) return;
    find_number(r->scene, key[k][1], &sign);
    axes[k][(int)axis] = sign < 0 ? -1 : 1;
  }
  double turn = determinant((const double(*)[3])axes);
  if (turn == 0) return;
  if (turn < 0) {
    import_note(r, "the file's axes are left-handed; left and right were swapped");
    for (int k = 0; k < 3; k++) axes[0][k] = -axes[0][k];
  }
  memcpy(r->axes, axes, sizeof axes);
}

static double largest_extent(const import_reader *r) {
  double most = 0;
  for (int k = 0; k < 3; k++) {
    float low = INFINITY, high = -INFINITY;
    for (int i = 0; i < r->nvert; i++) {
      low = fminf(low, r->position[3 * (size_t)i + k]);
      high = fmaxf(high, r->position[3 * (size_t)i + k]);
    }
    most = fmax(most, (double)high - low);
  }
  return most;
}

// The usual unit that makes the rig most nearly as large as a head; 0 when none comes close.
static double guess_unit(double extent, const char **name) {
  const struct {
    double metres;
    const char *name;
  } usual[] = {{1, "metres"}, {0.01, "centimetres"}, {0.001, "millimetres"}, {0.0254, "inches"}};
  double best = 0, least = log(3);
  for (int i = 0; i < 4; i++) {
    double off = fabs(log(extent * usual[i].metres / 0.3));
    if (off >= least) continue;
    least = off;
    best = usual[i].metres;
    *name = usual[i].name;
  }
  return best;
}

// What the file says one unit is, in metres, and what of it is in the positions already.
static bool stated_unit(const import_reader *r, double *source, double *applied) {
  const struct aiMatrix4x4 *root = &r->scene->mRootNode->mTransformation;
  double centimetres;
  *source = *applied = 1;
  if (ends_with(r->path, ".gltf") || ends_with(r->path, ".glb") || ends_with(r->path, ".vrm"))
    return true;
  if (ends_with(r->path, ".dae")) {
    *applied = sqrt((double)root->a1 * root->a1 + (double)root->b1 * root->b1 +
                    (double)root->c1 * root->c1);
    *source = round(1e6 * *applied) / 1e6; // Assimp keeps 0.01 as a float
    if (*source <= 0) *source = *applied;
    return *applied > 0;
  }
  if (!ends_with(r->path, ".fbx") || !find_number(r->scene, "UnitScaleFactor", &centimetres) ||
      !(centimetres > 0))
    return false;
  *source = centimetres / 100;
  return true;
}

void import_unit(import_reader *r, double wanted) {
  double applied, extent = largest_extent(r);
  bool is_stated = stated_unit(r, &r->source_unit, &applied);
  if (wanted > 0) r->source_unit = wanted;
  r->metres_per_unit = r->source_unit / applied;
  double size = extent * r->metres_per_unit;
  bool is_plausible = is_stated ? size >= 0.05 && size <= 3 : size >= 0.1 && size <= 1;
  if (wanted > 0 || (is_plausible && size >= 0.08 && size <= 1) || !(extent > 0)) return;
  const char *name = "";
  double guess = is_plausible ? 0 : guess_unit(extent / applied, &name);
  if (guess > 0) {
    import_note(r, "%s the rig would be %.3g m across; its numbers were read as %s. --unit decides",
                is_stated ? "by the file's own unit" : "in metres", size, name);
    r->source_unit = guess;
    r->metres_per_unit = guess / applied;
    return;
  }
  import_note(r, "the rig is %.3g m across, which is not the size of a head; --unit corrects it",
              size);
}

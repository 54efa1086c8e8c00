// Units and axes. What Assimp 5.2 does, found out with files from Blender 3.4:
//   FBX   neither is applied; both stand in the scene's metadata (UnitScaleFactor in centimetres)
//   DAE   both are applied in the root node's transform: the scene is in metres, Y up
//   glTF  metres, Y up, as the format says
//   else  the file's numbers as they are; the unit is unknown
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

void import_invert(const double m[3][4], double out[12]) {
  double turn[3][3];
  for (int i = 0; i < 3; i++) memcpy(turn[i], m[i], sizeof turn[i]);
  double det = determinant((const double(*)[3])turn);
  bool is_good = fabs(det) > 1e-300 && isfinite(det);
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      int r0 = (j + 1) % 3, r1 = (j + 2) % 3, c0 = (i + 1) % 3, c1 = (i + 2) % 3;
      double minor = m[r0][c0] * m[r1][c1] - m[r0][c1] * m[r1][c0];
      out[4 * i + j] = is_good ? minor / det : i == j;
    }
    out[4 * i + 3] = 0;
    for (int k = 0; is_good && k < 3; k++) out[4 * i + 3] -= out[4 * i + k] * m[k][3];
  }
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

// Reads the file's unit in metres, and the part of it that is in the positions already.
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
  double applied;
  r->is_unit_stated = stated_unit(r, &r->source_unit, &applied) || wanted > 0;
  if (wanted > 0) r->source_unit = wanted;
  r->metres_per_unit = r->source_unit / applied;
}

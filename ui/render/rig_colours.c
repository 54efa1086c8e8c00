// Colours for rigs that have none, and the look of each kind of part.
#include "rig_parts.h"

#include <stdlib.h>
#include <string.h>

#define LIPS (MIEN_REGION_LIP_UPPER | MIEN_REGION_LIP_LOWER | MIEN_REGION_LIP_INNER)

static const float skin[3] = {0.54f, 0.290f, 0.205f};
static const float lip[3] = {0.43f, 0.135f, 0.115f};
static const float mouth[3] = {0.34f, 0.075f, 0.065f};

rd_part_look rd_look_of(mien_part_kind kind) {
  rd_part_look look = {RENDER_SKIN, {0.54f, 0.29f, 0.205f}, {0.22f, 0.06f, 0.05f}, 0.0f, 0.10f};
  switch (kind) {
  case MIEN_PART_SKULL:
  case MIEN_PART_JAW:
    return (rd_part_look){RENDER_BONE, {0.60f, 0.52f, 0.38f}, {0.42f, 0.35f, 0.25f}, 60.0f, 0.25f};
  case MIEN_PART_TEETH_UPPER:
  case MIEN_PART_TEETH_LOWER:
    return (rd_part_look){RENDER_TEETH, {0.78f, 0.73f, 0.62f}, {0.25f, 0.18f, 0.14f}, 55.0f, 0.42f};
  case MIEN_PART_EYE_LEFT:
  case MIEN_PART_EYE_RIGHT:
    return (rd_part_look){RENDER_EYE, {0.62f, 0.59f, 0.56f}, {0.10f, 0.04f, 0.04f}, 0.0f, 0.35f};
  case MIEN_PART_TONGUE:
    return (rd_part_look){RENDER_FLESH, {0.46f, 0.13f, 0.11f}, {0.20f, 0.05f, 0.04f}, 0.0f, 0.20f};
  case MIEN_PART_OTHER:
    look.material = RENDER_CLAY;
    look.colour[0] = 0.05f, look.colour[1] = 0.035f, look.colour[2] = 0.03f;
    memcpy(look.inside, look.colour, sizeof look.inside);
    return look;
  default:
    return look;
  }
}

int32_t *rd_rig_regions(const mien_rig_info *rig, const mien_face_info *face) {
  int32_t *regions = RD_NEW(int32_t, rig->nvert);
  if (!regions) return NULL;
  for (int m = 0; m < rig->nmap; m++) {
    if (strcmp(rig->maps[m].name, "region") != 0 || rig->maps[m].width != 1) continue;
    int count = rig->maps[m].values.count < rig->nvert ? rig->maps[m].values.count : rig->nvert;
    for (int i = 0; i < count; i++) {
      regions[i] = (int32_t)*rd_element(rig->maps[m].values, 1, i);
    }
  }
  if (!face) return regions;
  for (int i = 0; i < face->nskin && i < face->regions.count; i++) {
    int vertex = face->skin.data[i];
    if (vertex >= 0 && vertex < rig->nvert) regions[vertex] = face->regions.data[i];
  }
  return regions;
}

// Each value moves half way to its neighbours' mean: a soft edge instead of a jagged one.
static void soften(mien_i32s triangles, float *values, float *sum, int nvert) {
  memset(sum, 0, 2 * (size_t)nvert * sizeof *sum);
  for (int i = 0; i < triangles.count; i++) {
    int next = i % 3 == 2 ? i - 2 : i + 1;
    int a = triangles.data[i], b = triangles.data[next];
    sum[2 * (ptrdiff_t)a] += values[b];
    sum[2 * (ptrdiff_t)a + 1] += 1.0f;
    sum[2 * (ptrdiff_t)b] += values[a];
    sum[2 * (ptrdiff_t)b + 1] += 1.0f;
  }
  for (int i = 0; i < nvert; i++) {
    float count = sum[2 * (ptrdiff_t)i + 1];
    if (count > 0.0f) values[i] = 0.5f * values[i] + 0.5f * sum[2 * (ptrdiff_t)i] / count;
  }
}

static void mix(float *colour, const float to[3], float share) {
  for (int c = 0; c < 3; c++) colour[c] += share * (to[c] - colour[c]);
}

// Lips and the inside of the mouth, with soft edges.
static bool paint_regions(const mien_rig_info *rig, const int32_t *regions, float *colours) {
  float *share = RD_NEW(float, rig->nvert), *sum = RD_NEW(float, 2 * (size_t)rig->nvert);
  bool done = share && sum;
  for (int layer = 0; layer < 2 && done; layer++) {
    int wanted = layer ? MIEN_REGION_MOUTH_BAG | MIEN_REGION_LIP_INNER : LIPS;
    for (int i = 0; i < rig->nvert; i++) share[i] = regions[i] & wanted ? 1.0f : 0.0f;
    for (int pass = 0; pass < 2; pass++) soften(rig->triangles, share, sum, rig->nvert);
    for (int i = 0; i < rig->nvert; i++) {
      mix(colours + 4 * (ptrdiff_t)i, layer ? mouth : lip, share[i]);
    }
  }
  free(share);
  free(sum);
  return done;
}

// Pupil and iris around the front of the ball. Anatomical proportions: the iris is about half as
// wide as the eyeball.
static void paint_eye(const mien_rig_info *rig, const mien_part *part, float *colours) {
  static const float iris[3] = {0.105f, 0.075f, 0.045f}, pupil[3] = {0.004f, 0.004f, 0.005f};
  static const float limbus[3] = {0.03f, 0.025f, 0.022f};
  rd_vec low = {1e9f, 1e9f, 1e9f}, high = {-1e9f, -1e9f, -1e9f};
  const int32_t *corner = rig->triangles.data + 3 * (ptrdiff_t)part->first_triangle;
  for (int i = 0; i < 3 * part->ntri; i++) {
    const float *p = rd_element(rig->positions, 3, corner[i]);
    low = (rd_vec){rd_min(low.x, p[0]), rd_min(low.y, p[1]), rd_min(low.z, p[2])};
    high = (rd_vec){rd_max(high.x, p[0]), rd_max(high.y, p[1]), rd_max(high.z, p[2])};
  }
  rd_vec middle = rd_scale(rd_add(low, high), 0.5f);
  for (int i = 0; i < 3 * part->ntri; i++) {
    rd_vec away = rd_unit(rd_sub(rd_at(rd_element(rig->positions, 3, corner[i])), middle));
    float angle = acosf(rd_clamp(away.z, -1.0f, 1.0f)) * 180.0f / RD_PI;
    float *colour = colours + 4 * (ptrdiff_t)corner[i];
    if (angle < 31.0f) memcpy(colour, angle < 12.0f ? pupil : angle < 26.0f ? iris : limbus, 12);
  }
}

static void paint_part(const mien_rig_info *rig, const mien_part *part, float *colours) {
  rd_part_look look = rd_look_of(part->kind);
  const int32_t *corner = rig->triangles.data + 3 * (ptrdiff_t)part->first_triangle;
  const float *base =
      part->kind == MIEN_PART_SKIN || part->kind == MIEN_PART_AUTO ? skin : look.colour;
  for (int i = 0; i < 3 * part->ntri; i++) {
    memcpy(colours + 4 * (ptrdiff_t)corner[i], base, 3 * sizeof *base);
  }
  bool is_eye = part->kind == MIEN_PART_EYE_LEFT || part->kind == MIEN_PART_EYE_RIGHT;
  if (is_eye) paint_eye(rig, part, colours);
}

float *rd_rig_colours(const mien_rig_info *rig, const mien_face_info *face) {
  float *colours = RD_NEW(float, 4 * (size_t)rig->nvert);
  int32_t *regions = rd_rig_regions(rig, face);
  bool done = colours && regions;
  if (done && rig->colours.data) {
    for (int i = 0; i < rig->nrender && i < rig->colours.count; i++) {
      int vertex = rig->render_map.data ? rig->render_map.data[i] : i;
      memcpy(colours + 4 * (ptrdiff_t)vertex, rd_element(rig->colours, 4, i), 4 * sizeof(float));
    }
  } else if (done) {
    for (ptrdiff_t i = 0; i < rig->nvert; i++) memcpy(colours + 4 * i, skin, sizeof skin);
    done = paint_regions(rig, regions, colours);
    for (int p = 0; p < rig->npart && done; p++) {
      bool is_skin = rig->parts[p].kind == MIEN_PART_SKIN || rig->parts[p].kind == MIEN_PART_AUTO;
      if (!is_skin) paint_part(rig, &rig->parts[p], colours);
    }
  }
  free(regions);
  if (done) return colours;
  free(colours);
  return NULL;
}

float *rd_flesh_colours(const mien_face_info *face) {
  static const float outer[3] = {0.95f, 0.95f, 0.90f}, deep[3] = {0.70f, 0.45f, 0.45f};
  static const float bone[3] = {1.05f, 2.6f, 2.3f};
  float *colours = RD_NEW(float, 4 * (size_t)face->nvert);
  if (!colours) return NULL;
  for (int i = 0; i < face->nvert; i++) {
    float *colour = colours + 4 * (ptrdiff_t)i;
    memcpy(colour, i < face->nskin ? outer : deep, sizeof outer);
    colour[3] = 1.0f;
    bool held = i >= face->nskin && i < face->attachment.count;
    if (held) mix(colour, bone, 0.6f * *rd_element(face->attachment, 1, i));
  }
  return colours;
}

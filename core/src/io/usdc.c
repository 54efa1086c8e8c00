// USD as binary: the stage of usda.c in a crate file.
#include "io/cache.h"
#include "io/usdc_crate.h"

#include "rig/rig.h"

#include <string.h>

static uint64_t matrix(mi_crate *crate, const double world[12]) {
  double rows[16] = {0};
  for (int j = 0; j < 4; j++) // rows of USD's matrices are our columns
    for (int i = 0; i < 3; i++) rows[4 * j + i] = world[4 * i + j];
  rows[15] = 1;
  return mi_crate_data(crate, MI_CRATE_MATRIX4D, rows, sizeof rows);
}

static uint64_t counts(mi_crate *crate, int ntri) {
  int32_t *threes = MI_PUSH(crate->arena, int32_t, ntri);
  for (int i = 0; threes && i < ntri; i++) threes[i] = 3;
  return mi_crate_array(crate, MI_CRATE_INT, threes, ntri, sizeof *threes);
}

// The points of every frame, then the list of where they are.
static uint64_t samples(const mi_frames *frames, const mi_usd_stage *stage, int m,
                        mi_crate *crate) {
  const mi_part_mesh *mesh = &stage->mesh[m];
  size_t n = (size_t)frames->nframe;
  float *points = MI_PUSH(crate->arena, float, 3 * (size_t)mesh->npoint);
  double *times = MI_PUSH(crate->arena, double, n);
  uint64_t *values = MI_PUSH(crate->arena, uint64_t, n);
  if (!points || !times || !values) return mi_crate_fail(crate);
  for (int f = 0; f < frames->nframe; f++) {
    const float *frame = mi_frames_get(frames, f, crate->err);
    if (!frame) return mi_crate_fail(crate);
    mi_part_mesh_gather(mesh, frame, points);
    times[f] = stage->start + f;
    values[f] = mi_crate_array(crate, MI_CRATE_VEC3F, points, mesh->npoint, 3 * sizeof *points);
  }
  return mi_crate_samples(crate, times, values, frames->nframe);
}

static void add_mesh(const mi_frames *frames, const mi_usd_stage *stage, int m, mi_crate *crate) {
  const mi_part_mesh *mesh = &stage->mesh[m];
  const float extent[6] = {stage->low[m][0],  stage->low[m][1],  stage->low[m][2],
                           stage->high[m][0], stage->high[m][1], stage->high[m][2]};
  mi_crate_prim(crate, stage->names[m], "Mesh");
  mi_crate_attribute(crate, "extent", "float3[]",
                     mi_crate_array(crate, MI_CRATE_VEC3F, extent, 2, 3 * sizeof *extent));
  mi_crate_attribute(crate, "faceVertexCounts", "int[]", counts(crate, mesh->ncorner / 3));
  mi_crate_attribute(
      crate, "faceVertexIndices", "int[]",
      mi_crate_array(crate, MI_CRATE_INT, mesh->corner, mesh->ncorner, sizeof *mesh->corner));
  mi_crate_uniform(crate, "subdivisionScheme", "token", mi_crate_token_value(crate, "none"));
  if (mesh->uvs) {
    mi_crate_attribute(
        crate, "primvars:st", "texCoord2f[]",
        mi_crate_array(crate, MI_CRATE_VEC2F, mesh->uvs, mesh->nuv, 2 * sizeof *mesh->uvs));
    const char *how = mesh->nuv == mesh->npoint ? "vertex" : "faceVarying";
    mi_crate_field(crate, "interpolation", mi_crate_token_value(crate, how));
  }
  mi_crate_sampled(crate, "points", "point3f[]", samples(frames, stage, m, crate));
  mi_crate_attribute(crate, "xformOp:transform", "matrix4d", matrix(crate, mesh->world));
  const char *order[] = {"xformOp:transform"};
  mi_crate_uniform(crate, "xformOpOrder", "token[]", mi_crate_tokens(crate, order, 1, true));
  mi_crate_end(crate);
}

static void add_layer(const mi_usd_stage *stage, mi_crate *crate) {
  mi_crate_field(crate, "defaultPrim", mi_crate_token_value(crate, stage->root));
  mi_crate_field(crate, "documentation", mi_crate_string(crate, stage->doc));
  mi_crate_field(crate, "metersPerUnit", mi_crate_double(crate, 1));
  mi_crate_field(crate, "upAxis", mi_crate_token_value(crate, "Y"));
  mi_crate_field(crate, "timeCodesPerSecond", mi_crate_double(crate, stage->rate));
  mi_crate_field(crate, "framesPerSecond", mi_crate_double(crate, stage->rate));
  mi_crate_field(crate, "startTimeCode", mi_crate_double(crate, stage->start));
  mi_crate_field(crate, "endTimeCode", mi_crate_double(crate, stage->end));
}

mien_result mi_usdc_write(const mi_frames *frames, mi_file *file, mien_error *err) {
  mi_usd_stage stage;
  mi_crate crate;
  mien_result result = mi_usd_stage_make(frames, &stage, err);
  if (result < 0) return result;
  mi_crate_begin(&crate, file, frames->arena, err);
  add_layer(&stage, &crate);
  mi_crate_prim(&crate, stage.root, "Xform");
  mi_crate_custom(&crate, "mien:space", "token", mi_crate_token_value(&crate, stage.space));
  for (int m = 0; m < stage.nmesh && !crate.has_failed; m++) add_mesh(frames, &stage, m, &crate);
  mi_crate_end(&crate);
  return mi_crate_finish(&crate);
}

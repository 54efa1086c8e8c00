// USD as text: a Mesh for every part, its points sampled frame by frame.
#include "base/number.h"
#include "io/cache.h"
#include "io/io.h"

#include <string.h>

static void put_double(mi_file *file, double value) {
  char text[MI_NUMBER_CHARS];
  mi_format_double(text, value);
  mi_file_print(file, "%s", text);
}

// "(a, b, c)"
static void put_tuple(mi_file *file, const float *value, int width) {
  char text[3 * MI_NUMBER_CHARS + 8];
  int n = 0;
  for (int k = 0; k < width; k++) {
    text[n++] = k ? ',' : '(';
    if (k) text[n++] = ' ';
    n += mi_format_float(text + n, value[k]);
  }
  text[n++] = ')';
  mi_file_write(file, text, (size_t)n);
}

static void put_tuples(mi_file *file, const float *values, int count, int width) {
  mi_file_print(file, "[");
  for (int i = 0; i < count; i++) {
    if (i) mi_file_write(file, ", ", 2);
    put_tuple(file, values + (size_t)i * (size_t)width, width);
  }
  mi_file_print(file, "]");
}

static void put_topology(mi_file *file, const mi_part_mesh *mesh) {
  mi_file_print(file, "        int[] faceVertexCounts = [");
  for (int i = 0; i < mesh->ncorner / 3; i++) mi_file_print(file, i ? ", 3" : "3");
  mi_file_print(file, "]\n        int[] faceVertexIndices = [");
  for (int i = 0; i < mesh->ncorner; i++)
    mi_file_print(file, i ? ", %d" : "%d", (int)mesh->corner[i]);
  mi_file_print(file, "]\n        uniform token subdivisionScheme = \"none\"\n");
  if (!mesh->uvs) return;
  mi_file_print(file, "        texCoord2f[] primvars:st = ");
  put_tuples(file, mesh->uvs, mesh->nuv, 2);
  mi_file_print(file, " (\n            interpolation = \"%s\"\n        )\n",
                mesh->nuv == mesh->npoint ? "vertex" : "faceVarying");
}

// Rows of USD's matrices are our columns.
static void put_place(mi_file *file, const mi_part_mesh *mesh) {
  mi_file_print(file, "        matrix4d xformOp:transform = ( ");
  for (int j = 0; j < 4; j++) {
    mi_file_print(file, j ? ", (" : "(");
    for (int i = 0; i < 3; i++) {
      put_double(file, mesh->world[4 * i + j]);
      mi_file_print(file, ", ");
    }
    mi_file_print(file, "%d)", j == 3);
  }
  mi_file_print(file, " )\n        uniform token[] xformOpOrder = [\"xformOp:transform\"]\n");
}

static mien_result put_mesh(const mi_frames *frames, mi_file *file, const mi_usd_stage *stage,
                            int m, mien_error *err) {
  const mi_part_mesh *mesh = &stage->mesh[m];
  float *points = MI_PUSH(frames->arena, float, 3 * (size_t)mesh->npoint);
  if (!points) return mi_fail_memory(err);
  const float extent[6] = {stage->low[m][0],  stage->low[m][1],  stage->low[m][2],
                           stage->high[m][0], stage->high[m][1], stage->high[m][2]};
  mi_file_print(file, "\n    def Mesh \"%s\"\n    {\n        float3[] extent = ", stage->names[m]);
  put_tuples(file, extent, 2, 3);
  mi_file_print(file, "\n");
  put_topology(file, mesh);
  mi_file_print(file, "        point3f[] points.timeSamples = {\n");
  for (int f = 0; f < frames->nframe; f++) {
    const float *frame = mi_frames_get(frames, f, err);
    if (!frame) return MIEN_ERR_IO;
    mi_part_mesh_gather(mesh, frame, points);
    mi_file_print(file, "            ");
    put_double(file, stage->start + f);
    mi_file_print(file, ": ");
    put_tuples(file, points, mesh->npoint, 3);
    mi_file_print(file, ",\n");
    mien_result result = mi_file_check(file, err);
    if (result < 0) return result;
  }
  mi_file_print(file, "        }\n");
  put_place(file, mesh);
  mi_file_print(file, "    }\n");
  return mi_file_check(file, err);
}

mien_result mi_usda_write(const mi_frames *frames, mi_file *file, mien_error *err) {
  mi_usd_stage stage;
  mien_result result = mi_usd_stage_make(frames, &stage, err);
  if (result < 0) return result;
  mi_file_print(file,
                "#usda 1.0\n(\n    defaultPrim = \"%s\"\n    doc = \"%s\"\n    metersPerUnit = 1\n"
                "    upAxis = \"Y\"\n    timeCodesPerSecond = ",
                stage.root, stage.doc);
  put_double(file, stage.rate);
  mi_file_print(file, "\n    framesPerSecond = ");
  put_double(file, stage.rate);
  mi_file_print(file, "\n    startTimeCode = ");
  put_double(file, stage.start);
  mi_file_print(file, "\n    endTimeCode = ");
  put_double(file, stage.end);
  mi_file_print(file, "\n)\n\ndef Xform \"%s\"\n{\n    custom uniform token mien:space = \"%s\"\n",
                stage.root, stage.space);
  for (int m = 0; m < stage.nmesh && result >= 0; m++)
    result = put_mesh(frames, file, &stage, m, err);
  mi_file_print(file, "}\n");
  return result;
}

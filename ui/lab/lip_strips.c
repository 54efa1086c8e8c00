#include "lip_strips.h"

#include <stdlib.h>

const lip_strips_def lip_strips_usual = {88, 23, 0.050, 0.014, 0.15e-3};

// One strip: bent around the teeth along x, bowed a little away from the other one towards its
// ends, rounded across. `side` +1 is the upper one.
static void place(const lip_strips_def *def, int side, float *position) {
  const double teeth = 0.040, roundness = 0.010, bow = 1.2; // radii, m
  for (int j = 0; j < def->ny; j++)
    for (int i = 0; i < def->nx; i++) {
      double u = def->length * (i / (def->nx - 1.0) - 0.5);
      double v = def->width * (j / (def->ny - 1.0) - 0.5);
      // vertices of the strips do not face each other exactly, as in life
      u += side < 0 ? 0.37 * def->length / (def->nx - 1) : 0;
      v += side < 0 ? 0.21 * def->width / (def->ny - 1) : 0;
      float *x = position + 3 * (j * def->nx + i);
      x[0] = (float)u;
      x[1] = (float)(side * (def->gap / 2 + v * v / (2 * roundness) + u * u / (2 * bow)));
      x[2] = (float)(v - u * u / (2 * teeth));
    }
}

static int32_t *add_triangle(int32_t *tri, int a, int b, int c) {
  tri[0] = a, tri[1] = b, tri[2] = c;
  return tri + 3;
}

static int32_t *add_triangles(const lip_strips_def *def, int side, int first, int32_t *tri) {
  for (int j = 0; j + 1 < def->ny; j++)
    for (int i = 0; i + 1 < def->nx; i++) {
      int a = first + j * def->nx + i, b = a + 1, c = a + def->nx, d = c + 1;
      tri = side > 0 ? add_triangle(tri, a, b, d) : add_triangle(tri, a, d, b);
      tri = side > 0 ? add_triangle(tri, a, d, c) : add_triangle(tri, a, c, d);
    }
  return tri;
}

bool lip_strips_create(const lip_strips_def *def, lip_strips *strips) {
  int nvert = def->nx * def->ny, ntri = 2 * (def->nx - 1) * (def->ny - 1);
  *strips = (lip_strips){2 * nvert, 2 * ntri, malloc(6 * sizeof(float) * (size_t)nvert),
                         malloc(6 * sizeof(int32_t) * (size_t)ntri)};
  if (!strips->position || !strips->tri) {
    lip_strips_free(strips);
    return false;
  }
  place(def, 1, strips->position);
  place(def, -1, strips->position + 3 * (size_t)nvert);
  add_triangles(def, -1, nvert, add_triangles(def, 1, 0, strips->tri));
  return true;
}

void lip_strips_free(lip_strips *strips) {
  free(strips->position);
  free(strips->tri);
  *strips = (lip_strips){0};
}

void lip_strips_close(const lip_strips *strips, double distance, float *position) {
  for (int i = 0; i < 3 * strips->nvert; i++) {
    double side = i < 3 * strips->nvert / 2 ? -1 : 1;
    position[i] = (float)((double)strips->position[i] + (i % 3 == 1 ? side * distance : 0));
  }
}

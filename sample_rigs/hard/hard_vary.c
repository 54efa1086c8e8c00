// Variation: no two faces are alike, none is symmetric, and shapes carry noise far from the action.
#include "hard_mesh.h"

#include <math.h>
#include <string.h>

// splitmix64
double hard_draw(hard_chance *chance) {
  uint64_t z = chance->state += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return (double)((z ^ (z >> 31)) >> 11) / 9007199254740992.0;
}

static double between(hard_chance *chance, double low, double high) {
  return low + (high - low) * hard_draw(chance);
}

// A slow wave through all parts: what lies side by side stays so.
static void warp(hard_mesh *m, hard_chance *chance) {
  double size[3], wave[3][3], phase[3], lean = between(chance, -0.03, 0.03);
  for (int k = 0; k < 3; k++) {
    size[k] = between(chance, 0.0003, 0.0008);
    phase[k] = between(chance, 0, 6.28);
    for (int c = 0; c < 3; c++) wave[k][c] = between(chance, -45, 45); // rad / m
  }
  for (int i = 0; i < m->nvert; i++) {
    float *p = m->position + 3 * i;
    double from[3] = {p[0], p[1], p[2]};
    for (int k = 0; k < 3; k++) {
      double at = phase[k];
      for (int c = 0; c < 3; c++) at += wave[k][c] * from[c];
      p[k] = (float)(from[k] + size[k] * sin(at));
    }
    p[0] = (float)(p[0] + lean * fmax(from[0], 0)); // one side is a little wider
  }
}

static void scale_shapes(hard_mesh *m, hard_chance *chance) {
  for (int s = 0; s < m->nshape; s++) {
    double gain = between(chance, 0.92, 1.08);
    const char *name = m->model.shape[s].name;
    if (s == m->jaw_open || !strcmp(name, "mouthClose")) continue;
    for (int k = 0; k < 3 * m->nvert; k++) m->delta[s][k] = (float)(gain * m->delta[s][k]);
  }
}

static void add_noise(hard_mesh *m, hard_chance *chance) {
  static const double SIZE = 5e-6, SHARE = 0.5; // m
  for (int s = 0; s < m->nshape; s++)
    for (int i = 0; i < m->nskin; i++) {
      float *d = m->delta[s] + 3 * i;
      bool is_near = m->upper[i] + m->lower[i] + m->bag[i] + m->lid[i] > 0;
      if (d[0] != 0 || d[1] != 0 || d[2] != 0 || is_near) continue;
      if (hard_draw(chance) > SHARE) continue;
      for (int k = 0; k < 3; k++) d[k] = (float)between(chance, -SIZE, SIZE);
    }
}

void hard_vary(hard_mesh *m, hard_chance *chance) {
  warp(m, chance);
  scale_shapes(m, chance);
  add_noise(m, chance);
}

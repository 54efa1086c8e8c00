#include "claim_k5_heat.h"

#include "face/face.h"
#include "face/materials.h"
#include "painted_rig.h"

#include <math.h>
#include <stdlib.h>

// Gradients of the four linear functions of a tetrahedron, times its volume's root.
static double find_gradients(const float *rest, const int32_t tet[4], double g[4][3]) {
  double e[3][3], volume6 = 0;
  for (int k = 0; k < 9; k++)
    e[k / 3][k % 3] = (double)rest[3 * (size_t)tet[k / 3 + 1] + (size_t)(k % 3)] -
                      rest[3 * (size_t)tet[0] + (size_t)(k % 3)];
  for (int k = 0; k < 3; k++) { // rows of the inverse: cross products of the other two edges
    const double *a = e[(k + 1) % 3], *b = e[(k + 2) % 3];
    for (int c = 0; c < 3; c++)
      g[k + 1][c] = a[(c + 1) % 3] * b[(c + 2) % 3] - a[(c + 2) % 3] * b[(c + 1) % 3];
    volume6 = e[k][0] * g[k + 1][0] + e[k][1] * g[k + 1][1] + e[k][2] * g[k + 1][2];
  }
  for (int c = 0; c < 3; c++) {
    for (int k = 1; k < 4; k++) g[k][c] /= volume6;
    g[0][c] = -g[1][c] - g[2][c] - g[3][c];
  }
  return fabs(volume6) / 6;
}

// rms over the inside: the flow into a vertex, against what a difference of 1 all around would be
static double find_flow(const mien_face *face, const float *values, double *flow, double *own) {
  int nskin = face->skin.nvert, nvert = face->info.nvert, count = 0;
  double sum = 0;
  for (int i = 0; i < nvert; i++) flow[i] = own[i] = 0;
  for (int t = 0; t < face->info.ntet; t++) {
    const int32_t *tet = face->tets + 4 * (size_t)t;
    double g[4][3], volume = find_gradients(face->rest, tet, g);
    if (!(volume > 0)) continue;
    for (int k = 0; k < 16; k++) {
      const double *a = g[k / 4], *b = g[k % 4];
      double entry = volume * (a[0] * b[0] + a[1] * b[1] + a[2] * b[2]);
      flow[tet[k / 4]] += entry * (double)values[tet[k % 4]];
      if (k / 4 == k % 4) own[tet[k / 4]] += entry;
    }
  }
  for (int i = nskin; i < nvert; i++) {
    if (!(own[i] > 0)) continue;
    sum += pow(flow[i] / own[i], 2);
    count++;
  }
  return count ? sqrt(sum / count) : NAN;
}

static int compare(const mien_face *face, heat_figures *out) {
  int nvert = face->info.nvert;
  const mi_blend *density = face->materials.of + MI_DENSITY;
  float *copied = malloc((size_t)nvert * sizeof *copied);
  double *flow = malloc(2 * (size_t)nvert * sizeof *flow);
  int code = copied && flow ? CLI_DONE : cli_fail("out of memory");
  if (!code && (!density->neutral || density->count != nvert))
    code = cli_fail("what was painted has not reached the flesh");
  if (!code) {
    for (int i = 0; i < nvert; i++) copied[i] = density->neutral[face->carrier[i]];
    out->left = find_flow(face, density->neutral, flow, flow + nvert);
    out->copied = find_flow(face, copied, flow, flow + nvert);
    out->ninside = nvert - face->skin.nvert;
  }
  free(copied);
  free(flow);
  return code;
}

int heat_measure(const mien_rig *rig, heat_figures *out) {
  int nvert = mien_rig_get_info(rig)->nvert;
  float *values = malloc((size_t)nvert * sizeof *values);
  mien_face *face = NULL;
  mien_error err;
  if (!values) return cli_fail("out of memory");
  for (int i = 0; i < nvert; i++) values[i] = i % 3 ? 1 : 2; // no neighbours alike
  const mien_map map = {"density", 1, {values, nvert, 1}};
  mien_rig *painted = painted_rig_add(rig, &map);
  int code = painted ? CLI_DONE : CLI_FAILED;
  if (!code && mien_face_create(painted, NULL, NULL, &face, &err) < 0)
    code = cli_report(&err, "K5");
  if (!code) code = compare(face, out);
  mien_face_free(face);
  mien_rig_free(painted);
  free(values);
  return code;
}

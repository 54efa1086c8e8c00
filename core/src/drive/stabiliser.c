// Springs to its bones hold flesh that constant forces drive.
//
// A tetrahedron that forces press together wants to turn away under them: the curvature of
// ws/2 |F - R|^2 against a turn in the plane of two stretches is ws (1 - 2 / (sa + sb)), below zero
// once they shorten. Rolled lips and shut lids are pressed to a fraction of their size, and where
// no bone holds them they fold over. So every vertex hangs on a spring that makes up for what the
// tetrahedra around it lack in the worst of the shapes, besides the springs that all flesh has.
#include "drive/blendforce.h"

#include "face/carry.h"
#include "math/mat3.h"
#include "mesh/stiffness.h"

#include <math.h>
#include <string.h>

static const double SHARE = 0.25;   // of the bound; half of it lets lips roll away, twice is stiff
static const double CRUSHED = 0.25; // smaller sums of two stretches count as this
static const double SLIGHT = 0.02;  // |F - 1|^2 below which a tetrahedron is skipped

// Sum sa + sb of the two smallest singular values of F = sum p_k g_k'.
static double find_room(const float *posed, const int32_t *tet, const mi_vec3 g[4]) {
  double f[9] = {0}, u[9], s[3], v[9], off = 0;
  for (int k = 0; k < 4; k++) {
    const float *p = posed + 3 * (size_t)tet[k];
    double axis[3] = {g[k].x, g[k].y, g[k].z};
    for (int e = 0; e < 9; e++) f[e] += (double)p[e / 3] * axis[e % 3];
  }
  for (int e = 0; e < 9; e++) off += pow(f[e] - (e % 4 == 0), 2);
  if (off < SLIGHT) return 2;
  mi_mat3_svd(f, u, s, v);
  return fmax(s[1] + s[2], CRUSHED);
}

// Stiffness (N / m) that the tetrahedra around each vertex lack in one pose.
static void find_lack(const mien_face *face, const float *strain, const float *posed, float *lack) {
  memset(lack, 0, (size_t)face->info.nvert * sizeof *lack);
  for (int t = 0; t < face->info.ntet; t++) {
    const int32_t *tet = face->tets + 4 * (size_t)t;
    mi_vec3 g[4];
    if (!mi_tet_gradients(face->rest, tet, g)) continue;
    double room = find_room(posed, tet, g);
    if (room >= 2) continue;
    for (int k = 0; k < 4; k++)
      lack[tet[k]] += (float)((2 / room - 1) * (double)strain[t] * mi_dot(g[k], g[k]));
  }
}

bool mi_stabiliser_find(const mien_face *face, const float *strain, int threads, mi_arena *scratch,
                        float *stabiliser) {
  const mien_rig_info *rig = &face->rig->info;
  float *weights = MI_PUSH(scratch, float, rig->nshape);
  float *posed = MI_PUSH(scratch, float, 3 * (size_t)rig->nvert);
  float *flesh = MI_PUSH(scratch, float, 3 * (size_t)face->info.nvert);
  float *lack = MI_PUSH(scratch, float, face->info.nvert);
  if (!weights || !posed || !flesh || !lack) return false;
  memset(stabiliser, 0, (size_t)face->info.nvert * sizeof *stabiliser);
  for (int k = 0; k < rig->nshape; k++) {
    weights[k] = 1;
    mi_bone_motion jaw = mi_bone_hinge(face, weights);
    mi_rig_pose(face->rig, weights, rig->nshape, posed);
    mi_carry(face, posed, &jaw, threads, flesh);
    mi_blendvolumes_add(&face->blendvolumes, weights, flesh);
    find_lack(face, strain, flesh, lack);
    for (int i = 0; i < face->info.nvert; i++) stabiliser[i] = fmaxf(stabiliser[i], lack[i]);
    weights[k] = 0;
  }
  for (int i = 0; i < face->info.nvert; i++) {
    bool is_passive = face->regions.bits[face->carrier[i]] & MIEN_REGION_PASSIVE;
    stabiliser[i] *= is_passive ? 0 : (float)SHARE;
  }
  return true;
}

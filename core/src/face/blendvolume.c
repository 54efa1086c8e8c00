#include "face/blendvolume.h"

#include "face/carry.h"
#include "mesh/untangle.h"

#include <math.h>
#include <string.h>

// A tetrahedron below the first share of its rest volume is uninverted until it has the second.
static const double TOO_LITTLE = 0.02, ENOUGH = 0.05;
static const float MOST_THICKER = 4; // times, or as much thinner, by a shape's thickness
// Untangling stops after five steps that lower the energy by less than this share: the skin itself
// is folded there.
static const double SLOW = 3e-5;
enum { NREACH = 3 };
static const int REACH[NREACH] = {2, 4, 7}; // rings of tetrahedra around inverted ones

// Scratch of one shape.
typedef struct work {
  const mi_blendvolume_def *def;
  mi_blendvolume *out;
  float *posed;         // as carried, then uninverted                                   (nvert x 3)
  float *carried;       //                                                           (nvert x 3)
  unsigned char *near;  // ring + 1 of a vertex, 0 = beyond reach                    (nvert)
  int32_t *local;       // number in its patch, -1 = in none yet                     (nvert)
  unsigned char *taken; // is in a patch                                            (ntet)
} work;

static double volume_share(const mi_blendvolume_def *def, const float *x, int t) {
  const mien_face *face = def->b->face;
  const int32_t *tet = face->tets + 4 * (size_t)t;
  const double *inverse = def->inverse + 9 * (size_t)t;
  double e[9], rest, now;
  const float *o = x + 3 * (size_t)tet[0];
  for (int c = 0; c < 3; c++)
    for (int k = 0; k < 3; k++) e[3 * c + k] = (double)x[3 * (size_t)tet[c + 1] + (size_t)k] - o[k];
#define DET(a)                                                                                     \
  ((a)[0] * ((a)[4] * (a)[8] - (a)[5] * (a)[7]) - (a)[1] * ((a)[3] * (a)[8] - (a)[5] * (a)[6]) +   \
   (a)[2] * ((a)[3] * (a)[7] - (a)[4] * (a)[6]))
  rest = DET(inverse);
  now = DET(e);
#undef DET
  return now * rest;
}

// Marks vertices within `reach` rings of bad tetrahedra; returns how many are bad.
static int mark_near(work *w, int reach, double least) {
  const mien_face *face = w->def->b->face;
  int nbad = 0;
  memset(w->near, 0, (size_t)face->info.nvert);
  for (int t = 0; t < face->info.ntet; t++) {
    if (volume_share(w->def, w->posed, t) > least) continue;
    nbad++;
    for (int c = 0; c < 4; c++) w->near[face->tets[4 * (size_t)t + (size_t)c]] = 1;
  }
  for (int ring = 1; nbad && ring < reach; ring++)
    for (int i = 0; i < face->info.nvert; i++) {
      if (w->near[i] != ring) continue;
      for (int k = face->vertex_tet_first[i]; k < face->vertex_tet_first[i + 1]; k++)
        for (int c = 0; c < 4; c++) {
          unsigned char *at = w->near + face->tets[4 * (size_t)face->vertex_tet[k] + (size_t)c];
          if (!*at) *at = (unsigned char)(ring + 1);
        }
    }
  return nbad;
}

// Vertices that may move, all tetrahedra at them, and the vertices that hold them: numbered in that
// order.
typedef struct patch {
  int32_t *verts, *tets; // of the face                                         (nvert), (ntet)
  int nfree, nvert, ntet;
} patch;

static bool may_move(const work *w, int i) {
  return i >= w->def->b->face->skin.nvert && w->near[i];
}

static void number(work *w, patch *p, int i) {
  w->local[i] = p->nvert;
  p->verts[p->nvert++] = i;
}

// The connected patch around a vertex. Patches are solved one by one: each ends when it is sound.
static void grow_patch(work *w, int seed, patch *p) {
  const mien_face *face = w->def->b->face;
  p->nvert = p->ntet = 0;
  number(w, p, seed);
  for (int v = 0; v < p->nvert; v++)
    for (int k = face->vertex_tet_first[p->verts[v]]; k < face->vertex_tet_first[p->verts[v] + 1];
         k++) {
      int t = face->vertex_tet[k];
      if (w->taken[t]) continue;
      w->taken[t] = 1;
      p->tets[p->ntet++] = t;
      for (int c = 0; c < 4; c++) {
        int i = face->tets[4 * (size_t)t + (size_t)c];
        if (w->local[i] < 0 && may_move(w, i)) number(w, p, i);
      }
    }
  p->nfree = p->nvert;
  for (int k = 0; k < 4 * p->ntet; k++) {
    int i = face->tets[4 * (size_t)p->tets[k / 4] + (size_t)(k % 4)];
    if (w->local[i] < 0) number(w, p, i);
  }
}

static bool untangle_patch(work *w, const patch *p, mi_arena *scratch) {
  const mien_face *face = w->def->b->face;
  int32_t *tets = MI_PUSH(scratch, int32_t, 4 * (size_t)p->ntet);
  double *inverse = MI_PUSH(scratch, double, 9 * (size_t)p->ntet);
  double *x = MI_PUSH(scratch, double, 3 * (size_t)p->nvert);
  double *memory = MI_PUSH(scratch, double, mi_untangle_memory(p->nfree, p->nvert));
  if (!tets || !inverse || !x || !memory) return false;
  for (int k = 0; k < 4 * p->ntet; k++)
    tets[k] = w->local[face->tets[4 * (size_t)p->tets[k / 4] + (size_t)(k % 4)]];
  for (int t = 0; t < p->ntet; t++)
    memcpy(inverse + 9 * (size_t)t, w->def->inverse + 9 * (size_t)p->tets[t], 9 * sizeof *inverse);
  for (int i = 0; i < 3 * p->nvert; i++)
    x[i] = w->posed[3 * (size_t)p->verts[i / 3] + (size_t)(i % 3)];
  mi_untangle u = {.nfree = p->nfree,
                   .ntet = p->ntet,
                   .tets = tets,
                   .inverse = inverse,
                   .x = x,
                   .enough = ENOUGH,
                   .rounds = 12,
                   .steps = 60,
                   .slow = SLOW,
                   .threads = 1};
  mi_untangle_info info;
  mi_untangle_solve(&u, p->nvert, memory, &info);
  for (int i = 0; i < 3 * p->nfree; i++)
    w->posed[3 * (size_t)p->verts[i / 3] + (size_t)(i % 3)] = (float)x[i];
  return true;
}

static bool untangle(work *w) {
  const mien_face *face = w->def->b->face;
  mi_arena scratch;
  mi_arena_init(&scratch, &face->host);
  patch p = {MI_PUSH(&scratch, int32_t, face->info.nvert),
             MI_PUSH(&scratch, int32_t, face->info.ntet), 0, 0, 0};
  bool done = p.verts && p.tets;
  memset(w->taken, 0, (size_t)face->info.ntet);
  for (int i = 0; i < face->info.nvert; i++) w->local[i] = -1;
  for (int i = 0; done && i < face->info.nvert; i++) {
    if (w->local[i] >= 0 || !may_move(w, i)) continue;
    mi_arena own;
    mi_arena_init(&own, &face->host);
    grow_patch(w, i, &p);
    done = untangle_patch(w, &p, &own);
    mi_arena_free(&own);
    for (int v = p.nfree; v < p.nvert; v++) w->local[p.verts[v]] = -1; // others may share these
  }
  mi_arena_free(&scratch);
  return done;
}

static bool keep_changes(work *w) {
  const mien_face *face = w->def->b->face;
  mi_blendvolume *out = w->out;
  int count = 0;
  for (int pass = 0; pass < 2; pass++) {
    for (int i = face->skin.nvert; i < face->info.nvert; i++) {
      const float *a = w->posed + 3 * (size_t)i, *b = w->carried + 3 * (size_t)i;
      if (a[0] == b[0] && a[1] == b[1] && a[2] == b[2]) continue;
      if (pass) {
        out->vert[out->nvert] = i;
        for (int k = 0; k < 3; k++) out->delta[3 * (size_t)out->nvert + (size_t)k] = a[k] - b[k];
        out->nvert++;
      }
      count += !pass;
    }
    if (pass) return true;
    out->vert = MI_PUSH(&out->arena, int32_t, count);
    out->delta = MI_PUSH(&out->arena, float, 3 * (size_t)count);
    if (!out->vert || !out->delta) return false;
  }
  return true;
}

// Reads a blendvolume from the rig file: a map of the vertices under the skin.
static bool take_stored(work *w, const mien_map *map) {
  const mien_face *face = w->def->b->face;
  mi_blendvolume *out = w->out;
  int nskin = face->skin.nvert;
  out->vert = MI_PUSH(&out->arena, int32_t, nskin);
  out->delta = MI_PUSH(&out->arena, float, 3 * (size_t)nskin);
  if (!out->vert || !out->delta) return false;
  for (int i = 0; map && i < nskin; i++) {
    const float *d = mi_f32s_at(&map->values, 3, face->skin.vert[i]);
    if (d[0] == 0 && d[1] == 0 && d[2] == 0) continue;
    memcpy(out->delta + 3 * (size_t)out->nvert, d, 3 * sizeof *d);
    out->vert[out->nvert++] = nskin + i;
  }
  return true;
}

static bool count_left(work *w) {
  const mien_face *face = w->def->b->face;
  // what steps will make of it, to the bit
  memcpy(w->posed, w->carried, 3 * (size_t)face->info.nvert * sizeof *w->posed);
  for (int p = 0; p < w->out->nvert; p++)
    for (int k = 0; k < 3; k++)
      w->posed[3 * (size_t)w->out->vert[p] + (size_t)k] += w->out->delta[3 * (size_t)p + (size_t)k];
  for (int t = 0; t < face->info.ntet; t++) {
    if (volume_share(w->def, w->posed, t) > 0) continue;
    if (!w->out->left) w->out->left = MI_PUSH(&w->out->arena, unsigned char, face->info.ntet);
    if (!w->out->left) return false;
    w->out->left[t] = 1;
    w->out->nleft++;
  }
  return true;
}

// Applies the thickness painted for a shape: vertices under the skin come closer to it or go
// deeper.
static void thicken(work *w, const float *painted) {
  const mien_face *face = w->def->b->face;
  for (int i = face->skin.nvert; i < face->info.nvert; i++) {
    int skin = face->carrier[i];
    if (!(painted[skin] > 0)) continue;
    float share =
        fminf(MOST_THICKER, fmaxf(1 / MOST_THICKER, painted[skin] / face->thickness[skin]));
    for (int k = 0; k < 3; k++) {
      float top = w->posed[3 * (size_t)skin + (size_t)k];
      float *deep = w->posed + 3 * (size_t)i + k;
      *deep = top + share * (*deep - top);
    }
  }
}

// Places the flesh of shape s at weight 1 as skin and bone carry it.
static bool carry(work *w, int s, mi_arena *scratch) {
  const mien_face *face = w->def->b->face;
  float *rig = MI_PUSH(scratch, float, 3 * (size_t)face->rig->info.nvert);
  float *weights = MI_PUSH(scratch, float, face->rig->info.nshape);
  if (!rig || !weights) return false;
  weights[s] = 1;
  mi_rig_pose(face->rig, weights, face->rig->info.nshape, rig);
  mi_bone_motion jaw = mi_bone_hinge(face, weights);
  mi_carry(face, rig, &jaw, 1, w->carried);
  memcpy(w->posed, w->carried, 3 * (size_t)face->info.nvert * sizeof *w->posed);
  for (int t = 0; t < face->info.ntet; t++)
    w->out->ninverted += !(volume_share(w->def, w->posed, t) > 0);
  return true;
}

// tries again with larger patches while some tetrahedron is bad
static bool uninvert(work *w) {
  bool done = true;
  for (int k = 0; done && k < NREACH && mark_near(w, REACH[k], k ? 0 : TOO_LITTLE); k++)
    done = untangle(w);
  return done;
}

bool mi_blendvolume_find(const mi_blendvolume_def *def, int s, mi_blendvolume *out) {
  const mien_face *face = def->b->face;
  size_t nvert = (size_t)face->info.nvert;
  mi_arena scratch;
  mi_arena_init(&out->arena, &face->host);
  mi_arena_init(&scratch, &face->host);
  work w = {def,
            out,
            MI_PUSH(&scratch, float, 3 * nvert),
            MI_PUSH(&scratch, float, 3 * nvert),
            MI_PUSH(&scratch, unsigned char, nvert),
            MI_PUSH(&scratch, int32_t, nvert),
            MI_PUSH(&scratch, unsigned char, face->info.ntet)};
  bool done = w.posed && w.carried && w.near && w.local && w.taken && carry(&w, s, &scratch);
  if (done && def->stored) {
    done = take_stored(&w, def->stored[s]);
  } else if (done) {
    if (def->thickness[s]) thicken(&w, def->thickness[s]);
    done = uninvert(&w) && keep_changes(&w);
  }
  done = done && count_left(&w);
  mi_arena_free(&scratch);
  return done;
}

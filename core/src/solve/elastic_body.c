// Compiled once per SIMD body: see wide.h and the core's CMakeLists.txt. One chunk at a time:
// positions in, F of six tetrahedra in eight lanes, their projections, forces out.
#include "math/taylor_wide.h"
#include "math/wide_rows.h"
#include "solve/elastic_layout.h"
#include "solve/elastic_project.h"

#include <stdalign.h>

#if defined(MI_BODY_AVX2)
#define BODY_TABLE mi_elastic_body_avx2
#define BODY_NAME "avx2"
#elif defined(MI_BODY_NEON)
#define BODY_TABLE mi_elastic_body_neon
#define BODY_NAME "neon"
#else
#define BODY_TABLE mi_elastic_body_scalar
#define BODY_NAME "scalar"
#endif

// Two blocks are worked on together: each step of Newton waits for the one before it, and six of
// them at a time keep the processor busy meanwhile.
enum { PAIR = 2, TETS = PAIR * MI_CELL_TETS };

// Six tetrahedra in eight lanes.
typedef struct cell {
  mi_wide f[TETS][9];   // deformation gradients
  mi_wide h[TETS][9];   // dE/dF
  mi_wide energy[TETS]; // J
  mi_wide det[TETS];    // of F, or with its sign
  const float *tet;     // constants
  const float *target;  // NULL = identity
  const uint8_t *lanes; // what is not filling
  mi_svd_memo *memo;    // two a tetrahedron
  mi_svd_limits limits;
  mi_elastic_chunk *into; // counts
} cell;

typedef struct decomposition {
  mi_wide u[9], s[3], v[9];
} decomposition;

static mi_wide constant(const cell *c, int k, int which) {
  return mi_wload(c->tet + (k * MI_TET_SIZE + which) * MI_WIDE);
}

static mi_wide wanted(const cell *c, int k, int which) {
  return mi_wload(c->target + (k * MI_TARGET_SIZE + which) * MI_WIDE);
}

// out = a b
static inline void multiply(const mi_wide a[9], const mi_wide b[9], mi_wide out[9]) {
  for (int i = 0; i < 9; i += 3)
    for (int j = 0; j < 3; j++)
      out[i + j] = mi_wmadd(a[i], b[j], mi_wmadd(a[i + 1], b[3 + j], mi_wmul(a[i + 2], b[6 + j])));
}

// out = a b'
static inline void multiply_turned(const mi_wide a[9], const mi_wide b[9], mi_wide out[9]) {
  for (int i = 0; i < 9; i += 3)
    for (int j = 0; j < 9; j += 3)
      out[i + j / 3] =
          mi_wmadd(a[i], b[j], mi_wmadd(a[i + 1], b[j + 1], mi_wmul(a[i + 2], b[j + 2])));
}

static inline void target_matrix(const cell *c, int k, mi_wide t[9]) {
  for (int i = 0; i < 9; i++) t[i] = wanted(c, k, i);
}

static inline void target_volume(const cell *c, int k, mi_volume *v) {
  v->d = c->target ? wanted(c, k, MI_TARGET_DET) : mi_wset(1);
  v->span = c->target ? wanted(c, k, MI_TARGET_SPAN) : mi_wset(3);
}

static int count_bits(unsigned bits) {
  int count = 0;
  for (; bits; bits &= bits - 1) count++;
  return count;
}

// Newton for m and b of all six together; `good` keeps the lanes that end well.
static inline void find_volumes(const mi_stretch s[TETS], mi_volume v[TETS], mi_wmask good[TETS]) {
  enum { ALWAYS = 2, MOST = 6 };
  mi_wide step[TETS], enough = mi_wset(3e-4f);
  for (int k = 0; k < TETS; k++) mi_volume_begin(v + k, s + k);
  for (int n = 0; n < MOST; n++) {
    for (int k = 0; k < TETS; k++) step[k] = mi_volume_step(v + k, s + k);
    if (n + 1 < ALWAYS) continue;
    mi_wide most = step[0];
    for (int k = 1; k < TETS; k++) most = mi_wmax(most, step[k]);
    if (mi_wmask_bits(mi_wless(most, enough)) == 0xff) break;
  }
  for (int k = 0; k < TETS; k++)
    good[k] = mi_wmask_and(good[k], mi_volume_end(v + k, s + k, step[k]));
}

static inline void find_stretches(mi_stretch s[TETS], mi_wmask good[TETS]) {
  enum { ALWAYS = 2, MOST = 6 };
  mi_wide step[TETS], enough = mi_wset(1e-3f);
  for (int n = 0; n < MOST; n++) {
    for (int k = 0; k < TETS; k++) step[k] = mi_stretch_step(s + k);
    if (n + 1 < ALWAYS) continue;
    mi_wide most = mi_wabs(step[0]);
    for (int k = 1; k < TETS; k++) most = mi_wmax(most, mi_wabs(step[k]));
    if (mi_wmask_bits(mi_wless(most, enough)) == 0xff) break;
  }
  for (int k = 0; k < TETS; k++) good[k] = mi_stretch_end(s + k, step[k]);
}

// s* - sigma of eight matrices
static void closest(const mi_wide sigma[3], mi_volume *v, mi_wide move[3]) {
  mi_stretch s;
  mi_wide pair = mi_wmul(sigma[0], sigma[1]), sum = mi_wadd(sigma[0], sigma[1]);
  s.j = mi_wmul(pair, sigma[2]);
  s.e1 = mi_wadd(sum, sigma[2]);
  s.e2 = mi_wmadd(sum, sigma[2], pair);
  s.i1 = mi_wnmadd(mi_wset(2), s.e2, mi_wmul(s.e1, s.e1));
  s.i2 = mi_wnmadd(mi_wmul(mi_wset(2), s.e1), s.j, mi_wmul(s.e2, s.e2));
  mi_volume_begin(v, &s);
  mi_wide step = mi_wset(0), c[3];
  for (int n = 0; n < 5; n++) {
    step = mi_volume_step(v, &s);
    if (n && mi_wmask_bits(mi_wless(step, mi_wset(3e-4f))) == 0xff) break;
  }
  mi_volume_cofactor(v, &s, c);
  for (int i = 0; i < 3; i++)
    move[i] = mi_wmul(v->m, mi_wmadd(sigma[i], mi_wmadd(sigma[i], c[2], c[1]), c[0]));
  mi_wmask good = mi_wmask_and(mi_volume_end(v, &s, step), mi_wless(mi_wabs(s.e1), mi_wset(30)));
  unsigned bits = mi_wmask_bits(good);
  if (bits == 0xff) return;
  float lane[3][MI_WIDE], product[MI_WIDE], moved[3][MI_WIDE];
  for (int i = 0; i < 3; i++) mi_wstore(lane[i], sigma[i]);
  for (int i = 0; i < 3; i++) mi_wstore(moved[i], move[i]);
  mi_wstore(product, v->d);
  for (int l = 0; l < MI_WIDE; l++) {
    if (bits >> l & 1) continue;
    // a first-order decomposition may have passed nearly equal values by each other
    int order[3] = {0, 1, 2};
    for (int i = 0; i < 3; i++)
      if (lane[order[i & 1]][l] < lane[order[1 + (i & 1)]][l]) {
        int first = order[i & 1];
        order[i & 1] = order[1 + (i & 1)];
        order[1 + (i & 1)] = first;
      }
    double from[3], to[3];
    for (int i = 0; i < 3; i++) from[i] = lane[order[i]][l];
    mi_closest_diagonal(from, product[l], to);
    for (int i = 0; i < 3; i++) moved[order[i]][l] = (float)(to[i] - from[i]);
  }
  for (int i = 0; i < 3; i++) move[i] = mi_wload(moved[i]);
}

// u diag(d) v'
static inline void rebuild(const mi_wide u[9], const mi_wide d[3], const mi_wide v[9],
                           mi_wide out[9]) {
  mi_wide scaled[9];
  for (int i = 0; i < 9; i++) scaled[i] = mi_wmul(u[i], d[i % 3]);
  multiply_turned(scaled, v, out);
}

// The rest of a tetrahedron once the singular values of F are known, and with a target T, those of
// F T' too (their U and V make the rotation).
static inline void finish_svd(cell *c, int k, const mi_svd3_work *own, const mi_svd3_work *turn) {
  mi_wide u[9], sigma[3], v[9], move[3], along[3];
  mi_svd3_finish(own, u, sigma, v);
  mi_volume volume;
  target_volume(c, k, &volume);
  closest(sigma, &volume, move);
  c->det[k] = sigma[2];
  mi_wide ws = constant(c, k, MI_TET_STRAIN), wv = constant(c, k, MI_TET_VOLUME);
  mi_wide moved = mi_wset(0), bent = mi_wset(0);
  for (int i = 0; i < 3; i++) {
    moved = mi_wmadd(move[i], move[i], moved);
    along[i] = mi_wmul(mi_wsub(mi_wset(0), wv), move[i]);
  }
  if (!c->target) {
    for (int i = 0; i < 3; i++) {
      mi_wide over = mi_wsub(sigma[i], mi_wset(1));
      bent = mi_wmadd(over, over, bent);
      along[i] = mi_wmadd(ws, over, along[i]);
    }
    rebuild(u, along, v, c->h[k]);
  } else {
    mi_wide t[9], r[9], shape[9];
    rebuild(u, along, v, c->h[k]);
    mi_svd3_finish(turn, u, sigma, v);
    multiply_turned(u, v, r);
    target_matrix(c, k, t);
    multiply(r, t, shape);
    for (int i = 0; i < 9; i++) {
      mi_wide over = mi_wsub(c->f[k][i], shape[i]);
      bent = mi_wmadd(over, over, bent);
      c->h[k][i] = mi_wmadd(ws, over, c->h[k][i]);
    }
  }
  c->energy[k] = mi_wmul(mi_wset(0.5f), mi_wmadd(ws, bent, mi_wmul(wv, moved)));
}

// The same from decompositions that are only nearly those of F and F T': the energy is that of the
// projections they give, so nothing may be read off the singular values.
static inline void finish_memo(cell *c, int k, const mi_wide shape[9], const mi_wide closest_f[9]) {
  mi_wide ws = constant(c, k, MI_TET_STRAIN), wv = constant(c, k, MI_TET_VOLUME);
  mi_wide moved = mi_wset(0), bent = mi_wset(0);
  for (int i = 0; i < 9; i++) {
    mi_wide over = mi_wsub(c->f[k][i], shape[i]), off = mi_wsub(c->f[k][i], closest_f[i]);
    bent = mi_wmadd(over, over, bent);
    moved = mi_wmadd(off, off, moved);
    c->h[k][i] = mi_wmadd(ws, over, mi_wmul(wv, off));
  }
  c->energy[k] = mi_wmul(mi_wset(0.5f), mi_wmadd(ws, bent, mi_wmul(wv, moved)));
}

static int recall(const cell *c, mi_svd_memo *memo, const mi_wide f[9], decomposition *out) {
  int kind = mi_svd_memo_choose(memo, f, c->limits, NULL);
  mi_svd_memo_wide(memo, kind, f, out->u, out->s, out->v);
  return kind;
}

static void project_memoized(cell *c) {
  for (int k = 0; k < TETS; k++) {
    decomposition out;
    mi_volume volume;
    mi_wide shape[9], closest_f[9], move[3], star[3];
    c->into->count[recall(c, c->memo + 2 * k, c->f[k], &out)] += count_bits(c->lanes[k]);
    target_volume(c, k, &volume);
    closest(out.s, &volume, move);
    for (int i = 0; i < 3; i++) star[i] = mi_wadd(out.s[i], move[i]);
    c->det[k] = mi_wmul(mi_wmul(out.s[0], out.s[1]), out.s[2]);
    rebuild(out.u, star, out.v, closest_f);
    if (c->target) {
      mi_wide t[9], turned[9], r[9];
      target_matrix(c, k, t);
      multiply_turned(c->f[k], t, turned);
      recall(c, c->memo + 2 * k + 1, turned, &out);
      multiply_turned(out.u, out.v, r);
      multiply(r, t, shape);
    } else {
      multiply_turned(out.u, out.v, shape);
    }
    finish_memo(c, k, shape, closest_f);
  }
}

static inline void begin_turn(const cell *c, int k, mi_svd3_work *work) {
  mi_wide t[9], turned[9];
  target_matrix(c, k, t);
  multiply_turned(c->f[k], t, turned);
  mi_svd3_begin(work, turned);
}

static void project_svd(cell *c) {
  enum { GROUP = 3 };
  mi_svd3_work own[GROUP], turn[GROUP];
  for (int first = 0; first < TETS; first += GROUP) {
    for (int k = 0; k < GROUP; k++) mi_svd3_begin(own + k, c->f[first + k]);
    mi_svd3_group(own, GROUP);
    for (int k = 0; k < GROUP && c->target; k++) begin_turn(c, first + k, turn + k);
    if (c->target) mi_svd3_group(turn, GROUP);
    for (int k = 0; k < GROUP; k++) {
      finish_svd(c, first + k, own + k, turn + k);
      c->into->count[2] += count_bits(c->lanes[first + k]);
    }
  }
}

// The awkward lanes of one tetrahedron again, by singular values.
static __attribute__((noinline)) void redo(cell *c, int k, mi_wmask good) {
  mi_svd3_work own, turn;
  mi_wide h[9], energy = c->energy[k];
  for (int i = 0; i < 9; i++) h[i] = c->h[k][i];
  mi_svd3_begin(&own, c->f[k]);
  mi_svd3_group(&own, 1);
  if (c->target) {
    begin_turn(c, k, &turn);
    mi_svd3_group(&turn, 1);
  }
  finish_svd(c, k, &own, &turn);
  for (int i = 0; i < 9; i++) c->h[k][i] = mi_wselect(good, h[i], c->h[k][i]);
  c->energy[k] = mi_wselect(good, energy, c->energy[k]);
  c->into->count[2] += count_bits(~mi_wmask_bits(good) & c->lanes[k]);
}

static void redo_awkward(cell *c, const mi_wmask good[TETS]) {
  for (int k = 0; k < TETS; k++)
    if (mi_wmask_bits(good[k]) != 0xff) redo(c, k, good[k]);
}

static void project_plain(cell *c) {
  mi_wide g[TETS][9];
  mi_stretch s[TETS];
  mi_volume v[TETS];
  mi_wmask good[TETS];
  for (int k = 0; k < TETS; k++) {
    mi_cofactor(c->f[k], g[k]);
    mi_stretch_begin(s + k, c->f[k], g[k]);
    c->det[k] = s[k].j;
    target_volume(c, k, v + k);
  }
  find_stretches(s, good);
  find_volumes(s, v, good);
  for (int k = 0; k < TETS; k++) {
    mi_wide r[9], poly[3], bent = mi_wset(0);
    mi_wide ws = constant(c, k, MI_TET_STRAIN), wv = constant(c, k, MI_TET_VOLUME);
    mi_rotation(s + k, c->f[k], g[k], r);
    mi_volume_cofactor(v + k, s + k, poly);
    // dE/dF = ws (F - R) - wv m cof P, cof P by R, F = (F - R) + R and G
    mi_wide scale = mi_wmul(mi_wsub(mi_wset(0), wv), v[k].m);
    mi_wide on_g = mi_wmul(scale, poly[2]);
    mi_wide on_f = mi_wmadd(on_g, s[k].e1, mi_wmul(scale, poly[1]));
    mi_wide on_r = mi_wadd(on_f, mi_wnmadd(on_g, s[k].e2, mi_wmul(scale, poly[0])));
    mi_wide on_over = mi_wadd(ws, on_f);
    for (int i = 0; i < 9; i++) {
      mi_wide over = mi_wsub(c->f[k][i], r[i]);
      bent = mi_wmadd(over, over, bent);
      c->h[k][i] = mi_wmadd(on_over, over, mi_wmadd(on_r, r[i], mi_wmul(on_g, g[k][i])));
    }
    mi_wide moved = mi_volume_distance(v + k);
    c->energy[k] = mi_wmul(mi_wset(0.5f), mi_wmadd(ws, bent, mi_wmul(wv, moved)));
  }
  redo_awkward(c, good);
}

static void project_target(cell *c) {
  mi_wide g[TETS][9], turned[TETS][9], turned_g[TETS][9];
  mi_stretch s[TETS], turn[TETS];
  mi_volume v[TETS];
  mi_wmask good[TETS], turn_good[TETS];
  for (int k = 0; k < TETS; k++) {
    mi_wide t[9];
    mi_cofactor(c->f[k], g[k]);
    mi_stretch_begin(s + k, c->f[k], g[k]);
    c->det[k] = s[k].j;
    target_matrix(c, k, t);
    multiply_turned(c->f[k], t, turned[k]);
    mi_cofactor(turned[k], turned_g[k]);
    mi_stretch_begin(turn + k, turned[k], turned_g[k]);
    target_volume(c, k, v + k);
  }
  find_stretches(s, good);
  find_stretches(turn, turn_good);
  find_volumes(s, v, good);
  for (int k = 0; k < TETS; k++) {
    mi_wide t[9], r[9], b[9], shape[9], poly[3], bent = mi_wset(0);
    mi_wide ws = constant(c, k, MI_TET_STRAIN), wv = constant(c, k, MI_TET_VOLUME);
    mi_rotation(turn + k, turned[k], turned_g[k], r);
    target_matrix(c, k, t);
    multiply(r, t, shape);
    mi_volume_cofactor(v + k, s + k, poly);
    mi_third(c->f[k], g[k], b);
    // dE/dF = ws (F - R T) - wv m cof P, cof P by F, G and B
    mi_wide scale = mi_wmul(mi_wsub(mi_wset(0), wv), v[k].m);
    mi_wide on_g = mi_wmul(scale, poly[2]);
    mi_wide on_f = mi_wmadd(on_g, s[k].e1, mi_wmul(scale, poly[1]));
    mi_wide on_b = mi_wdiv(mi_wnmadd(on_g, s[k].e2, mi_wmul(scale, poly[0])), s[k].k);
    on_f = mi_wmadd(on_b, mi_wsub(s[k].e2, s[k].j), on_f);
    on_g = mi_wmadd(on_b, mi_wsub(s[k].e1, mi_wset(1)), on_g);
    for (int i = 0; i < 9; i++) {
      mi_wide over = mi_wsub(c->f[k][i], shape[i]);
      bent = mi_wmadd(over, over, bent);
      mi_wide grown = mi_wmadd(on_f, c->f[k][i], mi_wmadd(on_g, g[k][i], mi_wmul(on_b, b[i])));
      c->h[k][i] = mi_wmadd(ws, over, grown);
    }
    mi_wide moved = mi_volume_distance(v + k);
    c->energy[k] = mi_wmul(mi_wset(0.5f), mi_wmadd(ws, bent, mi_wmul(wv, moved)));
    good[k] = mi_wmask_and(good[k], turn_good[k]);
  }
  redo_awkward(c, good);
}

// -- Positions in, forces out
// -----------------------------------------------------------------------

static inline void load(const float *points, const int32_t *corner, mi_wide out[3]) {
  mi_wide3 at = mi_wgather(points, corner);
  out[0] = at.x;
  out[1] = at.y;
  out[2] = at.z;
}

static inline void edge(const float *points, const int32_t *corner, const mi_wide origin[3],
                        mi_wide out[3]) {
  load(points, corner, out);
  for (int i = 0; i < 3; i++) out[i] = mi_wsub(out[i], origin[i]);
}

// in the order of the lanes, so that a vertex may come twice
static inline void push(float *forces, const int32_t *corner, const mi_wide force[3]) {
  mi_quad row[MI_WIDE];
  mi_wrows((mi_wide3){force[0], force[1], force[2]}, row);
  for (int i = 0; i < MI_WIDE; i++) {
    float *at = forces + 4 * (size_t)corner[i];
    mi_qstore(at, mi_qadd(mi_qload(at), row[i]));
  }
}

// F = (three edges as columns) x (inverse rest edges)
static inline void gradient_of(const mi_wide u[3], const mi_wide v[3], const mi_wide w[3],
                               const float *inverse, mi_wide f[9]) {
  for (int j = 0; j < 3; j++) {
    mi_wide a = mi_wload(inverse + j * MI_WIDE), b = mi_wload(inverse + (3 + j) * MI_WIDE);
    mi_wide c = mi_wload(inverse + (6 + j) * MI_WIDE);
    for (int i = 0; i < 3; i++)
      f[3 * i + j] = mi_wmadd(u[i], a, mi_wmadd(v[i], b, mi_wmul(w[i], c)));
  }
}

// F of the tetrahedra first, first + 1 and first + 2, which are those of one block
static inline void gather(const mi_elastic *elastic, const float *points, int block, int first,
                          cell *c) {
  const int32_t *corner = elastic->corners + (size_t)block * elastic->ncorner * MI_WIDE;
  const float *inverse = c->tet + first * MI_TET_SIZE * MI_WIDE;
  mi_wide origin[3], q[3], r[4][3];
  if (elastic->ncorner == 6) {
    load(points, corner, origin);
    edge(points, corner + MI_WIDE, origin, q);
    for (int k = 0; k < 4; k++) edge(points, corner + (2 + k) * MI_WIDE, origin, r[k]);
    for (int k = 0; k < MI_CELL_TETS; k++, inverse += MI_TET_SIZE * MI_WIDE)
      gradient_of(q, r[k], r[k + 1], inverse, c->f[first + k]);
    return;
  }
  for (int k = 0; k < MI_CELL_TETS; k++, inverse += MI_TET_SIZE * MI_WIDE) {
    load(points, corner, origin);
    for (int e = 0; e < 3; e++) edge(points, corner + (1 + e) * MI_WIDE, origin, r[e]);
    gradient_of(r[0], r[1], r[2], inverse, c->f[first + k]);
    corner += 4 * MI_WIDE;
  }
}

// force on edge e of tetrahedron k
static inline void edge_force(const cell *c, int k, int e, mi_wide out[3]) {
  mi_wide row[3];
  for (int j = 0; j < 3; j++) row[j] = constant(c, k, MI_TET_INVERSE + 3 * e + j);
  const mi_wide *h = c->h[k];
  for (int i = 0; i < 3; i++)
    out[i] =
        mi_wmadd(h[3 * i], row[0], mi_wmadd(h[3 * i + 1], row[1], mi_wmul(h[3 * i + 2], row[2])));
}

static inline void add3(mi_wide sum[3], const mi_wide a[3]) {
  for (int i = 0; i < 3; i++) sum[i] = mi_wadd(sum[i], a[i]);
}

static inline void scatter(const mi_elastic *elastic, const cell *c, int block, int first,
                           float *forces) {
  const int32_t *corner = elastic->corners + (size_t)block * elastic->ncorner * MI_WIDE;
  mi_wide origin[3], more[3], edges[5][3];
  if (elastic->ncorner == 6) {
    for (int e = 0; e < 3; e++) edge_force(c, first, e, edges[e]);
    for (int k = 1; k < MI_CELL_TETS; k++) {
      edge_force(c, first + k, 0, more);
      add3(edges[0], more);
      edge_force(c, first + k, 1, more);
      add3(edges[1 + k], more);
      edge_force(c, first + k, 2, edges[2 + k]);
    }
    for (int i = 0; i < 3; i++) origin[i] = mi_wset(0);
    for (int e = 0; e < 5; e++) {
      for (int i = 0; i < 3; i++) origin[i] = mi_wsub(origin[i], edges[e][i]);
      push(forces, corner + (1 + e) * MI_WIDE, edges[e]);
    }
    push(forces, corner, origin);
    return;
  }
  for (int k = 0; k < MI_CELL_TETS; k++, corner += 4 * MI_WIDE) {
    for (int i = 0; i < 3; i++) origin[i] = mi_wset(0);
    for (int e = 0; e < 3; e++) {
      edge_force(c, first + k, e, edges[e]);
      for (int i = 0; i < 3; i++) origin[i] = mi_wsub(origin[i], edges[e][i]);
      push(forces, corner + (1 + e) * MI_WIDE, edges[e]);
    }
    push(forces, corner, origin);
  }
}

static void copy_points(const mi_elastic *elastic, const mi_elastic_chunk *chunk, const float *x,
                        float *points) {
  const int32_t *vert = elastic->verts + chunk->vert;
  for (int i = 0; i < chunk->nvert; i++)
    mi_qstore(points + 4 * i, mi_qload(x + 4 * (size_t)vert[i]));
}

static void hand_over(const mi_elastic *elastic, const mi_elastic_chunk *chunk, const float *forces,
                      float *gradient) {
  const int32_t *vert = elastic->verts + chunk->vert;
  for (int i = 0; i < chunk->nown; i++) {
    float *at = gradient + 4 * (size_t)vert[i];
    mi_qstore(at, mi_qadd(mi_qload(at), mi_qload(forces + 4 * i)));
  }
  float *overlap = elastic->overlap + 4 * (size_t)chunk->overlap;
  int first = 4 * chunk->nown, count = 4 * (chunk->nvert - chunk->nown);
  memcpy(overlap, forces + first, sizeof(float) * (size_t)count);
}

static void project(cell *c, mi_local local) {
  if (local == MI_LOCAL_MEMOIZED && c->memo)
    project_memoized(c);
  else if (local != MI_LOCAL_INVARIANTS)
    project_svd(c);
  else if (c->target)
    project_target(c);
  else
    project_plain(c);
}

static inline void sum_up(cell *c, double energy[MI_WIDE]) {
  mi_wide sum = c->energy[0];
  float lane[MI_WIDE];
  for (int k = 1; k < TETS; k++) sum = mi_wadd(sum, c->energy[k]);
  mi_wstore(lane, sum);
  for (int l = 0; l < MI_WIDE; l++) energy[l] += (double)lane[l];
  for (int k = 0; k < TETS; k++) {
    unsigned bits = ~mi_wmask_bits(mi_wless(mi_wset(0), c->det[k])) & c->lanes[k];
    if (bits) c->into->ninverted += count_bits(bits);
  }
}

static void evaluate(const mi_elastic *elastic, mi_elastic_chunk *chunk, const float *x,
                     mi_local local, float *gradient) {
  alignas(64) float points[4 * MI_CHUNK_VERTS], forces[4 * MI_CHUNK_VERTS];
  double energy[MI_WIDE] = {0};
  copy_points(elastic, chunk, x, points);
  memset(forces, 0, sizeof(float) * 4 * (size_t)chunk->nvert);
  chunk->ninverted = 0;
  for (int i = 0; i < 3; i++) chunk->count[i] = 0;
  cell c = {.into = chunk, .limits = elastic->limits};
  for (int block = chunk->begin; block < chunk->end; block += PAIR) {
    size_t first = MI_CELL_TETS * (size_t)block;
    c.tet = elastic->tets + first * MI_TET_SIZE * MI_WIDE;
    c.target = elastic->is_posed ? elastic->targets + first * MI_TARGET_SIZE * MI_WIDE : NULL;
    c.lanes = elastic->lanes + first;
    c.memo = elastic->memos ? elastic->memos + 2 * first : NULL;
    for (int i = 0; i < PAIR; i++) gather(elastic, points, block + i, i * MI_CELL_TETS, &c);
    project(&c, local);
    sum_up(&c, energy);
    for (int i = 0; i < PAIR; i++) scatter(elastic, &c, block + i, i * MI_CELL_TETS, forces);
  }
  hand_over(elastic, chunk, forces, gradient);
  chunk->energy = 0;
  for (int l = 0; l < MI_WIDE; l++) chunk->energy += energy[l];
}

static void pose(const mi_elastic *elastic, const mi_elastic_chunk *chunk, const float *posed) {
  alignas(64) float points[4 * MI_CHUNK_VERTS];
  copy_points(elastic, chunk, posed, points);
  cell c;
  for (int block = chunk->begin; block < chunk->end; block++) {
    size_t first = MI_CELL_TETS * (size_t)block;
    c.tet = elastic->tets + first * MI_TET_SIZE * MI_WIDE;
    float *target = elastic->targets + first * MI_TARGET_SIZE * MI_WIDE;
    gather(elastic, points, block, 0, &c);
    for (int k = 0; k < MI_CELL_TETS; k++, target += MI_TARGET_SIZE * MI_WIDE) {
      mi_wide g[9];
      mi_cofactor(c.f[k], g);
      for (int i = 0; i < 9; i++) mi_wstore(target + i * MI_WIDE, c.f[k][i]);
      float *det = target + MI_TARGET_DET * MI_WIDE, *span = target + MI_TARGET_SPAN * MI_WIDE;
      const mi_wide *f = c.f[k];
      mi_wstore(det, mi_wmadd(f[0], g[0], mi_wmadd(f[1], g[1], mi_wmul(f[2], g[2]))));
      for (int l = 0; l < MI_WIDE; l++) span[l] = 3 * fabsf(det[l] * cbrtf(det[l]));
    }
  }
}

const mi_elastic_kernels BODY_TABLE = {BODY_NAME, evaluate, pose};

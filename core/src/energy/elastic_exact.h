// Projections by singular values: of everything, of what elastic_free.h finds awkward, or kept from
// an earlier evaluation (Barrielle & Stoiber 6.3).
#ifndef MI_ELASTIC_EXACT_H
#define MI_ELASTIC_EXACT_H

#include "energy/elastic_cell.h"
#include "math/taylor_wide.h"

typedef struct decomposition {
  mi_wide u[9], s[3], v[9];
} decomposition;

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
  mi_wmask good = mi_wmask_and(accept(v, &s, step), mi_wless(mi_wabs(s.e1), mi_wset(30)));
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

// The same from approximate decompositions of F and F T': the energy is that of the projections
// they give, so it must not be computed from the singular values.
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
  for (int i = 0; i < 9 && c->has_forces; i++) h[i] = c->h[k][i];
  mi_svd3_begin(&own, c->f[k]);
  mi_svd3_group(&own, 1);
  if (c->target) {
    begin_turn(c, k, &turn);
    mi_svd3_group(&turn, 1);
  }
  finish_svd(c, k, &own, &turn);
  for (int i = 0; i < 9 && c->has_forces; i++) c->h[k][i] = mi_wselect(good, h[i], c->h[k][i]);
  c->energy[k] = mi_wselect(good, energy, c->energy[k]);
  c->into->count[2] += count_bits(~mi_wmask_bits(good) & c->lanes[k]);
}

static void redo_awkward(cell *c) {
  for (int k = 0; k < TETS; k++)
    if (mi_wmask_bits(c->good[k]) != MI_WIDE_ALL) redo(c, k, c->good[k]);
}

#endif

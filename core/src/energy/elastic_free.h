// Projections without singular values, by elastic_project.h. `good` of the cell tells the lanes
// that they are for.
#ifndef MI_ELASTIC_FREE_H
#define MI_ELASTIC_FREE_H

#include "energy/elastic_cell.h"

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
    if (mi_wmask_bits(mi_wless(most, enough)) == MI_WIDE_ALL) break;
  }
  for (int k = 0; k < TETS; k++) good[k] = mi_wmask_and(good[k], accept(v + k, s + k, step[k]));
}

static inline void find_stretches(mi_stretch s[TETS], float least, mi_wmask good[TETS]) {
  enum { ALWAYS = 2, MOST = 6 };
  mi_wide step[TETS], enough = mi_wset(1e-3f);
  for (int n = 0; n < MOST; n++) {
    for (int k = 0; k < TETS; k++) step[k] = mi_stretch_step(s + k);
    if (n + 1 < ALWAYS) continue;
    mi_wide most = mi_wabs(step[0]);
    for (int k = 1; k < TETS; k++) most = mi_wmax(most, mi_wabs(step[k]));
    if (mi_wmask_bits(mi_wless(most, enough)) == MI_WIDE_ALL) break;
  }
  for (int k = 0; k < TETS; k++) good[k] = mi_stretch_end(s + k, step[k], least);
}

// over = a - b; its square
static inline mi_wide minus(const mi_wide a[9], const mi_wide b[9], mi_wide over[9]) {
  mi_wide square = mi_wset(0);
  for (int i = 0; i < 9; i++) {
    over[i] = mi_wsub(a[i], b[i]);
    square = mi_wmadd(over[i], over[i], square);
  }
  return square;
}

static inline mi_wide energy_of(mi_wide ws, mi_wide bent, mi_wide wv, const mi_volume *v) {
  return mi_wmul(mi_wset(0.5f), mi_wmadd(ws, bent, mi_wmul(wv, mi_volume_distance(v))));
}

static void project_plain(cell *c) {
  mi_wide g[TETS][9];
  mi_stretch s[TETS];
  mi_volume v[TETS];
  for (int k = 0; k < TETS; k++) {
    mi_cofactor(c->f[k], g[k]);
    mi_stretch_begin(s + k, c->f[k], g[k]);
    c->det[k] = s[k].j;
    target_volume(c, k, v + k);
  }
  find_stretches(s, 0.1f, c->good);
  find_volumes(s, v, c->good);
  for (int k = 0; k < TETS; k++) {
    mi_wide r[9], over[9], poly[3];
    mi_wide ws = constant(c, k, MI_TET_STRAIN), wv = constant(c, k, MI_TET_VOLUME);
    mi_rotation(s + k, c->f[k], g[k], r);
    c->energy[k] = energy_of(ws, minus(c->f[k], r, over), wv, v + k);
    if (!c->has_forces) continue;
    mi_volume_cofactor(v + k, s + k, poly);
    // dE/dF = ws (F - R) - wv m cof P, cof P by R, F = (F - R) + R and G
    mi_wide scale = mi_wmul(mi_wsub(mi_wset(0), wv), v[k].m);
    mi_wide on_g = mi_wmul(scale, poly[2]);
    mi_wide on_f = mi_wmadd(on_g, s[k].e1, mi_wmul(scale, poly[1]));
    mi_wide on_r = mi_wadd(on_f, mi_wnmadd(on_g, s[k].e2, mi_wmul(scale, poly[0])));
    mi_wide on_over = mi_wadd(ws, on_f);
    for (int i = 0; i < 9; i++)
      c->h[k][i] = mi_wmadd(on_over, over[i], mi_wmadd(on_r, r[i], mi_wmul(on_g, g[k][i])));
  }
}

// If the target is inverted, so is the closest matrix. Both are mirrored by M = diag(1, 1, -1): F M
// has the cofactor -G M, so only the sign of G and of its products changes.
static inline mi_wide mirror(mi_volume *v, mi_wide g[9]) {
  mi_wide side = v->d;
  if (!mi_wmask_bits(mi_wless(side, mi_wset(0)))) return mi_wset(1);
  for (int i = 0; i < 9; i++) g[i] = mi_wflip(g[i], side);
  v->d = mi_wabs(v->d);
  return mi_wflip(mi_wset(1), side);
}

static void project_target(cell *c) {
  mi_wide g[TETS][9], turned[TETS][9], turned_g[TETS][9];
  mi_stretch s[TETS], turn[TETS];
  mi_volume v[TETS];
  mi_wide side[TETS]; // -1 = mirrored
  mi_wmask turn_good[TETS];
  for (int k = 0; k < TETS; k++) {
    mi_wide t[9];
    mi_cofactor(c->f[k], g[k]);
    target_volume(c, k, v + k);
    side[k] = mirror(v + k, g[k]);
    mi_stretch_begin(s + k, c->f[k], g[k]);
    c->det[k] = mi_wmul(side[k], s[k].j);
    target_matrix(c, k, t);
    multiply_turned(c->f[k], t, turned[k]);
    mi_cofactor(turned[k], turned_g[k]);
    mi_stretch_begin(turn + k, turned[k], turned_g[k]);
  }
  find_stretches(s, 0.1f, c->good);
  // the squared stretches of a flat target differ widely, but where R is ill-determined T is small
  find_stretches(turn, 0.01f, turn_good);
  find_volumes(s, v, c->good);
  for (int k = 0; k < TETS; k++) {
    mi_wide t[9], r[9], b[9], shape[9], over[9], poly[3];
    mi_wide ws = constant(c, k, MI_TET_STRAIN), wv = constant(c, k, MI_TET_VOLUME);
    mi_rotation(turn + k, turned[k], turned_g[k], r);
    target_matrix(c, k, t);
    multiply(r, t, shape);
    c->energy[k] = energy_of(ws, minus(c->f[k], shape, over), wv, v + k);
    c->good[k] = mi_wmask_and(c->good[k], turn_good[k]);
    if (!c->has_forces) continue;
    mi_volume_cofactor(v + k, s + k, poly);
    mi_third(c->f[k], g[k], b);
    // dE/dF = ws (F - R T) - wv m cof P, cof P by F, G and B
    mi_wide scale = mi_wmul(mi_wsub(mi_wset(0), wv), v[k].m);
    mi_wide on_g = mi_wmul(scale, poly[2]);
    mi_wide on_f = mi_wmadd(on_g, s[k].e1, mi_wmul(scale, poly[1]));
    mi_wide on_b = mi_wdiv(mi_wnmadd(on_g, s[k].e2, mi_wmul(scale, poly[0])), s[k].k);
    on_f = mi_wmadd(on_b, mi_wsub(s[k].e2, s[k].j), on_f);
    on_g = mi_wmadd(on_b, mi_wsub(s[k].e1, mi_wset(1)), on_g);
    on_b = mi_wmul(on_b, side[k]);
    for (int i = 0; i < 9; i++) {
      mi_wide grown = mi_wmadd(on_f, c->f[k][i], mi_wmadd(on_g, g[k][i], mi_wmul(on_b, b[i])));
      c->h[k][i] = mi_wmadd(ws, over[i], grown);
    }
  }
}

#endif

// D6: the model itself (Dinev, 4.2.4, 4.2.5). After steps of the fit every row of S is in the
// simplex, no muscle acts on a tetrahedron more than 1 cm away, and what no muscle has is passive.
#include "curves.h"
#include "muscle_subject.h"

#include "fit/muscle_geometry.h"

#include <math.h>

enum { TURNS = 3, USED = 2 };

typedef struct rows {
  double least, most_sum, farthest, moved; // shares, their sum, m, change of shares
  int npassive, nactive;                   // tetrahedra
} rows;

static rows measure(const mien_face *face, const float *first) {
  const mi_muscles *m = &face->muscles;
  rows r = {.least = 1};
  for (int t = 0; t < face->info.ntet; t++) {
    double sum = 0;
    mi_vec3 p = {0, 0, 0};
    for (int c = 0; c < 4; c++)
      p = mi_add_scaled(p, 0.25, mi_vec3_load(face->rest + 3 * (size_t)face->tets[4 * t + c]));
    for (int e = m->first[t]; e < m->first[t + 1]; e++) {
      const mien_muscle *muscle = m->info + m->index[e];
      double near = INFINITY, share = (double)m->share[e];
      for (int k = 0; k < muscle->path.count; k++)
        near = fmin(near, mi_distance(p, mi_vec3_load(muscle->path.data + 3 * (size_t)k)));
      sum += share;
      r.least = fmin(r.least, share);
      r.moved = fmax(r.moved, fabs(share - (double)first[e]));
      if (share > 0) r.farthest = fmax(r.farthest, near - muscle->radius);
    }
    r.most_sum = fmax(r.most_sum, sum);
    r.npassive += sum == 0;
    r.nactive += sum > 0.999;
  }
  return r;
}

static int fit(experiment *e, muscle_subject *s, mien_face *face) {
  mi_muscle_weights w = {0.01, 0.03, 3};
  mi_expression expression[USED];
  mien_host host;
  mien_error err;
  mi_balance b;
  double cost[USED], both;
  mi_host_resolve(NULL, &host, NULL);
  if (mi_balance_create(face, &host, &b, &err) < 0) return cli_report(&err, "D6");
  double *residual = MI_PUSH(&b.arena, double, 3 * (size_t)b.nseen);
  float *first = MI_PUSH(&b.arena, float, face->muscles.nentry);
  if (!residual || !first) return cli_fail("out of memory");
  for (int k = 0; k < face->muscles.nentry; k++) first[k] = face->muscles.share[k];
  for (int k = 0; k < USED; k++) {
    mien_f32s scan = {s->scan[k], face->rig->info.nvert, 3};
    if (mi_expression_create(&b, expression + k, &err) < 0) return cli_report(&err, "D6");
    mi_expression_aim(&b, expression + k, &scan);
    mi_balance_settle(&b, expression + k, 1);
    cost[k] = mi_activations_cost(&b, expression + k, &w, residual);
    if (mi_activations_improve(&b, expression + k, &w, 3, cost + k, &err) < 0)
      return cli_report(&err, "D6");
  }
  both = mi_geometry_cost(&b, expression, USED, first, &w, residual);
  curves c = {.title = "D6: what is minimised, step by step of the shares",
              .x_label = "step",
              .y_label = "mm2",
              .name = {"cost"},
              .ncurve = 1,
              .count = TURNS + 1};
  if (!curves_reserve(&c, TURNS + 1)) return cli_fail("out of memory");
  c.y[0][0] = both;
  for (int k = 0; k < TURNS; k++) {
    double before = both;
    if (mi_geometry_improve(&b, expression, USED, first, &w, &both, &err) < 0)
      return cli_report(&err, "D6");
    c.x[k + 1] = k + 1;
    c.y[0][k + 1] = both;
    experiment_note(e, "step %d of the shares: cost %.4f -> %.4f mm2", k + 1, before, both);
  }
  rows r = measure(face, first);
  double adult = face->skin.size / 0.18;
  e->holds = r.least >= 0 && r.most_sum <= 1 + 1e-6 && r.farthest <= 0.0101 * adult + 0.002 &&
             r.npassive > 0 && r.nactive > 0 && r.moved > 0.05;
  snprintf(e->ours, sizeof e->ours,
           "least share %.2g, largest sum 1 %+.1e, farthest muscle %.1f mm; %d of %d tetrahedra "
           "are passive, %d all muscle; shares moved by up to %.2f",
           r.least, r.most_sum - 1, 1e3 * r.farthest, r.npassive, face->info.ntet, r.nactive,
           r.moved);
  for (int k = 0; k < USED; k++) mi_expression_free(expression + k);
  mi_balance_free(&b);
  int code = curves_save(e, "D6", &c);
  curves_free(&c);
  return code;
}

static int run(experiment *e) {
  muscle_subject s;
  mien_face *face = NULL;
  int code = muscle_subject_create(e, "head_small.glb", 0, &s);
  if (!code) code = muscle_subject_face(&s, 0, &face);
  if (!code) code = fit(e, &s, face);
  mien_face_free(face);
  muscle_subject_free(&s);
  return code;
}

const claim claim_d6 = {
    "D6",
    "Six activations a muscle; rows of the geometry matrix in the simplex, with a passive column "
    "and nothing beyond 1 cm, exact to 1e-6 after a fit",
    "by construction",
    run,
    .limits = "Two scans and a few steps of the fit; how well it fits is D7's.",
};

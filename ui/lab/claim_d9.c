// D9: a dent that no muscle makes (Dinev, fig. 4.8): the model with six unknowns a tetrahedron fits
// it, the muscle model leaves it.
#include "curves.h"
#include "muscle_subject.h"
#include "per_tet.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double RADIUS = 0.006, DEPTH = 0.006; // m
static const double MOST_MISSED = 0.2;             // of the expression, which muscles do make

typedef struct dent {
  mi_vec3 centre, inwards;
  float *scan; // with the dent
} dent;

static double depth_at(const dent *d, mi_vec3 p) {
  double away = mi_distance(p, d->centre) / RADIUS;
  return DEPTH * exp(-away * away);
}

// On the cheek.
static int make_dent(const muscle_subject *s, const mien_face *face, dent *d) {
  int nvert = face->rig->info.nvert, best = 0;
  const int32_t *landmark = face->rig->info.landmarks.data;
  mi_vec3 brow = mi_vec3_load(face->rig->positions + 3 * (size_t)landmark[24]);
  mi_vec3 corner = mi_vec3_load(face->rig->positions + 3 * (size_t)landmark[54]);
  mi_vec3 wanted = mi_scale(0.5, mi_add(brow, corner));
  double least = INFINITY;
  for (int i = 0; i < face->skin.nvert; i++) {
    double far = mi_distance(mi_vec3_load(face->skin.position + 3 * (size_t)i), wanted);
    if (far < least) least = far, best = i;
  }
  d->centre = mi_vec3_load(s->exact[0] + 3 * (size_t)face->skin.vert[best]);
  d->inwards = mi_scale(-1, mi_vec3_load(face->skin.normal + 3 * (size_t)best));
  d->scan = malloc(3 * (size_t)nvert * sizeof *d->scan);
  if (!d->scan) return cli_fail("out of memory");
  memcpy(d->scan, s->exact[0], 3 * (size_t)nvert * sizeof *d->scan);
  for (int i = 0; i < face->skin.nvert; i++) {
    float *at = d->scan + 3 * (size_t)face->skin.vert[i];
    mi_vec3 p = mi_vec3_load(at);
    mi_vec3_store(at, mi_add_scaled(p, depth_at(d, p), d->inwards));
  }
  return CLI_DONE;
}

// m, what is left of the dent: distance weighed by its depth
static double left_of(const dent *d, const muscle_subject *s, const mien_face *face,
                      const float *now) {
  double sum = 0, weights = 0;
  for (int i = 0; i < face->skin.nvert; i++) {
    size_t at = 3 * (size_t)face->skin.vert[i];
    double weight = depth_at(d, mi_vec3_load(s->exact[0] + at));
    sum += weight * mi_distance(mi_vec3_load(now + at), mi_vec3_load(d->scan + at));
    weights += weight;
  }
  return sum / weights;
}

// How far `now` is from the expression where the dent is not, rms, as a share of what it moves: a
// solve that does nothing refuses a dent, too.
static double missed_of(const dent *d, const muscle_subject *s, const mien_face *face,
                        const float *now) {
  double off = 0, moved = 0;
  for (int i = 0; i < face->skin.nvert; i++) {
    size_t at = 3 * (size_t)face->skin.vert[i];
    mi_vec3 exact = mi_vec3_load(s->exact[0] + at);
    if (depth_at(d, exact) > 0.01 * DEPTH) continue;
    off += pow(mi_distance(mi_vec3_load(now + at), exact), 2);
    moved += pow(mi_distance(mi_vec3_load(face->skin.position + 3 * (size_t)i), exact), 2);
  }
  return sqrt(off / moved);
}

// Measures the rest of the dent by the distance from its middle, in rings of 2 mm.
enum { RINGS = 8 };
static void add_profile(const dent *d, const muscle_subject *s, const mien_face *face,
                        const float *now, curves *c, int which) {
  int count[RINGS] = {0};
  for (int i = 0; i < face->skin.nvert; i++) {
    size_t at = 3 * (size_t)face->skin.vert[i];
    int ring = (int)(mi_distance(mi_vec3_load(s->exact[0] + at), d->centre) / 0.002);
    if (ring >= RINGS) continue;
    c->y[which][ring] += 1e3 * mi_distance(mi_vec3_load(now + at), mi_vec3_load(d->scan + at));
    count[ring]++;
  }
  for (int k = 0; k < RINGS; k++) {
    c->x[k] = 2 * k + 1;
    if (count[k]) c->y[which][k] /= count[k];
  }
}

static int draw(const experiment *e, const dent *d, const muscle_subject *s, const mien_face *face,
                const float *const surface[3]) {
  curves c = {.title = "D9: distance from the dented scan around the dent",
              .x_label = "mm from its middle",
              .y_label = "mm",
              .name = {"muscles", "every tetrahedron", "the dent itself"},
              .ncurve = 3,
              .count = RINGS};
  if (!curves_reserve(&c, RINGS)) return cli_fail("out of memory");
  for (int k = 0; k < 3; k++) add_profile(d, s, face, surface[k], &c, k);
  int code = curves_save(e, "D9", &c);
  curves_free(&c);
  return code;
}

static int measure(experiment *e, const muscle_subject *s, const mien_face *face, const dent *d) {
  mien_f32s scan = {d->scan, face->rig->info.nvert, 3};
  mien_activations *solver;
  mien_host host;
  mien_error err;
  mi_balance b;
  mi_expression each;
  mi_host_resolve(NULL, &host, NULL);
  float *shape = calloc(6 * (size_t)face->info.ntet, sizeof *shape);
  float *now = malloc(3 * (size_t)face->rig->info.nvert * sizeof *now);
  if (!shape || !now) return cli_fail("out of memory");
  memcpy(now, d->scan, 3 * (size_t)face->rig->info.nvert * sizeof *now);
  if (mien_activations_create(face, NULL, &solver, &err) < 0 ||
      mien_activations_solve(solver, scan, 8, &err) < 0 ||
      mi_balance_create(face, &host, &b, &err) < 0 || mi_expression_create(&b, &each, &err) < 0)
    return cli_report(&err, "D9");
  double ours = left_of(d, s, face, mien_activations_get_info(solver)->positions.data);
  mi_expression_aim(&b, &each, &scan);
  int rounds = per_tet_solve(&b, &each, &(per_tet_stop){8, 0, 0.01}, shape);
  for (int i = 0; i < face->skin.nvert; i++)
    memcpy(now + 3 * (size_t)face->skin.vert[i], each.x + 4 * (size_t)b.solver->iperm[i],
           3 * sizeof *now);
  double theirs = left_of(d, s, face, now);
  double whole = left_of(d, s, face, s->exact[0]);
  double missed = missed_of(d, s, face, mien_activations_get_info(solver)->positions.data);
  e->holds = rounds > 0 && ours >= 5 * theirs && ours >= 0.5 * whole && missed < MOST_MISSED;
  experiment_note(e, "around the dent the muscle model misses %.3f of the expression's motion",
                  missed);
  snprintf(e->ours, sizeof e->ours,
           "of a dent of %.1f mm the muscle model leaves %.2f mm, the model per tetrahedron "
           "%.2f mm: %.1f times as much",
           1e3 * whole, 1e3 * ours, 1e3 * theirs, ours / theirs);
  const float *const surface[3] = {mien_activations_get_info(solver)->positions.data, now,
                                   s->exact[0]};
  int code = draw(e, d, s, face, surface);
  mien_activations_free(solver);
  mi_expression_free(&each);
  mi_balance_free(&b);
  free(shape);
  free(now);
  return code;
}

static int run(experiment *e) {
  muscle_subject s;
  dent d = {.scan = NULL};
  int code = muscle_subject_create(e, "head_small.glb", 0, &s);
  if (!code) code = make_dent(&s, s.truth, &d);
  if (!code) code = measure(e, &s, s.truth, &d);
  free(d.scan);
  muscle_subject_free(&s);
  return code;
}

const claim claim_d9 = {
    "D9",
    "The muscle model refuses a dent that is not physical and that the model per tetrahedron fits",
    "picture",
    run,
    .limits = "One dent on the cheek; fine wrinkles that muscles do make are not tried.",
};

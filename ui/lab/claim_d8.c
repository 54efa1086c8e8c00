// D8 and P15: the time of an activation solve against that of the model with six unknowns for each
// tetrahedron, on the same flesh, scan and balance, in the same run. Both start at rest and go on
// until a round wins less than 1 or 2 %, or for eight rounds; the time of the other's first round
// is told, too, since it fits the noise of the scan from the second on.
#include "curves.h"
#include "muscle_subject.h"
#include "per_tet.h"

#include <math.h>
#include <stdlib.h>

enum { ROUNDS = 8, SCANS = 3 };

static int measure(experiment *e, const muscle_subject *s, const mien_face *face) {
  mien_activations *solver;
  mien_host host;
  mien_error err;
  mi_balance b;
  mi_expression each;
  double ours = INFINITY, theirs = INFINITY, error[2] = {0};
  curves c = {.title = "D8: time of a solve from rest",
              .x_label = "scan",
              .y_label = "ms",
              .name = {"muscles", "every tetrahedron"},
              .ncurve = 2,
              .count = SCANS,
              .log_y = 1};
  if (!curves_reserve(&c, SCANS)) return cli_fail("out of memory");
  mi_host_resolve(NULL, &host, NULL);
  float *shape = calloc(6 * (size_t)face->info.ntet, sizeof *shape);
  if (!shape) return cli_fail("out of memory");
  if (mi_balance_create(face, &host, &b, &err) < 0 || mi_expression_create(&b, &each, &err) < 0)
    return cli_report(&err, "D8");
  for (int k = 0; k < SCANS; k++) {
    mien_f32s scan = {s->scan[k], face->rig->info.nvert, 3};
    if (mien_activations_create(face, NULL, &solver, &err) < 0 ||
        mien_activations_solve(solver, scan, ROUNDS, &err) < 0)
      return cli_report(&err, "D8");
    const mien_activations_info *info = mien_activations_get_info(solver);
    ours = fmin(ours, info->seconds);
    error[0] += info->error / SCANS;
    for (int i = 0; i < b.nvert; i++)
      mi_vec3_store(each.x + 4 * (size_t)i,
                    mi_vec3_load(face->rest + 3 * (size_t)b.solver->perm[i]));
    double started = mi_clock();
    mi_expression_aim(&b, &each, &scan);
    int rounds = per_tet_solve(&b, &each, ROUNDS, shape);
    theirs = fmin(theirs, mi_clock() - started);
    error[1] += each.error / SCANS;
    double all = mi_clock() - started;
    experiment_note(
        e, "scan %d: %.0f ms (%d rounds, %.2f mm) against %.0f ms (%d rounds of %.0f ms, %.2f mm)",
        k, 1e3 * info->seconds, info->rounds, 1e3 * info->error, 1e3 * all, rounds,
        1e3 * all / fmax(1, rounds), 1e3 * each.error);
    c.x[k] = k;
    c.y[0][k] = 1e3 * info->seconds;
    c.y[1][k] = 1e3 * all;
    mien_activations_free(solver);
  }
  mi_expression_free(&each);
  mi_balance_free(&b);
  free(shape);
  double figures[] = {ours, theirs, error[0], error[1]};
  int code = curves_save(e, "D8", &c);
  curves_free(&c);
  if (code) return code;
  if (!experiment_is_finite(e, "times", figures, 4)) return CLI_DONE;
  e->holds = (e->quick || ours <= 0.1 * theirs) && error[0] <= 0.0009; // quick: no times
  snprintf(e->ours, sizeof e->ours,
           "%.0f ms against %.0f ms from rest: %.3f times (0.10 is the limit), %.2f and %.2f mm "
           "left; %d vertices, %d tetrahedra",
           1e3 * ours, 1e3 * theirs, ours / theirs, 1e3 * error[0], 1e3 * error[1],
           face->info.nvert, face->info.ntet);
  return CLI_DONE;
}

static int run(experiment *e) {
  muscle_subject s;
  int code = muscle_subject_create(e, e->quick ? "head_small.glb" : "head.glb", &s);
  if (!code) code = measure(e, &s, s.truth);
  muscle_subject_free(&s);
  return code;
}

const claim claim_d8 = {
    "D8",
    "Solving for activations of muscles takes a fraction of a solve for every tetrahedron",
    "157 ms against 998 ms: 0.16 times",
    run,
    "Both solvers are ours and share the balance; the thesis used IPOPT for both. The "
    "Jacobian at rest, found once for a face, is not counted.",
};

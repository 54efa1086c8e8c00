// Springs, planes and friction in the solver's energy: its gradient against differences.
#include "scenes/scene.h"

#include "solve/solver.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NROW = 6 };

typedef struct rows {
  mi_pull pull[NROW];
  mi_rule rule[NROW];
  float target[3 * NROW];
} rows;

// Spring, plane pushed in, plane apart, friction that holds, friction that slides, friction alone.
static void make_rows(const mi_solver *s, rows *r) {
  memset(r, 0, sizeof *r);
  for (int k = 0; k < NROW; k++) {
    mi_pull *pull = r->pull + k;
    *pull = (mi_pull){{10 * k, 10 * k + 3, 10 * k + 5, 10 * k + 8}, {1, -0.5f, -0.3f, -0.2f}, 3e4f};
    mi_rule *rule = r->rule + k;
    float off[3] = {0};
    for (int v = 0; v < 4; v++)
      for (int c = 0; c < 3; c++) off[c] += pull->coef[v] * s->x[4 * pull->vert[v] + c];
    for (int c = 0; c < 3; c++) rule->start[c] = off[c];
    if (k == 0) continue;
    const float normal[3] = {0.6f, 0, 0.8f};
    memcpy(rule->normal, normal, sizeof normal);
    float along = 0.6f * off[0] + 0.8f * off[2];
    rule->gap = k == 2 ? along - 1e-3f : k == 5 ? -INFINITY : along + 2e-3f;
    rule->grip = k >= 3 ? 2e4f : 1;
    rule->drag = k == 3 ? 1e3f : k >= 4 ? 3 : 0;
    if (k >= 3) rule->start[1] -= 1e-3f; // slipped by a millimetre
  }
}

static double energy_at(mi_solver *s, const float *x, float *gradient) {
  mi_energies energies;
  mi_solver_evaluate(s, x, gradient, &energies);
  return energies.pulls;
}

static void the_gradient_is_that_of_the_energy(void **state) {
  (void)state;
  scene_mesh mesh = scene_sphere(12, 16, 0.08);
  mien_rig_def def = scene_rig_def(&mesh);
  scene_flesh f = scene_flesh_create(mesh, &def, NULL);
  mien_state *made = f.state;
  mien_input input;
  mien_step_opts opts;
  mien_input_init(&input);
  mien_step_opts_init(&opts);
  assert_int_equal(mien_step(made, &input, &opts, NULL), MIEN_OK); // the first feels no motion
  input.head.translation[0] = 0.001;
  assert_int_equal(mien_step(made, &input, &opts, NULL), MIEN_OK);
  mi_solver *s = made->solver;
  size_t size = 4 * (size_t)s->nvert;
  rows r;
  make_rows(s, &r);
  float *with = malloc(size * sizeof *with), *without = malloc(size * sizeof *with);
  float *x = malloc(size * sizeof *x);
  memcpy(x, s->x, size * sizeof *x);
  s->pulls = (mi_pulls){r.pull, 0};
  energy_at(s, x, without);
  for (int k = 0; k < NROW; k++) {
    s->pulls = (mi_pulls){r.pull + k, 1};
    s->pull_target = r.target + 3 * k;
    s->pull_rule = r.rule + k;
    double here = energy_at(s, x, with);
    if (k == 2) assert_true(here == 0); // apart: no force
    for (int v = 0; v < 4; v++)
      for (int c = 0; c < 3; c++) {
        size_t at = 4 * (size_t)r.pull[k].vert[v] + (size_t)c;
        const float h = 3e-5f;
        float keep = x[at];
        x[at] = keep + h;
        double up = energy_at(s, x, s->trial_gradient);
        x[at] = keep - h;
        double down = energy_at(s, x, s->trial_gradient);
        x[at] = keep;
        double slope = (up - down) / (2 * (double)h),
               found = (double)with[at] - (double)without[at];
        double scale = 1e-3 * (fabs(slope) + 1);
        if (fabs(slope - found) > 2 * scale)
          fail_msg("row %d, vertex %d, axis %d: %g, by differences %g", k, v, c, found, slope);
      }
  }
  s->pulls = (mi_pulls){NULL, 0};
  s->pull_rule = NULL;
  free(with);
  free(without);
  free(x);
  scene_flesh_free(&f);
}

static void a_step_too_long_is_shortened_by_the_parabola(void **state) {
  (void)state;
  assert_true(mi_shorter_step(1, -1, 1) < 0.5 + 1e-9);
  assert_near(mi_shorter_step(1, -1, 3), 0.125, 1e-12); // the parabola's minimum
  assert_near(mi_shorter_step(1, -1, INFINITY), 0.1, 1e-12);
  assert_true(mi_shorter_step(1, -1, 1e9) >= 0.1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_gradient_is_that_of_the_energy),
      cmocka_unit_test(a_step_too_long_is_shortened_by_the_parabola),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

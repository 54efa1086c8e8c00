// The table of laws is what is simulated: every body is the sum of its laws' elements, and the
// solver's constant matrix has the share that each row states. Loops over mi_laws.
#include "scenes/scene.h"

#include "solve/solver.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NSPRING = 40 };

// A head that speaks, with springs and forces made up.
typedef struct scene {
  mien_rig *rig;
  mien_face *face;
  mien_state *state;
  mi_lowrank spring[NSPRING];
  float target[3 * NSPRING];
  mi_forces forces;
  mi_flesh flesh;
  float *x, *force, *gradient, *velocity; //                                        (nvert x 4)
  double *expected;                       //                                        (nvert x 3)
} scene;

static double draw(uint32_t at) {
  return 2 * mi_random_unit(11, 5, at) - 1;
}

static void speak(scene *s) {
  mien_error err;
  mien_input input;
  mien_step_opts opts;
  mien_host host;
  mien_host_init(&host);
  host.threads = 2;
  if (mien_rig_load(MIEN_SAMPLE_DIR "/head_small.glb", NULL, &s->rig, &err) < 0)
    fail_msg("%s", err.text);
  assert_true(mien_face_create(s->rig, NULL, &host, &s->face, &err) >= 0);
  assert_true(mien_state_create(s->face, &host, &s->state, &err) >= 0);
  mien_input_init(&input);
  mien_step_opts_init(&opts);
  int nshape = mien_rig_get_info(s->rig)->nshape;
  float *weights = calloc((size_t)nshape, sizeof *weights);
  assert_non_null(weights);
  input.weights = (mien_f32s){weights, nshape, 1};
  for (int f = 0; f < 3; f++) {
    weights[mien_rig_find_shape(s->rig, "jawOpen")] = 0.2f * (float)f;
    input.head.translation[0] = 0.01 * f;
    assert_true(mien_step(s->state, &input, &opts, &err) >= 0);
  }
  free(weights);
}

static void make_up_springs(scene *s) {
  for (int k = 0; k < NSPRING; k++) {
    mi_lowrank *row = s->spring + k;
    *row = (mi_lowrank){.weight = 10 + (float)k};
    for (int j = 0; j < 4; j++) {
      row->vert[j] = j < 1 + k % 4 ? (31 * k + 7 * j) % s->flesh.nvert : -1;
      row->coef[j] = 0.5f + (float)draw((uint32_t)(4 * k + j)) / 4;
    }
  }
  s->flesh.spring = s->spring;
  s->flesh.spring_target = s->target;
  s->flesh.nspring = NSPRING;
}

static void open_scene(scene *s) {
  memset(s, 0, sizeof *s);
  speak(s);
  mi_solver *solver = s->state->solver;
  s->flesh = mi_solver_flesh(solver);
  size_t size = 4 * (size_t)solver->nvert;
  float **vectors[] = {&s->x, &s->force, &s->gradient, &s->velocity};
  for (size_t k = 0; k < 4; k++) assert_non_null(*vectors[k] = calloc(size, sizeof(float)));
  assert_non_null(s->expected = calloc(size, sizeof *s->expected));
  for (size_t i = 0; i < size; i++) {
    s->x[i] = i % 4 < 3 ? solver->posed[i] + 3e-4f * (float)draw(1000 + (uint32_t)i) : 0;
    s->force[i] = i % 4 < 3 ? 0.01f * (float)draw(9000000 + (uint32_t)i) : 0;
  }
  s->flesh.force = s->force;
  make_up_springs(s);
  s->forces = (mi_forces){.gravity = {1, -9, 2},
                          .wind = {4, 1, -20},
                          .gust = 0.5,
                          .time = 0.3,
                          .flesh = s->state->flesh,
                          .velocity = s->state->dynamics.velocity};
  s->flesh.forces = &s->forces;
  mi_elastic_set_pose(solver->elastic, solver->posed, 2);
}

static void close_scene(scene *s) {
  free(s->x), free(s->force), free(s->gradient), free(s->velocity), free(s->expected);
  mien_state_free(s->state);
  mien_face_free(s->face);
  mien_rig_free(s->rig);
}

// Value and gradient of a law, element by element; adds to `expected`.
static double add_elements(scene *s, const mi_law *law, int *nelement) {
  double sum = 0, x[3 * MI_STENCIL_MOST], g[3 * MI_STENCIL_MOST];
  int32_t vert[MI_STENCIL_MOST];
  for (int e = 0; e < law->count(&s->flesh); e++) {
    mi_stencil stencil;
    if (!law->set_up(&s->flesh, e, &stencil, vert)) continue;
    ++*nelement;
    for (int i = 0; i < 3 * stencil.nvert; i++)
      x[i] = (double)s->x[4 * (size_t)vert[i / 3] + (size_t)(i % 3)];
    sum += law->value(&stencil, x);
    law->gradient(&stencil, x, g);
    for (int i = 0; i < 3 * stencil.nvert; i++)
      s->expected[3 * (size_t)vert[i / 3] + (size_t)(i % 3)] += g[i];
  }
  return sum;
}

// s->gradient against s->expected
static void compare(const scene *s, const char *name) {
  double largest = 0, off = 0;
  for (int i = 0; i < 3 * s->flesh.nvert; i++) {
    double got = (double)s->gradient[4 * (size_t)(i / 3) + (size_t)(i % 3)];
    largest = fmax(largest, fabs(s->expected[i]));
    off = fmax(off, fabs(got - s->expected[i]));
  }
  assert_true(largest > 0);
  if (!(off <= 2e-4 * largest)) fail_msg("%s: off by %g of %g N", name, off, largest);
}

static void every_row_is_whole(void **state) {
  (void)state;
  for (int l = 0; l < mi_nlaw; l++) {
    const mi_law *law = mi_laws[l];
    assert_true(law->name && law->value && law->gradient && law->count && law->set_up);
    assert_true(!law->body != !law->accelerate);
    assert_true(law->in_matrix >= 0 && law->in_matrix <= 1);
    for (int k = 0; k < l; k++) {
      assert_string_not_equal(mi_laws[k]->name, law->name);
      // together, or the body would be evaluated twice
      if (law->body && mi_laws[k]->body == law->body)
        assert_true(mi_laws[l - 1]->body == law->body);
    }
  }
}

static void bodies_are_the_sum_of_their_elements(void **state) {
  (void)state;
  static scene s;
  open_scene(&s);
  int nbody = 0;
  for (int l = 0; l < mi_nlaw; l++) {
    mi_body_fn *body = mi_laws[l]->body;
    if (!body || (l && mi_laws[l - 1]->body == body)) continue;
    mi_energies got = {0};
    double energy = 0;
    memset(s.expected, 0, 3 * (size_t)s.flesh.nvert * sizeof *s.expected);
    memset(s.gradient, 0, 4 * (size_t)s.flesh.nvert * sizeof *s.gradient);
    for (int k = l; k < mi_nlaw && mi_laws[k]->body == body; k++) {
      int nelement = 0;
      energy += add_elements(&s, mi_laws[k], &nelement);
      assert_in_range(nelement, NSPRING, INT32_MAX);
    }
    body(&s.flesh, s.x, s.gradient, &got);
    if (!(fabs(mi_energies_total(&got) - energy) <= 1e-4 * fabs(energy)))
      fail_msg("%s: %g J, element by element %g", mi_laws[l]->name, mi_energies_total(&got),
               energy);
    compare(&s, mi_laws[l]->name);
    mi_energies alone = {0};
    body(&s.flesh, s.x, NULL, &alone);
    assert_true(mi_energies_total(&alone) == mi_energies_total(&got));
    nbody++;
  }
  assert_in_range(nbody, 4, 100);
  close_scene(&s);
}

static void accelerations_are_the_sum_of_their_elements(void **state) {
  (void)state;
  static scene s;
  open_scene(&s);
  int nlaw = 0;
  for (int l = 0; l < mi_nlaw; l++) {
    if (!mi_laws[l]->accelerate) continue;
    int nelement = 0, nvert = s.flesh.nvert;
    memset(s.expected, 0, 3 * (size_t)nvert * sizeof *s.expected);
    memset(s.velocity, 0, 4 * (size_t)nvert * sizeof *s.velocity);
    add_elements(&s, mi_laws[l], &nelement);
    mi_laws[l]->accelerate(s.face, &s.forces, 1, s.velocity);
    for (int i = 0; i < 3 * nvert; i++)
      s.gradient[4 * (size_t)s.flesh.iperm[i / 3] + (size_t)(i % 3)] =
          -s.velocity[i] * s.face->mass[i / 3];
    compare(&s, mi_laws[l]->name);
    nlaw++;
  }
  assert_in_range(nlaw, 2, 100);
  close_scene(&s);
}

// v'A v = sum of share w |G v|^2 over all elements, for any v.
static void the_matrix_has_the_share_of_each_row(void **state) {
  (void)state;
  static scene s;
  open_scene(&s);
  const mi_csr *a = &s.state->solver->matrix;
  double got = 0, expected = 0;
  int32_t vert[MI_STENCIL_MOST];
  s.flesh.posed = NULL;
  for (int i = 0; i < a->nrow; i++)
    for (int k = a->first[i]; k < a->first[i + 1]; k++)
      got += draw((uint32_t)i) * a->value[k] * draw((uint32_t)a->column[k]);
  for (int l = 0; l < mi_nlaw; l++) {
    const mi_law *law = mi_laws[l];
    for (int e = 0; law->in_matrix > 0 && e < law->count(&s.flesh); e++) {
      mi_stencil stencil;
      if (!law->set_up(&s.flesh, e, &stencil, vert)) continue;
      bool is_whole = law->count == mi_law_volume.count && mi_support_is_frail(s.face, e);
      for (int r = 0; r < stencil.nrow; r++) {
        double row = 0;
        for (int i = 0; i < stencil.nvert; i++)
          row += stencil.matrix[r * stencil.nvert + i] * draw((uint32_t)vert[i]);
        expected += (is_whole ? 1 : law->in_matrix) * stencil.weight * row * row;
      }
    }
  }
  assert_near(got / expected, 1, 1e-5);
  close_scene(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_row_is_whole),
                                     cmocka_unit_test(bodies_are_the_sum_of_their_elements),
                                     cmocka_unit_test(accelerations_are_the_sum_of_their_elements),
                                     cmocka_unit_test(the_matrix_has_the_share_of_each_row)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

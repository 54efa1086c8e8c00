// Rows of contact: planes that push one way, and friction that holds until it slides. Their law by
// itself, and on balls of flesh.
#include "scenes/touch.h"

#include "solve/contacts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NVERT = 8, NFLOAT = 4 * NVERT };

typedef struct law {
  mi_row row[1];
  mi_contacts contacts;
  float x[NFLOAT];
} law;

static double number(uint32_t i, uint32_t j) {
  return 2 * mi_random_unit(29, i, j) - 1;
}

// The sum of the row's points, without what is fixed.
static void offset_of(const law *l, float off[3]) {
  const mi_row *row = l->row;
  for (int k = 0; k < 3; k++) off[k] = row->fixed[k];
  for (int j = 0; j < 4 && row->vert[j] >= 0; j++)
    for (int k = 0; k < 3; k++) off[k] += row->coef[j] * l->x[4 * row->vert[j] + k];
}

// A row between points anywhere in a decimetre, `depth` (m) in its plane and slipped by `slip` (m)
// along it. With is_rigid its second side is a collider's.
static void make_row(law *l, uint32_t seed, double depth, double slip, bool is_rigid) {
  memset(l, 0, sizeof *l);
  mi_row *row = l->row;
  float off[3], n2 = 0, along = 0, t[3], t2 = 0, normal = 0;
  for (int i = 0; i < NFLOAT; i++) l->x[i] = 0.1f * (float)number(seed, (uint32_t)i);
  *row = (mi_row){.vert = {6, 1, 3, 4}, .coef = {1, -0.5f, -0.3f, -0.2f}};
  if (is_rigid)
    for (int j = 1; j < 4; j++) row->vert[j] = -1;
  for (int k = 0; k < 3; k++) {
    row->fixed[k] = is_rigid ? 0.1f * (float)number(seed, 100 + (uint32_t)k) : 0;
    row->normal[k] = (float)number(seed, 110 + (uint32_t)k);
    n2 += row->normal[k] * row->normal[k];
  }
  for (int k = 0; k < 3; k++) row->normal[k] /= sqrtf(n2);
  offset_of(l, off);
  for (int k = 0; k < 3; k++) {
    along += row->normal[k] * off[k];
    t[k] = (float)number(seed, 120 + (uint32_t)k);
    normal += row->normal[k] * t[k];
  }
  for (int k = 0; k < 3; k++) t[k] -= normal * row->normal[k], t2 += t[k] * t[k];
  // it came from anywhere along the normal: that is no slip
  for (int k = 0; k < 3; k++)
    row->start[k] = off[k] - (float)slip * t[k] / sqrtf(t2) + 0.02f * row->normal[k];
  row->gap = along + (float)depth;
  row->weight = 3e4f;
  l->contacts = (mi_contacts){.row = l->row, .nrow = 1};
}

static double energy_at(const law *l, const float *x, float *gradient) {
  float ignored[NFLOAT] = {0};
  return mi_contacts_add_rows(&l->contacts, x, gradient ? gradient : ignored);
}

// Of all coordinates, against central differences.
static void check_gradient(law *l, const char *what) {
  float gradient[NFLOAT] = {0}, x[NFLOAT];
  double here = energy_at(l, l->x, gradient), scale = 1e-3;
  assert_true(here > 0);
  for (int i = 0; i < NFLOAT; i++) scale = fmax(scale, fabs((double)gradient[i]));
  for (int i = 0; i < NFLOAT; i++) {
    memcpy(x, l->x, sizeof x);
    x[i] = l->x[i] + 3e-5f;
    double up = energy_at(l, x, NULL), high = (double)x[i];
    x[i] = l->x[i] - 3e-5f;
    double slope = (up - energy_at(l, x, NULL)) / (high - (double)x[i]);
    if (fabs(slope - (double)gradient[i]) > 3e-3 * scale)
      fail_msg("%s, number %d: %g, by differences %g", what, i, (double)gradient[i], slope);
  }
}

static void the_gradient_is_that_of_the_energy(void **state) {
  (void)state;
  for (uint32_t seed = 0; seed < 40; seed++)
    for (int is_rigid = 0; is_rigid < 2; is_rigid++) {
      law l;
      make_row(&l, seed, 2e-3, 1e-3, is_rigid);
      check_gradient(&l, "a plane");
      l.row->friction_stiffness = 2e4f;
      l.row->limit = 1e3f;
      check_gradient(&l, "a plane and friction that holds");
      l.row->limit = 3;
      check_gradient(&l, "a plane and friction that slides");
      l.row->gap = -INFINITY;
      check_gradient(&l, "friction alone that slides");
      l.row->limit = 1e3f;
      check_gradient(&l, "friction alone that holds");
    }
}

// Vertices that the row does not name, and the fourth float of those it names, get nothing.
static void others_are_left_alone(void **state) {
  (void)state;
  law l;
  make_row(&l, 1, 2e-3, 1e-3, false);
  float gradient[NFLOAT];
  for (int i = 0; i < NFLOAT; i++) gradient[i] = 0.5f;
  energy_at(&l, l.x, gradient);
  for (int i = 0; i < NFLOAT; i++) {
    bool is_named = false;
    for (int j = 0; j < 4; j++) is_named |= l.row->vert[j] == i / 4;
    assert_true((gradient[i] != 0.5f) == (is_named && i % 4 < 3)); // what was there is added to
  }
}

static void planes_push_one_way(void **state) {
  (void)state;
  for (uint32_t seed = 0; seed < 40; seed++) {
    law l;
    float gradient[NFLOAT] = {0};
    make_row(&l, seed, -1e-4, 1e-3, seed % 2); // apart
    assert_true(energy_at(&l, l.x, gradient) == 0);
    for (int i = 0; i < NFLOAT; i++) assert_true(gradient[i] == 0);
    make_row(&l, seed, 2e-3, 1e-3, seed % 2);
    double energy = energy_at(&l, l.x, gradient), along = 0;
    for (int k = 0; k < 3; k++)
      along += (double)gradient[4 * 6 + k] * (double)l.row->normal[k]; // its first vertex
    assert_near(energy, 0.5 * 3e4 * 2e-3 * 2e-3, 0.01 * energy);
    assert_near(along, -3e4 * 2e-3, 0.01 * 3e4 * 2e-3);
  }
  law none = {.contacts = {.row = none.row, .nrow = 0}};
  assert_true(energy_at(&none, none.x, NULL) == 0);
}

// A common motion changes nothing and gets no force: forces between skin and skin sum to zero.
static void common_motion_is_free(void **state) {
  (void)state;
  for (uint32_t seed = 0; seed < 40; seed++) {
    law l;
    float first[NFLOAT] = {0}, second[NFLOAT] = {0}, sum[3] = {0};
    make_row(&l, seed, 2e-3, 1e-3, false);
    l.row->friction_stiffness = 2e4f;
    l.row->limit = seed % 2 ? 3 : 1e3f;
    double before = energy_at(&l, l.x, first);
    for (int i = 0; i < NFLOAT; i++) l.x[i] += 0.03f * (float)(1 + i % 4);
    assert_near(energy_at(&l, l.x, second), before, 1e-4 * before);
    for (int i = 0; i < NFLOAT; i++) {
      assert_near(second[i], first[i], 1e-2);
      if (i % 4 < 3) sum[i % 4] += first[i];
    }
    for (int k = 0; k < 3; k++) assert_near(sum[k], 0, 1e-3);
  }
}

// Friction against the way: grip times the way up to its limit, from there on the limit; energy and
// force do not jump where it begins to slide.
static void friction_sticks_and_then_slides(void **state) {
  (void)state;
  const double friction_stiffness = 2e4, limit = 5, until = limit / friction_stiffness;
  for (int k = 1; k <= 40; k++) {
    double slip = 0.1 * k * until, expected = fmin(limit, friction_stiffness * slip);
    double stored =
        slip < until ? 0.5 * friction_stiffness * slip * slip : limit * (slip - 0.5 * until);
    law l;
    make_row(&l, (uint32_t)k, 0, slip, k % 2);
    l.row->gap = -INFINITY;
    l.row->friction_stiffness = (float)friction_stiffness;
    l.row->limit = (float)limit;
    float gradient[NFLOAT] = {0}, off[3];
    double energy = energy_at(&l, l.x, gradient), size2 = 0, along = 0, across = 0;
    offset_of(&l, off);
    for (int c = 0; c < 3; c++) {
      double force = (double)gradient[4 * 6 + c]; // of its first vertex
      size2 += force * force;
      along += force * ((double)off[c] - (double)l.row->start[c]);
      across += force * (double)l.row->normal[c];
    }
    along += 0.02 * across; // it came along the normal
    assert_near(sqrt(size2), expected, 2e-3 * limit);
    assert_near(along, expected * slip, 2e-3 * limit * slip + 1e-8); // it points the way it slipped
    assert_near(across, 0, 2e-3 * limit);
    assert_near(energy, stored, 4e-3 * limit * slip);
  }
}

// Pressed by a force across and pulled along by tan times that, the sum of a plane and its friction
// is at rest within reach of the friction spring as long as tan is below mu, and slides from there
// on.
static void a_row_slides_at_its_friction(void **state) {
  (void)state;
  const double mu = 0.4, weight = 3e4, pressed = 4; // N
  for (int k = 0; k < 2; k++) {
    double tan = (k ? 1.05 : 0.95) * mu, way = 0;
    law l = {.x = {0}};
    // a plane facing +y, of a collider; the limit is that of the depth that holds the force
    l.row[0] = (mi_row){.vert = {0, -1, -1, -1}, .coef = {1}, .normal = {0, 1, 0}};
    l.row->weight = (float)weight;
    l.row->friction_stiffness = 1e4f;
    l.row->limit = (float)(mu * pressed);
    l.contacts = (mi_contacts){.row = l.row, .nrow = 1};
    for (int step = 0; step < 20000; step++) { // downhill
      float gradient[NFLOAT] = {0};
      energy_at(&l, l.x, gradient);
      l.x[0] -= (float)(2e-5 * ((double)gradient[0] - tan * pressed));
      l.x[1] -= (float)(2e-5 * ((double)gradient[1] + pressed));
      way = (double)l.x[0];
    }
    assert_near(l.x[1], -pressed / weight, 1e-6);
    if (k)
      assert_true(way > 0.02); // gone
    else
      assert_near(way, tan * pressed / 1e4, 1e-5); // held by the friction spring
  }
}

// -- Rows that a step finds -----------------------------------------------------------------------

// On balls pressed together: every row is between the two, its normal is a unit vector, its
// coefficients add up to nothing, its gap is no wider than the thickness. However many rows a
// vertex has, friction holds it no stiffer than its flesh does.
static void found_rows_are_sound(void **state) {
  touch_scene s = touch_balls(0.002, NULL);
  mien_step_opts opts = touch_options(*state, 48);
  for (int frame = 1; frame <= 24; frame++) {
    s.weights[TOUCH_DOWN] = 0.5f * (float)frame / 24;
    touch_step(&s, &opts);
  }
  const mi_contacts *c = s.state->contacts;
  double thickness = mi_contact_lengths_of(s.state, &opts).thickness;
  int nfriction = 0, nvert = s.state->solver->nvert;
  double *grip = test_calloc((size_t)nvert, sizeof *grip), most = 0; // N / m, of a vertex
  assert_true(c->nrow > 5 && c->nheld <= c->nrow && c->npushed <= c->nrow && c->npushed > 0);
  for (int r = 0; r < c->nrow; r++) {
    const mi_row *row = c->row + r;
    double sum = 0, n2 = 0, share = 0;
    for (int k = 0; k < 4 && row->vert[k] >= 0; k++) sum += (double)row->coef[k];
    for (int k = 0; k < 4; k++) share += fabs((double)row->coef[k]);
    for (int k = 0; k < 3; k++) n2 += (double)row->normal[k] * (double)row->normal[k];
    assert_near(sum, 0, 1e-5);
    assert_near(share, 2, 1e-5);
    assert_near(n2, 1, 1e-5);
    assert_true((double)row->gap <= thickness * (1 + 1e-6) && row->gap > 0);
    assert_true(row->weight > 0 && row->limit >= 0 && row->friction_stiffness > 0);
    nfriction += row->limit > 0;
    for (int k = 0; k < 4 && row->vert[k] >= 0; k++)
      grip[row->vert[k]] += (double)(row->coef[k] * row->coef[k] * row->friction_stiffness);
  }
  for (int i = 0; i < nvert; i++) most = fmax(most, grip[i] / (double)s.state->solver->diagonal[i]);
  print_message("friction is up to %.2f times as stiff as the flesh\n", most);
  test_free(grip);
  assert_true(nfriction > 0);
  assert_true(most < 1);
  touch_free(&s);
}

// Friction slides at mu times what its plane pushes with, where the row was found: Coulomb's law of
// each row, so that a block on a slope stops at tan = mu however many rows carry it.
static void friction_is_as_strong_as_the_push(void **state) {
  touch_scene s = touch_balls(0.002, NULL);
  mien_step_opts opts = touch_options(*state, 48);
  opts.friction = 0.4;
  for (int frame = 1; frame <= 24; frame++) {
    s.weights[TOUCH_DOWN] = 0.5f * (float)frame / 24;
    touch_step(&s, &opts);
  }
  const mi_contacts *c = s.state->contacts;
  mi_contacts_find_rows(s.state, &s.input, &opts);
  double pushed = 0, limits = 0, worst = 0;
  for (int r = 0; r < c->nrow; r++) {
    const mi_row *row = c->row + r;
    double along = 0;
    for (int j = 0; j < 4 && row->vert[j] >= 0; j++) {
      const float *at = c->x_rows + 3 * (size_t)c->soft[s.state->solver->perm[row->vert[j]]];
      for (int k = 0; k < 3; k++)
        along += (double)row->coef[j] * (double)row->normal[k] * (double)at[k];
    }
    double push = (double)row->weight * fmax(0, (double)row->gap - along);
    pushed += push;
    limits += (double)row->limit;
    if (push > 1e-4) worst = fmax(worst, fabs((double)row->limit / (opts.friction * push) - 1));
  }
  print_message(
      "%d rows push with %.3f N, friction holds up to %.3f N: mu %.2f, wanted %.2f; a row "
      "is off by up to %.0f %%\n",
      c->nrow, pushed, limits, limits / pushed, opts.friction, 100 * worst);
  touch_free(&s);
  assert_true(pushed > 0.02);
  assert_near(limits, opts.friction * pushed, 0.05 * opts.friction * pushed);
  assert_true(worst < 0.05);
}

// Rows between skin and something rigid, as the last step left them, and those that friction holds.
typedef struct rigid_rows {
  int count, nheld;
} rigid_rows;

static rigid_rows count_rigid(const touch_scene *s) {
  const mi_contacts *c = s->state->contacts;
  rigid_rows found = {0};
  for (int r = 0; r < c->nrow; r++) {
    const mi_row *row = c->row + r;
    float sum = 0; // of the soft side alone
    for (int k = 0; k < 4 && row->vert[k] >= 0; k++) sum += row->coef[k];
    if (fabsf(sum) < 0.5f) continue;
    found.count++;
    found.nheld += row->limit > 0;
  }
  return found;
}

// As the parameter's help says: a collider of the user's holds skin by friction, teeth do not.
static void friction_is_of_users_colliders_alone(void **state) {
  scene_mesh box = scene_box(0.04, 0.01, 0.04);
  mien_collider collider = {"box", {box.position, box.nvert, 3}, {box.tri, 3 * box.ntri}};
  mien_rigid above = {{0, 0, 0, 1}, {0, 0.008, 0}};
  mien_face_def def;
  mien_face_def_init(&def);
  def.colliders = &collider;
  def.ncollider = 1;
  touch_scene ball = touch_ball(&def, NULL), head = touch_head("kiss.csv", NULL);
  mien_step_opts opts = touch_options(*state, 24);
  ball.input.colliders = &above;
  ball.input.ncollider = 1;
  rigid_rows on_box = {0}, on_teeth = {0};
  for (int frame = 0; frame < 6; frame++) {
    above.translation[1] = 0.008 - 0.001 * frame;
    touch_step(&ball, &opts);
    *touch_weight(&head, "mouthRollLower") = 0.5f * (float)frame; // lips go into the teeth
    touch_step(&head, &opts);
    rigid_rows box_now = count_rigid(&ball), teeth_now = count_rigid(&head);
    on_box.count += box_now.count, on_box.nheld += box_now.nheld;
    on_teeth.count += teeth_now.count, on_teeth.nheld += teeth_now.nheld;
  }
  print_message("friction holds %d of %d rows on a collider, %d of %d on teeth\n", on_box.nheld,
                on_box.count, on_teeth.nheld, on_teeth.count);
  touch_free(&ball);
  touch_free(&head);
  scene_mesh_free(&box);
  assert_true(on_box.nheld > 0 && on_teeth.count > 0);
  assert_int_equal(on_teeth.nheld, 0);
}

// A pose that is free has rows, for skin is close, but none of them pushes or holds.
static void nothing_pushes_at_a_free_pose(void **state) {
  touch_scene s = touch_balls(0.002, NULL);
  mien_step_opts opts = touch_options(*state, 48);
  opts.thickness = 0.5e-3;
  s.weights[TOUCH_DOWN] = 0.18f; // 0.2 mm apart, closer than the thickness
  for (int frame = 0; frame < 3; frame++) touch_step(&s, &opts);
  const mi_solver *solver = s.state->solver;
  const mi_contacts *c = s.state->contacts;
  mi_contacts_begin(s.state, true);
  mi_contacts_find_rows(s.state, &s.input, &opts);
  float *gradient = calloc(4 * (size_t)solver->nvert, sizeof *gradient);
  assert_true(c->nrow > 0);
  assert_true(mi_contacts_add_rows(c, solver->posed, gradient) == 0);
  for (int i = 0; i < 4 * solver->nvert; i++) assert_true(gradient[i] == 0);
  bool is_artists = touch_is_artists(&s);
  free(gradient);
  touch_free(&s);
  assert_true(is_artists);
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
      cmocka_unit_test(others_are_left_alone),
      cmocka_unit_test(planes_push_one_way),
      cmocka_unit_test(common_motion_is_free),
      cmocka_unit_test(friction_sticks_and_then_slides),
      cmocka_unit_test(a_row_slides_at_its_friction),
      WITH(planes, found_rows_are_sound),
      WITH(planes, friction_is_as_strong_as_the_push),
      WITH(planes, friction_is_of_users_colliders_alone),
      WITH(planes, nothing_pushes_at_a_free_pose),
      cmocka_unit_test(a_step_too_long_is_shortened_by_the_parabola),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

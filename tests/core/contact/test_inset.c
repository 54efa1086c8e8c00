// The contact surface of a neutral that crosses: pulled in until it does not, or left alone.
#include "contact/inset.h"
#include "crossings.h"
#include "soups.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// m, of a face these would be parts of
static const double SIZE = 0.2, SLACK = 0.5e-6;

typedef struct scene {
  scene_mesh mesh;
  mi_arena arena;
  mi_surface *surface;
  mi_broad *broad;
  mi_active active;
  mi_inset inset;
} scene;

static mien_result find_in(scene *s, const mien_host *host, int nsoft) {
  mi_arena_init(&s->arena, host);
  mi_surface_def def = {.nvert = s->mesh.nvert,
                        .nsoft = nsoft,
                        .ntri = s->mesh.ntri,
                        .tri = s->mesh.tri,
                        .rest = s->mesh.position};
  s->surface = mi_surface_create(&def, &s->arena);
  s->broad = s->surface ? mi_broad_create(s->surface, 1 << 19, &s->arena) : NULL;
  bool is_made = s->broad && mi_active_create(&s->active, 1 << 16, &s->arena) &&
                 mi_inset_find(&s->inset, s->surface, s->broad, &s->active, s->mesh.position, SIZE,
                               SLACK, &s->arena);
  return is_made ? MIEN_OK : MIEN_ERR_MEMORY;
}

// The mesh belongs to it from then on; vertices from nsoft on are rigid.
static scene scene_of(scene_mesh mesh, int nsoft) {
  scene s = {.mesh = mesh};
  mien_host host;
  mi_host_resolve(NULL, &host, NULL);
  assert_int_equal(find_in(&s, &host, nsoft), MIEN_OK);
  return s;
}

static scene soft_scene_of(scene_mesh mesh) {
  return scene_of(mesh, mesh.nvert);
}

static void scene_end(scene *s) {
  mi_arena_free(&s->arena);
  scene_mesh_free(&s->mesh);
}

static scene_mesh join(scene_mesh a, scene_mesh b) {
  scene_mesh both = scene_join(&a, &b);
  scene_mesh_free(&a);
  scene_mesh_free(&b);
  return both;
}

// A sheet of 40 mm that bulges in its middle by `height`, facing up, or facing down and bulging so.
static scene_mesh bulge(double height, bool is_up) {
  scene_mesh mesh = scene_grid(17, 17, 0.04);
  for (int i = 0; i < mesh.nvert; i++) {
    float *p = mesh.position + 3 * (size_t)i;
    double x = (double)p[0] / 0.02, y = (double)p[1] / 0.02;
    double z = height - 0.006 * (x * x + y * y);
    p[2] = (float)(is_up ? z : -z);
    // triangles of the two do not lie on each other
    if (!is_up) p[0] += 0.7e-3f, p[1] -= 0.4e-3f;
  }
  if (!is_up) scene_flip(&mesh);
  return mesh;
}

static void move_by(scene_mesh *mesh, double x, double y, double z) {
  for (int i = 0; i < mesh->nvert; i++) {
    mesh->position[3 * i] += (float)x;
    mesh->position[3 * i + 1] += (float)y;
    mesh->position[3 * i + 2] += (float)z;
  }
}

static int64_t count_crossings(const scene *s, const float *position) {
  crossings_mesh mesh = {position, s->mesh.tri, s->mesh.ntri, NULL};
  return crossings_within(&mesh).count;
}

// -- What must hold of every result ---------------------------------------------------------------

static bool is_masked(const scene *s, const int32_t *vert, int count) {
  for (int k = 0; k < count; k++)
    if (s->inset.is_masked[vert[k]]) return true;
  return false;
}

static bool may_meet(const scene *s, const int32_t vert[4], int first) {
  bool any_soft = false;
  for (int k = 0; k < 4; k++) {
    any_soft |= vert[k] < s->surface->nsoft;
    for (int j = first; j < 4 && k < first; j++)
      if (vert[k] == vert[j]) return false;
  }
  return any_soft && !is_masked(s, vert, 4);
}

// m, the least of all pairs that may meet, by a loop over all
static double least_gap_of(const scene *s, const float *x, bool is_edges) {
  int na = is_edges ? s->surface->nedge : s->surface->nvert;
  int nb = is_edges ? s->surface->nedge : s->surface->ntri;
  double least = INFINITY;
  for (int a = 0; a < na; a++)
    for (int b = is_edges ? a + 1 : 0; b < nb; b++) {
      int32_t vert[4];
      double at[12];
      mi_surface_vertices(s->surface, (mi_pair){a, b}, is_edges, vert);
      if (!may_meet(s, vert, is_edges ? 2 : 1)) continue;
      for (int k = 0; k < 12; k++) at[k] = (double)x[3 * vert[k / 3] + k % 3];
      least = fmin(least, (is_edges ? mi_closest_edge_edge : mi_closest_vertex_triangle)(at).d2);
    }
  return sqrt(least);
}

// By the exact test, of triangles that are not masked.
static int64_t crossings_left(const scene *s, const float *x) {
  int32_t *tri = malloc(3 * (size_t)s->mesh.ntri * sizeof *tri);
  int count = 0;
  for (int t = 0; t < s->mesh.ntri; t++)
    if (!is_masked(s, s->mesh.tri + 3 * (size_t)t, 3))
      memcpy(tri + 3 * (size_t)count++, s->mesh.tri + 3 * (size_t)t, 3 * sizeof *tri);
  crossings_mesh mesh = {x, tri, count, NULL};
  int64_t found = crossings_within(&mesh).count;
  free(tri);
  return found;
}

typedef struct depths {
  double soft, rigid; // m, deepest
  int nsoft, nrigid;  // vertices pulled in
  int nmasked;
} depths;

static depths depths_of(const scene *s) {
  depths d = {0};
  for (int i = 0; i < s->mesh.nvert; i++) {
    double depth = (double)s->inset.depth[i];
    bool is_soft = i < s->surface->nsoft;
    assert_true(depth >= 0 && depth <= (is_soft ? 0.04 : 0.08) * SIZE * (1 + 1e-6));
    *(is_soft ? &d.soft : &d.rigid) = fmax(is_soft ? d.soft : d.rigid, depth);
    d.nsoft += is_soft && depth > 0;
    d.nrigid += !is_soft && depth > 0;
    d.nmasked += s->inset.is_masked[i];
  }
  return d;
}

// At rest + shift nothing crosses, and gaps are above four times the slack.
static depths check(const scene *s, const char *what) {
  depths d = depths_of(s);
  size_t count = 3 * (size_t)s->mesh.nvert;
  float *x = malloc(count * sizeof *x);
  mi_inset_shift(&s->inset, s->surface, s->mesh.position, x);
  for (size_t i = 0; i < count; i++) {
    bool is_pulled = s->inset.depth[i / 3] > 0;
    assert_true(isfinite(x[i]) && (is_pulled || x[i] == 0));
    x[i] += s->mesh.position[i];
    assert_true(x[i] == s->inset.shifted[i]);
  }
  int64_t left = crossings_left(s, x);
  double gap = fmin(least_gap_of(s, x, false), least_gap_of(s, x, true));
  print_message("%s: %d crossed, %d left; %d soft pulled in by up to %.2f mm, %d rigid by up to "
                "%.2f mm, %d masked; least gap %.3g um\n",
                what, (int)count_crossings(s, s->mesh.position), (int)left, d.nsoft, 1e3 * d.soft,
                d.nrigid, 1e3 * d.rigid, d.nmasked, 1e6 * gap);
  free(x);
  assert_int_equal(s->inset.ninset, d.nsoft + d.nrigid);
  assert_int_equal(s->inset.nmasked, d.nmasked);
  assert_int_equal(left, 0);
  assert_true(gap >= 4 * SLACK * (1 - 1e-3));
  return d;
}

// -- Neutrals -------------------------------------------------------------------------------------

static void a_free_neutral_is_left_alone(void **state) {
  (void)state;
  scene s = soft_scene_of(join(bulge(-0.3e-3, true), bulge(-0.3e-3, false)));
  depths d = check(&s, "free");
  float *shift = malloc(3 * (size_t)s.mesh.nvert * sizeof *shift);
  for (int i = 0; i < 3 * s.mesh.nvert; i++) shift[i] = 7;
  mi_inset_shift(&s.inset, s.surface, s.mesh.position, shift);
  for (int i = 0; i < 3 * s.mesh.nvert; i++) assert_true(shift[i] == 0);
  free(shift);
  assert_int_equal(d.nsoft + d.nrigid + d.nmasked, 0);
  scene_end(&s);
}

// Lips that overlap by 1 mm: both are pulled in by about half of that, and by little more.
static void overlapping_sheets_are_pulled_in(void **state) {
  (void)state;
  scene s = soft_scene_of(join(bulge(0.5e-3, true), bulge(0.5e-3, false)));
  assert_true(count_crossings(&s, s.mesh.position) > 10);
  depths d = check(&s, "sheets");
  assert_int_equal(d.nmasked, 0);
  assert_true(d.soft > 0.4e-3 && d.soft < 1.2e-3);
  assert_true(s.inset.depth[0] == 0); // a corner, far from the other
  scene_end(&s);
}

static void overlapping_bodies_are_pulled_in(void **state) {
  (void)state;
  scene_mesh a = scene_sphere(16, 24, 0.03), b = scene_sphere(16, 24, 0.03);
  move_by(&b, 0.058, 0.003, 0.001);
  scene s = soft_scene_of(join(a, b));
  assert_true(count_crossings(&s, s.mesh.position) > 10);
  depths d = check(&s, "bodies");
  assert_int_equal(d.nmasked, 0);
  assert_true(d.soft > 0.5e-3 && d.soft < 4e-3);
  scene_end(&s);
}

// Eyes and teeth are pulled in, the skin over them is not.
static void rigid_gives_way_before_soft(void **state) {
  (void)state;
  scene_mesh sheet = scene_grid(17, 17, 0.04), ball = scene_sphere(24, 32, 0.012);
  move_by(&ball, 0.0003, 0.0002, 0.010); // 2 mm of it are through the sheet, which faces away
  scene_flip(&sheet);
  int nsoft = sheet.nvert;
  scene s = scene_of(join(sheet, ball), nsoft);
  assert_true(count_crossings(&s, s.mesh.position) > 10);
  depths d = check(&s, "sheet and ball");
  assert_int_equal(d.nsoft + d.nmasked, 0);
  assert_true(d.rigid > 1.9e-3 && d.rigid < 4e-3);
  scene_end(&s);
}

// A sheet through a ball's middle: no depth helps. The skin that is in the ball is masked, all
// other skin meets a ball that has kept its shape. (Pulled in without end the ball would be turned
// inside out and hold what is in it.)
static void skin_deep_in_a_ball_is_masked(void **state) {
  (void)state;
  scene_mesh sheet = scene_grid(17, 17, 0.08), ball = scene_sphere(24, 32, 0.025);
  move_by(&ball, 0.0003, 0.0002, 0.0005);
  int nsoft = sheet.nvert;
  scene s = scene_of(join(sheet, ball), nsoft);
  depths d = check(&s, "a ball cut in halves");
  assert_true(d.nmasked > 10 && d.nmasked < nsoft / 2 && d.rigid < 4e-3);
  for (int i = nsoft; i < s.mesh.nvert; i++) assert_false(s.inset.is_masked[i]);
  scene_end(&s);
}

// Skin modelled twice in one place: its two sides face each other, and have no gap at all.
static void coincident_sheets_get_a_depth(void **state) {
  (void)state;
  scene_mesh a = scene_grid(13, 13, 0.03), b = scene_grid(13, 13, 0.03);
  scene_flip(&b);
  scene s = soft_scene_of(join(a, b));
  depths d = check(&s, "coincident");
  assert_int_equal(d.nmasked, 0);
  assert_true(d.soft > 0 && d.soft < 1e-3);
  for (int i = 0; i < s.mesh.nvert; i++) assert_true(s.inset.depth[i] > 0);
  scene_end(&s);
}

// Both face the same way: however deep, they stay together.
static void doubled_skin_is_masked(void **state) {
  (void)state;
  scene s = soft_scene_of(join(scene_grid(13, 13, 0.03), scene_grid(13, 13, 0.03)));
  depths d = check(&s, "doubled");
  assert_true(d.nmasked > 100);
  scene_end(&s);
}

// A sheet through another at a right angle, one through a third that faces the wrong way: knots.
static void knots_are_masked_and_end(void **state) {
  (void)state;
  scene_mesh a = scene_grid(15, 15, 0.04), b = scene_grid(15, 15, 0.04);
  for (int i = 0; i < b.nvert; i++) {
    float *p = b.position + 3 * (size_t)i, z = p[1];
    p[1] = 0.3e-3f + 0.02f * z;
    p[2] = z;
  }
  scene_mesh c = bulge(2e-3, true), e = bulge(2e-3, false); // inside out
  scene_flip(&c);
  scene_flip(&e);
  move_by(&c, 0.1, 0, 0);
  move_by(&e, 0.1, 0, 0);
  scene s = soft_scene_of(join(join(a, b), join(c, e)));
  depths d = check(&s, "knots");
  assert_true(d.nmasked > 10 && d.nmasked < s.mesh.nvert / 2);
  scene_end(&s);
}

// A user's collider has no place in the neutral.
static void what_is_not_finite_is_left_alone(void **state) {
  (void)state;
  scene_mesh sheets = join(bulge(0.5e-3, true), bulge(0.5e-3, false));
  scene_mesh ball = scene_sphere(8, 8, 0.01);
  int nsoft = sheets.nvert, nvert = nsoft + ball.nvert;
  for (int i = 0; i < 3 * ball.nvert; i++) ball.position[i] = NAN;
  scene s = scene_of(join(sheets, ball), nsoft);
  for (int i = nsoft; i < nvert; i++) {
    assert_true(s.inset.depth[i] == 0);
    assert_false(s.inset.is_masked[i]);
  }
  crossings_mesh mesh = {s.inset.shifted, s.mesh.tri, s.surface->ntri - ball.ntri, NULL};
  assert_int_equal(crossings_within(&mesh).count, 0);
  scene_end(&s);
}

// m: what the pose at x pulls in at most.
static double most_shift(const scene *s, const float *x, float *shift) {
  double most = 0;
  mi_inset_shift(&s->inset, s->surface, x, shift);
  for (int i = 0; i < s->mesh.nvert; i++)
    most = fmax(most, hypot(hypot((double)shift[3 * i], (double)shift[3 * i + 1]),
                            (double)shift[3 * i + 2]));
  return most;
}

// What both sides have in common changes nothing; what moves them against each other lets them out,
// a little for a little motion.
static void the_shift_follows_the_pose(void **state) {
  (void)state;
  scene_mesh one = bulge(0.5e-3, true);
  int nfirst = one.nvert;
  scene s = soft_scene_of(join(one, bulge(0.5e-3, false)));
  size_t count = 3 * (size_t)s.mesh.nvert;
  float *x = malloc(count * sizeof *x), *shift = malloc(count * sizeof *x);
  float *rest = malloc(count * sizeof *x);
  double deepest = most_shift(&s, s.mesh.position, rest), before = deepest;
  for (size_t i = 0; i < count; i++) x[i] = s.mesh.position[i] + 0.25f * (float)(i % 3);
  most_shift(&s, x, shift);
  for (size_t i = 0; i < count; i++) assert_near(shift[i], rest[i], 1e-6);
  for (double slid = 0; slid < 6e-4; slid += 1e-5) {
    memcpy(x, s.mesh.position, count * sizeof *x);
    for (int i = 0; i < nfirst; i++) x[3 * i] += (float)slid;
    double now = most_shift(&s, x, shift);
    assert_true(now <= before + 1e-9);
    assert_true(before - now < 1.1e-5 * deepest / (double)(s.inset.gone - s.inset.spare) + 1e-8);
    if (slid < 0.9 * (double)s.inset.spare) assert_near(now, deepest, 1e-8);
    if (slid > 1.01 * (double)s.inset.gone) assert_true(now == 0);
    before = now;
  }
  assert_true(s.inset.spare > 0);
  assert_true(before == 0);
  free(x);
  free(shift);
  free(rest);
  scene_end(&s);
}

static mien_result make(const mien_host *host, void *user) {
  scene s = {.mesh = *(scene_mesh *)user};
  mien_result result = find_in(&s, host, s.mesh.nvert);
  mi_arena_free(&s.arena);
  return result;
}

static void every_allocation_may_fail(void **state) {
  (void)state;
  scene_mesh mesh = join(bulge(0.5e-3, true), bulge(0.5e-3, false));
  scene_fail_every_allocation(make, &mesh);
  scene_mesh_free(&mesh);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_free_neutral_is_left_alone),
      cmocka_unit_test(overlapping_sheets_are_pulled_in),
      cmocka_unit_test(overlapping_bodies_are_pulled_in),
      cmocka_unit_test(rigid_gives_way_before_soft),
      cmocka_unit_test(skin_deep_in_a_ball_is_masked),
      cmocka_unit_test(coincident_sheets_get_a_depth),
      cmocka_unit_test(doubled_skin_is_masked),
      cmocka_unit_test(knots_are_masked_and_end),
      cmocka_unit_test(what_is_not_finite_is_left_alone),
      cmocka_unit_test(the_shift_follows_the_pose),
      cmocka_unit_test(every_allocation_may_fail),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

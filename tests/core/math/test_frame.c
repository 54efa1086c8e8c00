#include "energy/energy.h"
#include "math/frame.h"
#include "scenes/scene.h"

#include <math.h>
#include <string.h>

enum { N = 5 };
static const float posed[3 * N] = {0, 0, 0, 0.1f, 0, 0, 0, 0.2f, 0, 0, 0, 0.3f, 0.1f, -0.1f, 0.05f};

static mien_rigid turned(double angle, double x, double y, double z) {
  return (mien_rigid){{0, sin(angle / 2), 0, cos(angle / 2)}, {x, y, z}};
}

static void flesh_stays_where_it_was_in_the_world(void **state) {
  (void)state;
  float offset[3 * N] = {0}, velocity[3 * N] = {0};
  offset[4] = 0.01f;
  velocity[0] = 1;
  mien_rigid from = turned(0.3, 1, 2, 3), to = turned(1.1, 1.5, 2, 2.5);
  mi_frame_change(&from, &to, N, 1, posed, offset, velocity);
  for (int i = 0; i < N; i++) {
    double before[3] = {posed[3 * i], posed[3 * i + 1] + (i == 1 ? 0.01 : 0), posed[3 * i + 2]};
    double after[3], world[2][3];
    for (int k = 0; k < 3; k++) after[k] = (double)posed[3 * i + k] + offset[3 * i + k];
    const double *points[2] = {before, after};
    const mien_rigid *heads[2] = {&from, &to};
    double angles[2] = {0.3, 1.1};
    for (int p = 0; p < 2; p++) { // rotation about y, by hand
      double c = cos(angles[p]), s = sin(angles[p]);
      world[p][0] = c * points[p][0] + s * points[p][2] + heads[p]->translation[0];
      world[p][1] = points[p][1] + heads[p]->translation[1];
      world[p][2] = -s * points[p][0] + c * points[p][2] + heads[p]->translation[2];
    }
    for (int k = 0; k < 3; k++) assert_near(world[0][k], world[1][k], 1e-6);
  }
  // turned back by 0.8 about y
  const double speed[3] = {cos(0.8), 0, sin(0.8)};
  for (int k = 0; k < 3; k++) assert_near(velocity[k], speed[k], 1e-6);
}

static void ten_kilometres_away_is_the_same(void **state) {
  (void)state;
  float near_offset[3 * N] = {0}, near_velocity[3 * N] = {0};
  float far_offset[3 * N] = {0}, far_velocity[3 * N] = {0};
  mien_rigid a = turned(0.2, 0, 0, 0), b = turned(0.25, 0.0625, 0, -0.125);
  mi_frame_change(&a, &b, N, 1, posed, near_offset, near_velocity);
  a.translation[0] += 16384, b.translation[0] += 16384; // exact in double
  mi_frame_change(&a, &b, N, 1, posed, far_offset, far_velocity);
  assert_memory_equal(near_offset, far_offset, sizeof near_offset);
}

static void a_head_that_stays_changes_nothing(void **state) {
  (void)state;
  float offset[3 * N], velocity[3 * N], before[3 * N];
  for (int i = 0; i < 3 * N; i++) before[i] = offset[i] = velocity[i] = 0.1f * (float)i;
  mien_rigid head = turned(0.7, 1, 2, 3);
  mi_frame_change(&head, &head, N, 1, posed, offset, velocity);
  assert_memory_equal(offset, before, sizeof before);
  assert_memory_equal(velocity, before, sizeof before);
  double down[3] = {0, -9.81, 1}, local[3];
  mi_frame_from_world(&head, down, local);
  assert_near(local[1], -9.81, 1e-12);
  assert_near(local[0] * local[0] + local[2] * local[2], 1, 1e-12);
}

// the total force of wind on a closed body comes from the side it hits
static void wind_pushes_the_side_it_hits(void **state) {
  (void)state;
  scene_mesh mesh = scene_sphere(30, 40, 0.1);
  mien_rig *rig = scene_rig(&mesh);
  mien_face *face = NULL;
  assert_true(mien_face_create(rig, NULL, NULL, &face, NULL) >= 0);
  int count = 3 * face->info.nvert;
  float *still = test_calloc((size_t)count, sizeof(float));
  float *velocity = test_calloc((size_t)count, sizeof(float));
  mi_forces forces = {.wind = {0, 0, -10}, .flesh = face->rest, .velocity = still};
  mi_laws_accelerate(face, &forces, 0.01, velocity);
  double accel = 0;
  for (int i = 0; i < face->skin.nvert; i++) {
    accel += face->mass[i] * velocity[3 * i + 2] / 0.01;
    if (face->rest[3 * i + 2] < -0.02f) assert_true(velocity[3 * i + 2] == 0); // lee
  }
  // along the wind the law of a flat plate sees the shadow: rho/2 v^2 pi r^2
  assert_near(accel, -0.5 * 1.2 * 100 * 3.14159265 * 0.01, 0.03);
  memset(velocity, 0, (size_t)count * sizeof(float));
  mi_forces fall = {.gravity = {0, -9.81, 0}, .flesh = face->rest, .velocity = still};
  mi_laws_accelerate(face, &fall, 0.5, velocity);
  for (int i = 0; i < face->info.nvert; i++) assert_near(velocity[3 * i + 1], -4.905, 1e-6);
  test_free(still);
  test_free(velocity);
  mien_face_free(face);
  mien_rig_free(rig);
  scene_mesh_free(&mesh);
}

// behind the lips air stands still
static void wind_does_not_blow_in_the_mouth(void **state) {
  (void)state;
  scene_mesh mesh = scene_sphere(30, 40, 0.1);
  float *bits = test_calloc((size_t)mesh.nvert, sizeof *bits);
  for (int i = 0; i < mesh.nvert; i++)
    if (mesh.position[3 * i] > 0.02f)
      bits[i] = i % 2 ? MIEN_REGION_MOUTH_BAG : MIEN_REGION_LIP_INNER;
  const mien_map map = {"region", 1, {bits, mesh.nvert, 1}};
  mien_rig_def def = scene_rig_def(&mesh);
  mien_rig *rig = NULL;
  mien_face *face = NULL;
  def.maps = &map;
  def.nmap = 1;
  assert_true(mien_rig_create(&def, NULL, &rig, NULL) >= 0);
  assert_true(mien_face_create(rig, NULL, NULL, &face, NULL) >= 0);
  int count = 3 * face->info.nvert, nsheltered = 0, nblown = 0;
  float *still = test_calloc((size_t)count, sizeof(float));
  float *velocity = test_calloc((size_t)count, sizeof(float));
  mi_forces forces = {.wind = {0, 0, -10}, .flesh = face->rest, .velocity = still};
  mi_laws_accelerate(face, &forces, 0.01, velocity);
  for (int i = 0; i < face->skin.nvert; i++) {
    bool is_inside = face->rest[3 * i] > 0.05f, is_hit = face->rest[3 * i + 2] > 0.03f;
    if (is_inside) assert_true(velocity[3 * i + 2] == 0);
    nsheltered += is_inside && is_hit;
    nblown += is_hit && velocity[3 * i + 2] < 0;
  }
  assert_true(nsheltered > 20 && nblown > 20);
  test_free(bits);
  test_free(still);
  test_free(velocity);
  mien_face_free(face);
  mien_rig_free(rig);
  scene_mesh_free(&mesh);
}

static void a_share_of_the_motion_is_felt(void **state) {
  (void)state;
  const double all[3] = {1, 1, 1}, none[3] = {0, 0, 0}, half[3] = {0.5, 0.5, 0.5};
  mien_rigid from = turned(0.3, 1, 2, 3), to = turned(1.1, 1.5, 2.5, 2.5), out;
  mi_frame_attenuate(&from, &to, all, all, &out);
  assert_true(mi_frame_is_same(&from, &out)); // to the last bit
  mi_frame_attenuate(&from, &to, none, none, &out);
  for (int k = 0; k < 3; k++) assert_near(out.translation[k], to.translation[k], 1e-15);
  for (int k = 0; k < 4; k++) assert_near(out.rotation[k], to.rotation[k], 1e-15);
  mi_frame_attenuate(&from, &to, half, half, &out);
  mien_rigid middle = turned(0.7, 1.25, 2.25, 2.75);
  for (int k = 0; k < 3; k++) assert_near(out.translation[k], middle.translation[k], 1e-12);
  for (int k = 0; k < 4; k++) assert_near(out.rotation[k], middle.rotation[k], 1e-12);
  // q and -q are one rotation, and the shorter way is meant
  for (int k = 0; k < 4; k++) from.rotation[k] = -from.rotation[k];
  mi_frame_attenuate(&from, &to, half, half, &out);
  for (int k = 0; k < 4; k++) assert_near(out.rotation[k], middle.rotation[k], 1e-12);
}

static void the_axes_are_the_heads(void **state) {
  (void)state;
  const double all[3] = {1, 1, 1};
  mien_rigid out;
  // one that looks along +x and goes there moves along its own z
  mien_rigid here = turned(acos(0), 0, 0, 0), there = turned(acos(0), 3, 4, 0);
  mi_frame_attenuate(&here, &there, (double[]){1, 0, 1}, all, &out);
  assert_near(out.translation[1], 4, 1e-12); // up is not felt: it was up there already
  assert_near(out.translation[0], 0, 1e-12);
  mi_frame_attenuate(&here, &there, (double[]){1, 1, 0}, all, &out);
  assert_near(out.translation[0], 3, 1e-12);
  assert_near(out.translation[1], 0, 1e-12);
  mien_rigid nod = {{sin(0.2), 0, 0, cos(0.2)}, {0}}, still = {{0, 0, 0, 1}, {0}};
  mi_frame_attenuate(&still, &nod, all, (double[]){1, 0, 0}, &out);
  for (int k = 0; k < 4; k++) assert_near(out.rotation[k], still.rotation[k], 1e-12);
  mi_frame_attenuate(&still, &nod, all, (double[]){0, 1, 1}, &out);
  for (int k = 0; k < 4; k++) assert_near(out.rotation[k], nod.rotation[k], 1e-12);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(flesh_stays_where_it_was_in_the_world),
                                     cmocka_unit_test(ten_kilometres_away_is_the_same),
                                     cmocka_unit_test(a_head_that_stays_changes_nothing),
                                     cmocka_unit_test(a_share_of_the_motion_is_felt),
                                     cmocka_unit_test(the_axes_are_the_heads),
                                     cmocka_unit_test(wind_pushes_the_side_it_hits),
                                     cmocka_unit_test(wind_does_not_blow_in_the_mouth)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

// What holds flesh at least (face/support.c): a crumpled bag, as foreign heads have one behind
// their lips, stays in the face however soft the flesh is and however the head is shaken.
#include "face/face.h"
#include "scenes/scene.h"

#include <math.h>

enum { RINGS = 24, SECTORS = 48, NVERT = (RINGS - 1) * SECTORS + 2 };
static const double PI = 3.14159265358979323846;

typedef struct softness {
  double stiffness, volume_stiffness, attachment_rate;
} softness;

// as in presets/
static const softness SKIN = {12000, 36000, 60}, JOWLY = {3500, 20000, 28},
                      CARTOON = {2500, 12000, 24};

// A ball as large as a head, and as far from the origin as that of a whole body. In front it is
// crumpled by up to `crumpled` and only muscles hold it.
static scene_flesh build(double crumpled, float elsewhere, const softness *soft) {
  scene_mesh mesh = scene_sphere(RINGS, SECTORS, 0.09);
  static float held[NVERT];
  uint32_t random = 12345;
  for (int k = 0; k < 3 * NVERT; k++) {
    float *at = mesh.position + k - k % 3;
    if (k % 3 == 0) held[k / 3] = at[2] > 0.055f ? 0.15f : elsewhere;
    random = 1664525 * random + 1013904223;
    if (held[k / 3] < 0.2f && crumpled > 0)
      mesh.position[k] += (float)(crumpled * (random / 2147483648.0 - 1));
  }
  for (int i = 0; i < NVERT; i++) mesh.position[3 * i + 1] += 1.6f;
  const mien_map map = {"attachment", 1, {held, NVERT, 1}};
  mien_rig_def def = scene_rig_def(&mesh);
  def.maps = &map;
  def.nmap = 1;
  scene_flesh f = scene_flesh_create(mesh, &def, NULL);
  mien_face_def flesh;
  mien_error err;
  mien_face_def_init(&flesh);
  flesh.stiffness = soft->stiffness;
  flesh.volume_stiffness = soft->volume_stiffness;
  flesh.attachment_rate = soft->attachment_rate;
  mien_state_free(f.state);
  mien_face_free(f.face);
  if (mien_face_create(f.rig, &flesh, NULL, &f.face, &err) < 0 ||
      mien_state_create(f.face, NULL, &f.state, &err) < 0)
    fail_msg("%s", err.text);
  return f;
}

// 3 cm around in a circle, three times a second: 1.1 g. Returns how far skin was off its pose at
// most.
static double shake(scene_flesh *f, double fps, int substeps) {
  double worst = 0;
  for (int frame = 0; frame < 2.5 * fps; frame++) {
    mien_input input;
    mien_step_opts opts;
    mien_error err;
    mien_input_init(&input);
    mien_step_opts_init(&opts);
    double turn = 2 * PI * 3 * frame / fps;
    input.head = (mien_rigid){{0, 0, 0, 1}, {0.03 * sin(turn), 0.03 * cos(turn), 0}};
    opts.dt = 1 / fps;
    opts.substeps = substeps;
    if (!frame) opts.solver = MIEN_SOLVER_KINEMATIC;
    if (mien_step(f->state, &input, &opts, &err) < 0) fail_msg("%s", err.text);
    worst = fmax(worst, mien_state_get_info(f->state)->max_offset);
  }
  return worst;
}

// Without support the bag went 33 mm off its pose (skin), 149 mm (jowly) and 453 mm (cartoon).
static void a_crumpled_bag_stays_in_the_face(void **state) {
  const softness *soft = *state;
  const struct {
    double fps;
    int substeps;
  } of[] = {{24, 1}, {60, 1}, {24, 4}};
  for (int k = 0; k < 3; k++) {
    scene_flesh f = build(0.008, 1, soft);
    const mien_face_info *info = mien_face_get_info(f.face);
    double worst = shake(&f, of[k].fps, of[k].substeps);
    print_message("%.0f Pa, %.0f fps, %d substeps: %d triangles without flesh, %.1f mm\n",
                  soft->stiffness, of[k].fps, of[k].substeps, info->nleft_out, 1e3 * worst);
    assert_true(info->nleft_out > 40 && info->nthinned > 100);
    assert_true(worst < 0.01);
    scene_flesh_free(&f);
  }
}

// Muscles hold flesh at 7.5 Hz when nothing else does: it sags by g / omega^2, 4.4 mm.
static void muscles_do_not_soften_with_the_flesh(void **state) {
  (void)state;
  const softness loose = {8000, 24000, 10};
  scene_flesh f = build(0, 0.15f, &loose);
  mien_step_opts opts;
  mien_input input;
  mien_error err;
  mien_input_init(&input);
  mien_step_opts_init(&opts);
  opts.iterations = 60;
  opts.gravity[1] = -9.81;
  for (int frame = 0; frame < 200; frame++)
    if (mien_step(f.state, &input, &opts, &err) < 0) fail_msg("%s", err.text);
  const mien_face_info *face = mien_face_get_info(f.face);
  const mien_state_info *info = mien_state_get_info(f.state);
  double sag = 0, mass = 0, omega = 2 * PI * 7.5;
  for (int i = NVERT; i < 2 * NVERT; i++) { // force balance: sum hold * sag = total weight
    double held = face->masses.data[i] + face->masses.data[i - NVERT];
    sag += held * (double)(face->positions.data[3 * i + 1] - info->flesh.data[3 * i + 1]);
    mass += held;
  }
  assert_near(sag / mass, 9.81 / (omega * omega), 0.02 * 9.81 / (omega * omega));
  scene_flesh_free(&f);
}

// Sheets of next to no mass are held as if they had a tenth of the flesh.
static void thin_sheets_are_held_like_a_tenth(void **state) {
  (void)state;
  scene_flesh f = build(0.008, 1, &CARTOON);
  const mien_face *face = f.face;
  double least = INFINITY;
  int count = 0;
  for (int i = 0; i < NVERT; i++) {
    double has = (double)face->mass[i] + (double)face->mass[i + NVERT];
    if (!(face->lack[i] > 4 * has) || face->lost[i] > 0) continue;
    double hold = mi_support_hold(face, i + NVERT, face->attachment[i + NVERT], true);
    double tenth = pow(2 * PI * 7.5, 2) * (has + (double)face->lack[i]);
    least = fmin(least, hold / tenth);
    count++;
  }
  print_message("%d sheets, held at %.2f of a tenth's at least\n", count, least);
  assert_true(count > 5 && least > 0.999);
  scene_flesh_free(&f);
}

// What is painted as free hangs freely: nothing is added to it, thin or not.
static void what_is_painted_free_hangs_freely(void **state) {
  (void)state;
  const softness loose = {8000, 24000, 50};
  scene_flesh f = build(0, 0, &loose);
  assert_true(shake(&f, 24, 1) > 0.02);
  scene_flesh_free(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_prestate(a_crumpled_bag_stays_in_the_face, (void *)(uintptr_t)&SKIN),
      cmocka_unit_test_prestate(a_crumpled_bag_stays_in_the_face, (void *)(uintptr_t)&JOWLY),
      cmocka_unit_test_prestate(a_crumpled_bag_stays_in_the_face, (void *)(uintptr_t)&CARTOON),
      cmocka_unit_test(muscles_do_not_soften_with_the_flesh),
      cmocka_unit_test(thin_sheets_are_held_like_a_tenth),
      cmocka_unit_test(what_is_painted_free_hangs_freely),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

// Flesh under simple skins whose answer is known, and under skins made to break it.
#include "face/face.h"
#include "scenes/scene.h"

#include "math/vec.h"

#include <stdlib.h>
#include <string.h>

static mien_face *attach(mien_rig *rig, const mien_face_def *def) {
  mien_face *face = NULL;
  mien_error err;
  if (mien_face_create(rig, def, NULL, &face, &err) < 0) fail_msg("%s", err.text);
  return face;
}

static void assert_sound(const mien_face *face) {
  const mien_face_info *info = mien_face_get_info(face);
  assert_int_equal(info->ninverted, 0);
  for (int e = 0; e < info->ntet; e++) {
    mi_vec3 p[4];
    for (int c = 0; c < 4; c++)
      p[c] = mi_vec3_load(info->positions.data + 3 * info->tets.data[4 * e + c]);
    assert_true(mi_det(p[0], p[1], p[2], p[3]) > 0);
  }
  for (int i = 0; i < info->nvert; i++) assert_true(info->masses.data[i] > 0);
}

static void a_flat_sheet_gets_a_slab(void **state) {
  (void)state;
  scene_mesh mesh = scene_grid(12, 9, 0.2);
  mien_rig *rig = scene_rig(&mesh);
  mien_face_def def;
  mien_face_def_init(&def);
  def.thickness = 0.004;
  mien_face *face = attach(rig, &def);
  const mien_face_info *info = mien_face_get_info(face);
  mien_rig_free(rig); // the face keeps its own hold on the rig
  assert_sound(face);
  assert_int_equal(info->nvert, 2 * mesh.nvert);
  assert_int_equal(info->ntet, 3 * mesh.ntri);
  assert_int_equal(info->nthinned, 0);
  assert_int_equal(info->nleft_out, 0);
  assert_near(info->volume, 0.2 * 0.2 * 0.004, 1e-9);
  assert_near(info->mass, 1100 * 0.2 * 0.2 * 0.004, 1e-5);
  double sum = 0;
  for (int i = 0; i < info->nvert; i++) sum += info->masses.data[i];
  assert_near(sum, info->mass, 1e-6);
  for (int i = 0; i < mesh.nvert; i++) {
    assert_near(info->positions.data[3 * (i + mesh.nvert) + 2], -0.004, 1e-7);
    assert_near(info->positions.data[3 * (i + mesh.nvert)], mesh.position[3 * i], 1e-6);
  }
  assert_near(info->quality_min, 1, 1e-4);
  mien_face_free(face);
  scene_mesh_free(&mesh);
}

static void a_sphere_gets_a_shell(void **state) {
  (void)state;
  scene_mesh mesh = scene_sphere(40, 60, 0.1);
  mien_rig *rig = scene_rig(&mesh);
  mien_face_def def;
  mien_face_def_init(&def);
  def.thickness = 0.01;
  def.following = 1;
  mien_face *face = attach(rig, &def);
  assert_sound(face);
  const mien_face_info *info = mien_face_get_info(face);
  double shell = 4.0 / 3 * 3.14159265 * (0.1 * 0.1 * 0.1 - 0.09 * 0.09 * 0.09);
  assert_near(info->volume / shell, 1, 0.02);
  mien_face_free(face);
  mien_rig_free(rig);
  scene_mesh_free(&mesh);
}

// neighbours share whole faces: every triangle of the tetrahedra belongs to one or two of them
static void tetrahedra_conform(void **state) {
  (void)state;
  scene_mesh mesh = scene_sphere(6, 9, 0.1);
  mien_rig *rig = scene_rig(&mesh);
  mien_face *face = attach(rig, NULL);
  const mien_face_info *info = mien_face_get_info(face);
  int nboundary = 0;
  static const int corner[4][3] = {{0, 1, 2}, {0, 1, 3}, {0, 2, 3}, {1, 2, 3}};
  for (int e = 0; e < info->ntet; e++)
    for (int f = 0; f < 4; f++) {
      int count = 0;
      for (int g = 0; g < info->ntet; g++) {
        int shared = 0;
        for (int k = 0; k < 3; k++)
          for (int c = 0; c < 4; c++)
            shared += info->tets.data[4 * g + c] == info->tets.data[4 * e + corner[f][k]];
        count += shared == 3;
      }
      assert_in_range(count, 1, 2);
      nboundary += count == 1;
    }
  assert_int_equal(nboundary, 2 * mesh.ntri); // skin and hypodermis, no cracks between
  mien_face_free(face);
  mien_rig_free(rig);
  scene_mesh_free(&mesh);
}

static void thick_flesh_in_a_thin_body_is_thinned(void **state) {
  (void)state;
  // a flat box 6 mm thick cannot hold 5 mm from both sides
  scene_mesh mesh = scene_sphere(30, 40, 0.1);
  for (int i = 0; i < mesh.nvert; i++) mesh.position[3 * i + 2] *= 0.03f;
  mien_rig *rig = scene_rig(&mesh);
  mien_face_def def;
  mien_face_def_init(&def);
  def.thickness = 0.005;
  mien_face *face = attach(rig, &def);
  assert_sound(face);
  const mien_face_info *info = mien_face_get_info(face);
  assert_true(info->nthinned > mesh.nvert / 2);
  for (int i = 0; i < mesh.nvert; i++) { // the two hypodermises do not pass through each other
    float skin = info->positions.data[3 * i + 2];
    float under = info->positions.data[3 * (i + mesh.nvert) + 2];
    if (fabsf(skin) > 0.001f) assert_true((skin > 0) == (under > 0));
  }
  mien_face_free(face);
  mien_rig_free(rig);
  scene_mesh_free(&mesh);
}

static void sharp_creases_and_noise_never_invert(void **state) {
  (void)state;
  for (uint32_t seed = 0; seed < 6; seed++) {
    scene_mesh mesh = scene_sphere(24, 32, 0.1);
    for (int i = 0; i < mesh.nvert; i++)
      for (int k = 0; k < 3; k++) {
        double bump = 1 + 0.1 * seed * (mi_random_unit(40 + seed, (uint32_t)i, 0) - 0.5);
        mesh.position[3 * i + k] *= (float)bump;
      }
    mien_rig *rig = scene_rig(&mesh);
    mien_face_def def;
    mien_face_def_init(&def);
    def.thickness = 0.02;
    mien_face *face = attach(rig, &def);
    assert_sound(face);
    const mien_face_info *info = mien_face_get_info(face);
    assert_true(info->quality_min >= def.min_quality - 1e-9);
    if (seed < 3) assert_int_equal(info->nleft_out, 0);
    mien_face_free(face);
    mien_rig_free(rig);
    scene_mesh_free(&mesh);
  }
}

static void degenerate_triangles_are_left_out(void **state) {
  (void)state;
  scene_mesh mesh = scene_grid(6, 6, 0.2);
  memcpy(mesh.position + 3 * 24, mesh.position + 3 * 25, 12); // an edge of length zero
  mesh.position[3 * 24] += 1e-9f;
  mien_rig_def rig_def = scene_rig_def(&mesh);
  rig_def.weld = 0;
  mien_rig *rig = NULL;
  assert_int_equal(mien_rig_create(&rig_def, NULL, &rig, NULL), MIEN_REMARK);
  mien_face *face = NULL;
  assert_int_equal(mien_face_create(rig, NULL, NULL, &face, NULL), MIEN_REMARK);
  assert_sound(face);
  const mien_face_info *info = mien_face_get_info(face);
  assert_int_equal(info->nleft_out, 2);
  assert_int_equal(info->ntet, 3 * (mesh.ntri - 2));
  mien_face_free(face);
  mien_rig_free(rig);
  scene_mesh_free(&mesh);
}

// Flesh as thick as painted, not smoothed.
static mien_face *attach_as_thick(const scene_mesh *mesh, const float *thick, mien_rig **rig) {
  mien_rig_def def = scene_rig_def(mesh);
  const mien_map map = {"thickness", 1, {thick, mesh->nvert, 1}};
  def.maps = &map;
  def.nmap = 1;
  assert_true(mien_rig_create(&def, NULL, rig, NULL) >= 0);
  mien_face_def face_def;
  mien_face_def_init(&face_def);
  face_def.smoothing = 0;
  return attach(*rig, &face_def);
}

static void a_painted_thickness_is_followed(void **state) {
  (void)state;
  scene_mesh mesh = scene_grid(20, 20, 0.2);
  float *thick = calloc((size_t)mesh.nvert, sizeof *thick);
  for (int i = 0; i < mesh.nvert; i++) thick[i] = mesh.position[3 * i] > 0 ? 0.006f : 0.002f;
  thick[0] = -1;
  mien_rig *rig = NULL;
  mien_face *face = attach_as_thick(&mesh, thick, &rig);
  assert_sound(face);
  const mien_face_info *info = mien_face_get_info(face);
  bool told = false;
  for (int i = 0; i < info->nremark; i++) told |= strstr(info->remarks[i], "painted at 1 ") != NULL;
  assert_true(told);
  for (int i = 0; i < mesh.nvert; i++) {
    float depth = -info->positions.data[3 * (i + mesh.nvert) + 2];
    if (mesh.position[3 * i] > 0.02f) assert_near(depth, 0.006, 1e-6);
    if (mesh.position[3 * i] < -0.02f && i) assert_near(depth, 0.002, 1e-6);
  }
  mien_face_free(face);
  mien_rig_free(rig);
  free(thick);
  scene_mesh_free(&mesh);
}

// A step from 2 to 12 mm within one edge of 5 mm becomes a ramp of three fifths.
static void thickness_changes_gently(void **state) {
  (void)state;
  scene_mesh mesh = scene_grid(40, 40, 0.2);
  float *thick = calloc((size_t)mesh.nvert, sizeof *thick);
  for (int i = 0; i < mesh.nvert; i++) thick[i] = mesh.position[3 * i] > 0 ? 0.012f : 0.002f;
  mien_rig *rig = NULL;
  mien_face *face = attach_as_thick(&mesh, thick, &rig);
  const float *x = mien_face_get_info(face)->positions.data;
  double steepest = 0, most = 0;
  for (int k = 0; k < 3 * mesh.ntri; k++) {
    int i = mesh.tri[k], j = mesh.tri[k % 3 == 2 ? k - 2 : k + 1];
    double rise = (double)x[3 * (i + mesh.nvert) + 2] - (double)x[3 * (j + mesh.nvert) + 2];
    double dx = (double)x[3 * i] - (double)x[3 * j],
           dy = (double)x[3 * i + 1] - (double)x[3 * j + 1];
    steepest = fmax(steepest, fabs(rise) / hypot(dx, dy));
    most = fmax(most, -(double)x[3 * (i + mesh.nvert) + 2]);
  }
  assert_true(steepest > 0.3 && steepest < 0.61);
  assert_near(most, 0.012, 1e-6);
  mien_face_free(face);
  mien_rig_free(rig);
  free(thick);
  scene_mesh_free(&mesh);
}

static void bones_bound_the_flesh(void **state) {
  (void)state;
  scene_mesh skin = scene_sphere(24, 36, 0.1), bone = scene_sphere(24, 36, 0.097);
  scene_mesh both = scene_join(&skin, &bone);
  const mien_part parts[] = {
      {"skin", MIEN_PART_SKIN, 0, skin.nvert, 0, skin.ntri},
      {"skull", MIEN_PART_SKULL, skin.nvert, bone.nvert, skin.ntri, bone.ntri}};
  mien_rig_def def = scene_rig_def(&both);
  def.parts = parts;
  def.npart = 2;
  mien_rig *rig = NULL;
  assert_true(mien_rig_create(&def, NULL, &rig, NULL) >= 0);
  mien_face *face = attach(rig, NULL);
  assert_sound(face);
  const mien_face_info *info = mien_face_get_info(face);
  assert_int_equal(info->nskin, skin.nvert);
  assert_true(info->thickness_max < 0.003);
  mien_face_free(face);
  mien_rig_free(rig);
  scene_mesh_free(&skin);
  scene_mesh_free(&bone);
  scene_mesh_free(&both);
}

static int never_called(void *user, const mien_surface *surface, mien_tet_mesh *out,
                        char why[160]) {
  (void)user, (void)surface, (void)out, (void)why;
  fail_msg("there is nothing to tetrahedralise");
  return -1;
}

// A rig with neither skull nor jaw gets flesh, is told what follows from that, and moves; a volume
// between skin and bones it cannot have.
static void without_skull_and_jaw_it_works_and_says_so(void **state) {
  (void)state;
  scene_mesh mesh = scene_sphere(24, 36, 0.1);
  mien_rig *rig = scene_rig(&mesh);
  mien_face *face = attach(rig, NULL), *volume = NULL;
  const mien_face_info *info = mien_face_get_info(face);
  bool of_jaw = false, of_bone = false;
  for (int i = 0; i < info->nremark; i++) {
    of_jaw |= strstr(info->remarks[i], "no shape opens the jaw: name one jawOpen") != NULL;
    of_bone |= strstr(info->remarks[i], "half attached everywhere; paint the map") != NULL;
  }
  assert_true(of_jaw && of_bone);
  mien_state *made = NULL;
  mien_input input;
  mien_error err;
  assert_int_equal(mien_state_create(face, NULL, &made, NULL), MIEN_OK);
  mien_input_init(&input);
  input.has_jaw = 1; // of a jaw that nothing hangs on
  for (int frame = 0; frame < 5; frame++) {
    input.head.translation[0] = 0.005 * frame * frame;
    input.jaw.translation[1] = -0.01 * frame;
    if (mien_step(made, &input, NULL, &err) < 0) fail_msg("%s", err.text);
  }
  double off = mien_state_get_info(made)->max_offset;
  print_message("%g m off\n", off);
  assert_true(off > 1e-4 && off < 0.1);
  mien_face_def def;
  mien_face_def_init(&def);
  def.flesh = MIEN_FLESH_VOLUME;
  def.tetrahedralise = never_called;
  assert_int_equal(mien_face_create(rig, &def, NULL, &volume, &err), MIEN_ERR_ARGUMENT);
  assert_non_null(strstr(err.text, "needs a skull or a jaw part; this rig has neither"));
  mien_state_free(made);
  mien_face_free(face);
  mien_rig_free(rig);
  scene_mesh_free(&mesh);
}

static void the_same_bits_for_any_number_of_threads(void **state) {
  (void)state;
  scene_mesh mesh = scene_sphere(40, 60, 0.1);
  mien_rig *rig = scene_rig(&mesh);
  static const int threads[] = {1, 2, 8, 32};
  uint64_t first = 0;
  for (int k = 0; k < 4; k++) {
    mien_host host;
    mien_host_init(&host);
    host.threads = threads[k];
    mien_face *face = NULL;
    assert_true(mien_face_create(rig, NULL, &host, &face, NULL) >= 0);
    uint64_t hash = mien_face_get_info(face)->hash;
    if (!k) first = hash;
    assert_true(hash == first);
    mien_face_free(face);
  }
  mien_rig_free(rig);
  scene_mesh_free(&mesh);
}

static void bad_options_are_refused(void **state) {
  (void)state;
  scene_mesh mesh = scene_box(0.1, 0.1, 0.1);
  mien_rig *rig = scene_rig(&mesh);
  for (int kind = 0; kind < 8; kind++) {
    mien_face_def def;
    mien_face_def_init(&def);
    switch (kind) {
    case 0:
      def.struct_size = 3;
      break;
    case 1:
      def.thickness = -1;
      break;
    case 2:
      def.thickness = NAN;
      break;
    case 3:
      def.following = 1.5;
      break;
    case 4:
      def.density = 0;
      break;
    case 5:
      def.min_quality = 0.9;
      break;
    case 6:
      def.flesh = MIEN_FLESH_VOLUME;
      break; // no tetrahedraliser
    case 7:
      def.flesh = (mien_flesh)9;
      break;
    }
    mien_face *face = NULL;
    mien_error err;
    assert_int_equal(mien_face_create(rig, &def, NULL, &face, &err), MIEN_ERR_OPTIONS);
    assert_null(face);
    assert_true(err.text[0]);
  }
  assert_int_equal(mien_face_create(NULL, NULL, NULL, (mien_face **)&rig, NULL), MIEN_ERR_ARGUMENT);
  mien_rig_free(rig);
  scene_mesh_free(&mesh);
}

static mien_result attach_and_free(const mien_host *host, void *user) {
  mien_face *face = NULL;
  mien_result result = mien_face_create(user, NULL, host, &face, NULL);
  mien_face_free(face);
  return result;
}

static void survives_every_failed_allocation(void **state) {
  (void)state;
  scene_mesh mesh = scene_sphere(16, 24, 0.1);
  mien_rig *rig = scene_rig(&mesh);
  scene_fail_every_allocation(attach_and_free, rig);
  mien_rig_free(rig);
  scene_mesh_free(&mesh);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_flat_sheet_gets_a_slab),
                                     cmocka_unit_test(a_sphere_gets_a_shell),
                                     cmocka_unit_test(tetrahedra_conform),
                                     cmocka_unit_test(thick_flesh_in_a_thin_body_is_thinned),
                                     cmocka_unit_test(sharp_creases_and_noise_never_invert),
                                     cmocka_unit_test(degenerate_triangles_are_left_out),
                                     cmocka_unit_test(a_painted_thickness_is_followed),
                                     cmocka_unit_test(thickness_changes_gently),
                                     cmocka_unit_test(bones_bound_the_flesh),
                                     cmocka_unit_test(without_skull_and_jaw_it_works_and_says_so),
                                     cmocka_unit_test(the_same_bits_for_any_number_of_threads),
                                     cmocka_unit_test(bad_options_are_refused),
                                     cmocka_unit_test(survives_every_failed_allocation)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

// Muscles fitted to expressions: derivatives against differences, the simplex, a small fit that
// stops, goes on and is stored, what is refused.
#include "fit/activations_solver.h"
#include "fit/muscle_fit.h"
#include "fit/muscle_geometry.h"
#include "math/vec.h"
#include "scenes/scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static mien_rig *rig;
static mien_face *face; // with the atlas's muscles
static float *smile, *open_jaw;
static int nvert;

static mien_face *make_face(const mien_face_def *given, const mien_host *host) {
  mien_error err;
  mien_face *made = NULL;
  mien_face_def def = *given;
  def.blendvolumes = 0;
  if (mien_face_create(rig, &def, host, &made, &err) < 0) fail_msg("%s", err.text);
  return made;
}

static float *pose(const char *a, const char *b, double weight) {
  int nshape = mien_rig_get_info(rig)->nshape;
  float *weights = calloc((size_t)nshape, sizeof *weights);
  float *out = malloc(3 * (size_t)nvert * sizeof *out);
  weights[mien_rig_find_shape(rig, a)] = (float)weight;
  if (b) weights[mien_rig_find_shape(rig, b)] = (float)weight;
  assert_true(mien_rig_pose(rig, weights, nshape, out, NULL) >= 0);
  free(weights);
  return out;
}

static int set_up(void **unused) {
  (void)unused;
  mien_error err;
  mien_face_def def;
  if (mien_rig_load(MIEN_SAMPLE_DIR "/head_small.glb", NULL, &rig, &err) < 0) return -1;
  nvert = mien_rig_get_info(rig)->nvert;
  mien_face_def_init(&def);
  def.muscles = 1;
  face = make_face(&def, NULL);
  smile = pose("mouthSmileLeft", "mouthSmileRight", 0.8);
  open_jaw = pose("jawOpen", NULL, 0.3);
  return 0;
}

static int tear_down(void **unused) {
  (void)unused;
  free(smile);
  free(open_jaw);
  mien_face_free(face);
  mien_rig_free(rig);
  return 0;
}

// x along a direction of unknowns or shares, by settling anew
static void test_slopes_are_differences(void **unused) {
  (void)unused;
  mi_balance b;
  mi_expression e;
  mien_host host;
  assert_true(mi_host_resolve(NULL, &host, NULL) >= 0);
  assert_true(mi_balance_create(face, &host, &b, NULL) >= 0);
  assert_true(mi_expression_create(&b, &e, NULL) >= 0);
  static const char *const names[] = {"zygomaticus_major_left", "frontalis_right"};
  for (int k = 0; k < 2; k++)
    for (int m = 0; m < b.nmuscle; m++)
      if (!strcmp(face->muscles.info[m].name, names[k]))
        mi_muscle_contract(0.3, e.activation + MI_ACTIVATION * m);
  e.jaw[0] = 0.05;
  for (int k = 0; k < 3; k++) mi_balance_settle(&b, &e, 200);
  assert_true(mi_balance_linearise(&b, &e, NULL) >= 0);
  size_t rows = 3 * (size_t)b.nvert, size = 4 * (size_t)b.nvert * sizeof(float);
  double *f = calloc(rows, sizeof *f), *dx = calloc(rows, sizeof *dx);
  float *low = malloc(size), *middle = malloc(size);
  memcpy(middle, e.x, size);
  int zygomaticus = 0, unknowns[3];
  while (strcmp(face->muscles.info[zygomaticus].name, names[0])) zygomaticus++;
  unknowns[0] = MI_ACTIVATION * zygomaticus;
  unknowns[1] = MI_ACTIVATION * zygomaticus + 2;
  unknowns[2] = MI_ACTIVATION * b.nmuscle; // the jaw opens
  for (int k = 0; k < 3; k++) {
    double step = k < 2 ? 0.02 : 0.01, off = 0, whole = 0;
    memset(f, 0, rows * sizeof *f);
    mi_balance_push(&b, &e, unknowns[k], 1, f);
    assert_true(mi_balance_solve(&b, &e, 1, f, dx));
    for (int side = 0; side < 2; side++) {
      double by = side ? 2 * step : -step;
      if (k < 2)
        e.activation[unknowns[k]] += (float)by;
      else
        e.jaw[0] += by;
      for (int n = 0; n < 3; n++) mi_balance_settle(&b, &e, 200);
      if (!side) memcpy(low, e.x, size);
    }
    for (size_t i = 0; i < rows; i++) {
      double slope =
          ((double)e.x[4 * (i / 3) + i % 3] - (double)low[4 * (i / 3) + i % 3]) / (2 * step);
      off += pow(slope - dx[i], 2);
      whole += slope * slope;
    }
    if (!(off < 0.01 * whole)) // settled in float: a tenth of the least of the three
      fail_msg("unknown %d: %g of %g", unknowns[k], sqrt(off), sqrt(whole));
    if (k < 2)
      e.activation[unknowns[k]] -= (float)step;
    else
      e.jaw[0] -= step;
    memcpy(e.x, middle, size);
  }
  // the adjoint: y . push(v) = pull(y) . v
  double *v = calloc((size_t)face->muscles.nentry, sizeof *v),
         *back = calloc((size_t)face->muscles.nentry, sizeof *back);
  double one = 0, two = 0;
  for (int k = 0; k < face->muscles.nentry; k++) v[k] = mi_random_unit(3, (uint32_t)k, 0) - 0.5;
  for (size_t i = 0; i < rows; i++) dx[i] = mi_random_unit(4, (uint32_t)i, 0) - 0.5;
  memset(f, 0, rows * sizeof *f);
  mi_balance_push_shares(&b, &e, v, f);
  mi_balance_pull_shares(&b, &e, dx, back);
  for (size_t i = 0; i < rows; i++) one += dx[i] * f[i];
  for (int k = 0; k < face->muscles.nentry; k++) two += back[k] * v[k];
  assert_true(fabs(one) > 0);
  assert_near(one / two, 1, 1e-9);
  free(f), free(dx), free(low), free(middle), free(v), free(back);
  mi_expression_free(&e);
  mi_balance_free(&b);
}

// Against a search of the closest row on a grid.
static void test_projection_is_closest(void **unused) {
  (void)unused;
  for (int trial = 0; trial < 200; trial++) {
    double a[3], p[3], best = INFINITY, got = 0;
    for (int k = 0; k < 3; k++)
      a[k] = p[k] = 3 * mi_random_unit(9, (uint32_t)trial, (uint32_t)k) - 1;
    mi_share_project(3, p);
    assert_true(p[0] >= 0 && p[1] >= 0 && p[2] >= 0 && p[0] + p[1] + p[2] <= 1 + 1e-12);
    for (int k = 0; k < 3; k++) got += pow(p[k] - a[k], 2);
    for (int i = 0; i <= 40; i++)
      for (int j = 0; i + j <= 40; j++)
        for (int l = 0; i + j + l <= 40; l++) {
          double d2 = pow(i / 40.0 - a[0], 2) + pow(j / 40.0 - a[1], 2) + pow(l / 40.0 - a[2], 2);
          best = fmin(best, d2);
        }
    assert_true(got <= best + 1e-12);
  }
}

static mien_face_def fit_def(mien_muscle_target targets[2]) {
  mien_face_def def;
  mien_face_def_init(&def);
  targets[0] = (mien_muscle_target){"smile", {smile, nvert, 3}};
  targets[1] = (mien_muscle_target){"open", {open_jaw, nvert, 3}};
  def.muscle_targets = targets;
  def.nmuscle_target = 2;
  def.muscle_rounds = 1;
  return def;
}

static void expect_refusal(const mien_face_def *def, mien_result code, const char *words) {
  mien_error err;
  mien_face *made = NULL;
  mien_result result = mien_face_create(rig, def, NULL, &made, &err);
  if (result != code || !strstr(err.text, words)) fail_msg("%d: '%s'", (int)result, err.text);
  assert_null(made);
}

static void test_what_is_refused(void **unused) {
  (void)unused;
  mien_muscle_target targets[2];
  mien_face_def def = fit_def(targets);
  def.blendvolumes = 0;
  size_t size = 3 * (size_t)nvert * sizeof(float);
  float *other = malloc(size);
  targets[1].positions.data = other;
  def.nmuscle_target = 1;
  expect_refusal(&def, MIEN_ERR_ARGUMENT, "2 expressions at least; 1");
  def.nmuscle_target = 2;
  for (int i = 0; i < 3 * nvert; i++) other[i] = 100 * open_jaw[i];
  expect_refusal(&def, MIEN_ERR_MISMATCH, "100 times as large as the rig: it must be in metres");
  for (int i = 0; i < nvert; i++) // any other order
    memcpy(other + 3 * (size_t)i, open_jaw + 3 * ((size_t)i * 131 % (size_t)nvert),
           3 * sizeof *other);
  expect_refusal(&def, MIEN_ERR_MISMATCH, "in another order");
  for (int i = 0; i < nvert; i++) // backwards: edges are as long as before
    memcpy(other + 3 * (size_t)i, open_jaw + 3 * (size_t)(nvert - 1 - i), 3 * sizeof *other);
  expect_refusal(&def, MIEN_ERR_MISMATCH, "in another order");
  for (int i = 0; i < 3 * nvert; i++) other[i] = open_jaw[i] + (i % 3 == 1 ? 0.03f : 0);
  expect_refusal(&def, MIEN_ERR_MISMATCH, "skin that the skull holds is 30 mm off");
  const float *rest = mien_rig_get_info(rig)->positions.data;
  for (int i = 0; i < 3 * nvert; i++) other[i] = rest[i] + (i % 2 ? 1e-7f : -1e-7f);
  targets[0].positions.data = other;
  expect_refusal(&def, MIEN_ERR_MISMATCH, "no target leaves the rig's neutral");
  targets[0].positions.data = smile;
  for (int i = 0; i < 3 * nvert; i++) other[i] = NAN;
  expect_refusal(&def, MIEN_ERR_MISMATCH, "only 0 of");
  targets[1].positions.count = nvert - 10;
  expect_refusal(&def, MIEN_ERR_MISMATCH, "vertices are missing, or it is of another mesh");
  free(other);
}

// A hole stays one, a spike becomes one and is told; what an expression does is neither.
static void test_holes_and_spikes(void **unused) {
  (void)unused;
  mien_host host;
  mi_arena arena;
  mien_f32s clean;
  const mien_face_info *info = mien_face_get_info(face);
  int hole = info->skin.data[600], spike = info->skin.data[300], nlost = 0;
  float *scan = malloc(3 * (size_t)nvert * sizeof *scan);
  memcpy(scan, smile, 3 * (size_t)nvert * sizeof *scan);
  mi_host_resolve(NULL, &host, NULL);
  mi_arena_init(&arena, &host);
  mien_muscle_target target = {"scan", {scan, nvert, 3}};
  assert_int_equal(mi_muscle_target_clean(face, &target, &arena, &clean, NULL), MIEN_OK);
  scan[3 * (size_t)hole] = NAN;
  assert_int_equal(mi_muscle_target_clean(face, &target, &arena, &clean, NULL), MIEN_OK);
  assert_true(isnan(clean.data[3 * (size_t)hole]));
  scan[3 * (size_t)spike] += 0.08f;
  assert_int_equal(mi_muscle_target_clean(face, &target, &arena, &clean, NULL), MIEN_REMARK);
  for (int i = 0; i < info->skin.count; i++)
    nlost += isnan(clean.data[3 * (size_t)info->skin.data[i]]);
  assert_true(isnan(clean.data[3 * (size_t)spike]));
  if (nlost > 10) fail_msg("%d vertices are left out", nlost); // it and its neighbours at most
  mi_arena_free(&arena);
  free(scan);
}

// Scans that all leave the neutral in the same way: said, in the face that is being made.
static void test_neutral_that_is_none(void **unused) {
  (void)unused;
  mien_muscle_target targets[3];
  mien_face_def def;
  mi_muscle_fit fit = {.face = face, .def = &def, .count = 3};
  float *scan[3];
  const float *from[3] = {smile, open_jaw, mien_rig_get_info(rig)->positions.data};
  int nbefore = face->remarks.count;
  mien_face_def_init(&def);
  def.muscle_targets = targets;
  for (int shift = 0; shift < 2; shift++) {
    mi_arena_init(&fit.arena, &face->host);
    for (int k = 0; k < 3; k++) {
      scan[k] = malloc(3 * (size_t)nvert * sizeof *scan[k]);
      for (int i = 0; i < 3 * nvert; i++)
        scan[k][i] = from[k][i] + (float)shift * (open_jaw[i] - from[2][i]);
      targets[k] = (mien_muscle_target){"scan", {scan[k], nvert, 3}};
    }
    assert_int_equal(mi_muscle_targets_check(&fit, NULL), MIEN_OK);
    assert_int_equal(face->remarks.count, nbefore + shift);
    for (int k = 0; k < 3; k++) free(scan[k]);
    mi_arena_free(&fit.arena);
  }
  assert_non_null(strstr(face->remarks.text[nbefore], "is the rig's neutral the subject's"));
}

// A strong expression from rest takes some muscles to the end of their range: they stop there and
// the others go on.
static void test_strong_expressions_are_found(void **unused) {
  (void)unused;
  static const char *const shapes[][2] = {
      {"mouthSmileLeft", "mouthSmileRight"}, {"mouthPucker", "browInnerUp"}, {"mouthFunnel", NULL}};
  mien_activations *solver = NULL;
  mien_error err;
  assert_true(mien_activations_create(face, NULL, &solver, &err) >= 0);
  const mien_activations_info *info = mien_activations_get_info(solver);
  double rest = 0;
  for (int k = 0; k < 3; k++) {
    float *strong = pose(shapes[k][0], shapes[k][1], 1.3);
    mien_f32s neutral = mien_rig_get_info(rig)->positions;
    assert_true(mien_activations_solve(solver, neutral, 1, &err) >= 0);
    assert_true(mien_activations_solve(solver, (mien_f32s){strong, nvert, 3}, 12, &err) >= 0);
    rest += info->error / 3;
    double chord = info->error;
    printf("%s: %.2f mm after %d rounds\n", shapes[k][0], 1e3 * info->error, info->rounds);
    for (int m = 0; m < info->nmuscle; m++) {
      double a[6], least, most;
      for (int c = 0; c < 6; c++) a[c] = (double)mi_f32s_at(&info->activations, 6, m)[c];
      mi_symmetric_range(a, &least, &most);
      assert_true(least > 0.25 && most < 4);
    }
    // as close as muscles come
    if (!k)
      assert_true(mien_activations_solve(solver, (mien_f32s){strong, nvert, 3}, -1, &err) >= 0);
    if (!k && !(info->error < 0.95 * chord))
      fail_msg("%g mm after %g mm", 1e3 * info->error, 1e3 * chord);
    free(strong);
  }
  assert_true(rest < 0.0005); // 0.70 mm when a muscle at its end stopped all of them
  mien_activations_free(solver);
}

static void test_meshes_outside_are_refused(void **unused) {
  (void)unused;
  scene_mesh box = scene_box(0.02, 0.02, 0.02);
  for (int i = 0; i < 3 * box.nvert; i++) box.position[i] += 5;
  mien_muscle_mesh mesh = {"far", {box.position, box.nvert, 3}, {box.tri, 3 * box.ntri}};
  mien_face_def def;
  mien_face_def_init(&def);
  def.blendvolumes = 0;
  def.muscle_meshes = &mesh;
  def.nmuscle_mesh = 1;
  expect_refusal(&def, MIEN_ERR_MISMATCH, "none of the 1 muscles lies in the flesh");
  mesh.name = NULL;
  expect_refusal(&def, MIEN_ERR_ARGUMENT, "needs a name");
  mesh.name = "cheek";
  for (int i = 0; i < box.nvert; i++) { // into the left cheek
    box.position[3 * i] += 0.04f - 5;
    box.position[3 * i + 1] += -0.03f - 5;
    box.position[3 * i + 2] += 0.08f - 5;
  }
  mien_face *made = make_face(&def, NULL);
  assert_int_equal(mien_face_get_info(made)->nmuscle, 1);
  double volume = mien_face_get_info(made)->muscles[0].volume;
  assert_true(mien_face_get_info(made)->muscles[0].ntet > 10);
  mien_face_free(made);
  // below the shell it is the shell's above it, wholly
  for (int i = 0; i < box.nvert; i++)
    box.position[3 * i] -= 0.006f, box.position[3 * i + 2] -= 0.01f;
  made = make_face(&def, NULL);
  if (!(mien_face_get_info(made)->muscles[0].volume > 0.7 * volume))
    fail_msg("%g cm3 of %g", 1e6 * mien_face_get_info(made)->muscles[0].volume, 1e6 * volume);
  mien_face_free(made);
  scene_mesh_free(&box);
}

typedef struct stopping {
  int left;       // calls before it stops, of the fit's rounds
  char first[32]; // what was said at the first of them
  int before;     // calls before the rounds
  double last;    // how much was done at the call before
} stopping;

static int stop_later(void *user, const char *what, double done) {
  stopping *s = user;
  s->before += !strcmp(what, "muscles as in the atlas");
  // it goes on from call to call, so that the time left can be told in the fit with the atlas, too
  if (!strncmp(what, "muscles", 7)) {
    if (!(done > s->last) || !(done < 1)) fail_msg("%s: %g after %g", what, done, s->last);
    s->last = done;
  }
  if (strncmp(what, "muscles, round", 14)) return 0;
  if (!s->first[0]) snprintf(s->first, sizeof s->first, "%.23s", what);
  return s->left-- == 0;
}

// Changes a byte `from_end` of a kept fit and says that none of it is gone on with: it stays as it
// is, as does what is no kept fit at all.
static void refuse_changed(const mien_face_def *def, long from_end, const char *words) {
  mien_error err;
  mien_face *made = NULL;
  unsigned char was, changed, now;
  FILE *file = fopen(def->muscle_resume, "rb+");
  assert_non_null(file);
  fseek(file, -from_end, SEEK_END);
  assert_int_equal(fread(&was, 1, 1, file), 1);
  changed = was ^ 0x40;
  fseek(file, -from_end, SEEK_END);
  fwrite(&changed, 1, 1, file);
  fclose(file);
  mien_result result = mien_face_create(rig, def, NULL, &made, &err);
  if (result >= 0 || !strstr(err.text, words)) fail_msg("%d: '%s'", (int)result, err.text);
  file = fopen(def->muscle_resume, "rb+");
  fseek(file, -from_end, SEEK_END);
  assert_int_equal(fread(&now, 1, 1, file), 1);
  assert_int_equal(now, changed);
  fseek(file, -from_end, SEEK_END);
  fwrite(&was, 1, 1, file);
  fclose(file);
}

static void refuse_what_is_not_its_own(const mien_face_def *def) {
  FILE *file = fopen(def->muscle_resume, "rb");
  assert_non_null(file);
  fseek(file, 0, SEEK_END);
  long size = ftell(file);
  fclose(file);
  refuse_changed(def, size, "keeps no fit of muscles: name another file");
  refuse_changed(def, 400, "is damaged: delete it");
  mien_face_def other = *def;
  other.muscle_rounds = 3;
  expect_refusal(&other, MIEN_ERR_MISMATCH, "of other expressions or other settings");
}

static void expect_same_fit(const mien_face *one, const mien_face *other) {
  const mien_face_info *a = mien_face_get_info(one), *b = mien_face_get_info(other);
  assert_memory_equal(a->muscle_share.data, b->muscle_share.data,
                      (size_t)a->muscle_share.count * sizeof(float));
  assert_memory_equal(a->muscle_errors.data, b->muscle_errors.data, 2 * sizeof(float));
  assert_memory_equal(a->muscle_errors_before.data, b->muscle_errors_before.data,
                      2 * sizeof(float));
  assert_true(a->hash == b->hash);
}

// A hole and a spike, stopped in the second round, resumed: to the same bits as in one go, the
// round that was kept is not done again. Then stored, loaded and used.
static void test_fit_stops_resumes_and_is_stored(void **unused) {
  (void)unused;
  static const char kept[] = "muscles.resume", stored[] = "fitted_muscles.glb";
  mien_muscle_target targets[2];
  mien_face_def def = fit_def(targets);
  mien_error err;
  mien_host host;
  // two turns of the first round, each with two expressions and two steps; then the second begins
  stopping stop = {9, "", 0, -1};
  size_t size = 3 * (size_t)nvert * sizeof(float);
  float *scan = malloc(size);
  memcpy(scan, smile, size);
  def.muscle_rounds = 2;
  const mien_face_info *info = mien_face_get_info(face);
  for (int i = 0; i < 40; i++) scan[3 * (size_t)info->skin.data[600 + i]] = NAN;
  scan[3 * (size_t)info->skin.data[300]] += 0.08f;
  targets[0].positions.data = scan;
  def.blendvolumes = 0;
  mien_face *whole = make_face(&def, NULL), *stopped = NULL;
  remove(kept);
  mien_host_init(&host);
  host.progress = stop_later;
  host.user = &stop;
  def.muscle_resume = kept;
  assert_int_equal(mien_face_create(rig, &def, &host, &stopped, &err), MIEN_ERR_CANCELLED);
  assert_null(stopped);
  assert_string_equal(stop.first, "muscles, round 1 of 3: ");
  assert_int_equal(stop.before, 2); // the host was asked before each expression
  refuse_what_is_not_its_own(&def);
  stop = (stopping){1000, "", 0, -1};
  mien_face *resumed = make_face(&def, &host);
  const mien_face_info *a = mien_face_get_info(whole);
  assert_string_equal(stop.first, "muscles, round 2 of 3: ");
  assert_int_equal(stop.before, 0);
  expect_same_fit(whole, resumed);
  remove(kept);
  bool said = false;
  for (int k = 0; k < a->nremark; k++) said |= strstr(a->remarks[k], "spikes") != NULL;
  assert_true(said);
  assert_true(a->is_muscle_fitted);
  for (int k = 0; k < 2; k++) {
    assert_true(a->muscle_errors.data[k] < 0.0006f);
    assert_true(a->muscle_errors.data[k] <= a->muscle_errors_before.data[k] * 1.05f);
  }
  if (mien_rig_save(rig, whole, NULL, stored, &err) < 0) fail_msg("%s", err.text);
  mien_rig *again = NULL;
  mien_face *loaded = NULL;
  assert_true(mien_rig_load(stored, NULL, &again, &err) >= 0);
  mien_face_def plain;
  mien_face_def_init(&plain);
  plain.muscles = 1;
  plain.blendvolumes = 0;
  if (mien_face_create(again, &plain, NULL, &loaded, &err) < 0) fail_msg("%s", err.text);
  const mien_face_info *c = mien_face_get_info(loaded);
  assert_true(c->is_muscle_fitted);
  for (int k = 0; k < a->muscle_share.count; k++)
    assert_near(c->muscle_share.data[k], a->muscle_share.data[k], 2e-5);
  mien_activations *solver = NULL;
  assert_true(mien_activations_create(loaded, NULL, &solver, &err) >= 0);
  assert_true(mien_activations_solve(solver, (mien_f32s){open_jaw, nvert, 3}, 6, &err) >= 0);
  assert_true(mien_activations_get_info(solver)->error < 0.0006);
  assert_true(mien_activations_get_info(solver)->jaw_angles[0] > 0.05);
  assert_int_equal(mien_activations_solve(solver, (mien_f32s){open_jaw, 7, 3}, 6, &err),
                   MIEN_ERR_MISMATCH);
  mien_activations_free(solver);
  mien_face_free(loaded);
  mien_rig_free(again);
  mien_face_free(whole);
  mien_face_free(resumed);
  free(scan);
}

// With an argument the fit alone: it takes a while.
int main(int argc, char **argv) {
  (void)argv;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_slopes_are_differences),
      cmocka_unit_test(test_projection_is_closest),
      cmocka_unit_test(test_what_is_refused),
      cmocka_unit_test(test_holes_and_spikes),
      cmocka_unit_test(test_neutral_that_is_none),
      cmocka_unit_test(test_meshes_outside_are_refused),
      cmocka_unit_test(test_strong_expressions_are_found),
  };
  const struct CMUnitTest slow[] = {cmocka_unit_test(test_fit_stops_resumes_and_is_stored)};
  return argc > 1 ? cmocka_run_group_tests(slow, set_up, tear_down)
                  : cmocka_run_group_tests(tests, set_up, tear_down);
}

// Contact on the skin the camera sees, when a coarser one is simulated: what can touch is simulated
// as it is shown, so that flesh feels all of it. Judged by the exact test of crossing triangles on
// every triangle of the artist's skin.
#include "scenes/touch.h"
#include "solve/state.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST = 17, PRESSED = 26, LAST = 50 }; // frames at 24 fps: lips close, are pressed, open

// COARSE: fewer than can touch.
enum { COARSE = 800, FINE = 3000 };

static touch_scene open_head(const mien_host *host) {
  return touch_embedded_head("head.glb", COARSE, "press.csv", host);
}

static mien_step_opts options(void **state) {
  mien_step_opts opts;
  mien_step_opts_init(&opts);
  touch_use(*state, &opts);
  opts.dt = 1. / 24;
  return opts;
}

static void step(touch_scene *s, const mien_step_opts *opts, int frame) {
  touch_pose(s, frame * opts->dt);
  touch_step(s, opts);
}

// All of it simulated by planes or by the barrier, until it is pressed: played once a program.
typedef struct whole_head {
  touch_scene scene; // pressed
  double far;        // m, the farthest that contact took skin off its pose
} whole_head;
static whole_head whole_heads[2];

static const whole_head *press_whole(void **state) {
  whole_head *whole = whole_heads + (*state == &touch_barrier);
  mien_step_opts opts = options(state);
  if (whole->scene.state) return whole;
  whole->scene = touch_embedded_head("head.glb", -1, "press.csv", NULL);
  for (int frame = FIRST; frame <= PRESSED; frame++) {
    step(&whole->scene, &opts, frame);
    whole->far = fmax(whole->far, mien_state_get_info(whole->scene.state)->max_offset);
  }
  return whole;
}

static int free_whole(void **state) {
  (void)state;
  for (int k = 0; k < 2; k++)
    if (whole_heads[k].scene.state) touch_free(&whole_heads[k].scene);
  return 0;
}

static void shown_lips_never_cross(void **state) {
  touch_scene s = open_head(NULL);
  mien_step_opts opts = options(state);
  int64_t posed = 0, most = 0;
  double far = 0, whole = press_whole(state)->far;
  for (int frame = FIRST; frame <= LAST; frame++) {
    step(&s, &opts, frame);
    assert_int_equal(touch_crossings(&s), 0);
    int64_t count = touch_shown_crossings(&s);
    most = count > most ? count : most;
    if (frame == PRESSED) posed = touch_posed_crossings(&s, s.rig);
    if (frame <= PRESSED) far = fmax(far, mien_state_get_info(s.state)->max_offset);
  }
  print_message(
      "of %d shown and %d simulated vertices: %d pairs cross in the pose, %d as shown, up "
      "to %.2f mm from it, %.2f mm when all is simulated\n",
      mien_rig_get_info(s.rig)->nvert, mien_face_get_info(s.face)->nskin, (int)posed, (int)most,
      1e3 * far, 1e3 * whole);
  touch_free(&s);
  assert_true(posed > 50); // or nothing was tried
  assert_int_equal(most, 0);
  // parting the lips needs as much with any number of vertices; the coarser rest adds next to none
  assert_true(fabs(far - whole) < 0.5e-3);
}

static void without_contact_they_cross(void **state) {
  touch_scene s = open_head(NULL);
  mien_step_opts opts = options(state);
  opts.contact = MIEN_CONTACT_OFF;
  for (int frame = FIRST; frame <= PRESSED; frame++) step(&s, &opts, frame);
  int64_t count = touch_shown_crossings(&s);
  // contact switched on over skin that crosses
  touch_use(*state, &opts);
  for (int frame = 0; frame < 5; frame++) step(&s, &opts, PRESSED);
  int64_t left = touch_shown_crossings(&s);
  touch_free(&s);
  assert_true(count > 50);
  assert_int_equal(left, 0);
}

static double motion(const touch_scene *s, float *before) {
  const mien_f32s *now = &mien_state_get_info(s->state)->positions;
  double most = 0;
  for (int i = 0; i < 3 * now->count; i++)
    most = fmax(most, fabs((double)now->data[i] - before[i]));
  memcpy(before, now->data, 3 * (size_t)now->count * sizeof *before);
  return most;
}

// Nothing trembles while they are pressed; and what was done to them is gone when they part.
static void shown_lips_rest_and_come_back(void **state) {
  touch_scene s = open_head(NULL);
  mien_step_opts opts = options(state);
  float *before = calloc(3 * (size_t)mien_rig_get_info(s.rig)->nvert, sizeof *before);
  for (int frame = FIRST; frame <= PRESSED + 24; frame++)
    step(&s, &opts, frame < PRESSED ? frame : PRESSED);
  motion(&s, before);
  double most = 0;
  for (int frame = 0; frame < 12; frame++) {
    step(&s, &opts, PRESSED);
    most = fmax(most, motion(&s, before));
  }
  print_message("pressed and still: %.3g mm from frame to frame\n", 1e3 * most);
  memset(s.weights, 0, (size_t)mien_rig_get_info(s.rig)->nshape * sizeof *s.weights);
  s.weights[mien_rig_find_shape(s.rig, "jawOpen")] = 0.4f;
  int frame = 0;
  for (; frame < 96 && !touch_is_artists(&s); frame++) touch_step(&s, &opts);
  bool is_back = touch_is_artists(&s);
  print_message("the artist's to the bit after %d frames, flesh %.3g mm from its pose\n", frame,
                1e3 * mien_state_get_info(s.state)->max_offset);
  free(before);
  touch_free(&s);
  assert_true(most < 1e-5);
  assert_true(is_back);
}

// The phrase with its head still: what is shown is the artist's to the bit in every frame whose
// pose crosses nothing and has not for a tenth of a second.
static void free_poses_are_the_artists(void **state) {
  enum { BEGIN = 240, END = 305, SETTLED = 6 }; // frames at 60 fps: a blink, lips, a blink, lips
  touch_scene s = touch_embedded_head("head.glb", COARSE, "phrase.csv", NULL);
  mien_step_opts opts = options(state);
  opts.dt = 1. / 60;
  int crossed = BEGIN - SETTLED - 1, nfree = 0, nexact = 0;
  for (int frame = BEGIN; frame <= END; frame++) {
    step(&s, &opts, frame);
    if (touch_posed_crossings(&s, s.rig)) crossed = frame;
    if (frame - crossed <= SETTLED) continue;
    nfree++;
    nexact += touch_is_artists(&s);
    if (!touch_is_artists(&s)) print_message("frame %d is not the artist's\n", frame);
  }
  print_message("%d of %d frames are free\n", nfree, END - BEGIN + 1);
  touch_free(&s);
  assert_true(crossed > BEGIN && nfree > 10); // or nothing was tried
  assert_int_equal(nexact, nfree);
}

// -- Felt by the flesh ----------------------------------------------------------------------------

// Of skin that contact moves by more than a fifth of a millimetre where all of it is simulated: how
// far that is, and how far off it is shown by a coarser simulation. mm, rms.
typedef struct comparison {
  double moved, off;
} comparison;

static comparison compare(const touch_scene *whole, const touch_scene *coarser) {
  const mien_rig_info *rig = mien_rig_get_info(whole->rig);
  const float *a = mien_state_get_info(whole->state)->positions.data;
  const float *b = mien_state_get_info(coarser->state)->positions.data;
  float *pose = malloc(3 * (size_t)rig->nvert * sizeof *pose);
  mien_rig_pose(whole->rig, whole->weights, rig->nshape, pose, NULL);
  comparison sum = {0, 0};
  int count = 0;
  for (int i = 0; i < rig->nvert; i++) {
    double moved = 0, off = 0;
    for (int k = 3 * i; k < 3 * i + 3; k++) {
      moved += pow((double)a[k] - pose[k], 2);
      off += pow((double)a[k] - b[k], 2);
    }
    if (moved < 2e-4 * 2e-4) continue;
    sum.moved += moved;
    sum.off += off;
    count++;
  }
  free(pose);
  assert_true(count > 500);
  return (comparison){1e3 * sqrt(sum.moved / count), 1e3 * sqrt(sum.off / count)};
}

// Flesh under pressed lips goes where it goes when all of it is simulated, also when fewer vertices
// are asked for than can touch.
static void flesh_feels_what_is_shown(void **state) {
  static const int wanted[] = {COARSE, FINE};
  for (int k = 0; k < 2; k++) {
    const touch_scene *whole = &press_whole(state)->scene;
    touch_scene some = touch_embedded_head("head.glb", wanted[k], "press.csv", NULL);
    mien_step_opts opts = options(state);
    int64_t most = 0;
    for (int frame = FIRST; frame <= PRESSED; frame++) {
      step(&some, &opts, frame);
      int64_t count = touch_shown_crossings(&some);
      most = count > most ? count : most;
    }
    comparison c = compare(whole, &some);
    print_message(
        "%d of %d vertices simulated: contact moves skin by %.2f mm, %.3f mm off the whole\n",
        mien_face_get_info(some.face)->nskin, mien_face_get_info(whole->face)->nskin, c.moved,
        c.off);
    touch_free(&some);
    assert_int_equal(most, 0);
    // 280 vertices for all that cannot touch are a coarse flesh around the lips
    assert_true(c.off < (wanted[k] == COARSE ? 0.15 : 0.1) * c.moved);
  }
}

// -- Which skin is simulated ----------------------------------------------------------------------

// Rig vertex -> it can touch, on the artist's skin.
static bool *find_touching(const mien_face *whole, int nvert) {
  bool *can_touch = calloc((size_t)nvert, sizeof *can_touch);
  for (int i = 0; i < whole->skin.nvert; i++)
    can_touch[whole->skin.vert[i]] = (whole->regions.bits[i] & MIEN_REGION_CONTACT) != 0;
  return can_touch;
}

static uint64_t triangle_hash(const int32_t *corner, const int32_t *vert) {
  int at = 0; // from its least corner on
  for (int k = 1; k < 3; k++)
    if (vert[corner[k]] < vert[corner[at]]) at = k;
  uint64_t hash = 0;
  for (int k = 0; k < 3; k++) hash = mi_hash_u64(hash, (uint64_t)vert[corner[(at + k) % 3]]);
  return hash;
}

static int compare_hashes(const void *a, const void *b) {
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

// All vertices and all triangles of what can touch are simulated, and nothing else is contact.
static void check_simulated(const touch_scene *whole, const touch_scene *s) {
  const mi_embedding *e = &s->face->embedding;
  const mi_skin *skin = &s->face->skin, *render_skin = &whole->face->skin;
  int nvert = mien_rig_get_info(s->rig)->nvert, ntouch = 0, ntri = 0;
  bool *can_touch = find_touching(whole->face, nvert), *is_there = calloc((size_t)nvert, 1);
  uint64_t *hash = malloc((size_t)skin->ntri * sizeof *hash);
  for (int i = 0; i < e->nskin; i++) {
    is_there[e->skin[i]] = true;
    bool touches = (s->face->regions.bits[i] & MIEN_REGION_CONTACT) != 0;
    assert_int_equal(touches, can_touch[e->skin[i]]);
  }
  for (int i = 0; i < nvert; i++) {
    assert_true(is_there[i] || !can_touch[i]);
    ntouch += can_touch[i];
  }
  for (int t = 0; t < skin->ntri; t++) hash[t] = triangle_hash(skin->tri + 3 * (size_t)t, e->skin);
  qsort(hash, (size_t)skin->ntri, sizeof *hash, compare_hashes);
  for (int t = 0; t < render_skin->ntri; t++) {
    const int32_t *corner = render_skin->tri + 3 * (size_t)t;
    bool touches = true;
    for (int k = 0; k < 3; k++) touches &= can_touch[render_skin->vert[corner[k]]];
    if (!touches) continue;
    uint64_t own = triangle_hash(corner, render_skin->vert);
    assert_non_null(bsearch(&own, hash, (size_t)skin->ntri, sizeof *hash, compare_hashes));
    ntri++;
  }
  print_message("%d of %d vertices and %d triangles can touch, %d vertices are simulated\n", ntouch,
                render_skin->nvert, ntri, e->nskin);
  free(can_touch);
  free(is_there);
  free(hash);
  assert_true(ntouch > 1000 && ntri > 1000 && e->nskin < render_skin->nvert);
}

// Also when fewer are asked for: skin elsewhere still gets its share.
static void what_can_touch_is_simulated_as_it_is_shown(void **state) {
  (void)state;
  static const int wanted[] = {100, COARSE, FINE};
  touch_scene whole = touch_embedded_head("head.glb", -1, "press.csv", NULL);
  for (int k = 0; k < 3; k++) {
    touch_scene s = touch_embedded_head("head.glb", wanted[k], "press.csv", NULL);
    check_simulated(&whole, &s);
    touch_free(&s);
  }
  touch_free(&whole);
}

static uint64_t run(void **state, int threads, int restore_at, int *nalloc) {
  scene_memory memory = {0};
  mien_host host = scene_counting_host(&memory);
  host.threads = threads;
  touch_scene s = open_head(&host);
  mien_step_opts opts = options(state);
  int first = 0;
  for (int frame = FIRST; frame <= PRESSED; frame++) {
    if (frame == restore_at) touch_move_to_new_state(&s, &host);
    step(&s, &opts, frame);
    if (frame == FIRST) first = memory.nalloc;
  }
  *nalloc = memory.nalloc - first;
  uint64_t hash = mien_state_hash(s.state);
  touch_free(&s);
  return hash;
}

static void same_bits_without_allocating(void **state) {
  int nalloc, ignored;
  uint64_t first = run(state, 1, -1, &nalloc);
  assert_int_equal(nalloc, 0);
  assert_true(run(state, 2, 24, &ignored) == first);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      WITH(planes, free_poses_are_the_artists),
      WITH(planes, shown_lips_never_cross),
      WITH(barrier, shown_lips_never_cross),
      WITH(planes, without_contact_they_cross),
      WITH(planes, shown_lips_rest_and_come_back),
      WITH(planes, same_bits_without_allocating),
      WITH(planes, flesh_feels_what_is_shown),
      WITH(barrier, flesh_feels_what_is_shown),
      WITH(planes, what_can_touch_is_simulated_as_it_is_shown),
  };
  return cmocka_run_group_tests(tests, NULL, free_whole);
}

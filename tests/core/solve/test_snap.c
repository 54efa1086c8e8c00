// What contact has done to flesh is gone a moment after the artist's pose crosses nothing, whatever
// rounding made of it before; what the head has done is not.
#include "scenes/touch.h"

#include "crossings.h"

#include <math.h>
#include <stdlib.h>

static const double FPS = 60, SETTLED = 0.08; // s, as snap.c has it

static uint32_t draw(uint32_t *seed) {
  *seed ^= *seed << 13;
  *seed ^= *seed >> 17;
  *seed ^= *seed << 5;
  return *seed;
}

// weights changed by a ten-millionth of themselves: as much as rounding does
static void disturb(touch_scene *s, uint32_t *seed) {
  for (int i = 0; *seed && i < s->input.weights.count; i++) {
    double part = (double)draw(seed) / UINT32_MAX - 0.5;
    s->weights[i] = (float)((double)s->weights[i] * (1 + 2e-7 * part));
  }
}

static bool is_rigid(mien_part_kind kind) {
  return kind >= MIEN_PART_JAW && kind <= MIEN_PART_EYE_RIGHT;
}

// pairs that cross in the artist's pose, by the exact test: skin and all it can touch
static int64_t posed_crossings(const touch_scene *s) {
  const mien_rig_info *rig = mien_rig_get_info(s->rig);
  float *posed = malloc(3 * (size_t)rig->nvert * sizeof *posed);
  int64_t count = 0;
  mien_rig_pose(s->rig, s->weights, rig->nshape, posed, NULL);
  for (int p = 0; p < rig->npart; p++) {
    const mien_part *skin = rig->parts + p;
    if (skin->kind != MIEN_PART_SKIN) continue;
    crossings_mesh a = {posed, rig->triangles.data + 3 * (size_t)skin->first_triangle, skin->ntri,
                        rig->positions.data};
    count += crossings_within(&a).count;
    for (int q = 0; q < rig->npart; q++) {
      const mien_part *other = rig->parts + q;
      crossings_mesh b = {posed, rig->triangles.data + 3 * (size_t)other->first_triangle,
                          other->ntri, rig->positions.data};
      if (is_rigid(other->kind)) count += crossings_between(&a, &b).count;
    }
  }
  free(posed);
  return count;
}

typedef struct played {
  int nfree, noff, nexact; // frames: free and settled; those of them that are off; all exact ones
} played;

static played play(const touch_way *way, double seconds, uint32_t seed) {
  touch_scene s = touch_head("phrase.csv", NULL);
  mien_step_opts opts = touch_options(way, FPS);
  int last = -(int)FPS;
  played p = {0};
  for (int frame = 0; frame < seconds * FPS; frame++) {
    touch_pose(&s, frame / FPS);
    disturb(&s, &seed);
    touch_step(&s, &opts);
    bool is_exact = touch_is_artists(&s);
    if (!is_exact && posed_crossings(&s) > 0) last = frame;
    bool is_free = frame - last >= SETTLED * FPS;
    p.nexact += is_exact;
    p.nfree += is_free;
    p.noff += is_free && !is_exact;
  }
  touch_free(&s);
  return p;
}

static void free_poses_are_exact_whatever_rounding_does(void **state) {
  for (uint32_t seed = 0; seed < 2; seed++) {
    played p = play(*state, 2, seed);
    print_message("%d frames free and settled, %d of them off, %d exact in all\n", p.nfree, p.noff,
                  p.nexact);
    assert_true(p.nfree > 30);
    assert_int_equal(p.noff, 0);
  }
}

// Lips pressed through each other by millimetres, and the next frame is the neutral.
static void pressed_lips_are_let_go(void **state) {
  for (uint32_t seed = 0; seed < 2; seed++) {
    touch_scene s = touch_head("press.csv", NULL);
    mien_step_opts opts = touch_options(*state, 24);
    uint32_t drawn = seed;
    for (int frame = 1; frame <= 28; frame++) {
      touch_pose(&s, frame * opts.dt);
      disturb(&s, &drawn);
      touch_step(&s, &opts);
    }
    double far = mien_state_get_info(s.state)->max_offset, largest = far;
    for (int i = 0; i < s.input.weights.count; i++) s.weights[i] = 0;
    opts.dt = 1 / FPS;
    int nstep = 0;
    for (; nstep < 60 && !touch_is_artists(&s); nstep++) {
      touch_step(&s, &opts);
      largest = fmax(largest, mien_state_get_info(s.state)->max_offset);
      assert_int_equal(touch_crossings(&s) + touch_surface_crossings(&s), 0);
    }
    print_message("%.2f mm off, back after %d steps\n", 1e3 * far, nstep);
    touch_free(&s);
    assert_true(far > 1e-3);
    assert_true(largest < 1.5 * far);
    assert_true(nstep <= (int)ceil(SETTLED * FPS));
  }
}

// the largest of the last four: flesh that swings is at its pose twice in a period of five frames
static double swing(const double *far, int frame) {
  double most = 0;
  for (int k = frame; k >= 0 && k > frame - 4; k--) most = fmax(most, far[k]);
  return most;
}

// A head that stops: flesh that it disturbed swings on as it does without contact.
static void what_the_head_stirred_is_not_taken_back(void **state) {
  enum { FRAMES = 30 };
  double far[FRAMES], free_far[FRAMES];
  touch_scene s = touch_head("phrase.csv", NULL);
  touch_scene other = touch_head("phrase.csv", NULL);
  mien_step_opts opts = touch_options(*state, FPS), off = opts;
  off.contact = MIEN_CONTACT_OFF;
  for (int frame = 0; frame < FRAMES; frame++) {
    double at = frame < 12 ? 0.01 * sin(frame) : 0.01 * sin(11);
    s.input.head.translation[0] = other.input.head.translation[0] = at;
    touch_step(&s, &opts);
    touch_step(&other, &off);
    far[frame] = mien_state_get_info(s.state)->max_offset;
    free_far[frame] = mien_state_get_info(other.state)->max_offset;
    double own = swing(far, frame), without = swing(free_far, frame);
    if (frame == 18) assert_true(without > 1e-4); // a tenth of a second after it stopped
    assert_true(own > 0.5 * without || without < 2e-5);
  }
  touch_free(&s);
  touch_free(&other);
}

// The same where lips are pressed and stay so: flesh that swings is slow wherever it turns back, in
// short substeps for long, and it does not rest there.
static void pressed_lips_do_not_hold_what_swings(void **state) {
  enum { STOPS = 6, FRAMES = 24 };
  double way[FRAMES], free_way[FRAMES];
  touch_scene s = touch_head("press.csv", NULL), other = touch_head("press.csv", NULL);
  mien_step_opts opts = touch_options(*state, FPS), off;
  opts.substeps = 4;
  off = opts;
  off.contact = MIEN_CONTACT_OFF;
  int nvert = mien_state_get_info(s.state)->positions.count;
  float *before = test_calloc(3 * (size_t)nvert, sizeof *before);
  float *free_before = test_calloc(3 * (size_t)nvert, sizeof *free_before);
  touch_pose(&s, 1.5);
  touch_pose(&other, 1.5);
  int ncompared = 0;
  for (int frame = 0; frame < FRAMES; frame++) {
    double at = 0.003 * sin(frame < STOPS ? frame : STOPS - 1);
    s.input.head.translation[0] = other.input.head.translation[0] = at;
    touch_step(&s, &opts);
    touch_step(&other, &off);
    way[frame] = touch_motion(&s, before);
    free_way[frame] = touch_motion(&other, free_before);
    if (frame < STOPS + 4) continue;
    assert_true(mien_state_get_info(s.state)->ncontact > 20);
    double own = swing(way, frame), without = swing(free_way, frame);
    print_message("frame %d: moves by up to %.3f mm, %.3f without contact\n", frame,
                  1e3 * way[frame], 1e3 * free_way[frame]);
    if (without < 3e-4) continue; // it has come to rest, or nearly
    assert_true(way[frame] > 0 && own > 0.3 * without);
    ncompared++;
  }
  assert_true(ncompared > 8);
  test_free(before);
  test_free(free_before);
  touch_free(&s);
  touch_free(&other);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      WITH(planes, free_poses_are_exact_whatever_rounding_does),
      EVERY_WAY(pressed_lips_are_let_go),
      WITH(planes, what_the_head_stirred_is_not_taken_back),
      WITH(planes, pressed_lips_do_not_hold_what_swings),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

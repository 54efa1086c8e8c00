// soak FRAMES RIG [THREADS]: a face through whatever a show may bring: random weights up to ten
// times too large, heads that jump, numbers that are not finite, options switched from one frame to
// the next, states copied, written and read. Memory stays flat, skin finite, and every remark has
// its sentence. What the library holds is counted exactly, by an allocator of our own; what the
// process takes (with what other libraries hold, and what malloc keeps) is asked of the system.
#include <mien/mien.h>

#include <ctype.h>
#include <math.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static uint64_t seed = 0x9e3779b97f4a7c15u;

static double draw(void) { // in [0, 1)
  seed ^= seed << 13;
  seed ^= seed >> 7;
  seed ^= seed << 17;
  return (double)(seed >> 11) / 9007199254740992.0;
}

// -- Memory ---------------------------------------------------------------------------------------

static atomic_long held; // bytes

static void *take(void *user, size_t size, size_t align) {
  (void)user;
  void *memory = aligned_alloc(align, (size + align - 1) / align * align);
  if (memory) atomic_fetch_add(&held, (long)size);
  return memory;
}

static void give(void *user, void *memory, size_t size) {
  (void)user;
  if (memory) atomic_fetch_sub(&held, (long)size);
  free(memory);
}

static long resident(void) { // kB
  long pages = 0, all;
  FILE *file = fopen("/proc/self/statm", "r");
  if (!file || fscanf(file, "%ld %ld", &all, &pages) != 2) pages = 0;
  if (file) fclose(file);
  return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

enum { SAMPLES = 10 };
typedef struct curve {
  long least[SAMPLES], most[SAMPLES]; // kB held
  long process[SAMPLES];              // kB of the process, at most
} curve;

static void note_memory(curve *c, long frame, int sample) {
  long now = atomic_load(&held) / 1024;
  if (!c->least[sample] || now < c->least[sample]) c->least[sample] = now;
  if (now > c->most[sample]) c->most[sample] = now;
  if (frame % 64) return;
  long taken = resident();
  if (taken > c->process[sample]) c->process[sample] = taken;
}

static long most_of(const long *value, int begin, int end) {
  long found = 0;
  for (int k = begin; k < end; k++)
    if (value[k] > found) found = value[k];
  return found;
}

// What is held goes up and down: a state keeps the last few solvers that it was asked for. What can
// be compared is the most that it ever holds. The first half is warming up.
static bool is_flat(const curve *c) {
  enum { HALF = SAMPLES / 2 };
  printf("memory, kB held from, to (of the process):");
  for (int k = 0; k < SAMPLES; k++)
    printf(" %ld, %ld (%ld);", c->least[k], c->most[k], c->process[k]);
  puts("");
  long top = most_of(c->most, 0, HALF), process = most_of(c->process, 0, HALF);
  return most_of(c->most, HALF, SAMPLES) <= top + top / 100 &&
         most_of(c->process, HALF, SAMPLES) <= process + process / 10 + 1024;
}

// -- Remarks --------------------------------------------------------------------------------------

enum { MOST_KINDS = 32 };
static struct {
  char text[240];
  long count;
} kinds[MOST_KINDS];
static int nkind;

// By their words: numbers differ from frame to frame. False when it says nothing.
static bool note_remark(const char *text) {
  char words[240];
  size_t n = 0;
  for (; *text && n + 1 < sizeof words; text++)
    if (!isdigit((unsigned char)*text)) words[n++] = *text;
  words[n] = 0;
  for (int k = 0; k < nkind; k++)
    if (!strcmp(kinds[k].text, words)) return ++kinds[k].count;
  if (nkind == MOST_KINDS || n == 0) return false;
  memcpy(kinds[nkind].text, words, sizeof words);
  return ++kinds[nkind++].count;
}

// -- Playing --------------------------------------------------------------------------------------

typedef struct soak {
  mien_rig *rig;
  mien_face *face;
  mien_state *state, *other;
  float *weights, *target;
  void *bytes;
  mien_rigid head;
  mien_step_opts opts;
  long nremark, nrefused, nstep, ncombination; // the last: of options, refused
} soak;

// Any combination: most are steps, some are refused.
static void change_options(mien_step_opts *o) {
  static const mien_solver solvers[] = {MIEN_SOLVER_AUTO,         MIEN_SOLVER_AUTO,
                                        MIEN_SOLVER_GAUSS_SEIDEL, MIEN_SOLVER_GAUSS_SEIDEL_OFFLINE,
                                        MIEN_SOLVER_PREFACTORED,  MIEN_SOLVER_NEWTON,
                                        MIEN_SOLVER_KINEMATIC};
  mien_step_opts_init(o);
  o->iterations = 1 + (int)(3 * draw());
  o->substeps = draw() < 0.8 ? 1 : 2;
  o->solver = solvers[(int)(7 * draw())];
  o->offline_after = (int)(10 * draw());
  o->drive = draw() < 0.8 ? MIEN_DRIVE_REST_SHAPE : MIEN_DRIVE_BLENDFORCE;
  o->integrator = (mien_integrator)(5 * draw());
  o->energy_projection = draw() < 0.2;
  o->rebalance = draw() < 0.8 ? 1 : draw();
  o->contact = (mien_contact)(3 * draw());
  o->barrier_step = (mien_barrier_step)(3 * draw());
  o->sticky = draw() < 0.3 ? 1 : 0;
  o->damping = draw() < 0.5 ? 10 * draw() : 0;
  o->drag = draw() < 0.8 ? 0 : draw();
  o->dt = draw() < 0.9 ? 1.0 / 24 : pow(10, -3 * draw());
  for (int k = 0; k < 3; k++) o->gravity[k] = draw() < 0.5 ? 0 : 20 * draw() - 10;
  for (int k = 0; k < 3; k++) o->wind[k] = draw() < 0.8 ? 0 : 20 * draw() - 10;
  o->gust = draw();
  o->time_scale = draw() < 0.9 ? 1 : pow(10, 2 * draw() - 1);
  o->thickness = draw() < 0.9 ? 0 : 0.002 * draw();
  o->friction = draw();
  for (int k = 0; k < 3; k++) o->head_translation[k] = draw() < 0.9 ? 1 : draw();
}

static void change_head(soak *s) {
  double jump = draw();
  for (int k = 0; k < 3; k++)
    s->head.translation[k] += jump < 0.002  ? 2e6 * draw() - 1e6
                              : jump < 0.02 ? draw()
                                            : 0.02 * draw() - 0.01;
  for (int k = 0; k < 4; k++) s->head.rotation[k] += 0.1 * draw() - 0.05;
  double norm = 0;
  for (int k = 0; k < 4; k++) norm += s->head.rotation[k] * s->head.rotation[k];
  for (int k = 0; k < 4; k++) s->head.rotation[k] /= sqrt(norm);
}

static bool complain(const soak *s, const char *what, const mien_error *err) {
  fprintf(stderr, "step %ld: %s %s\n", s->nstep, what, err->text);
  return false;
}

// Now and then a snapshot, a copy, a reset, or input that must be refused with nothing changed.
static bool disturb(soak *s, mien_input *input, mien_step_opts *opts) {
  mien_error err = {0};
  double chance = draw();
  if (chance < 0.005) mien_state_reset(s->state);
  if (chance > 0.005 && chance < 0.01 && mien_state_copy(s->other, s->state, &err) < 0)
    return complain(s, "a copy is refused:", &err);
  if (chance > 0.01 && chance < 0.02) {
    size_t size = mien_state_size(s->state);
    if (mien_state_write(s->state, s->bytes, size, &err) < 0 ||
        mien_state_read(s->other, s->bytes, size, &err) < 0 ||
        mien_state_hash(s->state) != mien_state_hash(s->other))
      return complain(s, "what was written is not what is read", &err);
  }
  if (chance > 0.02 && chance < 0.03) {
    uint64_t before = mien_state_hash(s->state);
    float kept = s->weights[0];
    s->weights[0] = draw() < 0.5 ? NAN : 1e9f;
    mien_result result = mien_step(s->state, input, opts, &err);
    s->weights[0] = kept;
    s->nrefused++;
    if (result >= 0 || !err.text[0] || mien_state_hash(s->state) != before)
      return complain(s, "a weight that is no number is not refused, or something has changed",
                      &err);
  }
  return true;
}

// Options that do not go together are refused by a sentence, and nothing has changed: others then.
static mien_result step_somehow(soak *s, const mien_input *input, mien_error *err) {
  for (;; s->ncombination++) {
    uint64_t before = mien_state_hash(s->state);
    mien_result result = mien_step(s->state, input, &s->opts, err);
    if (result != MIEN_ERR_OPTIONS) return result;
    if (!err->text[0] || mien_state_hash(s->state) != before) return result;
    change_options(&s->opts);
  }
}

static bool step(soak *s) {
  mien_input input;
  mien_error err = {0};
  int nshape = mien_rig_get_info(s->rig)->nshape;
  mien_input_init(&input);
  if (s->nstep % 25 == 0) change_options(&s->opts); // which may make a new factor
  change_head(s);
  for (int k = 0; k < nshape; k++) {
    if (draw() < 0.01) s->target[k] = (float)(draw() < 0.9 ? draw() : 20 * draw() - 10);
    s->weights[k] += 0.3f * (s->target[k] - s->weights[k]);
  }
  input.weights = (mien_f32s){s->weights, nshape, 1};
  input.head = s->head;
  if (!disturb(s, &input, &s->opts)) return false;
  mien_result result = step_somehow(s, &input, &err);
  if (result < 0) {
    fprintf(stderr, "step %ld refused: %s\n", s->nstep, err.text);
    return false;
  }
  s->nremark += result > 0;
  if (result > 0 && !note_remark(err.text)) {
    fprintf(stderr, "step %ld: a remark without words, or too many kinds\n", s->nstep);
    return false;
  }
  mien_f32s skin = mien_state_get_info(s->state)->positions;
  for (int i = 0; i < 3 * skin.count; i++)
    if (!isfinite(skin.data[i])) {
      fprintf(stderr, "step %ld: vertex %d is not finite\n", s->nstep, i / 3);
      return false;
    }
  s->nstep++;
  return true;
}

static bool open_soak(soak *s, const char *path, int threads) {
  mien_error err = {0};
  mien_host host;
  mien_host_init(&host);
  host.threads = threads;
  host.allocator = (mien_allocator){take, give, NULL};
  bool is_open = mien_rig_load(path, &host, &s->rig, &err) >= 0 &&
                 mien_face_create(s->rig, NULL, &host, &s->face, &err) >= 0 &&
                 mien_state_create(s->face, &host, &s->state, &err) >= 0 &&
                 mien_state_create(s->face, &host, &s->other, &err) >= 0;
  if (!is_open) return puts(err.text), false;
  size_t nshape = (size_t)mien_rig_get_info(s->rig)->nshape;
  s->weights = calloc(nshape + 1, sizeof *s->weights);
  s->target = calloc(nshape + 1, sizeof *s->target);
  s->bytes = malloc(mien_state_size(s->state));
  return s->weights && s->target && s->bytes;
}

static void close_soak(soak *s) {
  free(s->weights);
  free(s->target);
  free(s->bytes);
  mien_state_free(s->state);
  mien_state_free(s->other);
  mien_face_free(s->face);
  mien_rig_free(s->rig);
}

int main(int argc, char **argv) {
  if (argc < 3) return 2;
  soak s = {.head = {.rotation = {0, 0, 0, 1}}};
  curve memory = {{0}, {0}, {0}};
  long nframe = atol(argv[1]);
  if (!open_soak(&s, argv[2], argc > 3 ? atoi(argv[3]) : 0)) return 1;
  bool is_good = true;
  for (long f = 0; f < nframe && is_good; f++) {
    int sample = (int)(SAMPLES * f / nframe);
    is_good = step(&s);
    note_memory(&memory, f, sample);
  }
  printf("%ld steps, %ld refused inputs, %ld refused options, %ld remarks:\n", s.nstep, s.nrefused,
         s.ncombination, s.nremark);
  for (int k = 0; k < nkind; k++) printf("  %ld times: %s\n", kinds[k].count, kinds[k].text);
  bool flat = is_flat(&memory);
  bool is_judged = nframe >= 50000; // until every combination of options was there, it warms up
  if (!flat) fprintf(stderr, "memory grows%s\n", is_judged ? "" : " (too few frames to judge)");
  close_soak(&s);
  long left = atomic_load(&held);
  if (left) fprintf(stderr, "%ld bytes are left when all is freed\n", left);
  return is_good && !left && (flat || !is_judged) ? 0 : 1;
}

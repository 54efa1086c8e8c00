// Measures what contact costs in a take: a pressed frame of the sample head, with head motion so
// that flesh is simulated either way, against the same frame without contact.
#include "bench.h"
#include "contact_scene.h"

#include <math.h>
#include <stdlib.h>

enum { FRAME = 62, REPEATS = 6 };
static const double FPS = 60;

typedef struct pressed {
  contact_scene scene;
  unsigned char *before; // the state a frame earlier
  size_t size;
  mien_contact contact;
  double best; // s
  int ncontact;
} pressed;

// The head moves on a small circle: each frame has something to solve.
static void place_head(contact_scene *s, int frame) {
  s->input.head =
      (mien_rigid){{0, 0, 0, 1}, {0.004 * sin(0.4 * frame), 0.004 * cos(0.4 * frame), 0}};
}

static int step_to(pressed *p, int frame) {
  contact_scene *s = &p->scene;
  mien_error err;
  const mien_rig_info *rig = mien_rig_get_info(s->rig);
  mien_take_sample(s->take, mien_take_get_info(s->take)->start + frame / FPS, s->weights, NULL,
                   NULL);
  s->input.weights = (mien_f32s){s->weights, rig->nshape, 1};
  place_head(s, frame);
  s->opts.contact = p->contact;
  return mien_step(s->state, &s->input, &s->opts, &err) < 0 ? cli_report(&err, "step") : CLI_DONE;
}

// Up to the frame before with contact, which is where both set out.
static int prepare(pressed *p, bench *b) {
  mien_step_opts opts;
  mien_error err;
  int code =
      contact_scene_open(&p->scene, bench_args(b),
                         bench_is_quick(b) ? "head_small.glb" : "head.glb", "press.csv", NULL);
  if (code) return code;
  mien_step_opts_init(&opts);
  contact_scene_start(&p->scene, &opts, FPS);
  p->contact = MIEN_CONTACT_PLANE;
  for (int frame = 0; !code && frame < FRAME; frame++) code = step_to(p, frame);
  p->size = mien_state_size(p->scene.state);
  p->before = malloc(p->size);
  if (code || !p->before) return code ? code : cli_fail("out of memory");
  return mien_state_write(p->scene.state, p->before, p->size, &err) < 0 ? cli_report(&err, "save")
                                                                        : CLI_DONE;
}

static int repeat(void *user) {
  pressed *p = user;
  mien_error err;
  for (int k = 0; k < REPEATS; k++) {
    if (mien_state_read(p->scene.state, p->before, p->size, &err) < 0) return 1;
    if (step_to(p, FRAME)) return 1;
    const mien_state_info *info = mien_state_get_info(p->scene.state);
    if (!(p->best > 0) || info->seconds < p->best) p->best = info->seconds;
    p->ncontact = info->ncontact;
  }
  return 0;
}

static double time_of(bench *b, pressed *p, mien_contact contact) {
  p->contact = contact;
  p->best = 0;
  return bench_time(b, repeat, p) < 0 ? -1 : p->best;
}

int bench_pressed(bench *b) {
  static char what[96];
  pressed p = {.before = NULL};
  int code = prepare(&p, b);
  if (!code) {
    double off = time_of(b, &p, MIEN_CONTACT_OFF), barrier = time_of(b, &p, MIEN_CONTACT_BARRIER);
    double plane = time_of(b, &p, MIEN_CONTACT_PLANE);
    snprintf(what, sizeof what, "pressed frame of a take with planes, %d contacts", p.ncontact);
    bench_add(b, (bench_row){"P2", what, plane, off, "contact off", 1.3});
    bench_add(b, (bench_row){"P12", "the same with the barrier", barrier, off, "contact off", 2});
    if (off < 0 || barrier < 0 || plane < 0) code = CLI_FAILED;
  }
  free(p.before);
  contact_scene_close(&p.scene);
  return code;
}

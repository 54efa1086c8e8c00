// hard_check RIG TAKE/WAY...: one rig in some takes, judged clause by clause. Exit code 1 when a
// clause is violated, 77 when the rig is not on this machine.
//   RIG   words of a hard rig ("overlap=150,seed=3"), or a .glb file
//   TAKE  jaw, or a sample take (press, kiss, phrase, reel), with "+shake" a head that moves
//   WAY   play     from the first frame to the last
//         pressed  from the middle on, as if the take began there
//         scrub    to frames here and there, from rest each time
//         switch   contact comes on in the middle
#include "hard.h"
#include "judge.h"
#include "judge_take.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SKIPPED = 77, BEFORE = 40, MIDDLE = 70, AFTER = 150, FPS = 60, SHAKEN_FRAMES = 90 };

typedef struct scene {
  mien_rig *rig;
  judge *judge;
  judge_take take;
  mien_step_opts opts;
  judge_summary summary;
  int nframe;
  bool is_foreign; // read from a file
} scene;

static int complain(const char *what, const char *why) {
  fprintf(stderr, "hard_check: %s: %s\n", what, why);
  return 2;
}

static int load_file(const char *path, mien_rig **rig) {
  mien_error err = {0};
  FILE *file = fopen(path, "rb");
  if (!file) {
    printf("SKIPPED: the rig '%s' is not on this machine\n", path);
    return SKIPPED;
  }
  fclose(file);
  return mien_rig_load(path, NULL, rig, &err) < 0 ? complain(path, err.text) : 0;
}

static int make_rig(const char *words, mien_rig **rig) {
  hard_options options;
  hard_rig made = {0};
  mien_error err = {0};
  if (hard_options_read(&options, words) || hard_rig_create(&options, &made))
    return complain(words, "this cannot be made");
  printf("%s: %d pairs of lip triangles cross in the neutral, %d with the jaw open\n", words,
         made.neutral_pairs, made.open_pairs);
  mien_result result = mien_rig_create(&made.def, NULL, rig, &err);
  hard_rig_free(&made);
  return result < 0 ? complain(words, err.text) : 0;
}

static int open_take(scene *s, const char *name) {
  char anim[1024], head[1024], why[240], base[64];
  snprintf(base, sizeof base, "%s", name);
  char *motion = strchr(base, '+');
  bool shakes = motion;
  if (motion) *motion++ = 0;
  snprintf(anim, sizeof anim, "%s/%s.csv", MIEN_SAMPLE_DIR, base);
  snprintf(head, sizeof head, "%s/%s.csv", MIEN_SAMPLE_DIR, shakes ? motion : "");
  if (!judge_take_open(&s->take, s->rig, strcmp(base, "jaw") ? anim : NULL, shakes ? head : NULL,
                       why))
    return complain(name, why);
  s->take.is_still = !shakes;
  s->nframe = (int)floor(s->take.seconds * FPS + 1e-6) + 1;
  if (shakes && s->nframe > SHAKEN_FRAMES) s->nframe = SHAKEN_FRAMES;
  return 0;
}

static int open_scene(scene *s, const char *rig) {
  char why[240];
  s->is_foreign = strstr(rig, ".glb");
  int code = s->is_foreign ? load_file(rig, &s->rig) : make_rig(rig, &s->rig);
  if (code) return code;
  s->judge = judge_open(s->rig, NULL, 1, why);
  if (!s->judge) return complain(rig, why);
  mien_step_opts_init(&s->opts);
  s->opts.dt = 1.0 / FPS;
  s->opts.contact = MIEN_CONTACT_PLANE;
  return 0;
}

static int step(scene *s, int frame, bool contact) {
  char why[240];
  judge_frame got;
  mien_step_opts opts = s->opts;
  if (!contact) opts.contact = MIEN_CONTACT_OFF;
  judge_take_sample(&s->take, frame / (double)FPS);
  if (!judge_step(s->judge, s->take.weights, &s->take.at, &opts, &got, why))
    return complain("step", why);
  got.frame = frame;
  if (contact) judge_summary_add(&s->summary, &got, judge_take_moves_head(&s->take));
  return 0;
}

static int play(scene *s, int first, int contact_at, int end) {
  int code = 0;
  for (int frame = first; !code && frame < end && frame < s->nframe; frame++)
    code = step(s, frame, frame >= contact_at);
  return code;
}

static int scrub(scene *s) {
  int code = 0;
  for (int k = 0; !code && k < 12; k++) {
    judge_restart(s->judge);
    code = step(s, (k * 77 + 30) % s->nframe, true);
  }
  return code;
}

static int play_way(scene *s, const char *way) {
  if (!strcmp(way, "scrub")) return scrub(s);
  if (!strcmp(way, "pressed")) return play(s, MIDDLE, 0, AFTER);
  if (!strcmp(way, "switch")) return play(s, BEFORE, MIDDLE, AFTER);
  return play(s, 0, 0, s->nframe);
}

// "press/scrub"; *nviolated clauses are added.
static int run(scene *s, const char *words, int *nviolated) {
  char take[64];
  snprintf(take, sizeof take, "%s", words);
  char *way = strchr(take, '/');
  if (!way) return complain(words, "this is no TAKE/WAY");
  *way++ = 0;
  int clauses = s->is_foreign ? JUDGE_FOREIGN_REST : JUDGE_ALL;
  if (!strcmp(way, "scrub")) clauses |= JUDGE_ONLY_CROSSINGS;
  int code = open_take(s, take);
  if (code) return code;
  judge_restart(s->judge);
  judge_summary_begin(&s->summary, s->judge);
  code = play_way(s, way);
  printf("\n-- %s --\n", words);
  if (!code) {
    judge_summary_print(&s->summary, stdout);
    *nviolated += judge_summary_check(&s->summary, clauses, stdout);
  }
  judge_take_close(&s->take);
  return code;
}

int main(int argc, char **argv) {
  scene s = {0};
  int nviolated = 0;
  if (argc < 3) return complain("usage", "hard_check RIG TAKE/play|pressed|scrub|switch...");
  int code = open_scene(&s, argv[1]);
  for (int k = 2; !code && k < argc; k++) code = run(&s, argv[k], &nviolated);
  if (!code && nviolated) printf("\n%s: %d clauses are violated\n", argv[1], nviolated);
  judge_close(s.judge);
  mien_rig_free(s.rig);
  return code ? code : nviolated > 0;
}

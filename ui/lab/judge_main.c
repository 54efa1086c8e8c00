// judge RIG.glb [options]: plays a take on a face and prints how the output compares with the
// artist's pose. See tests/hard/README.md.
#include "hard.h"
#include "judge.h"
#include "judge_take.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "usage: judge RIG.glb [options], or judge --hard overlap=150,seed=3,... [options]\n"
    "  --anim TAKE.csv   weights over time; without it the jaw opens and closes in 2 s (--jaw)\n"
    "  --head HEAD.csv   motion of the head; --still leaves all of it out\n"
    "  --pivot X,Y,Z     m, the head turns about it (the origin; on a body the face's middle)\n"
    "  --fps N (60)  --frames N  --first N (frame to begin with)  --substeps N (1)\n"
    "  --contact off|plane|barrier (plane)  --contact-at N (off before frame N)\n"
    "  --preset FILE.json|NAME  --set NAME=VALUE  --muscles  --sticky S  --simulate-at N\n"
    "  --hard WORDS      a rig made here: overlap=N, deep=N, bag=N, seed=N, density=0|1, lids, "
    "thin_bag, "
    "coarse,\n"
    "                    welded, teeth_in_skin, up=z, body; --save FILE.glb writes it\n"
    "  --threads N (1)  --csv (a line per frame)  --remarks (the face's)\n"
    "  --list N (pairs that cross in frame N)\n"
    "  --check           exit with 1 when a clause is violated; flesh that the head throws, "
    "gravity\n"
    "                    pulls or lips stick to is not asked to be at its pose in time\n"
    "  --foreign         a file's teeth, hair and clothes may cross as they are posed\n";

typedef struct options {
  const char *rig, *anim, *head, *hard, *save;
  mien_settings settings;
  double fps, pivot[3];
  int nframe, first, contact_at, threads, list;
  bool is_still, is_foreign, has_pivot, csv, remarks, lists, checks;
} options;

static int complain(const char *what, const char *why) {
  fprintf(stderr, "judge: %s: %s\n", what, why);
  return 2;
}

static bool set(options *o, const char *name, const char *text) {
  mien_error err = {0};
  if (mien_settings_set(&o->settings, name, text, &err) >= 0) return true;
  complain(name, err.text);
  return false;
}

static bool set_pair(options *o, const char *text) {
  char name[64];
  size_t length = strcspn(text, "=");
  if (!text[length] || length >= sizeof name) return false;
  memcpy(name, text, length);
  name[length] = 0;
  return set(o, name, text + length + 1);
}

static bool read_preset(options *o, const char *name) {
  char path[1024], json[16384];
  mien_error err = {0};
  FILE *file = fopen(name, "rb");
  snprintf(path, sizeof path, "%s/%s.json", JUDGE_PRESETS, name);
  if (!file) file = fopen(path, "rb");
  if (!file) return complain(name, "there is no such preset") == 0;
  size_t size = fread(json, 1, sizeof json, file);
  fclose(file);
  if (mien_settings_read(&o->settings, json, size, &err) >= 0) return true;
  return complain(name, err.text) == 0;
}

// Options with a value. False when it is none, or its value is not accepted.
static bool read_value(options *o, const char *name, const char *value) {
  if (!strcmp(name, "--anim")) return o->anim = value, true;
  if (!strcmp(name, "--hard")) return o->hard = o->rig = value, true;
  if (!strcmp(name, "--save")) return o->save = value, true;
  if (!strcmp(name, "--head")) return o->head = value, true;
  if (!strcmp(name, "--fps")) return o->fps = atof(value), o->fps > 0;
  if (!strcmp(name, "--frames")) return o->nframe = atoi(value), o->nframe > 0;
  if (!strcmp(name, "--first")) return o->first = atoi(value), o->first >= 0;
  if (!strcmp(name, "--contact-at")) return o->contact_at = atoi(value), true;
  if (!strcmp(name, "--list")) return o->list = atoi(value), o->lists = true;
  if (!strcmp(name, "--threads")) return o->threads = atoi(value), true;
  if (!strcmp(name, "--substeps")) return set(o, "substeps", value);
  if (!strcmp(name, "--contact")) return set(o, "contact", value);
  if (!strcmp(name, "--sticky")) return set(o, "sticky", value);
  if (!strcmp(name, "--simulate-at")) return set(o, "simulate_at", value);
  if (!strcmp(name, "--set")) return set_pair(o, value);
  if (!strcmp(name, "--preset")) return read_preset(o, value);
  if (strcmp(name, "--pivot")) return false;
  double *p = o->pivot;
  return o->has_pivot = sscanf(value, "%lf,%lf,%lf", p, p + 1, p + 2) == 3;
}

static bool read_options(options *o, int argc, char **argv) {
  mien_settings_init(&o->settings);
  o->settings.step.contact = MIEN_CONTACT_PLANE;
  o->fps = 60;
  o->threads = 1;
  for (int i = 1; i < argc; i++) {
    if (!strcmp(argv[i], "--still"))
      o->is_still = true;
    else if (!strcmp(argv[i], "--muscles"))
      o->settings.face.muscles = 1, o->settings.step.drive = MIEN_DRIVE_MUSCLE;
    else if (!strcmp(argv[i], "--csv"))
      o->csv = true;
    else if (!strcmp(argv[i], "--remarks"))
      o->remarks = true;
    else if (!strcmp(argv[i], "--check"))
      o->checks = true;
    else if (!strcmp(argv[i], "--foreign"))
      o->is_foreign = true;
    else if (!strcmp(argv[i], "--jaw"))
      o->anim = NULL;
    else if (argv[i][0] != '-')
      o->rig = argv[i];
    else if (i + 1 == argc || !read_value(o, argv[i], argv[i + 1]))
      return false;
    else
      i++;
  }
  return o->rig;
}

static int load_rig(const options *o, mien_rig **rig) {
  hard_options words;
  hard_rig made = {0};
  mien_error err = {0};
  if (!o->hard) return mien_rig_load(o->rig, NULL, rig, &err) < 0 ? complain(o->rig, err.text) : 0;
  if (hard_options_read(&words, o->hard) || hard_rig_create(&words, &made))
    return complain(o->hard, "this cannot be made");
  mien_result result = mien_rig_create(&made.def, NULL, rig, &err);
  if (result >= 0 && o->save) result = mien_rig_save(*rig, NULL, NULL, o->save, &err);
  fprintf(
      stderr,
      "made: %d vertices, lips moved by %.2f mm, %d pairs of them cross in the neutral, %d open\n",
      made.def.positions.count, 1e3 * made.overlap, made.neutral_pairs, made.open_pairs);
  hard_rig_free(&made);
  return result < 0 ? complain(o->hard, err.text) : 0;
}

static void print_face(const judge *j) {
  const mien_face_info *face = mien_face_get_info(judge_face(j));
  printf("face                       %d skin vertices, %d tets; mouth %s, lips %d + %d, bag %d, "
         "lids %d, contact %d\n",
         face->nskin, face->ntet, face->has_mouth ? "found" : "not found", face->nlip_upper,
         face->nlip_lower, face->nmouth_bag, face->neyelid, face->ncontact);
}

static void list(judge *j) {
  printf("pairs that cross in the output:\n");
  judge_list(j, mien_state_get_info(judge_state(j))->positions.data, 20, stdout);
  printf("in the pose:\n");
  judge_list(j, judge_pose(j), 20, stdout);
}

// Chooses the clauses that can be asked of this shot.
static int clauses_of(const options *o, const judge_take *t) {
  const double *gravity = o->settings.step.gravity;
  bool is_drawn = o->settings.step.sticky > 0 || gravity[0] || gravity[1] || gravity[2];
  int clauses = judge_take_moves_head(t) || is_drawn ? JUDGE_THROWN : JUDGE_ALL;
  return o->is_foreign ? clauses | JUDGE_FOREIGN_REST : clauses;
}

static int play(const options *o, judge *j, judge_take *t) {
  char why[240];
  judge_summary summary;
  judge_summary_begin(&summary, j);
  int last = (int)floor(t->seconds * o->fps + 1e-6);
  if (o->nframe && o->first + o->nframe - 1 < last) last = o->first + o->nframe - 1;
  if (o->csv)
    judge_csv_head(stdout);
  else
    print_face(j);
  for (int frame = o->first; frame <= last; frame++) {
    judge_frame got;
    mien_step_opts opts = o->settings.step;
    opts.dt = 1 / o->fps;
    if (frame < o->contact_at) opts.contact = MIEN_CONTACT_OFF;
    judge_take_sample(t, frame / o->fps);
    if (!judge_step(j, t->weights, &t->at, &opts, &got, why)) return complain(o->rig, why);
    got.frame = frame;
    judge_summary_add(&summary, &got, judge_take_moves_head(t) || frame < o->contact_at);
    if (o->csv) judge_csv_line(&got, stdout);
    if (o->lists && frame == o->list) list(j);
  }
  judge_summary_print(&summary, o->csv ? stderr : stdout);
  return o->checks && judge_summary_check(&summary, clauses_of(o, t), stdout);
}

int main(int argc, char **argv) {
  options o = {0};
  char why[240];
  mien_rig *rig = NULL;
  judge_take take = {0};
  if (!read_options(&o, argc, argv)) return fputs(usage, stderr), 2;
  if (load_rig(&o, &rig)) return 2;
  if (!judge_take_open(&take, rig, o.anim, o.head, why)) return complain(o.rig, why);
  take.is_still = o.is_still;
  if (o.has_pivot) memcpy(take.pivot, o.pivot, sizeof take.pivot);
  if (take.nunmatched)
    fprintf(stderr, "note: %d channels have no shape on this rig\n", take.nunmatched);
  judge *j = judge_open(rig, &o.settings.face, o.threads, why);
  for (int k = 0; j && o.remarks && k < mien_face_get_info(judge_face(j))->nremark; k++)
    fprintf(stderr, "remark: %s\n", mien_face_get_info(judge_face(j))->remarks[k]);
  int code = j ? play(&o, j, &take) : complain(o.rig, why);
  judge_close(j);
  judge_take_close(&take);
  mien_rig_free(rig);
  return code;
}

#include "muscle_subject.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double SHIFT = 0.009, NOISE = 0.0003; // m
static const double ADULT = 0.18;                  // m, the face's size

static double draw(int a, int b) {
  return 2 * mi_random_unit(0xd7, (uint32_t)a, (uint32_t)b) - 1;
}

// Shares from the distance to the atlas's path when every muscle lies elsewhere.
static void move_muscles(mien_face *face) {
  mi_muscles *muscles = &face->muscles;
  for (int t = 0; t < face->info.ntet; t++) {
    double sum = 0;
    mi_vec3 p = {0, 0, 0};
    for (int c = 0; c < 4; c++)
      p = mi_add_scaled(p, 0.25, mi_vec3_load(face->rest + 3 * (size_t)face->tets[4 * t + c]));
    for (int e = muscles->first[t]; e < muscles->first[t + 1]; e++) {
      int m = muscles->index[e];
      const mien_muscle *muscle = muscles->info + m;
      double near = INFINITY, scale = face->skin.size / ADULT;
      mi_vec3 by = {draw(m, 1), draw(m, 2), draw(m, 3)};
      mi_vec3 at = mi_add_scaled(p, -SHIFT * scale, mi_unit(by));
      for (int k = 0; k < muscle->path.count; k++)
        near = fmin(near, mi_distance(at, mi_vec3_load(muscle->path.data + 3 * (size_t)k)));
      double share = fmin(1, fmax(0, 1 - (near - muscle->radius) / (0.003 * scale)));
      muscles->share[e] = (float)(0.9 * share);
      sum += (double)muscles->share[e];
    }
    for (int e = muscles->first[t]; sum > 1 && e < muscles->first[t + 1]; e++)
      muscles->share[e] /= (float)(1.0001 * sum);
  }
  mi_muscles_measure(face);
}

// Two fifths of the muscles contract, by 20 to 60 %; every other expression moves the jaw.
static void make_expression(const muscle_subject *s, int number, mi_expression *e) {
  for (int m = 0; m < s->truth->muscles.count; m++) {
    double contraction = draw(100 + number, m) > 0.2 ? 0.4 + 0.2 * draw(200 + number, m) : 0;
    mi_muscle_contract(contraction, e->activation + MI_ACTIVATION * (size_t)m);
  }
  e->jaw[0] = number % 2 ? 0.12 + 0.06 * draw(300 + number, 0) : 0;
  e->jaw[1] = number % 2 ? 0.03 * draw(300 + number, 1) : 0;
}

static int make_scan(muscle_subject *s, mi_balance *b, int number) {
  size_t size = 3 * (size_t)s->truth->rig->info.nvert;
  mi_expression e;
  mien_error err;
  if (mi_expression_create(b, &e, &err) < 0) return cli_report(&err, "scan");
  make_expression(s, number, &e);
  for (int k = 0; k < 4; k++) mi_balance_settle(b, &e, 100);
  s->opening[number] = e.jaw[0];
  s->exact[number] = malloc(size * sizeof(float));
  s->scan[number] = malloc(size * sizeof(float));
  mi_expression_free(&e);
  if (!s->exact[number] || !s->scan[number]) return cli_fail("out of memory");
  memcpy(s->exact[number], s->truth->rig->positions, size * sizeof(float));
  for (int i = 0; i < s->truth->skin.nvert; i++)
    memcpy(s->exact[number] + 3 * (size_t)s->truth->skin.vert[i],
           e.x + 4 * (size_t)b->solver->iperm[i], 3 * sizeof(float));
  for (size_t k = 0; k < size; k++) { // twelve even numbers make nearly a normal one
    double sum = 0;
    for (int n = 0; n < 12; n++) sum += 0.5 * draw(1000 + number, (int)(12 * k) + n);
    s->scan[number][k] = s->exact[number][k] + (float)(NOISE / sqrt(3) * sum);
  }
  return CLI_DONE;
}

int muscle_subject_face(const muscle_subject *s, int rounds, mien_face **face) {
  mien_face_def def;
  mien_error err;
  mien_muscle_target targets[SUBJECT_FIT];
  mien_face_def_init(&def);
  def.muscles = 1;
  def.blendvolumes = 0;
  for (int k = 0; rounds && k < SUBJECT_FIT; k++) // without rounds there is no truth yet
    targets[k] = (mien_muscle_target){"scan", {s->scan[k], s->truth->rig->info.nvert, 3}};
  if (rounds) {
    def.muscle_targets = targets;
    def.nmuscle_target = SUBJECT_FIT;
    def.muscle_rounds = rounds;
  }
  return mien_face_create(s->rig, &def, NULL, face, &err) < 0 ? cli_report(&err, "muscles")
                                                              : CLI_DONE;
}

static int load(const experiment *e, const char *head, int simulated, muscle_subject *s) {
  mien_face_def def;
  mien_error err;
  s->rig = s->whole = cli_load_rig(e->args, cli_sample(head));
  if (!s->whole) return CLI_FAILED;
  if (!simulated) return CLI_DONE;
  mien_face_def_init(&def);
  def.simulate_at = simulated;
  def.blendvolumes = 0;
  if (mien_face_create(s->whole, &def, NULL, &s->reduced, &err) < 0)
    return cli_report(&err, "subject");
  s->rig = s->reduced->rig;
  return CLI_DONE;
}

int muscle_subject_create(const experiment *e, const char *head, int simulated, muscle_subject *s) {
  mi_balance b;
  mien_host host;
  mien_error err;
  *s = (muscle_subject){.noise = NOISE};
  int code = load(e, head, simulated, s);
  if (!code) code = muscle_subject_face(s, 0, &s->truth);
  if (code) return code;
  move_muscles(s->truth);
  mi_host_resolve(NULL, &host, NULL);
  if (mi_balance_create(s->truth, &host, &b, &err) < 0) return cli_report(&err, "subject");
  for (int k = 0; !code && k < SUBJECT_SCANS; k++) code = make_scan(s, &b, k);
  mi_balance_free(&b);
  return code;
}

void muscle_subject_free(muscle_subject *s) {
  for (int k = 0; k < SUBJECT_SCANS; k++) {
    free(s->scan[k]);
    free(s->exact[k]);
  }
  mien_face_free(s->truth);
  mien_face_free(s->reduced);
  mien_rig_free(s->whole);
}

static bool moves(const muscle_subject *s, size_t at) {
  for (int k = 0; k < SUBJECT_SCANS; k++) {
    double d2 = 0;
    for (size_t c = 0; c < 3; c++)
      d2 += pow((double)(s->exact[k][at + c] - s->truth->rig->positions[at + c]), 2);
    if (d2 > 1e-6) return true;
  }
  return false;
}

double muscle_subject_distance(const muscle_subject *s, const float *a, const float *b) {
  const mien_face *face = s->truth;
  double sum = 0;
  int count = 0;
  for (int i = 0; i < face->skin.nvert; i++) {
    size_t at = 3 * (size_t)face->skin.vert[i];
    double d2 = 0;
    if (face->regions.bits[i] & (MIEN_REGION_MOUTH_BAG | MIEN_REGION_LIP_INNER)) continue;
    if (!moves(s, at)) continue;
    for (size_t c = 0; c < 3; c++) d2 += pow((double)(a[at + c] - b[at + c]), 2);
    sum += sqrt(d2);
    count++;
  }
  return count ? sum / count : NAN;
}

#include "judge_take.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// -- Names ----------------------------------------------------------------------------------------

// "AK_25_JawOpen" is JawOpen.
static const char *without_prefix(const char *name) {
  if (strncmp(name, "AK_", 3) || !isdigit((unsigned char)name[3])) return name;
  const char *at = name + 3;
  while (isdigit((unsigned char)*at)) at++;
  return *at == '_' ? at + 1 : name;
}

static bool same_name(const char *a, const char *b) {
  for (;; a++, b++) {
    while (*a == '_') a++;
    while (*b == '_') b++;
    if (tolower((unsigned char)*a) != tolower((unsigned char)*b)) return false;
    if (!*a) return true;
  }
}

int judge_find_shape(const mien_rig *rig, const char *name) {
  const mien_rig_info *info = mien_rig_get_info(rig);
  int found = mien_rig_find_shape(rig, name);
  for (int s = 0; found < 0 && s < info->nshape; s++)
    if (same_name(without_prefix(info->shapes[s].name), name)) found = s;
  return found;
}

// -- Opening --------------------------------------------------------------------------------------

static void find_pivot(judge_take *t) {
  static const double FAR = 0.3; // m
  const mien_rig_info *rig = mien_rig_get_info(t->rig);
  double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
  for (int s = 0; s < rig->nshape; s++)
    for (int k = 0; k < rig->shapes[s].deltas.count; k++) {
      int v = rig->shapes[s].indices.data ? rig->shapes[s].indices.data[k] : k;
      const float *delta = rig->shapes[s].deltas.data + 3 * (size_t)k;
      if (fabsf(delta[0]) + fabsf(delta[1]) + fabsf(delta[2]) < 1e-4f) continue;
      for (int c = 0; c < 3; c++) {
        low[c] = fmin(low[c], rig->positions.data[3 * v + c]);
        high[c] = fmax(high[c], rig->positions.data[3 * v + c]);
      }
    }
  double d2 = 0;
  for (int c = 0; c < 3; c++) d2 += 0.25 * (low[c] + high[c]) * (low[c] + high[c]);
  for (int c = 0; c < 3; c++) t->pivot[c] = d2 > FAR * FAR ? 0.5 * (low[c] + high[c]) : 0;
}

static bool bind(judge_take *t) {
  const mien_take_info *info = mien_take_get_info(t->take);
  t->shape = malloc(((size_t)info->nchannel + 1) * sizeof *t->shape);
  t->channel = calloc((size_t)info->nchannel + 1, sizeof *t->channel);
  if (!t->shape || !t->channel) return false;
  for (int c = 0; c < info->nchannel; c++) {
    t->shape[c] = judge_find_shape(t->rig, info->channels[c]);
    t->nunmatched += t->shape[c] < 0;
  }
  t->seconds = info->end - info->start;
  return true;
}

bool judge_take_open(judge_take *t, const mien_rig *rig, const char *anim, const char *head,
                     char why[240]) {
  mien_error err = {0};
  *t = (judge_take){.rig = rig, .seconds = 2};
  t->weights = calloc((size_t)mien_rig_get_info(rig)->nshape + 1, sizeof *t->weights);
  t->njaw = judge_find_shape(rig, "jawOpen");
  if (anim && mien_take_load(anim, NULL, &t->take, &err) < 0)
    snprintf(why, 240, "%s", err.text);
  else if (head && mien_take_load(head, NULL, &t->head, &err) < 0)
    snprintf(why, 240, "%s", err.text);
  else if (!t->weights || (t->take && !bind(t)))
    snprintf(why, 240, "out of memory");
  else if (!t->take && t->njaw < 0)
    snprintf(why, 240, "the rig has no shape jawOpen");
  else {
    find_pivot(t);
    return true;
  }
  judge_take_close(t);
  return false;
}

void judge_take_close(judge_take *t) {
  mien_take_free(t->take);
  mien_take_free(t->head);
  free(t->shape);
  free(t->channel);
  free(t->weights);
  *t = (judge_take){0};
}

// -- Sampling -------------------------------------------------------------------------------------

static void turn(const double q[4], const double v[3], double out[3]) {
  double c[3] = {q[1] * v[2] - q[2] * v[1] + q[3] * v[0], q[2] * v[0] - q[0] * v[2] + q[3] * v[1],
                 q[0] * v[1] - q[1] * v[0] + q[3] * v[2]};
  out[0] = v[0] + 2 * (q[1] * c[2] - q[2] * c[1]);
  out[1] = v[1] + 2 * (q[2] * c[0] - q[0] * c[2]);
  out[2] = v[2] + 2 * (q[0] * c[1] - q[1] * c[0]);
}

static void sample_jaw(judge_take *t, double time) {
  double phase = fmin(fmax(time / t->seconds, 0), 1);
  t->weights[t->njaw] = (float)(phase < 0.5 ? 2 * phase : 2 - 2 * phase);
}

bool judge_take_moves_head(const judge_take *t) {
  bool has_own = t->take && mien_take_get_info(t->take)->head;
  return !t->is_still && (t->head || has_own);
}

void judge_take_sample(judge_take *t, double time) {
  mien_rigid head = {{0, 0, 0, 1}, {0, 0, 0}};
  if (t->take) {
    const mien_take_info *info = mien_take_get_info(t->take);
    memset(t->weights, 0, (size_t)mien_rig_get_info(t->rig)->nshape * sizeof *t->weights);
    mien_take_sample(t->take, info->start + time, t->channel, &head, NULL);
    for (int c = 0; c < info->nchannel; c++)
      if (t->shape[c] >= 0) t->weights[t->shape[c]] = t->channel[c];
  } else {
    sample_jaw(t, time);
  }
  if (t->head)
    mien_take_sample(t->head, mien_take_get_info(t->head)->start + time, NULL, &head, NULL);
  t->at = (mien_rigid){{0, 0, 0, 1}, {0, 0, 0}};
  if (!judge_take_moves_head(t)) return;
  double turned[3];
  turn(head.rotation, t->pivot, turned);
  t->at = head;
  for (int k = 0; k < 3; k++) t->at.translation[k] += t->pivot[k] - turned[k];
}

#include "judge_inside.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// -- Opening --------------------------------------------------------------------------------------

judge *judge_open(const mien_rig *rig, const mien_face_def *def, int threads, char why[240]) {
  mien_host host;
  mien_error err = {0};
  judge *j = calloc(1, sizeof *j);
  snprintf(why, 240, "out of memory");
  if (!j) return NULL;
  j->rig = rig;
  mien_host_init(&host);
  host.threads = threads;
  if (mien_face_create(rig, def, &host, &j->face, &err) < 0 ||
      mien_state_create(j->face, &host, &j->state, &err) < 0)
    snprintf(why, 240, "%s", err.text);
  else if (mien_face_get_info(j->face)->nmuscle &&
           mien_activations_create(j->face, &host, &j->muscles, &err) < 0)
    snprintf(why, 240, "%s", err.text);
  else if (judge_map(j)) {
    judge_restart(j);
    return j;
  }
  judge_close(j);
  return NULL;
}

void judge_close(judge *j) {
  if (!j) return;
  judge_unmap(j);
  mien_activations_free(j->muscles);
  mien_state_free(j->state);
  mien_face_free(j->face);
  free(j);
}

mien_state *judge_state(judge *j) {
  return j->state;
}

const mien_face *judge_face(const judge *j) {
  return j->face;
}

const float *judge_pose(const judge *j) {
  return j->pose;
}

void judge_restart(judge *j) {
  const mien_rig_info *rig = mien_rig_get_info(j->rig);
  mien_state_reset(j->state);
  memcpy(j->last, rig->positions.data, 3 * (size_t)rig->nvert * sizeof *j->last);
  j->nstep = j->nheld = 0;
}

// -- Crossings ------------------------------------------------------------------------------------

typedef struct counting {
  const judge *j;
  judge_pairs *pairs;
} counting;

static void count_pair(void *user, int32_t a, int32_t b) {
  counting *c = user;
  const judge *j = c->j;
  bool has[JUDGE_NPIECE] = {false};
  if (!j->is_active[a] && !j->is_active[b]) return;
  for (int k = 0; k < 3; k++) {
    if (a < j->mesh.nskin) has[j->piece[j->tri[3 * a + k]]] = true;
    if (b < j->mesh.nskin) has[j->piece[j->tri[3 * b + k]]] = true;
  }
  if (j->tri_piece[a] >= 0) has[j->tri_piece[a]] = true;
  if (j->tri_piece[b] >= 0) has[j->tri_piece[b]] = true;
  judge_piece piece = has[JUDGE_LIDS_LEFT]    ? JUDGE_LIDS_LEFT
                      : has[JUDGE_LIDS_RIGHT] ? JUDGE_LIDS_RIGHT
                      : has[JUDGE_LIPS]       ? JUDGE_LIPS
                                              : JUDGE_REST;
  c->pairs->piece[piece]++;
  c->pairs->all++;
  if (a < j->mesh.nskin && b < j->mesh.nskin)
    c->pairs->skin++;
  else
    c->pairs->rigid++;
}

judge_pairs judge_count(const judge *j, const float *positions) {
  judge_pairs pairs = {{0}, 0, 0, 0};
  counting c = {j, &pairs};
  if (!pairs_find(&j->mesh, positions, count_pair, &c)) pairs.all = -1;
  return pairs;
}

typedef struct listing {
  const judge *j;
  const float *positions;
  FILE *to;
  int left;
} listing;

static void list_triangle(const listing *l, int32_t t) {
  const mien_rig_info *rig = mien_rig_get_info(l->j->rig);
  int p = 0, first = l->j->tri[3 * t];
  while (p + 1 < rig->npart && first >= rig->parts[p].first_vertex + rig->parts[p].nvert) p++;
  fprintf(l->to, "  %s:", rig->parts[p].name);
  for (int c = 0; c < 3; c++) {
    const float *at = l->positions + 3 * (size_t)l->j->tri[3 * t + c];
    fprintf(l->to, " %d (%.2f %.2f %.2f)", l->j->tri[3 * t + c], 1e3 * (double)at[0],
            1e3 * (double)at[1], 1e3 * (double)at[2]);
  }
}

static void list_pair(void *user, int32_t a, int32_t b) {
  listing *l = user;
  if ((!l->j->is_active[a] && !l->j->is_active[b]) || l->left-- <= 0) return;
  list_triangle(l, a);
  list_triangle(l, b);
  fprintf(l->to, "\n");
}

void judge_list(const judge *j, const float *positions, int most, FILE *to) {
  listing l = {j, positions, to, most};
  pairs_find(&j->mesh, positions, list_pair, &l);
}

// -- Measuring ------------------------------------------------------------------------------------

static double distance(const float *a, const float *b) {
  double d2 = 0;
  for (int k = 0; k < 3; k++) d2 += ((double)a[k] - b[k]) * ((double)a[k] - b[k]);
  return sqrt(d2);
}

static void measure_offsets(judge *j, const float *now, judge_frame *out) {
  const mien_rig_info *rig = mien_rig_get_info(j->rig);
  out->all_equal = out->is_finite = true;
  out->farthest_vertex = -1;
  for (int p = 0; p < JUDGE_NPIECE; p++) out->equal[p] = true;
  for (int i = 0; i < rig->nvert; i++) {
    const float *at = now + 3 * (size_t)i, *wanted = j->pose + 3 * (size_t)i;
    bool same = !memcmp(at, wanted, 3 * sizeof *at);
    j->offset[i] = same ? 0 : distance(at, wanted);
    if (!isfinite(at[0]) || !isfinite(at[1]) || !isfinite(at[2])) out->is_finite = false;
    if (!same) out->all_equal = false;
    if (!j->is_skin[i]) continue;
    if (!same) out->equal[j->piece[i]] = false;
    out->off[j->piece[i]] = fmax(out->off[j->piece[i]], j->offset[i]);
    double posed = distance(wanted, rig->positions.data + 3 * (size_t)i);
    out->posed[j->piece[i]] = fmax(out->posed[j->piece[i]], posed);
    if (!(j->offset[i] <= out->farthest)) {
      out->farthest = j->offset[i];
      out->farthest_vertex = i;
      out->farthest_in_contact = j->in_contact[i];
    }
    out->moved = fmax(out->moved, distance(at, j->last + 3 * (size_t)i));
  }
}

static void measure_spikes(const judge *j, judge_frame *out) {
  static const double LEAST = 1e-3; // m
  int nvert = mien_rig_get_info(j->rig)->nvert;
  out->spike_vertex = -1;
  out->spike_excess = -LEAST;
  for (int i = 0; i < nvert; i++) {
    int count = j->first[i + 1] - j->first[i];
    if (!j->is_skin[i] || !count || j->offset[i] <= LEAST) continue;
    double sum = 0;
    for (int k = j->first[i]; k < j->first[i + 1]; k++) sum += j->offset[j->next[k]];
    double thrice = 3 * sum / count, excess = j->offset[i] - thrice - LEAST;
    out->spike = fmax(out->spike, j->offset[i] / fmax(thrice, 1e-9));
    if (excess <= out->spike_excess) continue;
    out->spike_excess = excess;
    out->spike_vertex = i;
  }
}

// How long the input has been what it is.
static void follow_input(judge *j, const float *weights, const mien_rigid *head,
                         mien_contact contact) {
  size_t nshape = (size_t)mien_rig_get_info(j->rig)->nshape;
  bool same = j->nstep && !memcmp(weights, j->weights, nshape * sizeof *weights) &&
              !memcmp(head, &j->head, sizeof *head) && contact == j->contact;
  j->nheld = same ? j->nheld + 1 : 0;
  memcpy(j->weights, weights, nshape * sizeof *weights);
  j->head = *head;
  j->contact = contact;
}

// The pose is then where muscles have the face without contact, as close to the artist's as they
// come.
static mien_result drive_muscles(judge *j, mien_input *input, mien_error *err) {
  const mien_activations_info *found = mien_activations_get_info(j->muscles);
  int nvert = mien_rig_get_info(j->rig)->nvert;
  mien_result result = mien_activations_solve(j->muscles, (mien_f32s){j->pose, nvert, 3}, 0, err);
  if (result < 0) return result;
  memcpy(j->pose, found->positions.data, 3 * (size_t)nvert * sizeof *j->pose);
  input->activations = found->activations;
  input->jaw = found->jaw;
  input->has_jaw = 1;
  return result;
}

bool judge_step(judge *j, const float *weights, const mien_rigid *head, const mien_step_opts *opts,
                judge_frame *out, char why[240]) {
  static const mien_rigid identity = {{0, 0, 0, 1}, {0, 0, 0}};
  const mien_rig_info *rig = mien_rig_get_info(j->rig);
  mien_error err = {0};
  mien_input input;
  mien_input_init(&input);
  input.weights = (mien_f32s){weights, rig->nshape, 1};
  input.head = head ? *head : identity;
  *out = (judge_frame){.frame = j->nstep};
  follow_input(j, weights, &input.head, opts->contact);
  bool is_muscle = opts->drive == MIEN_DRIVE_MUSCLE && j->muscles;
  if (mien_rig_pose(j->rig, weights, rig->nshape, j->pose, &err) < 0 ||
      (is_muscle && drive_muscles(j, &input, &err) < 0) ||
      mien_step(j->state, &input, opts, &err) < 0) {
    snprintf(why, 240, "frame %d: %.220s", j->nstep, err.text);
    return false;
  }
  const mien_state_info *state = mien_state_get_info(j->state);
  const float *now = state->positions.data;
  measure_offsets(j, now, out);
  measure_spikes(j, out);
  if (!j->nheld) j->posed = judge_count(j, j->pose);
  out->pose = j->posed;
  out->output = out->all_equal ? out->pose : judge_count(j, now);
  out->ninverted = state->ninverted;
  out->ncontact = state->ncontact;
  out->seconds = state->seconds;
  out->nheld = j->nheld;
  out->is_neutral = !memcmp(j->pose, rig->positions.data, 12 * (size_t)rig->nvert);
  memcpy(j->last, now, 3 * (size_t)rig->nvert * sizeof *j->last);
  j->nstep++;
  return true;
}

// A state as bytes: for scrubbing, cached playback, resumed bakes and comparing machines.
#include "solve/state.h"

#include "base/params.h"

#include <math.h>
#include <string.h>

static const float FARTHEST =
    1e9f; // m, m / s: nothing is so far or so fast that steps cannot go on

typedef struct header {
  char magic[8];
  uint32_t version, size_of_header;
  uint64_t size, face; // bytes in all; hash of the face it belongs to
  double time;
  int64_t nstep;
  mien_rigid head, last_head, older_head;
  double last_dt, older_dt;
  mi_account account;
  mien_rigid jaw;
  int64_t has_jaw, is_disturbed;
  double released_for, held_for;
} header;

static const char MAGIC[8] = "mienst09";
enum { VERSION = 9, NARRAY = 11, NFLOATS = 9 }; // the first nine are floats

typedef struct array {
  void *data;
  size_t size;
} array;

// the arrays of a snapshot, in order; saving, restoring and hashing all walk this list
static void list_arrays(const mien_state *state, array arrays[NARRAY]) {
  size_t flesh = 3 * (size_t)state->face->info.nvert * sizeof(float);
  size_t rig = 3 * (size_t)state->face->rig->info.nvert * sizeof(float);
  arrays[0] = (array){state->moving.posed, flesh};
  arrays[1] = (array){state->moving.offset, flesh};
  arrays[2] = (array){state->moving.velocity, flesh};
  arrays[3] = (array){state->moving.rig, rig};
  arrays[4] = (array){state->moving.offset_before, flesh};
  arrays[5] = (array){state->moving.velocity_before, flesh};
  arrays[6] = (array){state->moving.weights, state->face->rig->info.nshape * sizeof(float)};
  size_t shown = 3 * (size_t)mi_face_shown(state->face)->info.nvert * sizeof(float);
  bool is_coarse = state->moving.shown != NULL;
  arrays[7] = (array){is_coarse ? state->moving.shown : state->moving.rig, is_coarse ? shown : 0};
  size_t obstacle = 3 * (size_t)state->moving.nobstacle * sizeof(float);
  arrays[8] = (array){state->moving.obstacle, obstacle};
  arrays[9] = (array){state->moving.stick, (size_t)state->moving.nstick * sizeof(mi_stick)};
  arrays[10] = (array){state->moving.collider, state->face->colliders.nuser * sizeof(mien_rigid)};
}

size_t mi_state_size(const mien_state *state) {
  array arrays[NARRAY];
  list_arrays(state, arrays);
  size_t size = sizeof(header);
  for (int k = 0; k < NARRAY; k++) size += arrays[k].size;
  return size;
}

static header make_header(const mien_state *state) {
  header head;
  memset(&head, 0, sizeof head); // padding, too, is part of the snapshot
  memcpy(head.magic, MAGIC, sizeof MAGIC);
  head.version = VERSION;
  head.size_of_header = sizeof head;
  head.size = mi_state_size(state);
  head.face = state->face->info.hash;
  head.time = state->moving.time;
  head.nstep = state->moving.nstep;
  head.head = state->moving.head;
  head.last_head = state->moving.last_head;
  head.last_dt = state->moving.last_dt;
  head.older_head = state->moving.older_head;
  head.older_dt = state->moving.older_dt;
  head.account = state->moving.account;
  head.jaw = state->moving.jaw;
  head.has_jaw = state->moving.has_jaw;
  head.is_disturbed = state->moving.is_disturbed;
  head.released_for = state->moving.released_for;
  head.held_for = state->moving.held_for;
  return head;
}

void mi_state_save(const mien_state *state, unsigned char *bytes) {
  header head = make_header(state);
  memcpy(bytes, &head, sizeof head);
  bytes += sizeof head;
  array arrays[NARRAY];
  list_arrays(state, arrays);
  for (int k = 0; k < NARRAY; k++) {
    mi_copy_away(bytes, arrays[k].data, arrays[k].size);
    bytes += arrays[k].size;
  }
}

static bool is_finite_stick(const mi_stick *stick) {
  float sum = stick->coef[0] + stick->coef[1] + stick->coef[2] + stick->strain + stick->limit;
  return isfinite(sum) && isfinite(stick->alone);
}

// springs of lips: to vertices that are there
static bool are_sound(const mien_state *state, const unsigned char *bytes) {
  int count = state->moving.nstick;
  for (int i = 0; i < count; i++) {
    mi_stick stick;
    memcpy(&stick, bytes + (size_t)i * sizeof stick, sizeof stick);
    if (!is_finite_stick(&stick)) return false;
    for (int k = 0; k < 3; k++)
      if (stick.corner[k] < -1 || stick.corner[k] >= count ||
          (stick.corner[k] < 0) != (stick.corner[0] < 0))
        return false;
  }
  return true;
}

static bool is_rigid(const mien_rigid *at) {
  double length2 = 0, place = 0;
  for (int k = 0; k < 4; k++) length2 += at->rotation[k] * at->rotation[k];
  for (int k = 0; k < 3; k++) place += fabs(at->translation[k]);
  return isfinite(place) && fabs(length2 - 1) <= 1e-2;
}

static bool are_rigid(const unsigned char *bytes, int count) {
  for (int k = 0; k < count; k++) {
    mien_rigid at;
    memcpy(&at, bytes + (size_t)k * sizeof at, sizeof at);
    if (!is_rigid(&at)) return false;
  }
  return true;
}

static bool is_finite_account(const mi_account *account) {
  double sum = account->owed + account->elastic;
  for (int k = 0; k < 12; k++) sum += account->push[k];
  return isfinite(sum);
}

// Seconds of physics: no step that the options allow is longer.
static bool is_span(double span) {
  return span >= 0 && span <= mi_param_find("dt")->max * mi_param_find("time_scale")->max;
}

static mien_result check(const mien_state *state, const header *head, const unsigned char *values,
                         size_t nvalue, mien_error *err) {
  if (memcmp(head->magic, MAGIC, sizeof MAGIC) || head->version != VERSION ||
      head->size_of_header != sizeof *head)
    return mi_fail(err, MIEN_ERR_FORMAT, "this is not a snapshot of this version of mien");
  if (head->face != state->face->info.hash)
    return mi_fail(err, MIEN_ERR_MISMATCH, "the snapshot belongs to another face");
  if (head->size != mi_state_size(state) || head->nstep < 0 || head->nstep > INT64_MAX / 2)
    return mi_fail(err, MIEN_ERR_FORMAT, "the snapshot's header is damaged");
  bool finite = isfinite(head->time) && is_span(head->last_dt) && is_span(head->older_dt) &&
                is_span(head->released_for) && is_span(head->held_for) &&
                is_finite_account(&head->account) && is_rigid(&head->head) &&
                is_rigid(&head->last_head) && is_rigid(&head->older_head) && is_rigid(&head->jaw);
  for (size_t i = 0; finite && i < nvalue; i++) {
    float value;
    memcpy(&value, values + i * sizeof value, sizeof value);
    finite = fabsf(value) < FARTHEST;
  }
  const unsigned char *stick = values + nvalue * sizeof(float);
  finite = finite && are_rigid(stick + (size_t)state->moving.nstick * sizeof(mi_stick),
                               state->face->colliders.nuser);
  if (finite && !are_sound(state, stick))
    return mi_fail(err, MIEN_ERR_FORMAT, "the snapshot's springs belong to no vertex");
  if (!finite)
    return mi_fail(err, MIEN_ERR_NOT_FINITE,
                   "the snapshot holds numbers that are not finite, or far too large");
  return MIEN_OK;
}

mien_result mi_state_restore(mien_state *state, const unsigned char *bytes, size_t size,
                             mien_error *err) {
  header head;
  if (size != mi_state_size(state))
    return mi_fail(err, MIEN_ERR_MISMATCH, "a snapshot of this face has %zu bytes, not %zu",
                   mi_state_size(state), size);
  memcpy(&head, bytes, sizeof head);
  bytes += sizeof head;
  array arrays[NARRAY];
  size_t nvalue = 0;
  list_arrays(state, arrays);
  for (int k = 0; k < NFLOATS; k++) nvalue += arrays[k].size / sizeof(float);
  mien_result result = check(state, &head, bytes, nvalue, err);
  if (result != MIEN_OK) return result;
  for (int k = 0; k < NARRAY; k++) {
    memcpy(arrays[k].data, bytes, arrays[k].size);
    bytes += arrays[k].size;
  }
  state->moving.time = head.time;
  state->moving.nstep = head.nstep;
  state->moving.head = head.head;
  state->moving.last_head = head.last_head;
  state->moving.last_dt = head.last_dt;
  state->moving.older_head = head.older_head;
  state->moving.older_dt = head.older_dt;
  state->moving.account = head.account;
  state->moving.jaw = head.jaw;
  state->moving.has_jaw = head.has_jaw != 0;
  state->moving.is_disturbed = head.is_disturbed != 0;
  state->moving.released_for = head.released_for;
  state->moving.held_for = head.held_for;
  mi_state_publish(state);
  return MIEN_OK;
}

uint64_t mi_state_hash(const mien_state *state) {
  header head = make_header(state);
  uint64_t hash = mi_hash(0, &head, sizeof head);
  array arrays[NARRAY];
  list_arrays(state, arrays);
  for (int k = 0; k < NARRAY; k++) hash = mi_hash(hash, arrays[k].data, arrays[k].size);
  return hash;
}

void mi_state_assign(mien_state *to, const mien_state *from) {
  array into[NARRAY], out_of[NARRAY];
  list_arrays(to, into);
  list_arrays(from, out_of);
  for (int k = 0; k < NARRAY; k++) memmove(into[k].data, out_of[k].data, into[k].size);
  to->moving.time = from->moving.time;
  to->moving.nstep = from->moving.nstep;
  to->moving.head = from->moving.head;
  to->moving.last_head = from->moving.last_head;
  to->moving.last_dt = from->moving.last_dt;
  to->moving.older_head = from->moving.older_head;
  to->moving.older_dt = from->moving.older_dt;
  to->moving.account = from->moving.account;
  to->moving.jaw = from->moving.jaw;
  to->moving.has_jaw = from->moving.has_jaw;
  to->moving.is_disturbed = from->moving.is_disturbed;
  to->moving.released_for = from->moving.released_for;
  to->moving.held_for = from->moving.held_for;
  mi_state_publish(to);
}

// Matches a take's channels with a rig's shapes by name, whatever the spelling and convention.
//
// A channel drives the shape of the same name, or else the first one that means the same. Where the
// rig splits what the take has as one ("browInnerUp" against "browInnerUp_L" and "browInnerUp_R")
// it drives both; where the take is split and the rig is not, the shape follows the mean of the
// two. Where a rig lacks the motion altogether, a sound that is mostly that motion stands in.
// Where no channel drives any shape, what all shapes' names begin with is left out of them.
#include "rig/rig.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { NAME = 128 };
static const double FAR_OUTSIDE = 2; // weights beyond it are remarked on,
static const double NO_WEIGHT = 10;  // those beyond this refused

typedef struct feed {
  int shape, channel;
  float share;
} feed;

typedef struct shape_name {
  char folded[NAME], meaning[NAME];
} shape_name;

typedef struct binding {
  const mien_take_info *take;
  const mien_rig_info *rig;
  const mi_driven *driven;
  mi_arena *scratch;
  shape_name *shapes; // (nshape)
  feed *feeds;        // at most two per channel
  mien_match *matches;
  const char **missing;
  mi_remarks remarks;
  int nfeed, nmissing;
} binding;

static int find_folded(const binding *b, const char *folded) {
  for (int s = 0; folded[0] && s < b->rig->nshape; s++)
    if (!strcmp(b->shapes[s].folded, folded)) return s;
  return -1;
}

static int find_meaning(const binding *b, const char *meaning) {
  for (int s = 0; meaning[0] && s < b->rig->nshape; s++)
    if (!strcmp(b->shapes[s].meaning, meaning)) return s;
  return -1;
}

static int find_either(const binding *b, const char *name, mien_match_kind *how) {
  int shape = find_folded(b, name);
  if (shape >= 0) return shape;
  *how = MIEN_MATCH_MEANING;
  return find_meaning(b, name);
}

static bool panel_side(char *folded) {
  static const char *const sides[] = {"left", "right"};
  size_t length = strlen(folded);
  for (int k = 0; k < 2; k++) {
    size_t n = strlen(sides[k]);
    if (length <= n || strcmp(folded + length - n, sides[k])) continue;
    folded[length - n] = 0;
    return true;
  }
  return false;
}

static void add_feed(binding *b, int shape, int channel, float share, mien_match_kind how) {
  b->matches[b->nfeed] =
      (mien_match){b->take->channels[channel], b->rig->shapes[shape].name, share, how};
  b->feeds[b->nfeed++] = (feed){shape, channel, share};
}

// One side of a shape that is both, or both sides of a channel that is one.
static void match_sides(binding *b, char *name, int channel, mien_match_kind how) {
  char sided[NAME + 8];
  if (panel_side(name)) {
    // jawLeft and jawRight are two motions, not two sides of one
    int shape = find_either(b, name, &how);
    if (shape >= 0) add_feed(b, shape, channel, 0.5f, how);
    return;
  }
  for (int k = 0; k < 2; k++) {
    snprintf(sided, sizeof sided, "%s%s", name, k ? "right" : "left");
    mien_match_kind side_how = how;
    int shape = find_either(b, sided, &side_how);
    if (shape >= 0) add_feed(b, shape, channel, 1, side_how);
  }
}

static void match_channel(binding *b, int channel) {
  char folded[NAME], meaning[NAME];
  const char *name = b->take->channels[channel];
  int before = b->nfeed;
  mi_name_fold(name, folded, sizeof folded);
  mi_name_meaning(name, meaning, sizeof meaning);
  int shape = find_folded(b, folded);
  if (shape >= 0) add_feed(b, shape, channel, 1, MIEN_MATCH_NAME);
  if (shape < 0 && (shape = find_meaning(b, meaning)) >= 0)
    add_feed(b, shape, channel, 1, MIEN_MATCH_MEANING);
  if (b->nfeed == before) match_sides(b, folded, channel, MIEN_MATCH_NAME);
  if (b->nfeed == before) match_sides(b, meaning, channel, MIEN_MATCH_MEANING);
  mi_name_meaning(name, meaning, sizeof meaning);
  const char *other = b->nfeed == before ? mi_name_stand_in(meaning) : NULL;
  if (other && (shape = find_meaning(b, other)) >= 0)
    add_feed(b, shape, channel, 1, MIEN_MATCH_STAND_IN);
  if (b->nfeed == before) b->missing[b->nmissing++] = name;
}

// -- Remarks --------------------------------------------------------------------------------------

static bool is_used(const mien_take_info *take, int channel) {
  for (int f = 0; f < take->nframe; f++)
    if (take->weights[(size_t)f * (size_t)take->nchannel + (size_t)channel] != 0) return true;
  return false;
}

static void list_names(const binding *b, int most, char *text, size_t size) {
  size_t used = 0;
  text[0] = 0;
  for (int k = 0; k < b->nmissing && k < most && used + 40 < size; k++)
    used += (size_t)snprintf(text + used, size - used, "%s%.30s", k ? ", " : "", b->missing[k]);
  if (b->nmissing > most && used + 5 < size) strcpy(text + used, ", ...");
}

// A take that moves no shape belongs to another rig: played, it would be a still face.
static mien_result refuse_strangers(const binding *b, mien_error *err) {
  bool any = false;
  if (b->nfeed || !b->rig->nshape) return MIEN_OK;
  for (int c = 0; c < b->take->nchannel && !any; c++) any = is_used(b->take, c);
  if (!any) return MIEN_OK;
  char names[160];
  list_names(b, 3, names, sizeof names);
  return mi_fail(err, MIEN_ERR_MISMATCH,
                 "none of the take's %d channels (%.100s) is a shape of this rig (%.30s, ...); a "
                 "map says which is which",
                 b->take->nchannel, names, b->rig->shapes[0].name);
}

// Weights far outside 0 to 1 tear a face: values that can only be another unit are refused,
// unlikely ones are remarked. Unbound channels are not checked.
static mien_result check_weights(binding *b, mien_error *err) {
  for (int k = 0; k < b->nfeed; k++) {
    int c = b->feeds[k].channel, frame = 0;
    double most = 0;
    for (int f = 0; f < b->take->nframe; f++) {
      double weight = b->take->weights[(size_t)f * (size_t)b->take->nchannel + (size_t)c];
      if (fabs(weight) > fabs(most)) most = weight, frame = f;
    }
    const char *name = b->take->channels[c];
    if (fabs(most) > NO_WEIGHT)
      return mi_fail(err, MIEN_ERR_ARGUMENT,
                     "the take's %.80s is %g in its frame %d; weights run from 0 to 1 (is it in "
                     "percent?)",
                     name, most, frame + 1);
    bool is_new = !k || b->feeds[k - 1].channel != c;
    if (is_new && fabs(most) > FAR_OUTSIDE &&
        !mi_remark(&b->remarks, "the take's %.80s is %g in its frame %d; weights run from 0 to 1",
                   name, most, frame + 1))
      return mi_fail_memory(err);
  }
  return MIEN_OK;
}

static bool remark_missing(binding *b) {
  char names[200];
  if (!b->nmissing) return true;
  list_names(b, 6, names, sizeof names);
  return mi_remark(&b->remarks, "%d of the take's %d channels have no shape on this rig: %s",
                   b->nmissing, b->take->nchannel, names);
}

// -- The bound take -------------------------------------------------------------------------------

mien_rigid mi_head_about(const mien_rigid *head, const double pivot[3]) {
  double x = head->rotation[0], y = head->rotation[1], z = head->rotation[2], w = head->rotation[3];
  const double r[3][3] = {
      {1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)},
      {2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)},
      {2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)},
  };
  mien_rigid out = *head;
  for (int k = 0; k < 3; k++)
    out.translation[k] += pivot[k] - (r[k][0] * pivot[0] + r[k][1] * pivot[1] + r[k][2] * pivot[2]);
  return out;
}

static bool start(binding *b) {
  size_t nshape = (size_t)b->rig->nshape, nchannel = (size_t)b->take->nchannel;
  b->shapes = MI_PUSH(b->scratch, shape_name, nshape);
  b->feeds = MI_PUSH(b->scratch, feed, 2 * nchannel);
  b->matches = MI_PUSH(b->scratch, mien_match, 2 * nchannel);
  b->missing = MI_PUSH(b->scratch, const char *, nchannel);
  b->remarks.arena = b->scratch;
  if (!b->shapes || !b->feeds || !b->matches || !b->missing) return false;
  return true;
}

static void match_all(binding *b, size_t tag) {
  for (int s = 0; s < b->rig->nshape; s++) {
    mi_name_fold(b->rig->shapes[s].name + tag, b->shapes[s].folded, NAME);
    mi_name_meaning(b->rig->shapes[s].name + tag, b->shapes[s].meaning, NAME);
  }
  b->nfeed = b->nmissing = 0;
  for (int c = 0; c < b->take->nchannel; c++) match_channel(b, c);
}

// Shapes that follow others, unless the take has weights for them.
static bool drive(const binding *b, float *weights) {
  size_t nshape = (size_t)b->rig->nshape;
  bool *is_given = MI_PUSH(b->scratch, bool, nshape);
  if (!is_given) return false;
  for (int k = 0; k < b->nfeed; k++)
    if (!is_given[b->feeds[k].shape])
      is_given[b->feeds[k].shape] = is_used(b->take, b->feeds[k].channel);
  for (int f = 0; f < b->take->nframe; f++)
    mi_driven_apply(b->driven, is_given, weights + (size_t)f * nshape);
  return true;
}

static bool fill(const binding *b, mien_take_def *def) {
  const mien_take_info *from = b->take;
  size_t nshape = (size_t)b->rig->nshape;
  const char **names = MI_PUSH(b->scratch, const char *, nshape);
  float *weights = MI_PUSH(b->scratch, float, (size_t)from->nframe *nshape);
  mien_rigid *head = from->head ? MI_PUSH(b->scratch, mien_rigid, from->nframe) : NULL;
  if (!names || !weights || (from->head && !head)) return false;
  for (size_t s = 0; s < nshape; s++) names[s] = b->rig->shapes[s].name;
  for (int f = 0; f < from->nframe; f++)
    for (int k = 0; k < b->nfeed; k++)
      weights[(size_t)f * nshape + (size_t)b->feeds[k].shape] +=
          b->feeds[k].share *
          from->weights[(size_t)f * (size_t)from->nchannel + (size_t)b->feeds[k].channel];
  if (!drive(b, weights)) return false;
  for (int f = 0; head && f < from->nframe; f++)
    head[f] = from->about_pivot ? mi_head_about(from->head + f, b->rig->pivot) : from->head[f];
  mien_take_def_init(def);
  def->name = from->name;
  def->channels = names;
  def->nchannel = b->rig->nshape;
  def->nframe = from->nframe;
  def->times = from->times;
  def->weights = weights;
  def->head = head;
  return true;
}

// Fills in how the take was bound. Names are copies of the take's and the rig's own.
static bool tell(const binding *b, mien_take *take) {
  mien_match *matches = MI_PUSH(&take->arena, mien_match, b->nfeed);
  const char **missing = MI_PUSH(&take->arena, const char *, b->nmissing);
  const char **remarks = MI_PUSH(&take->arena, const char *, b->remarks.count);
  if (!matches || !missing || !remarks) return false;
  bool done = true;
  for (int k = 0; k < b->nfeed; k++) {
    matches[k] = b->matches[k];
    matches[k].channel = mi_arena_string(&take->arena, b->matches[k].channel);
    matches[k].shape = mi_arena_string(&take->arena, b->matches[k].shape);
    done &= matches[k].channel && matches[k].shape;
  }
  for (int k = 0; k < b->nmissing; k++)
    done &= !!(missing[k] = mi_arena_string(&take->arena, b->missing[k]));
  for (int k = 0; k < b->remarks.count; k++)
    done &= !!(remarks[k] = mi_arena_string(&take->arena, b->remarks.text[k]));
  take->info.nmatch = b->nfeed;
  take->info.matches = matches;
  take->info.nmissing = b->nmissing;
  take->info.missing = missing;
  take->info.nremark = b->remarks.count;
  take->info.remarks = remarks;
  return done;
}

static mien_result bind(binding *b, const mien_take *take, mien_take **out, mien_error *err) {
  if (!start(b)) return mi_fail_memory(err);
  match_all(b, 0);
  size_t tag = b->nfeed ? 0 : mi_names_tag(b->rig->shapes, b->rig->nshape);
  if (tag) match_all(b, tag);
  mien_result result = refuse_strangers(b, err);
  if (result < 0) return result;
  mien_take_def def;
  mien_take *bound;
  if (!remark_missing(b)) return mi_fail_memory(err);
  result = check_weights(b, err);
  if (result < 0) return result;
  if (!fill(b, &def)) return mi_fail_memory(err);
  result = mi_take_create(&def, &take->host, &bound, err);
  if (result < 0) return result;
  if (!tell(b, bound)) {
    mi_arena_delete(bound->arena);
    return mi_fail_memory(err);
  }
  *out = bound;
  return MIEN_OK;
}

mien_result mi_take_bind(const mien_take *take, const mien_rig *rig, mien_take **out,
                         int *unmatched, mien_error *err) {
  mi_arena scratch;
  mi_arena_init(&scratch, &take->host);
  binding b = {.take = &take->info, .rig = &rig->info, .driven = &rig->driven, .scratch = &scratch};
  mien_result result = bind(&b, take, out, err);
  if (result == MIEN_OK && unmatched) *unmatched = b.nmissing;
  mi_arena_free(&scratch);
  return result;
}

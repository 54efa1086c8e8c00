// Matches a take's channels with a rig's shapes by name, whatever the spelling.
//
// A channel drives the shape of the same name. Where the rig splits what the take has as one
// ("browInnerUp" against "browInnerUp_L" and "browInnerUp_R") it drives both; where the take is
// split and the rig is not, the shape follows the mean of the two.
#include "rig/rig.h"

#include <string.h>

enum { NAME = 128 };

typedef struct feed {
  int shape, channel;
  float share;
} feed;

typedef struct binding {
  feed *feeds; // at most two per channel
  int nfeed, unmatched;
} binding;

static int find_folded(const mien_rig *rig, const char *folded) {
  char has[NAME];
  for (int s = 0; s < rig->info.nshape; s++) {
    mi_name_fold(rig->info.shapes[s].name, has, sizeof has);
    if (!strcmp(has, folded)) return s;
  }
  return -1;
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

static void match_channel(binding *b, const mien_rig *rig, const char *name, int channel) {
  char folded[NAME], sided[NAME + 8];
  mi_name_fold(name, folded, sizeof folded);
  int shape = find_folded(rig, folded), before = b->nfeed;
  if (shape >= 0) {
    b->feeds[b->nfeed++] = (feed){shape, channel, 1};
  } else if (panel_side(folded)) {
    // jawLeft and jawRight are two motions, not two sides of one
    shape = find_folded(rig, folded);
    if (shape >= 0) b->feeds[b->nfeed++] = (feed){shape, channel, 0.5f};
  } else {
    static const char *const sides[] = {"left", "right"};
    for (int k = 0; k < 2; k++) {
      strcpy(sided, folded);
      strcat(sided, sides[k]);
      shape = find_folded(rig, sided);
      if (shape >= 0) b->feeds[b->nfeed++] = (feed){shape, channel, 1};
    }
  }
  b->unmatched += b->nfeed == before;
}

static mien_result fill(const mien_take *take, const mien_rig *rig, mi_arena *scratch,
                        mien_take_def *def, binding *b) {
  const mien_take_info *from = &take->info;
  size_t nshape = (size_t)rig->info.nshape;
  const char **names = MI_PUSH(scratch, const char *, nshape);
  float *weights = MI_PUSH(scratch, float, (size_t)from->nframe *nshape);
  b->feeds = MI_PUSH(scratch, feed, 2 * (size_t)from->nchannel);
  if (!names || !weights || !b->feeds) return MIEN_ERR_MEMORY;
  for (int c = 0; c < from->nchannel; c++) match_channel(b, rig, from->channels[c], c);
  for (size_t s = 0; s < nshape; s++) names[s] = rig->info.shapes[s].name;
  for (int f = 0; f < from->nframe; f++)
    for (int k = 0; k < b->nfeed; k++)
      weights[(size_t)f * nshape + (size_t)b->feeds[k].shape] +=
          b->feeds[k].share *
          from->weights[(size_t)f * (size_t)from->nchannel + (size_t)b->feeds[k].channel];
  mien_take_def_init(def);
  def->name = from->name;
  def->channels = names;
  def->nchannel = rig->info.nshape;
  def->nframe = from->nframe;
  def->times = from->times;
  def->weights = weights;
  def->head = from->head;
  return MIEN_OK;
}

mien_result mi_take_bind(const mien_take *take, const mien_rig *rig, mien_take **out,
                         int *unmatched, mien_error *err) {
  mi_arena scratch;
  mi_arena_init(&scratch, &take->host);
  mien_take_def def;
  binding b = {0};
  mien_result result = fill(take, rig, &scratch, &def, &b);
  if (result != MIEN_OK) result = mi_fail_memory(err);
  if (result == MIEN_OK) result = mi_take_create(&def, &take->host, out, err);
  if (result == MIEN_OK && unmatched) *unmatched = b.unmatched;
  mi_arena_free(&scratch);
  return result;
}

// Files say in-betweens and correctives in extras.mien:
//   "inbetweens": {"smile": {"smile_half": 0.5}}   "correctives": {"pout": ["mouthPucker",
//   "jawOpen"]}
// A corrective may say so by its name, too: "jawOpen_mouthSmileLeft" of a rig that has both.
#include "rig/driven.h"

#include "rig/build.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

typedef struct form {
  int shape;
  double at;
} form;

static int find_exact(const mien_rig_info *rig, const char *name, size_t length) {
  for (int s = 0; s < rig->nshape; s++)
    if (strlen(rig->shapes[s].name) == length && !strncmp(rig->shapes[s].name, name, length))
      return s;
  return -1;
}

// -- In-betweens ----------------------------------------------------------------------------------

static int by_place(const void *a, const void *b) {
  const form *x = a, *y = b;
  return (x->at > y->at) - (x->at < y->at);
}

static bool add_way(mi_rig_build *b, int main, json_t *forms) {
  mi_driven *driven = &b->rig->driven;
  size_t most = json_object_size(forms) + 1;
  form *list = MI_PUSH(&b->scratch, form, most);
  int *shape = MI_PUSH(&b->rig->arena, int, most);
  double *at = MI_PUSH(&b->rig->arena, double, most);
  if (!list || !shape || !at) return false;
  int count = 0;
  bool has_main = false;
  for (void *it = json_object_iter(forms); it; it = json_object_iter_next(forms, it)) {
    const char *name = json_object_iter_key(it);
    double place = json_number_value(json_object_iter_value(it));
    int s = find_exact(&b->rig->info, name, strlen(name));
    if (s < 0 || !(place > 0 && place < 100)) continue;
    has_main |= s == main;
    list[count++] = (form){s, place};
  }
  if (!has_main) list[count++] = (form){main, 1};
  qsort(list, (size_t)count, sizeof *list, by_place);
  int kept = 0;
  for (int k = 0; k < count; k++) {
    if (kept && list[k].at <= at[kept - 1]) continue; // two forms at one place
    shape[kept] = list[k].shape;
    at[kept++] = list[k].at;
  }
  if (kept > 1) driven->way[driven->nway++] = (mi_way){main, kept, shape, at};
  return true;
}

static bool read_ways(mi_rig_build *b, const json_t *extras) {
  json_t *all = json_object_get(extras, "inbetweens");
  b->rig->driven.way = MI_PUSH(&b->rig->arena, mi_way, json_object_size(all));
  if (!b->rig->driven.way) return false;
  for (void *it = json_object_iter(all); it; it = json_object_iter_next(all, it)) {
    const char *name = json_object_iter_key(it);
    int main = find_exact(&b->rig->info, name, strlen(name));
    if (main >= 0 && !add_way(b, main, json_object_iter_value(it))) return false;
  }
  return true;
}

static bool is_form(const mi_driven *driven, int shape) {
  for (int w = 0; w < driven->nway; w++)
    for (int k = 0; k < driven->way[w].nform; k++)
      if (driven->way[w].shape[k] == shape && driven->way[w].main != shape) return true;
  return false;
}

// -- Correctives ----------------------------------------------------------------------------------

static void add_corrective(mi_rig_build *b, const mi_corrective *found) {
  mi_driven *driven = &b->rig->driven;
  for (int c = 0; c < driven->ncorrective; c++)
    if (driven->corrective[c].shape == found->shape) return;
  if (!is_form(driven, found->shape)) driven->corrective[driven->ncorrective++] = *found;
}

static void read_correctives(mi_rig_build *b, const json_t *extras) {
  json_t *all = json_object_get(extras, "correctives");
  for (void *it = json_object_iter(all); it; it = json_object_iter_next(all, it)) {
    const char *name = json_object_iter_key(it);
    const json_t *list = json_object_iter_value(it);
    mi_corrective found = {.shape = find_exact(&b->rig->info, name, strlen(name))};
    bool is_good = found.shape >= 0 && json_array_size(list) <= MI_MOST_DRIVERS;
    for (size_t k = 0; is_good && k < json_array_size(list); k++) {
      const char *driver = json_string_value(json_array_get(list, k));
      int s = driver ? find_exact(&b->rig->info, driver, strlen(driver)) : -1;
      is_good = s >= 0 && s != found.shape;
      if (is_good) found.driver[found.ndriver++] = s;
    }
    if (is_good && found.ndriver) add_corrective(b, &found);
  }
}

// These may stand between the names of drivers, the longest first.
static size_t separator(const char *at) {
  static const char *const known[] = {"_x_", "_X_", "__", "_", "+", "&", "*"};
  for (size_t k = 0; k < sizeof known / sizeof *known; k++)
    if (!strncmp(at, known[k], strlen(known[k]))) return strlen(known[k]);
  return 0;
}

// The rest of a name as names of shapes. Names hold separators themselves: every end is tried.
static bool split_name(const mien_rig_info *rig, const char *name, mi_corrective *found) {
  if (found->ndriver == MI_MOST_DRIVERS) return false;
  for (const char *end = name + 1;; end++) {
    size_t gap = *end ? separator(end) : 0;
    if (*end && !gap) continue;
    int s = find_exact(rig, name, (size_t)(end - name));
    if (s >= 0 && s != found->shape) {
      found->driver[found->ndriver++] = s;
      if (!*end && found->ndriver > 1) return true;
      if (*end && end[gap] && split_name(rig, end + gap, found)) return true;
      found->ndriver--;
    }
    if (!*end) return false;
  }
}

static const char *skip_tag(const char *name) {
  static const char *const tags[] = {"corrective_", "corr_", "cor_", "combo_", "comb_", "fix_"};
  for (size_t k = 0; k < sizeof tags / sizeof *tags; k++)
    if (!strncmp(name, tags[k], strlen(tags[k])) && name[strlen(tags[k])])
      return name + strlen(tags[k]);
  return name;
}

static void find_correctives(mi_rig_build *b) {
  const mien_rig_info *rig = &b->rig->info;
  for (int s = 0; s < rig->nshape; s++) {
    mi_corrective found = {.shape = s};
    const char *name = skip_tag(rig->shapes[s].name);
    if (name[0] && split_name(rig, name, &found)) add_corrective(b, &found);
  }
}

static bool remark(mi_rig_build *b) {
  const mi_driven *driven = &b->rig->driven;
  const mien_shape *shapes = b->rig->info.shapes;
  int nform = 0;
  for (int w = 0; w < driven->nway; w++) nform += driven->way[w].nform - 1;
  if (nform && !mi_remark(&b->rig->remarks,
                          "%d shapes are in-betweens: takes move them by the weight of the shape "
                          "on whose way they lie ('%s' first)",
                          nform, shapes[driven->way[0].main].name))
    return false;
  return !driven->ncorrective ||
         mi_remark(&b->rig->remarks,
                   "%d shapes are correctives of others: takes without a channel for them move "
                   "them by the product of those weights ('%s' first)",
                   driven->ncorrective, shapes[driven->corrective[0].shape].name);
}

mien_result mi_rig_find_driven(mi_rig_build *b) {
  mi_driven *driven = &b->rig->driven;
  json_t *extras = json_loads(b->rig->info.extras, 0, NULL);
  driven->corrective = MI_PUSH(&b->rig->arena, mi_corrective, b->rig->info.nshape);
  bool done = driven->corrective && read_ways(b, extras);
  if (done) read_correctives(b, extras);
  if (done) find_correctives(b);
  json_decref(extras);
  return done && remark(b) ? MIEN_OK : mi_fail_memory(b->err);
}

// -- Weights --------------------------------------------------------------------------------------

static void apply_way(const mi_way *way, float *weights) {
  const double v = (double)weights[way->main], *at = way->at;
  int last = way->nform - 1, k = 0;
  for (int i = 0; i < way->nform; i++) weights[way->shape[i]] = 0;
  while (k < last && v > at[k]) k++;
  // before the first form and beyond the last its offset is scaled
  if (k == 0 || v > at[last]) {
    weights[way->shape[k]] = (float)(v / at[k]);
    return;
  }
  double share = (v - at[k - 1]) / (at[k] - at[k - 1]);
  weights[way->shape[k - 1]] = (float)(1 - share);
  weights[way->shape[k]] = (float)share;
}

void mi_driven_apply(const mi_driven *driven, const bool *is_given, float *weights) {
  for (int c = 0; c < driven->ncorrective; c++) {
    const mi_corrective *corrective = driven->corrective + c;
    if (is_given && is_given[corrective->shape]) continue;
    double product = 1;
    for (int k = 0; k < corrective->ndriver; k++)
      product *= fmax(0, (double)weights[corrective->driver[k]]);
    weights[corrective->shape] = (float)product;
  }
  for (int w = 0; w < driven->nway; w++) {
    const mi_way *way = driven->way + w;
    bool is_split = false; // its forms have weights already
    for (int k = 0; is_given && k < way->nform; k++)
      is_split |= way->shape[k] != way->main && is_given[way->shape[k]];
    if (!is_split) apply_way(way, weights);
  }
}

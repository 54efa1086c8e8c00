#include "bake_tally.h"

#include <inttypes.h>
#include <stdlib.h>
#include <time.h>

void bake_tally_add(bake_tally *tally, int frame, const mien_state_info *state, double scale,
                    mien_result result, const mien_error *err) {
  double offset = state->max_offset / scale;
  if (result > 0) bake_remarks_add(&tally->remarks, frame, state, scale, err);
  tally->inverted += state->ninverted > 0;
  if (offset > tally->largest_offset) {
    tally->largest_offset = offset;
    tally->largest_frame = frame;
  }
  if (state->seconds > tally->slowest) {
    tally->slowest = state->seconds;
    tally->slowest_frame = frame;
  }
}

json_t *bake_tally_json(const bake_tally *tally) {
  char sum[20];
  snprintf(sum, sizeof sum, "%016" PRIx64, tally->frames.value);
  return json_pack("{s:o, s:i, s:f, s:i, s:f, s:i, s:f, s:f, s:i, s:i, s:s}", "implausible",
                   bake_remarks_json(&tally->remarks), "inverted", tally->inverted, "offset",
                   tally->largest_offset, "offset_frame", tally->largest_frame, "slowest",
                   tally->slowest, "slowest_frame", tally->slowest_frame, "bake", tally->bake,
                   "cpu", tally->cpu, "runs", tally->runs, "frames", tally->frames.nframe, "sum",
                   sum);
}

static double number(const json_t *json, const char *key) {
  return json_number_value(json_object_get(json, key));
}

void bake_tally_read(bake_tally *tally, const json_t *json) {
  json_t *list = json_object_get(json, "implausible");
  bake_tally_free(tally);
  tally->remarks.list = json_is_array(list) ? json_incref(list) : NULL;
  tally->inverted = (int)number(json, "inverted");
  tally->largest_offset = number(json, "offset");
  tally->largest_frame = (int)number(json, "offset_frame");
  tally->slowest = number(json, "slowest");
  tally->slowest_frame = (int)number(json, "slowest_frame");
  tally->bake = number(json, "bake");
  tally->cpu = number(json, "cpu");
  tally->runs = (int)number(json, "runs");
  const char *sum = json_string_value(json_object_get(json, "sum"));
  tally->frames.nframe = (int)json_integer_value(json_object_get(json, "frames"));
  tally->frames.value = sum ? strtoull(sum, NULL, 16) : 0;
}

double bake_cpu_clock(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void bake_tally_free(bake_tally *tally) {
  bake_remarks_free(&tally->remarks);
}

// The text and the binary USD writer share names, times and bounds.
#include "io/cache.h"
#include "io/name_table.h"

#include "rig/rig.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_NAME = 64 };

// Letters, digits and underscores, not starting with a digit.
static void make_identifier(const char *name, char out[MOST_NAME]) {
  int n = 0;
  for (const char *at = name ? name : ""; *at && n < MOST_NAME - 8; at++) {
    char c = *at;
    bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    bool is_digit = c >= '0' && c <= '9';
    if (n == 0 && is_digit) out[n++] = '_';
    out[n++] = is_letter || is_digit ? c : '_';
  }
  out[n] = 0;
  if (n == 0) memcpy(out, "face", 5);
}

// "teeth up" and "teeth-up" are both teeth_up: the second one becomes teeth_up_2. False when memory
// ends.
static bool make_unique(mi_name_table *seen, char name[MOST_NAME], int which) {
  size_t length = strlen(name);
  for (int again = 2; mi_name_find(seen, name) >= 0; again = mi_next_number(again, which))
    snprintf(name + length, MOST_NAME - length, "_%d", again);
  return mi_name_add(seen, name) >= 0;
}

static mien_result grow_bounds(const mi_frames *frames, mi_usd_stage *stage, int m, float *points,
                               mien_error *err) {
  const mi_part_mesh *mesh = &stage->mesh[m];
  for (int f = 0; f < frames->nframe; f++) {
    const float *frame = mi_frames_get(frames, f, err);
    if (!frame) return MIEN_ERR_IO;
    mi_part_mesh_gather(mesh, frame, points);
    for (int i = 0; i < 3 * mesh->npoint; i++) {
      int k = i % 3;
      bool is_first = f == 0 && i < 3;
      if (is_first || points[i] < stage->low[m][k]) stage->low[m][k] = points[i];
      if (is_first || points[i] > stage->high[m][k]) stage->high[m][k] = points[i];
    }
  }
  return MIEN_OK;
}

mien_result mi_usd_stage_make(const mi_frames *frames, mi_usd_stage *out, mien_error *err) {
  const mien_cache_def *def = frames->def;
  *out = (mi_usd_stage){.start = def->first_frame,
                        .end = def->first_frame + (frames->nframe ? frames->nframe - 1 : 0),
                        .rate = def->frame_rate,
                        .space = def->in_world ? "world" : "head"};
  out->doc =
      def->in_world
          ? "mien: points with the head's motion (--space world), in each mesh's own space"
          : "mien: points as if the head stood still (--space head), in each mesh's own space";
  out->mesh = mi_part_meshes(frames, &out->nmesh, err);
  if (!out->mesh) return MIEN_ERR_MISMATCH;
  size_t n = (size_t)out->nmesh, most = 0;
  out->names = mi_arena_push(frames->arena, n, sizeof *out->names);
  out->low = mi_arena_push(frames->arena, n, sizeof *out->low);
  out->high = mi_arena_push(frames->arena, n, sizeof *out->high);
  for (size_t m = 0; m < n; m++)
    most = (size_t)out->mesh[m].npoint > most ? (size_t)out->mesh[m].npoint : most;
  float *points = MI_PUSH(frames->arena, float, 3 * most);
  if (!out->names || !out->low || !out->high || !points) return mi_fail_memory(err);
  mi_name_table seen = {.arena = frames->arena};
  make_identifier(frames->rig->info.name, out->root);
  for (int m = 0; m < out->nmesh; m++) {
    make_identifier(out->mesh[m].name, out->names[m]);
    if (!make_unique(&seen, out->names[m], m)) return mi_fail_memory(err);
    mien_result result = grow_bounds(frames, out, m, points, err);
    if (result < 0) return result;
  }
  return MIEN_OK;
}

#include "picture_muscles.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static const float PASSIVE = 0.3f; // share that a muscle must have more than to be shown

// Far apart on the colour map, the first most of all.
static const float PALETTE[] = {0.6f, 1, 0.42f, 0.8f, 0.5f, 0.9f, 0.34f, 0.7f};
enum { NCOLOUR = sizeof PALETTE / sizeof *PALETTE, NONE = -1 };

static size_t base_length(const char *name) {
  const char *side = strstr(name, "_left") ? strstr(name, "_left") : strstr(name, "_right");
  return side ? (size_t)(side - name) : strlen(name);
}

// The first muscle of the same name without its side.
static int pair_of(const mien_face_info *face, int muscle) {
  const char *name = face->muscles[muscle].name;
  size_t length = base_length(name);
  for (int m = 0; m < muscle; m++)
    if (base_length(face->muscles[m].name) == length &&
        !strncmp(face->muscles[m].name, name, length))
      return m;
  return muscle;
}

// owner: the pair of muscles that has most of the flesh at each skin vertex.
static void find_owners(const mien_face_info *face, float *share, int *owner) {
  size_t n = (size_t)face->nmuscle;
  for (int t = 0; t < face->ntet; t++)
    for (int c = 0; c < 4; c++) {
      int v = face->tets.data[4 * t + c];
      if (v >= face->nskin) continue;
      share[(size_t)v * (n + 1) + n] += PASSIVE;
      for (int e = face->muscle_first.data[t]; e < face->muscle_first.data[t + 1]; e++)
        share[(size_t)v * (n + 1) + (size_t)face->muscle_index.data[e]] +=
            face->muscle_share.data[e];
    }
  for (int v = 0; v < face->nskin; v++) {
    const float *of = share + (size_t)v * (n + 1);
    size_t best = n;
    for (size_t m = 0; m < n; m++)
      if (of[m] > of[best]) best = m;
    owner[v] = best == n ? NONE : pair_of(face, (int)best);
  }
}

// Muscle by muscle, the first colour that none beside it has.
static void choose_colours(const mien_face_info *face, const int *owner, bool *beside,
                           int *colour) {
  int n = face->nmuscle;
  for (int k = 0; k < face->skin_triangles.count; k++) {
    int a = owner[face->skin_triangles.data[k]];
    int b = owner[face->skin_triangles.data[k - k % 3 + (k + 1) % 3]];
    if (a != NONE && b != NONE && a != b) beside[a * n + b] = beside[b * n + a] = true;
  }
  for (int m = 0; m < n; m++) {
    bool is_taken[NCOLOUR] = {false};
    for (int other = 0; other < m; other++)
      if (beside[m * n + other]) is_taken[colour[other]] = true;
    colour[m] = 0;
    while (colour[m] + 1 < NCOLOUR && is_taken[colour[m]]) colour[m]++;
  }
}

float *picture_muscle_colours(const mien_rig *rig, const mien_face *of) {
  const mien_face_info *face = mien_face_get_info(of);
  size_t n = (size_t)face->nmuscle, nskin = (size_t)face->nskin;
  float *values = calloc((size_t)mien_rig_get_info(rig)->nvert, sizeof *values);
  float *share = calloc(nskin * (n + 1), sizeof *share);
  int *owner = calloc(nskin, sizeof *owner), *colour = calloc(n, sizeof *colour);
  bool *beside = calloc(n * n, sizeof *beside);
  bool done = values && share && owner && colour && beside;
  if (done) {
    find_owners(face, share, owner);
    choose_colours(face, owner, beside, colour);
    for (size_t v = 0; v < nskin; v++)
      if (owner[v] != NONE) values[face->skin.data[v]] = PALETTE[colour[owner[v]]];
  }
  free(share);
  free(owner);
  free(colour);
  free(beside);
  if (done) return values;
  free(values);
  return NULL;
}

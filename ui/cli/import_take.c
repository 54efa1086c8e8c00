#include "import_scene.h"

#include <stdlib.h>
#include <string.h>

// One mesh's weights over time, from any of the file's animations.
typedef struct track {
  const struct aiMeshMorphAnim *morph;
  const import_piece *piece;
  double ticks_per_second;
} track;

// Channels are called after the node or the mesh; FBX appends "*0".
static const import_piece *find_piece(const import_reader *r, const char *name) {
  const char *star = strrchr(name, '*');
  size_t length = star ? (size_t)(star - name) : strlen(name);
  for (int i = 0; i < r->npiece; i++) {
    const import_piece *piece = r->piece + i;
    const char *node = piece->node->mName.data, *mesh = piece->mesh->mName.data;
    if (!piece->ntarget) continue;
    if (strlen(node) == length && !strncmp(node, name, length)) return piece;
    if (strlen(mesh) == length && !strncmp(mesh, name, length)) return piece;
  }
  return NULL;
}

static int add_tracks(const import_reader *r, track *tracks) {
  int ntrack = 0;
  for (unsigned a = 0; a < r->scene->mNumAnimations; a++) {
    const struct aiAnimation *animation = r->scene->mAnimations[a];
    double rate = animation->mTicksPerSecond > 0 ? animation->mTicksPerSecond : 25;
    for (unsigned c = 0; c < animation->mNumMorphMeshChannels; c++) {
      const struct aiMeshMorphAnim *morph = animation->mMorphMeshChannels[c];
      const import_piece *piece = find_piece(r, morph->mName.data);
      if (piece && morph->mNumKeys) tracks[ntrack++] = (track){morph, piece, rate};
    }
  }
  return ntrack;
}

static int by_time(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

// Every time at which some mesh has a key.
static int gather_times(const track *tracks, int ntrack, double *times) {
  int count = 0, kept = 0;
  for (int i = 0; i < ntrack; i++)
    for (unsigned k = 0; k < tracks[i].morph->mNumKeys; k++)
      times[count++] = tracks[i].morph->mKeys[k].mTime / tracks[i].ticks_per_second;
  qsort(times, (size_t)count, sizeof *times, by_time);
  for (int i = 0; i < count; i++)
    if (!kept || times[i] > times[kept - 1] + 1e-5) times[kept++] = times[i];
  return kept;
}

static double weight_in(const struct aiMeshMorphKey *key, unsigned target) {
  for (unsigned i = 0; i < key->mNumValuesAndWeights; i++)
    if (key->mValues[i] == target) return key->mWeights[i];
  return 0;
}

static double weight_at(const track *t, unsigned target, double time) {
  const struct aiMeshMorphKey *key = t->morph->mKeys;
  unsigned last = t->morph->mNumKeys - 1, k = 0;
  double tick = time * t->ticks_per_second;
  while (k < last && key[k + 1].mTime <= tick) k++;
  double from = weight_in(key + k, target);
  if (k == last || tick <= key[k].mTime || key[k + 1].mTime <= key[k].mTime) return from;
  double share = (tick - key[k].mTime) / (key[k + 1].mTime - key[k].mTime);
  return from + share * (weight_in(key + k + 1, target) - from);
}

// The first mesh that has a shape decides its weight.
static void fill_weights(const import_reader *r, const track *tracks, int ntrack,
                         const mien_take_def *def, float *weights, bool *is_known) {
  for (int i = 0; i < ntrack; i++)
    for (int t = 0; t < tracks[i].piece->ntarget; t++) {
      const import_target *target = tracks[i].piece->target + t;
      int shape = target->shape;
      if (is_known[shape] || import_is_inbetween(target, tracks[i].piece)) continue;
      is_known[shape] = true;
      for (int f = 0; f < def->nframe; f++)
        weights[(size_t)f * (size_t)r->nshape + (size_t)shape] =
            (float)weight_at(tracks + i, target->number, def->times[f]);
    }
}

mien_take *import_take(import_reader *r, const mien_host *host) {
  size_t most = 0, nkey = 0;
  for (unsigned a = 0; a < r->scene->mNumAnimations; a++) {
    const struct aiAnimation *animation = r->scene->mAnimations[a];
    most += animation->mNumMorphMeshChannels;
    for (unsigned c = 0; c < animation->mNumMorphMeshChannels; c++)
      nkey += animation->mMorphMeshChannels[c]->mNumKeys;
  }
  track *tracks = import_push(r, most, sizeof *tracks);
  double *times = import_push(r, nkey, sizeof *times);
  bool *is_known = import_push(r, (size_t)r->nshape, sizeof *is_known);
  const char **channels = import_push(r, (size_t)r->nshape, sizeof *channels);
  if (!r->nshape || r->is_out_of_memory) return NULL;
  int ntrack = add_tracks(r, tracks);
  mien_take_def def;
  mien_take_def_init(&def);
  def.nframe = gather_times(tracks, ntrack, times);
  float *weights = import_push(r, (size_t)def.nframe * (size_t)r->nshape, sizeof *weights);
  if (!def.nframe || !weights) return NULL;
  for (int s = 0; s < r->nshape; s++) channels[s] = r->shape[s].name;
  def.channels = channels;
  def.nchannel = r->nshape;
  def.times = times;
  def.weights = weights;
  fill_weights(r, tracks, ntrack, &def, weights, is_known);
  mien_take *take = NULL;
  mien_error err;
  if (mien_take_create(&def, host, &take, &err) < 0)
    import_note(r, "the animation was left out: %.180s", err.text);
  return take;
}

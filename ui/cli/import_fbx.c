// Restores what Assimp loses of an FBX file's shapes: the weight at which a channel reaches each
// target.
#include "import_scene.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

// The target of the mesh behind one of Assimp's, which keeps their order.
static const file_shape *find_shape(const import_piece *piece, unsigned number) {
  bool is_whole = (unsigned)piece->own->nshape == piece->mesh->mNumAnimMeshes;
  for (int s = 0; is_whole && s < piece->own->nshape; s++)
    if ((unsigned)piece->own->shape[s].number == number) return piece->own->shape + s;
  return NULL;
}

// The target that a channel is called after: the one at the end of its way, or the last.
static bool is_main(const file_mesh *own, const file_shape *shape) {
  const file_shape *best = NULL;
  for (int s = 0; s < own->nshape; s++) {
    const file_shape *other = own->shape + s;
    if (other->channel == shape->channel && (!best || best->at != 1)) best = other;
  }
  return best == shape;
}

// Assimp calls all targets after their channel: in-betweens get their own names back.
void import_fbx_targets(import_piece *piece) {
  for (int t = 0; piece->own && t < piece->ntarget; t++) {
    const file_shape *shape = find_shape(piece, piece->target[t].number);
    if (!shape) continue;
    piece->target[t].own = shape;
    piece->target[t].number = (unsigned)shape->channel;
    if (!is_main(piece->own, shape) && shape->name[0]) piece->target[t].name = shape->name;
  }
}

// -- In-betweens ----------------------------------------------------------------------------------

static int count_targets(const file_mesh *own, int channel) {
  int count = 0;
  for (int s = 0; s < own->nshape; s++) count += own->shape[s].channel == channel;
  return count;
}

static void add_inbetweens(const import_reader *r, const import_piece *piece, int main,
                           json_t *all) {
  const char *name = r->shape[piece->target[main].shape].name;
  const file_shape *end = piece->target[main].own;
  json_t *places = json_object();
  for (int t = 0; t < piece->ntarget; t++) {
    const file_shape *own = piece->target[t].own;
    if (!own || own->channel != end->channel || (own == end && end->at == 1)) continue;
    json_object_set_new(places, r->shape[piece->target[t].shape].name, json_real(own->at));
  }
  if (json_object_get(all, name))
    json_decref(places); // the same of another mesh
  else
    json_object_set_new(all, name, places);
}

// extras.mien.inbetweens of the rig, NULL where no channel has several targets.
char *import_fbx_inbetweens(const import_reader *r) {
  json_t *all = json_object();
  for (int i = 0; i < r->npiece; i++)
    for (int t = 0; t < r->piece[i].ntarget; t++) {
      const import_piece *piece = r->piece + i;
      const file_shape *own = piece->target[t].own;
      if (own && count_targets(piece->own, own->channel) > 1 && is_main(piece->own, own))
        add_inbetweens(r, piece, t, all);
    }
  json_t *extras = json_pack("{s:O}", "inbetweens", all);
  char *text = json_object_size(all) ? json_dumps(extras, JSON_COMPACT) : NULL;
  json_decref(extras);
  json_decref(all);
  return text;
}

bool import_is_inbetween(const import_target *target, const import_piece *piece) {
  return target->own && !is_main(piece->own, target->own);
}

#include "import_scene.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

// -- Targets --------------------------------------------------------------------------------------

static const struct aiNode *find_node(const struct aiNode *node, const char *name) {
  if (!strcmp(node->mName.data, name)) return node;
  const struct aiNode *found = NULL;
  for (unsigned i = 0; !found && i < node->mNumChildren; i++)
    found = find_node(node->mChildren[i], name);
  return found;
}

// The mesh of a COLLADA target that belongs to a piece of its base.
static const struct aiMesh *dae_mesh(const import_reader *r, const import_piece *piece, int t) {
  char name[64];
  snprintf(name, sizeof name, DAE_TARGET_NODE "%d", t);
  const struct aiNode *node = find_node(r->scene->mRootNode, name);
  if (!node || (unsigned)piece->ordinal >= node->mNumMeshes) return NULL;
  return r->scene->mMeshes[node->mMeshes[piece->ordinal]];
}

static void add_dae_targets(import_reader *r, import_piece *piece) {
  for (int t = 0; t < r->dae->ntarget; t++) {
    const dae_target *from = r->dae->target + t;
    if (strcmp(from->base, piece->mesh->mName.data) != 0) continue;
    const struct aiMesh *mesh = dae_mesh(r, piece, t);
    if (!mesh || mesh->mNumVertices != piece->mesh->mNumVertices) {
      import_note(r, "the shape '%.60s' has other vertices than '%.60s' and was left out",
                  from->name, from->base);
      continue;
    }
    piece->target[piece->ntarget++] = (import_target){
        .name = from->name, .positions = mesh->mVertices, .is_relative = from->is_relative};
  }
}

static void add_targets(import_reader *r, import_piece *piece) {
  const struct aiMesh *mesh = piece->mesh;
  size_t most = mesh->mNumAnimMeshes + (r->dae ? (size_t)r->dae->ntarget : 0);
  piece->target = import_push(r, most, sizeof *piece->target);
  if (!piece->target) return;
  for (unsigned t = 0; t < mesh->mNumAnimMeshes; t++) {
    const struct aiAnimMesh *from = mesh->mAnimMeshes[t];
    if (from->mVertices && from->mNumVertices == mesh->mNumVertices)
      piece->target[piece->ntarget++] =
          (import_target){.name = from->mName.data, .positions = from->mVertices, .number = t};
  }
  if (r->dae) add_dae_targets(r, piece);
  import_fbx_targets(piece);
}

// -- Names ----------------------------------------------------------------------------------------

static bool contains(const char *text, size_t length, const char *word) {
  size_t size = strlen(word);
  for (size_t i = 0; i + size <= length; i++)
    if (!strncasecmp(text + i, word, size)) return true;
  return false;
}

// How much of "blendShape1.jawOpen" is the deformer's name: a prefix that says so, or one that all
// of several shapes have in common. "brow.L" and "brow.R" keep theirs.
static size_t deformer_prefix(const import_piece *piece, const char *name) {
  const char *dot = strchr(name, '.');
  if (!dot || !dot[1]) return 0;
  size_t length = (size_t)(dot - name);
  if (contains(name, length, "blendshape") || contains(name, length, "morph")) return length + 1;
  for (int t = 0; t < piece->ntarget; t++) {
    const char *other = piece->target[t].name;
    if (strncmp(other, name, length + 1) != 0 || strlen(other + length + 1) < 3) return 0;
  }
  return piece->ntarget > 1 ? length + 1 : 0;
}

// Without namespaces, deformers, and the halves of "jawOpen.jawOpen" that say the same.
static const char *clean_name(import_reader *r, const import_piece *piece, int t) {
  const char *name = piece->target[t].name, *colon = strrchr(name, ':');
  name += deformer_prefix(piece, name);
  if (colon && colon >= name && colon[1]) name = colon + 1;
  size_t length = strlen(name);
  const char *dot = strchr(name, '.');
  if (dot && !strncmp(name, dot + 1, (size_t)(dot - name)) &&
      length == 2 * (size_t)(dot - name) + 1)
    length = (size_t)(dot - name);
  char numbered[32];
  if (!length) snprintf(numbered, sizeof numbered, "shape_%d", t + 1);
  return length ? import_text(r, name, length) : import_text(r, numbered, strlen(numbered));
}

static int find_shape(const import_reader *r, const char *name) {
  for (int s = 0; s < r->nshape; s++)
    if (!strcmp(r->shape[s].name, name)) return s;
  return -1;
}

static bool is_used(const import_piece *piece, int ntarget, int shape) {
  for (int t = 0; t < ntarget; t++)
    if (piece->target[t].shape == shape) return true;
  return false;
}

// The same name on several meshes is one shape; twice on one mesh it is two.
static void name_target(import_reader *r, import_piece *piece, int t) {
  const char *name = clean_name(r, piece, t);
  int s = name ? find_shape(r, name) : -1;
  for (int again = 2; name && s >= 0 && is_used(piece, t, s); again++) {
    char other[1200];
    snprintf(other, sizeof other, "%.1100s_%d", name, again);
    s = find_shape(r, other);
    if (s < 0) name = import_text(r, other, strlen(other));
  }
  if (!name) return;
  if (s < 0) {
    s = r->nshape++;
    r->shape[s].name = name;
  }
  piece->target[t].shape = s;
}

void import_find_shapes(import_reader *r) {
  size_t most = 0;
  for (int i = 0; i < r->npiece && !r->is_out_of_memory; i++) {
    add_targets(r, r->piece + i);
    most += (size_t)r->piece[i].ntarget;
  }
  r->shape = import_push(r, most, sizeof *r->shape);
  for (int i = 0; i < r->npiece; i++)
    for (int t = 0; t < r->piece[i].ntarget && !r->is_out_of_memory; t++)
      name_target(r, r->piece + i, t);
}

// -- Deltas ---------------------------------------------------------------------------------------

// In the rig's space; false when the vertex stays where it is.
static bool delta_of(const import_piece *piece, const import_target *target, int from,
                     float delta[3]) {
  const struct aiVector3D *to = target->positions + from, *rest = piece->mesh->mVertices + from;
  struct aiVector3D way = *to;
  if (!target->is_relative) {
    way.x -= rest->x;
    way.y -= rest->y;
    way.z -= rest->z;
  }
  if (way.x == 0 && way.y == 0 && way.z == 0) return false;
  double turn[3][4];
  memcpy(turn, piece->to_world, sizeof turn);
  for (int k = 0; k < 3; k++) turn[k][3] = 0;
  import_apply((const double(*)[4])turn, &way, delta);
  return true;
}

static void fill_target(import_reader *r, const import_piece *piece, const import_target *target,
                        bool is_counting) {
  import_shape *shape = r->shape + target->shape;
  for (int i = 0; i < piece->nvert; i++) {
    float delta[3];
    if (!delta_of(piece, target, piece->source[i], delta)) continue;
    if (!is_counting) {
      shape->index[shape->nmoved] = piece->first_vertex + i;
      memcpy(shape->delta + 3 * (size_t)shape->nmoved, delta, sizeof delta);
    }
    shape->nmoved++;
  }
  import_loose_deltas(piece, target, shape, is_counting);
}

static void fill_all(import_reader *r, bool is_counting) {
  for (int i = 0; i < r->npiece; i++)
    for (int t = 0; t < r->piece[i].ntarget; t++)
      fill_target(r, r->piece + i, r->piece[i].target + t, is_counting);
}

void import_fill_shapes(import_reader *r) {
  fill_all(r, true);
  for (int s = 0; s < r->nshape; s++) {
    import_shape *shape = r->shape + s;
    shape->index = import_push(r, (size_t)shape->nmoved, sizeof *shape->index);
    shape->delta = import_push(r, 3 * (size_t)shape->nmoved, sizeof *shape->delta);
    shape->nmoved = 0;
  }
  if (!r->is_out_of_memory) fill_all(r, false);
}

// Assimp loses this of an FBX file: which of the file's vertices a corner is, vertices in no
// polygon, and where on its way a channel has which target.
#include "fbx_meshes.h"
#include "import_scene.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// Whether a piece is the polygons of one material, in order (-1 = all); control[] is then filled.
static bool follows(const fbx_mesh *own, int material, const struct aiMesh *mesh,
                    int32_t *control) {
  size_t at = 0;
  unsigned f = 0;
  for (size_t p = 0; p < own->npolygon; at += (size_t)own->size[p++]) {
    if (material >= 0 && own->material[p] != material) continue;
    if (f == mesh->mNumFaces || (int)mesh->mFaces[f].mNumIndices != own->size[p]) return false;
    for (int c = 0; c < own->size[p]; c++) {
      unsigned i = mesh->mFaces[f].mIndices[c];
      if (i >= mesh->mNumVertices) return false;
      const double *point = own->point + 3 * (size_t)own->corner[at + (size_t)c];
      const float *seen = &mesh->mVertices[i].x;
      for (int k = 0; k < 3; k++)
        if ((float)point[k] != seen[k]) return false;
      control[i] = own->corner[at + (size_t)c];
    }
    f++;
  }
  return f == mesh->mNumFaces;
}

static bool is_first_of_material(const fbx_mesh *own, size_t p) {
  for (size_t q = 0; q < p; q++)
    if (own->material[q] == own->material[p]) return false;
  return true;
}

static bool matches(const fbx_mesh *own, const struct aiMesh *mesh, int32_t *control) {
  if (follows(own, -1, mesh, control)) return true;
  int last = -1;
  for (size_t p = 0; p < own->npolygon; p++) {
    if (own->material[p] == last || !is_first_of_material(own, p)) continue;
    last = own->material[p];
    if (follows(own, last, mesh, control)) return true;
  }
  return false;
}

// The target of the mesh behind one of Assimp's, which keeps their order.
static const fbx_shape *find_shape(const import_piece *piece, unsigned number) {
  bool is_whole = (unsigned)piece->own->nshape == piece->mesh->mNumAnimMeshes;
  for (int s = 0; is_whole && s < piece->own->nshape; s++)
    if ((unsigned)piece->own->shape[s].number == number) return piece->own->shape + s;
  return NULL;
}

void import_fbx_pieces(import_reader *r) {
  int nlost = 0;
  for (int i = 0; r->fbx && i < r->npiece; i++) {
    import_piece *piece = r->piece + i;
    int32_t *control = import_push(r, piece->mesh->mNumVertices, sizeof *control);
    if (!control) return;
    for (int m = 0; m < r->fbx->nmesh && !piece->own; m++)
      if (matches(r->fbx->mesh + m, piece->mesh, control)) piece->own = r->fbx->mesh + m;
    if (piece->own) piece->control = control;
    nlost += !piece->own;
  }
  if (nlost)
    import_note(r, "%d meshes are not in the order of the file: caches do not fit onto them",
                nlost);
}

// The target that a channel is called after: the one at the end of its way, or the last.
static bool is_main(const fbx_mesh *own, const fbx_shape *shape) {
  const fbx_shape *best = NULL;
  for (int s = 0; s < own->nshape; s++) {
    const fbx_shape *other = own->shape + s;
    if (other->channel == shape->channel && (!best || best->at != 1)) best = other;
  }
  return best == shape;
}

// Assimp calls all targets after their channel: in-betweens get their own names back.
void import_fbx_targets(import_piece *piece) {
  for (int t = 0; piece->own && t < piece->ntarget; t++) {
    const fbx_shape *shape = find_shape(piece, piece->target[t].number);
    if (!shape) continue;
    piece->target[t].own = shape;
    piece->target[t].number = (unsigned)shape->channel;
    if (!is_main(piece->own, shape) && shape->name[0]) piece->target[t].name = shape->name;
  }
}

// -- Vertices in no polygon -----------------------------------------------------------------------

// They come after the last piece of their part.
void import_fbx_loose(import_reader *r, int which) {
  import_piece *piece = r->piece + which;
  bool is_last = which + 1 == r->npiece || r->piece[which + 1].part != piece->part;
  if (!piece->own || !is_last) return;
  size_t count = piece->own->npoint;
  bool *is_used = import_push(r, count, sizeof *is_used);
  piece->loose = import_push(r, count, sizeof *piece->loose);
  if (!is_used || !piece->loose) return;
  for (int i = which; i >= 0 && r->piece[i].part == piece->part; i--) {
    const import_piece *other = r->piece + i;
    for (unsigned v = 0; other->own == piece->own && v < other->mesh->mNumVertices; v++)
      is_used[other->control[v]] = true;
  }
  for (size_t c = 0; c < count; c++)
    if (!is_used[c]) piece->loose[piece->nloose++] = (int32_t)c;
  r->nvert += piece->nloose;
}

static int find_loose(const import_piece *piece, int32_t control) {
  int low = 0, high = piece->nloose;
  while (low < high) {
    int middle = (low + high) / 2;
    if (piece->loose[middle] < control)
      low = middle + 1;
    else
      high = middle;
  }
  return low < piece->nloose && piece->loose[low] == control ? low : -1;
}

void import_fbx_loose_deltas(const import_piece *piece, const import_target *target,
                             import_shape *shape, bool is_counting) {
  const fbx_shape *own = target->own;
  for (size_t k = 0; piece->nloose && own && k < own->nmoved; k++) {
    int at = find_loose(piece, own->index[k]);
    if (at < 0) continue;
    if (!is_counting) {
      const double *d = own->delta + 3 * k;
      const struct aiVector3D way = {(float)d[0], (float)d[1], (float)d[2]};
      double turn[3][4];
      memcpy(turn, piece->to_world, sizeof turn);
      for (int i = 0; i < 3; i++) turn[i][3] = 0;
      shape->index[shape->nmoved] = piece->first_vertex + piece->nvert + at;
      import_apply((const double(*)[4])turn, &way, shape->delta + 3 * (size_t)shape->nmoved);
    }
    shape->nmoved++;
  }
}

// -- In-betweens ----------------------------------------------------------------------------------

static int count_targets(const fbx_mesh *own, int channel) {
  int count = 0;
  for (int s = 0; s < own->nshape; s++) count += own->shape[s].channel == channel;
  return count;
}

static void add_inbetweens(const import_reader *r, const import_piece *piece, int main,
                           json_t *all) {
  const char *name = r->shape[piece->target[main].shape].name;
  const fbx_shape *end = piece->target[main].own;
  json_t *places = json_object();
  for (int t = 0; t < piece->ntarget; t++) {
    const fbx_shape *own = piece->target[t].own;
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
      const fbx_shape *own = piece->target[t].own;
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

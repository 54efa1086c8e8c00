// Restores what Assimp loses of a mesh: the vertex of the file that each corner is, and vertices in
// no polygon.
#include "import_scene.h"

#include <math.h>
#include <string.h>

// Assimp reads numbers of a text to within some of their last bits.
static bool is_same(double own, float seen) {
  return (float)own == seen || fabs(own - (double)seen) <= 1e-6 * fabs(own);
}

// Whether a piece is the polygons of one material, in order (-1 = all); control[] is then filled.
static bool follows(const file_mesh *own, int material, const struct aiMesh *mesh,
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
        if (!is_same(point[k], seen[k])) return false;
      control[i] = own->corner[at + (size_t)c];
    }
    f++;
  }
  return f == mesh->mNumFaces;
}

static bool is_first_of_material(const file_mesh *own, size_t p) {
  for (size_t q = 0; q < p; q++)
    if (own->material[q] == own->material[p]) return false;
  return true;
}

static bool matches(const file_mesh *own, const struct aiMesh *mesh, int32_t *control) {
  if (follows(own, -1, mesh, control)) return true;
  int last = -1;
  for (size_t p = 0; p < own->npolygon; p++) {
    if (own->material[p] == last || !is_first_of_material(own, p)) continue;
    last = own->material[p];
    if (follows(own, last, mesh, control)) return true;
  }
  return false;
}

void import_order(import_reader *r) {
  int nlost = 0;
  for (int i = 0; r->is_numbered && i < r->npiece; i++) {
    import_piece *piece = r->piece + i;
    int32_t *control = import_push(r, piece->mesh->mNumVertices, sizeof *control);
    if (!control) return;
    for (int m = 0; m < r->nfile_mesh && !piece->own; m++)
      if (matches(r->file_mesh + m, piece->mesh, control)) piece->own = r->file_mesh + m;
    if (piece->own) piece->control = control;
    nlost += !piece->own;
  }
  if (nlost)
    import_note(r, "%d of %d meshes are not in the order of the file: caches do not fit onto them",
                nlost, r->npiece);
}

// -- Vertices in no polygon -----------------------------------------------------------------------

// They come after the last piece of their part.
void import_loose(import_reader *r, int which) {
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

void import_loose_deltas(const import_piece *piece, const import_target *target,
                         import_shape *shape, bool is_counting) {
  const file_shape *own = target->own;
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

// qsort_r
#define _GNU_SOURCE
#include "import_scene.h"

#include <assimp/material.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// -- Joining --------------------------------------------------------------------------------------

static int compare_floats(const float *a, const float *b, int count) {
  for (int k = 0; k < count; k++)
    if (a[k] != b[k]) return a[k] < b[k] ? -1 : 1;
  return 0;
}

static int compare_vertices(const import_piece *piece, int32_t i, int32_t j) {
  const struct aiMesh *mesh = piece->mesh;
  int order = compare_floats(&mesh->mVertices[i].x, &mesh->mVertices[j].x, 3);
  if (!order && piece->control)
    order = (piece->control[i] > piece->control[j]) - (piece->control[i] < piece->control[j]);
  if (!order && mesh->mTextureCoords[0])
    order = compare_floats(&mesh->mTextureCoords[0][i].x, &mesh->mTextureCoords[0][j].x, 2);
  if (!order && mesh->mColors[0])
    order = compare_floats(&mesh->mColors[0][i].r, &mesh->mColors[0][j].r, 4);
  for (int t = 0; !order && t < piece->ntarget; t++)
    order = compare_floats(&piece->target[t].positions[i].x, &piece->target[t].positions[j].x, 3);
  return order;
}

static int by_vertex(const void *a, const void *b, void *user) {
  int32_t i = *(const int32_t *)a, j = *(const int32_t *)b;
  int order = compare_vertices(user, i, j);
  return order ? order : (i > j) - (i < j);
}

// The first of every set of equal vertices stands for it; they keep the file's order.
static void join_piece(import_reader *r, import_piece *piece) {
  size_t count = piece->mesh->mNumVertices;
  int32_t *sorted = malloc(count * sizeof *sorted);
  piece->joined = import_push(r, count, sizeof *piece->joined);
  piece->source = import_push(r, count, sizeof *piece->source);
  if (!sorted) r->is_out_of_memory = true;
  if (!r->is_out_of_memory) {
    for (size_t i = 0; i < count; i++) sorted[i] = (int32_t)i;
    qsort_r(sorted, count, sizeof *sorted, by_vertex, piece);
    for (size_t i = 0, first = 0; i < count; i++) {
      if (compare_vertices(piece, sorted[first], sorted[i]) != 0) first = i;
      piece->joined[sorted[i]] = sorted[first];
    }
    piece->first_vertex = r->nvert;
    for (size_t i = 0; i < count; i++) {
      bool stands_for_itself = piece->joined[i] == (int32_t)i;
      if (stands_for_itself) piece->source[piece->nvert] = (int32_t)i;
      piece->joined[i] =
          stands_for_itself ? r->nvert + piece->nvert : piece->joined[piece->joined[i]];
      piece->nvert += stands_for_itself;
    }
    r->nvert += piece->nvert;
  }
  free(sorted);
}

void import_join(import_reader *r) {
  for (int i = 0; i < r->npiece && !r->is_out_of_memory; i++) {
    join_piece(r, r->piece + i);
    import_loose(r, i);
  }
}

// -- Positions, uvs, colours ----------------------------------------------------------------------

void import_apply(const double m[3][4], const struct aiVector3D *from, float to[3]) {
  for (int k = 0; k < 3; k++)
    to[k] = (float)(m[k][0] * from->x + m[k][1] * from->y + m[k][2] * from->z + m[k][3]);
}

// FBX and DAE hold colours as they are shown on a screen, glTF as light.
static float to_linear(float shown) {
  return shown <= 0.04045F ? shown / 12.92F : powf((shown + 0.055F) / 1.055F, 2.4F);
}

static bool is_gltf(const import_reader *r) {
  size_t length = strlen(r->path);
  return length > 5 && !strcmp(r->path + length - 5, ".gltf");
}

static void material_colour(const import_reader *r, const struct aiMesh *mesh, float rgba[4]) {
  for (int k = 0; k < 4; k++) rgba[k] = 1;
  if (mesh->mMaterialIndex >= r->scene->mNumMaterials) return;
  const struct aiMaterial *material = r->scene->mMaterials[mesh->mMaterialIndex];
  struct aiColor4D colour;
  if (aiGetMaterialTextureCount(material, aiTextureType_DIFFUSE) ||
      aiGetMaterialTextureCount(material, aiTextureType_BASE_COLOR))
    return;
  if (aiGetMaterialColor(material, AI_MATKEY_BASE_COLOR, &colour) != aiReturn_SUCCESS &&
      aiGetMaterialColor(material, AI_MATKEY_COLOR_DIFFUSE, &colour) != aiReturn_SUCCESS)
    return;
  const float found[4] = {colour.r, colour.g, colour.b, 1};
  for (int k = 0; k < 4; k++) rgba[k] = fminf(1, fmaxf(0, found[k]));
}

static bool has_colour(const import_reader *r, const struct aiMesh *mesh) {
  float rgba[4];
  material_colour(r, mesh, rgba);
  return mesh->mColors[0] || rgba[0] < 1 || rgba[1] < 1 || rgba[2] < 1;
}

static void fill_vertices(const import_reader *r, const import_piece *piece) {
  const struct aiMesh *mesh = piece->mesh;
  bool is_light = is_gltf(r);
  float plain[4];
  material_colour(r, mesh, plain);
  for (int i = 0; i < piece->nvert; i++) {
    int from = piece->source[i];
    size_t to = (size_t)(piece->first_vertex + i);
    import_apply((const double(*)[4])piece->to_world, mesh->mVertices + from, r->position + 3 * to);
    if (r->uv && mesh->mTextureCoords[0]) {
      r->uv[2 * to] = mesh->mTextureCoords[0][from].x;
      r->uv[2 * to + 1] = 1 - mesh->mTextureCoords[0][from].y; // ours run downwards
    }
    if (!r->colour) continue;
    memcpy(r->colour + 4 * to, plain, sizeof plain);
    if (!mesh->mColors[0]) continue;
    const float *rgba = &mesh->mColors[0][from].r;
    for (int k = 0; k < 4; k++) {
      float value = fminf(1, fmaxf(0, rgba[k]));
      r->colour[4 * to + k] = is_light || k == 3 ? value : to_linear(value);
    }
  }
}

static void fill_loose(const import_reader *r, const import_piece *piece) {
  for (int i = 0; i < piece->nloose; i++) {
    const double *p = piece->own->point + 3 * (size_t)piece->loose[i];
    const struct aiVector3D at = {(float)p[0], (float)p[1], (float)p[2]};
    size_t to = (size_t)(piece->first_vertex + piece->nvert + i);
    import_apply((const double(*)[4])piece->to_world, &at, r->position + 3 * to);
    for (int k = 0; r->colour && k < 4; k++) r->colour[4 * to + (size_t)k] = 1;
  }
}

// The vertex that each is in its mesh of the file; in the file's order where nothing says so.
static void number_vertices(import_reader *r) {
  int first = 0;
  for (int i = 0; r->number && i < r->npiece; i++) {
    const import_piece *piece = r->piece + i;
    if (!i || piece->part != r->piece[i - 1].part) first = piece->first_vertex;
    int32_t *to = r->number + piece->first_vertex;
    for (int k = 0; k < piece->nvert; k++)
      to[k] = piece->control ? piece->control[piece->source[k]] : piece->first_vertex + k - first;
    for (int k = 0; k < piece->nloose; k++) to[piece->nvert + k] = piece->loose[k];
  }
}

// -- Faces ----------------------------------------------------------------------------------------

static bool is_mirrored(const double m[3][4]) {
  return m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) -
             m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
             m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]) <
         0;
}

static void fill_faces(import_reader *r, const import_piece *piece) {
  bool backwards = is_mirrored((const double(*)[4])piece->to_world);
  for (unsigned f = 0; f < piece->mesh->mNumFaces; f++) {
    const struct aiFace *face = piece->mesh->mFaces + f;
    int count = (int)face->mNumIndices;
    if (count < 3) continue;
    for (int c = 0; c < count; c++) {
      unsigned from = face->mIndices[backwards ? count - 1 - c : c];
      r->corner[r->ncorner++] = from < piece->mesh->mNumVertices ? piece->joined[from] : -1;
    }
    r->corners_of[r->nface++] = count;
  }
}

static void reserve_mesh(import_reader *r) {
  size_t ncorner = 0, nface = 0;
  bool any_uv = false, any_colour = false;
  for (int i = 0; i < r->npiece; i++) {
    const struct aiMesh *mesh = r->piece[i].mesh;
    for (unsigned f = 0; f < mesh->mNumFaces; f++) ncorner += mesh->mFaces[f].mNumIndices;
    nface += mesh->mNumFaces;
    any_uv |= mesh->mTextureCoords[0] != NULL;
    any_colour |= has_colour(r, mesh);
  }
  r->position = import_push(r, 3 * (size_t)r->nvert, sizeof *r->position);
  if (any_uv) r->uv = import_push(r, 2 * (size_t)r->nvert, sizeof *r->uv);
  if (any_colour) r->colour = import_push(r, 4 * (size_t)r->nvert, sizeof *r->colour);
  r->number = import_push(r, (size_t)r->nvert, sizeof *r->number);
  r->corner = import_push(r, ncorner, sizeof *r->corner);
  r->corners_of = import_push(r, nface, sizeof *r->corners_of);
}

void import_mesh(import_reader *r) {
  reserve_mesh(r);
  number_vertices(r);
  for (int i = 0; i < r->npiece && !r->is_out_of_memory; i++) {
    const import_piece *piece = r->piece + i;
    mien_part *part = r->part + piece->part;
    if (!part->nvert) {
      part->first_vertex = piece->first_vertex;
      part->first_triangle = r->nface;
    }
    fill_vertices(r, piece);
    fill_loose(r, piece);
    fill_faces(r, piece);
    part->nvert = piece->first_vertex + piece->nvert + piece->nloose - part->first_vertex;
    part->ntri = r->nface - part->first_triangle;
  }
}

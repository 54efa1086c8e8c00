#include "import_scene.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *import_push(import_reader *r, size_t count, size_t size) {
  void **more = realloc(r->block, (size_t)(r->nblock + 1) * sizeof *r->block);
  if (more) r->block = more;
  void *memory = more ? calloc(count ? count : 1, size) : NULL;
  if (memory)
    r->block[r->nblock++] = memory;
  else
    r->is_out_of_memory = true;
  return memory;
}

const char *import_text(import_reader *r, const char *from, size_t length) {
  char *text = import_push(r, length + 1, 1);
  if (text) memcpy(text, from, length);
  return text;
}

void import_note(import_reader *r, const char *format, ...) {
  if (r->nnote == IMPORT_MOST_NOTES) return;
  char *text = import_push(r, 240, 1);
  if (!text) return;
  va_list args;
  va_start(args, format);
  vsnprintf(text, 240, format, args);
  va_end(args);
  r->note[r->nnote++] = text;
}

void import_reader_free(import_reader *r) {
  for (int i = 0; i < r->nblock; i++) free(r->block[i]);
  free(r->block);
  *r = (import_reader){0};
}

static void multiply(const double a[3][4], const struct aiMatrix4x4 *b, double out[3][4]) {
  const double row[4][4] = {{b->a1, b->a2, b->a3, b->a4},
                            {b->b1, b->b2, b->b3, b->b4},
                            {b->c1, b->c2, b->c3, b->c4},
                            {0, 0, 0, 1}};
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 4; j++) {
      out[i][j] = 0;
      for (int k = 0; k < 4; k++) out[i][j] += a[i][k] * row[k][j];
    }
}

static bool is_surface(const struct aiMesh *mesh) {
  return mesh->mNumVertices && mesh->mNumFaces &&
         (mesh->mPrimitiveTypes & (aiPrimitiveType_TRIANGLE | aiPrimitiveType_POLYGON));
}

static bool is_target_node(const import_reader *r, const struct aiNode *node) {
  return r->dae && !strncmp(node->mName.data, DAE_TARGET_NODE, strlen(DAE_TARGET_NODE));
}

static int count_pieces(const import_reader *r, const struct aiNode *node) {
  int count = 0;
  for (unsigned i = 0; !is_target_node(r, node) && i < node->mNumMeshes; i++)
    count += is_surface(r->scene->mMeshes[node->mMeshes[i]]);
  for (unsigned i = 0; i < node->mNumChildren; i++) count += count_pieces(r, node->mChildren[i]);
  return count;
}

// A node's own name, or its mesh's when it has none; the parts of a rig have different names.
static const char *name_part(import_reader *r, const struct aiNode *node,
                             const struct aiMesh *mesh) {
  const char *name = node->mName.length ? node->mName.data : mesh->mName.data;
  int uses = 0;
  for (int p = 0; p < r->npart; p++) uses += !strcmp(r->part[p].name, name);
  char text[sizeof node->mName.data + 16];
  snprintf(text, sizeof text, uses ? "%s_%d" : "%s", *name ? name : "part", uses + 1);
  return import_text(r, text, strlen(text));
}

static void add_pieces(import_reader *r, const struct aiNode *node, const double above[3][4]) {
  double to_world[3][4];
  multiply(above, &node->mTransformation, to_world);
  bool is_new = true;
  for (unsigned i = 0; !is_target_node(r, node) && i < node->mNumMeshes; i++) {
    const struct aiMesh *mesh = r->scene->mMeshes[node->mMeshes[i]];
    if (!is_surface(mesh)) continue;
    if (is_new) {
      const char *name = name_part(r, node, mesh);
      if (!name) return;
      r->part[r->npart++] = (mien_part){.name = name};
    }
    is_new = false;
    import_piece *piece = r->piece + r->npiece++;
    *piece = (import_piece){.node = node, .mesh = mesh, .ordinal = (int)i, .part = r->npart - 1};
    memcpy(piece->to_world, to_world, sizeof to_world);
  }
  for (unsigned i = 0; i < node->mNumChildren; i++)
    add_pieces(r, node->mChildren[i], (const double(*)[4])to_world);
}

void import_pieces(import_reader *r) {
  size_t count = (size_t)count_pieces(r, r->scene->mRootNode);
  r->piece = import_push(r, count, sizeof *r->piece);
  r->part = import_push(r, count, sizeof *r->part);
  if (!r->piece || !r->part || !count) return;
  double axes[3][4] = {{0}};
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) axes[i][k] = r->axes[i][k];
  add_pieces(r, r->scene->mRootNode, (const double(*)[4])axes);
}

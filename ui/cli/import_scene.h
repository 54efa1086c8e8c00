// Shared by the files of the Assimp importer: a scene on its way to becoming a rig definition.
#ifndef MIEN_IMPORT_SCENE_H
#define MIEN_IMPORT_SCENE_H

#include "dae_morphs.h"
#include "file_mesh.h"

#include <mien/mien.h>

#include <assimp/scene.h>

// Where a mesh goes when a weight is 1, in the mesh's own space.
typedef struct import_target {
  const char *name;                   // as the file has it
  const struct aiVector3D *positions; // (mNumVertices)
  bool is_relative;                   // they are deltas
  unsigned number;                    // of its weight among those of the mesh in the file
  int shape;                          // in the reader's list
  const file_shape *own;              // as the file has it; NULL = not found, or not of FBX
} import_target;

// A mesh as it hangs in the scene. Assimp repeats a vertex for every face it belongs to; those that
// are alike in everything are joined.
typedef struct import_piece {
  const struct aiNode *node;
  const struct aiMesh *mesh;
  int ordinal; // among the meshes of its node
  int part;
  double to_world[3][4];
  import_target *target;
  int ntarget;
  int32_t *joined; // vertex of the mesh -> vertex of the rig                 (mNumVertices)
  int32_t *source; // vertex of the piece -> vertex of the mesh it stands for (nvert)
  int first_vertex, nvert;
  const file_mesh *own; // as the file has it; NULL = not found, or another format
  int32_t *control;     // vertex of the mesh -> vertex of the file, where own    (mNumVertices)
  int32_t *loose;       // vertices of the file in no polygon, rising; after the piece's own
  int nloose;
} import_piece;

typedef struct import_shape {
  const char *name;
  int32_t *index;
  float *delta;
  int nmoved;
} import_shape;

enum { IMPORT_MOST_NOTES = 32 };

typedef struct import_reader {
  const struct aiScene *scene;
  const dae_morphs *dae;
  const file_mesh *file_mesh; // as FBX and DAE files number them
  int nfile_mesh;
  bool is_numbered; // the file is of such a kind
  const char *path;
  import_piece *piece;
  int npiece;
  mien_part *part;
  int npart;
  float *position, *uv, *colour; // uv and colour NULL when no mesh has any
  int32_t *corner, *corners_of;  // of every face
  int32_t *number;               // of a vertex in its mesh of the file                (nvert)
  int nvert, ncorner, nface;
  import_shape *shape;
  int nshape;
  double axes[3][3];      // file to +Y up, +Z out of the face
  double metres_per_unit; // of `position`
  double source_unit;     // metres per unit of the artist's scene
  bool is_unit_stated;    // by the file or the user
  char *note[IMPORT_MOST_NOTES];
  int nnote;
  void **block; // everything allocated here
  int nblock;
  bool is_out_of_memory;
} import_reader;

// import_scene.c: zeroed memory that lives as long as the reader; NULL sets is_out_of_memory
void *import_push(import_reader *r, size_t count, size_t size);
const char *import_text(import_reader *r, const char *from, size_t length);
void import_note(import_reader *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
void import_reader_free(import_reader *r);
// The meshes in the scene, as pieces and parts. 0 pieces when there are none.
void import_pieces(import_reader *r);

// import_axes.c: rows (M | t) of the way back; the identity where there is none
void import_invert(const double m[3][4], double out[12]);
void import_axes(import_reader *r);
void import_unit(import_reader *r, double wanted);

// import_neck.c: where the skeleton turns the head; false = it has no such joint
bool import_neck(const import_reader *r, double place[3]);

// import_shapes.c: find fills the pieces' targets and the names; fill needs joined vertices
void import_find_shapes(import_reader *r);
void import_fill_shapes(import_reader *r);

// import_order.c: pieces as the file has them; loose vertices after the joined ones of the last
// piece of a part
void import_order(import_reader *r);
void import_loose(import_reader *r, int which);
void import_loose_deltas(const import_piece *piece, const import_target *target,
                         import_shape *shape, bool is_counting);

// import_fbx.c: targets as the file has them
void import_fbx_targets(import_piece *piece);
char *import_fbx_inbetweens(const import_reader *r); // caller frees with free
bool import_is_inbetween(const import_target *target, const import_piece *piece);

// import_mesh.c
void import_join(import_reader *r);
void import_mesh(import_reader *r);
void import_apply(const double m[3][4], const struct aiVector3D *from, float to[3]);

// import_take.c: NULL without animation, or when memory ran out
mien_take *import_take(import_reader *r, const mien_host *host);

#endif

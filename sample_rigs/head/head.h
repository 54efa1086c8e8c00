// A human-like head with lips, lids, teeth, bones and the ARKit shapes, modelled by code.
//
// Metres, +Y up, +Z out of the face, +X the subject's left; the origin lies midway between the
// ears. The same options give the same bits. Nothing here was scanned or copied: proportions are
// those of a drawing manual.
#ifndef SAMPLE_RIGS_HEAD_HEAD_H
#define SAMPLE_RIGS_HEAD_HEAD_H

typedef struct head_options {
  int density; // 0: about 1.5 k skin vertices, 1: about 7.3 k, 2: about 50 k
} head_options;

enum { HEAD_NLANDMARK = 68 };

typedef enum head_part_kind {
  HEAD_SKIN,    // one manifold, open only at the neck
  HEAD_SKULL,   // closed, inside the flesh, does not move
  HEAD_JAW,     // closed, inside the flesh, follows the jaw
  HEAD_TEETH,   // upper (with the skull) or lower (with the jaw), inside the mouth bag
  HEAD_TONGUE,  // follows the jaw; soft
  HEAD_EYEBALL, // rotates about `head_model.eye_centre`
} head_part_kind;

// One mesh. Simulation uses `position` and `triangle`. A renderer that needs one texture coordinate
// per vertex uses the split mesh instead: vertex i stands at position[split_vertex[i]], has
// split_uv[i], and the triangles are split_triangle.
typedef struct head_part {
  const char *name; // "skin", "skull", "jaw", "teeth_upper", "teeth_lower", "tongue", "eye_left",
                    // "eye_right"
  head_part_kind kind;
  int follows_jaw; // 1: moves rigidly with jawOpen, jawForward, jawLeft, jawRight and tongueOut
  int nvert;
  int ntri;
  int nsplit;
  float (*position)[3];
  float (*colour)[3]; // linear RGB 0-1
  int (*triangle)[3]; // counter-clockwise seen from outside
  int *split_vertex;
  float (*split_uv)[2];
  int (*split_triangle)[3];
} head_part;

// A shape moves the vertices of every part: delta[first_vertex[part] + v]. Untouched vertices are
// exactly zero.
typedef struct head_shape {
  const char *name; // ARKit spelling
  float (*delta)[3];
} head_shape;

// Truth about the skin, one value per skin vertex, 0-1.
typedef struct head_labels {
  float *lip_upper; // vermilion and inner surface of the upper lip
  float *lip_lower;
  float *mouth_bag; // inner lips and the bag behind them
  float *lid_upper;
  float *lid_lower;
  float *eye_pocket; // inside of the lids and the pocket behind the eyeball
  float *jaw;        // how much the jaw carries the vertex
} head_labels;

typedef struct head_jaw_hinge {
  float point[3];
  float axis[3];    // unit; a positive angle opens
  float open_angle; // radians of jawOpen at weight 1
} head_jaw_hinge;

typedef struct head_model {
  int npart;
  head_part *part;   // part[0] is the skin
  int *first_vertex; // npart + 1 entries: where each part starts in a shape's deltas
  int nshape;
  head_shape *shape;
  head_labels label;
  int landmark[HEAD_NLANDMARK]; // skin vertices, iBUG order
  int *mirror;                  // nvert of the skin: the vertex at (-x, y, z)
  head_jaw_hinge jaw;
  float eye_centre[2][3]; // left, right
  float eye_radius;
} head_model;

// Returns 0, or -1 when memory ran out or the density is unknown; then *model is all zero.
int head_model_create(const head_options *options, head_model *model);
void head_model_free(head_model *model);

#endif

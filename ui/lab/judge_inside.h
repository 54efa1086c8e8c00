// Shared by the files of the judge.
#ifndef MIEN_LAB_JUDGE_INSIDE_H
#define MIEN_LAB_JUDGE_INSIDE_H

#include "judge.h"

#include "judge_pairs.h"

struct judge {
  const mien_rig *rig;
  mien_face *face;
  mien_state *state;
  mien_activations *muscles; // NULL = the face has none
  pairs_mesh mesh;           // skin first, then teeth, jaw and eyes
  int32_t *tri;              // of the mesh                                             (ntri x 3)
  bool *is_active;           // some shape moves a corner of the triangle                  (ntri)
  int *tri_piece;            // of a triangle of the eyes, else -1                        (ntri)
  bool *is_skin;             // vertex of a skin triangle                                 (nvert)
  int *piece;                // judge_piece of a vertex                                   (nvert)
  bool *in_contact;          // in a contact region                                       (nvert)
  int *first, *next;         // neighbours of vertex i: next[first[i]] .. next[first[i + 1] - 1]
  float *pose, *last;        // the artist's; the output of the last frame            (nvert x 3)
  double *offset;            // of the output from the pose, m                            (nvert)
  float *weights;            // of the last frame                                        (nshape)
  mien_rigid head;
  mien_contact contact;
  int nstep, nheld;
  judge_pairs posed; // of the last frame
};

// The first reads parts, regions and neighbours once. False when memory ran out.
bool judge_map(judge *j);
void judge_unmap(judge *j);

#endif

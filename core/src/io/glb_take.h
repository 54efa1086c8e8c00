// The head's motion in a .glb: the animated node that is the head, and its tracks.
#ifndef MI_GLB_TAKE_H
#define MI_GLB_TAKE_H

#include "io/glb_track.h"

typedef struct mi_glb_head {
  int node;                           // -1 = no head motion
  mi_glb_track rotation, translation; // nkey 0 = not animated
  double t[3], q[4], s[3];            // of the node at rest
  mi_affine above, at_rest;           // the parent's world, the node's own world; at rest
  bool is_plain;                      // neither moves anything
} mi_glb_head;

// glb_head.c: among the nodes whose rotation or translation is animated, one named "head", else one
// with "head" in its name, else one at the top.
mien_result mi_glb_read_head(mi_glb *glb, const mi_glb_scene *scene, const json_t *animation,
                             mi_glb_head *out);
// Finds the transform that takes the rig from where it rests to where it is at each time.
void mi_glb_sample_head(const mi_glb_head *head, const double *times, int nframe, mien_rigid *out);

#endif

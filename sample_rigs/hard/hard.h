// Hard rigs: the sample head spoiled in the ways rigs of games and studies are. Lips that overlap
// in the neutral and part when the jaw opens, lids inside the eyeballs, a mouth bag of two sheets
// that almost coincide or whose sides the open jaw leads through the teeth, coarse lips, lips
// welded near the corners, teeth in the mesh of the skin, other axes. For tests and claims. The
// same options give the same bits.
#ifndef SAMPLE_RIGS_HARD_HARD_H
#define SAMPLE_RIGS_HARD_HARD_H

#include <mien/mien.h>

#include <stdint.h>

typedef struct hard_options {
  uint64_t seed;         // 0 = no variation; else asymmetry, amounts, noise in the shapes
  int density;           // of the sample head, 0 or 1
  int overlap;           // pairs of lip triangles that cross in the neutral, about
  int deep;              // mm, about by how much the lips overlap instead, however many cross
  int lids_through_eyes; // lid skin lies 0.5 to 1 mm inside the eyeball
  int thin_bag;          // the mouth bag is two sheets a fraction of a millimetre apart, and there
                         // are no bones, teeth and tongue
  int bag_through_teeth; // mm by which jawOpen leads the sides of the mouth bag inwards
  int coarse_lips;       // about 25 vertices of the upper lip and 40 of the lower; density 0
  int welded_corners;    // lips are welded some vertices in from the corners
  int teeth_in_skin;     // skin, teeth and eyes are one undecided part, and there are no bones
  int axis_up_z;         // +Z up, -Y out of the face
  int body_offset;       // the origin lies at the feet, 1.6 m below
} hard_options;

// "overlap=150,deep=4,bag=12,seed=3,density=1,lids,thin_bag,coarse,welded,teeth_in_skin,up=z,body"
// in any order. 0, or -1 when a word is not known.
int hard_options_read(hard_options *options, const char *text);

typedef struct hard_mesh hard_mesh;
typedef struct hard_rig {
  mien_rig_def def; // points into the mesh
  hard_mesh *mesh;
  int neutral_pairs; // of lip triangles that cross, by the exact test
  int open_pairs;    // the same with jawOpen at 1
  double overlap;    // m, how far each lip was moved to the other; below 0 = apart
} hard_rig;

// 0, or -1 when memory ran out or the options are out of range. Caller frees with hard_rig_free.
int hard_rig_create(const hard_options *options, hard_rig *rig);
void hard_rig_free(hard_rig *rig);

#endif

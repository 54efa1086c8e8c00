// The rigid and soft parts behind the skin. All in millimetres while they are modelled.
#ifndef SAMPLE_RIGS_HEAD_PARTS_H
#define SAMPLE_RIGS_HEAD_PARTS_H

#include "../mesh_builder.h"
#include "vec3.h"

// `fineness` 1, 2 or 4 multiplies the segments.
void build_skull(mesh_builder *mesh, int fineness);
void build_jaw_bone(mesh_builder *mesh, int fineness);
void build_teeth(mesh_builder *mesh, int upper, int fineness);
void build_tongue(mesh_builder *mesh, int fineness);
void build_eyeball(mesh_builder *mesh, int left, int fineness);

// Where the jaw turns, on the middle plane, and how far jawOpen turns it.
vec3 jaw_hinge(void);
double jaw_open_angle(void);
// z of the muzzle in the middle of the mouth, without the lips.
double mouth_base(void);
double mouth_line_height(void);
// Dental arch: how far behind the middle the mouth's line runs at x.
double mouth_arch(double x);

#endif

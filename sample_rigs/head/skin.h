// The skin mesh: the cage subdivided to a smooth surface and sampled as densely as wanted.
#ifndef SAMPLE_RIGS_HEAD_SKIN_H
#define SAMPLE_RIGS_HEAD_SKIN_H

#include "cage.h"

enum { FINE_LEVEL = 4, FINE_SIDE = 1 << FINE_LEVEL, FINE_NVALUE = 3 + CH_COUNT };

// A quad mesh whose vertices carry position and channels as one row of values.
typedef struct fine_mesh {
  int nvert;
  int nquad;
  double (*value)[FINE_NVALUE];
  int (*quad)[4];
} fine_mesh;

// Subdivides the whole cage (both halves) FINE_LEVEL times. The quads of cage quad f of the left
// half are f * 4^FINE_LEVEL and on. Returns 0 or -1.
int fine_mesh_create(const cage *c, fine_mesh *fine);
void fine_mesh_free(fine_mesh *fine);
// Values at (s, t) in 0..1 of a cage quad of the left half.
void fine_mesh_sample(const fine_mesh *fine, int cage_quad, double s, double t, double *value);

typedef struct skin_vertex {
  vec3 p; // millimetres
  double channel[CH_COUNT];
} skin_vertex;

typedef struct skin {
  int nvert;
  int ntri;
  skin_vertex *vert;
  int (*triangle)[3];
  int *mirror;             // vertex at (-x, y, z)
  int from_cage[CAGE_MAX]; // vertex that stands at a cage vertex of the left half
} skin;

// `target` is the wanted number of vertices, met to about two per cent; 0 takes the cage as it is.
// Returns 0 or -1.
int skin_create(const cage *c, int target, skin *out);
void skin_free(skin *s);

#endif

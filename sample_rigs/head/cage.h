// The control cage of the left half of the skin: where the edge loops run. Millimetres.
//
// The head is laid out like a cube: one strip of columns runs from the middle of the face round the
// side to the middle of the back, a lid of quads closes the top, the neck is open. Three windows
// are cut into the strip; in each, rings run inwards: round the mouth and on into the mouth bag,
// round the eye and on into the pocket behind the ball, and over the ear.
#ifndef SAMPLE_RIGS_HEAD_CAGE_H
#define SAMPLE_RIGS_HEAD_CAGE_H

#include "vec3.h"

enum {
  CAGE_NROW = 21,    // neck border .. hairline
  CAGE_NFRONT = 7,   // quads from the middle of the face to its edge
  CAGE_NSIDE = 6,    // quads over the side
  CAGE_NCOLUMN = 21, // NFRONT + NSIDE + NFRONT + 1
  MOUTH_NRING = 15,  // window, two of skin, border, lip, contact, inner lip, bag
  MOUTH_NANGLE = 13, // top middle .. corner (6) .. bottom middle
  EYE_NRING = 11,
  EYE_NANGLE = 16, // clockwise seen from the front; corner 14 is the inner, 6 the outer
  EAR_NRING = 9,
  EAR_NANGLE = 12, // clockwise seen from outside
  EAR_ROW = 12,    // row of the strip at the bottom of the ear's window
  CAGE_MAX = 1400,
};

// What a ring of the mouth is; between them the count is continuous.
enum {
  RING_WINDOW = 0,
  RING_ROLL = 2,    // the pale rim just outside the red
  RING_BORDER = 3,  // vermilion border
  RING_CONTACT = 6, // front edge of where the lips meet
  RING_INNER = 8,   // wet inner surface
  RING_FOLD = 10,   // deepest fold between lip and gum
};

enum {
  LID_FOLD = 3,   // crease of the lid
  LID_OUTER = 5,  // lash line
  LID_INNER = 6,  // inner edge of the margin
  LID_FORNIX = 8, // where the inside of the lid turns back over the ball
};

// Smooth per-vertex knowledge that is subdivided along with the positions.
typedef enum cage_channel {
  CH_ON_FORM,    // 1: lies on the head form; 0: swept
  CH_LIP_SIDE,   // +1 upper lip .. -1 lower lip, inside the mouth window
  CH_MOUTH_RING, // 0 outside the window
  CH_LID_SIDE,   // +1 upper lid .. -1 lower lid, inside the eye window
  CH_EYE_RING,
  CH_EAR_RING,
  CH_COUNT
} cage_channel;

typedef struct cage_vertex {
  vec3 p;
  double channel[CH_COUNT];
  int pinned; // not moved by relaxation
  int plane;  // lies in the plane x = 0
} cage_vertex;

typedef struct cage {
  int nvert;
  int nquad;
  cage_vertex vert[CAGE_MAX];
  int quad[CAGE_MAX][4];
  // Names of the vertices; -1 where a window was cut.
  int strip[CAGE_NROW][CAGE_NCOLUMN];
  int mouth[MOUTH_NRING][MOUTH_NANGLE];
  int eye[EYE_NRING][EYE_NANGLE];
  int ear[EAR_NRING][EAR_NANGLE];
} cage;

int cage_add_vertex(cage *c, vec3 p);
void cage_add_quad(cage *c, int v0, int v1, int v2, int v3);
// Joins ring and ring + 1; `closed` rings have `count` quads, open ones count - 1. Clockwise seen
// from outside.
void cage_join_rings(cage *c, const int *outer, const int *inner, int count, int closed);
// Fills a rectangle whose border vertices are given (row-major, rows upwards); entries of -1 become
// new vertices by transfinite interpolation.
void cage_fill_grid(cage *c, int *grid, int nrow, int ncolumn);

// The three windows; each adds its rings and pockets.
void cage_build_mouth(cage *c);
void cage_build_eye(cage *c);
void cage_build_ear(cage *c);

// Spreads the free vertices over the head form, then moves the control points so that the
// subdivided surface passes through the modelled points. Returns 0, or -1 when memory ran out.
int cage_settle(cage *c);

// Everything. Returns 0, or -1 when memory ran out.
int cage_build(cage *c);

// Shared with the eye parts: the ball without and with the bulge of the cornea.
vec3 eye_centre(void);
double eye_ball_radius(vec3 direction);

#endif

// Flesh that contact presses, kept from turning inside out.
//
// Where lips are pressed through each other the energy's own minimum has inverted tetrahedra at the
// corners of the mouth: elements resist that no more than any other strain. So after each descent
// what is inverted is pushed out to a little of its volume, as shortly as can be (one tetrahedron
// after the other along the slope of its volume, until none is left: a tenth of a millimetre or
// two) and by the inside alone: skin is where contact wants it. Moving more of the inside, or into
// a better shape, is what made pressed lips tremble.
#include "solve/mend.h"

#include "math/vec.h"
#include "solve/solver.h"

#include <string.h>

// Of a tetrahedron's volume at rest: pushed out to AIM when below LEAST.
static const float LEAST = 0.001f, AIM = 0.03f;
// Each push goes so many times as far as it alone would need: with 1 a knot takes ten times as
// many, and one that goes on with one length is undone by another.
static const double OVER[] = {1.4, 1.15, 1.8};
enum { PUSHES = 2000, MOST_PUSHES = 3 * PUSHES }; // about 1 us each with what lies around them
enum { KNOT = 60000 };                            // looks at single tetrahedra

// Volume, and how it grows with each corner.
static double volume_of(const float *const corner[4], mi_vec3 slope[4]) {
  mi_vec3 x[4];
  for (int c = 0; c < 4; c++) x[c] = mi_vec3_load(corner[c]);
  mi_vec3 a = mi_sub(x[1], x[0]), b = mi_sub(x[2], x[0]), d = mi_sub(x[3], x[0]);
  slope[1] = mi_scale(1.0 / 6, mi_cross(b, d));
  slope[2] = mi_scale(1.0 / 6, mi_cross(d, a));
  slope[3] = mi_scale(1.0 / 6, mi_cross(a, b));
  slope[0] = mi_scale(-1, mi_add(slope[1], mi_add(slope[2], slope[3])));
  return mi_dot(a, slope[1]);
}

static void push_out(const mien_face *face, float *flesh, int t, double over) {
  const int32_t *tet = face->tets + 4 * (size_t)t;
  const float *corner[4];
  mi_vec3 slope[4];
  double give = 0;
  for (int c = 0; c < 4; c++) corner[c] = flesh + 3 * (size_t)tet[c];
  double missing = (double)AIM * (double)face->volume[t] - volume_of(corner, slope);
  for (int c = 0; c < 4; c++) give += tet[c] >= face->skin.nvert ? mi_dot(slope[c], slope[c]) : 0;
  if (!(missing > 0) || !(give > 0)) return;
  for (int c = 0; c < 4; c++)
    if (tet[c] >= face->skin.nvert)
      mi_vec3_store(flesh + 3 * (size_t)tet[c],
                    mi_add_scaled(mi_vec3_load(corner[c]), over * missing / give, slope[c]));
}

void mi_mend_pressed(mien_state *state) {
  const mien_face *face = state->face;
  const mi_solver *solver = state->solver;
  float *flesh = solver->trial; // free after a descent: x in the flesh's order
  for (int i = 0; i < solver->nvert; i++)
    memcpy(flesh + 3 * (size_t)i, solver->x + 4 * (size_t)solver->place[i], 3 * sizeof *flesh);
  state->info.nmended = mi_state_measure(state, flesh);
  mi_mend_list list = mi_mend_list_inverted(state);
  if (!list.count) return;
  for (int npushed = 0; list.count && npushed < MOST_PUSHES; npushed += list.count) {
    for (int k = 0; k < list.count; k++) push_out(face, flesh, list.tet[k], OVER[npushed / PUSHES]);
    list = mi_mend_list_around(state, flesh, LEAST, list);
  }
  // a knot that no push undoes is untangled as a whole
  if (list.count && mi_state_measure(state, flesh)) mi_mend_inside(state, flesh, KNOT);
  for (int i = face->skin.nvert; i < solver->nvert; i++)
    memcpy(solver->x + 4 * (size_t)solver->place[i], flesh + 3 * (size_t)i, 3 * sizeof *flesh);
}

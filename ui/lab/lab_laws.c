#include "lab_laws.h"

static const mi_law *const own[] = {
    &lab_law_strain_limit,  &lab_law_triangle_strain,
    &lab_law_triangle_area, &lab_law_example,
    &lab_law_bending,       &lab_law_edge,
    &lab_law_plane,         &lab_law_stvk,
    &lab_law_trace,
};

int lab_nlaw(void) {
  return mi_nlaw + (int)(sizeof own / sizeof *own);
}

const mi_law *lab_law(int number) {
  return number < mi_nlaw ? mi_laws[number] : own[number - mi_nlaw];
}

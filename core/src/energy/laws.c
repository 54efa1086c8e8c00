#include "energy/laws.h"

const mi_law *const mi_laws[] = {
    &mi_law_strain,        &mi_law_volume,  &mi_law_strain_limit, &mi_law_triangle_strain,
    &mi_law_triangle_area, &mi_law_example, &mi_law_bending,      &mi_law_edge,
    &mi_law_attachment,    &mi_law_plane,   &mi_law_gravity,      &mi_law_wind,
    &mi_law_stvk,
};
const int mi_nlaw = sizeof mi_laws / sizeof *mi_laws;

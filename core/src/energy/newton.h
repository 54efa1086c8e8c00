// Newton's method on the energy of all laws, in double: the reference that the real-time solvers
// are compared with. It walks the stencils of the same table of laws.
#ifndef MI_NEWTON_H
#define MI_NEWTON_H

#include "energy/energy.h"

typedef struct mi_newton mi_newton;

// The flesh gives the elements; its targets may still be unset. The caller frees *out even when
// this fails, if it is not NULL.
mien_result mi_newton_create(const mi_flesh *flesh, const mien_host *host, mi_newton **out,
                             mien_error *err);
// Minimises from x in place (nvert x 4); fills iterations, energies and times of `info`. CHOLMOD
// allocates meanwhile.
void mi_newton_descend(mi_newton *newton, const mi_flesh *flesh, const mien_step_opts *opts,
                       float *x, mien_state_info *info);
void mi_newton_drop_factor(mi_newton *newton); // conjugate gradients from now on
void mi_newton_free(mi_newton *newton);

#endif

#include "physics.h"

#include "tetrahedra.h"

#include <string.h>

const char *physics_solver_name(mien_solver solver) {
  static const char *const names[] = {
      "auto",        "kinematic", "direct", "gauss_seidel", "gauss_seidel_offline",
      "prefactored", "newton",
  };
  return (int)solver >= 0 && (int)solver < (int)(sizeof names / sizeof *names) ? names[solver]
                                                                               : "unknown";
}

bool physics_settings(const cli_args *args, mien_contact contact, mien_settings *settings) {
  enum { NOT_SAID = -1 };
  mien_settings_init(settings);
  mien_step_opts *step = &settings->step;
  step->contact = (mien_contact)NOT_SAID;
  if (!cli_read_settings(args, settings)) return false;
  bool knows = step->solver != MIEN_SOLVER_NEWTON && step->solver != MIEN_SOLVER_KINEMATIC &&
               step->integrator != MIEN_INTEGRATOR_IMPLICIT_MIDPOINT &&
               step->integrator != MIEN_INTEGRATOR_STABILISED_MIDPOINT;
  bool is_said = (int)step->contact != NOT_SAID;
  if (!is_said) step->contact = knows ? contact : MIEN_CONTACT_OFF;
  if (!is_said && !knows && contact && step->solver != MIEN_SOLVER_KINEMATIC)
    cli_remarks((const char *const[]){"contact is off: this integrator or solver knows none"}, 1);
  // a bake must not depend on how fast the background thread was
  if (step->solver == MIEN_SOLVER_GAUSS_SEIDEL_OFFLINE && !step->offline_after)
    step->offline_after = 12;
  if (settings->face.flesh == MIEN_FLESH_VOLUME)
    settings->face.tetrahedralise = cli_tetrahedralise();
  return true;
}

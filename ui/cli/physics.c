#include "physics.h"

#include <string.h>

static const char *const names[] = {
    "auto", "kinematic", "direct", "gauss_seidel", "gauss_seidel_offline", "prefactored", "newton"};
enum { NNAME = sizeof names / sizeof *names };

const char *physics_solver_name(mien_solver solver) {
  return (int)solver >= 0 && (int)solver < NNAME ? names[solver] : "unknown";
}

static bool read_solver(const cli_args *args, mien_step_opts *opts) {
  const char *name = cli_value(args, "solver", "auto");
  for (int k = 0; k < NNAME; k++)
    if (!strcmp(name, names[k])) {
      opts->solver = (mien_solver)k;
      return true;
    }
  cli_usage("'%s' is no solver; there are auto, kinematic, direct, gauss_seidel, "
            "gauss_seidel_offline, prefactored and newton",
            name);
  return false;
}

static bool read_vector(const cli_args *args, const char *option, double vector[3]) {
  const char *text = cli_value(args, option, "0,0,0");
  char after;
  if (sscanf(text, "%lf,%lf,%lf%c", vector, vector + 1, vector + 2, &after) == 3) return true;
  cli_usage("'--%s' takes three numbers like 0,-9.81,0, not '%s'", option, text);
  return false;
}

static bool read_motion(const cli_args *args, mien_step_opts *opts) {
  static const char *const kinds[] = {"backward_euler", "bdf2", "implicit_midpoint",
                                      "stabilised_midpoint", "quasi_static"};
  enum { NKIND = sizeof kinds / sizeof *kinds };
  const char *name = cli_value(args, "integrator", kinds[0]);
  double substeps;
  int kind = 0;
  while (kind < NKIND && strcmp(name, kinds[kind])) kind++;
  if (kind == NKIND) {
    cli_usage("'%s' is no integrator; there are backward_euler, bdf2, implicit_midpoint, "
              "stabilised_midpoint and quasi_static",
              name);
    return false;
  }
  opts->integrator = (mien_integrator)kind;
  if (!cli_number(args, "substeps", 1, 100, opts->substeps, &substeps) ||
      !cli_number(args, "damping", 0, 1e6, opts->damping, &opts->damping) ||
      !cli_number(args, "drag", 0, 1e6, opts->drag, &opts->drag))
    return false;
  opts->substeps = (int)substeps;
  return true;
}

static bool read_barrier(const cli_args *args, mien_step_opts *opts) {
  static const char *const steps[] = {"woodbury", "schur", "pcg"};
  const char *name = cli_value(args, "barrier-step", steps[0]);
  for (size_t k = 0; k < sizeof steps / sizeof *steps; k++) {
    if (strcmp(name, steps[k])) continue;
    opts->barrier_step = (mien_barrier_step)k;
    return cli_number(args, "barrier-stiffness", 1e-3, 1e6, opts->barrier_stiffness,
                      &opts->barrier_stiffness);
  }
  cli_usage("'%s' is no step of the barrier; there are woodbury, schur and pcg", name);
  return false;
}

static bool read_contact(const cli_args *args, mien_step_opts *opts) {
  static const char *const kinds[] = {"off", "plane", "barrier"};
  bool knows = opts->solver != MIEN_SOLVER_NEWTON && opts->solver != MIEN_SOLVER_KINEMATIC &&
               opts->integrator != MIEN_INTEGRATOR_IMPLICIT_MIDPOINT &&
               opts->integrator != MIEN_INTEGRATOR_STABILISED_MIDPOINT;
  const char *name = cli_value(args, "contact", knows ? "plane" : "off");
  double thickness, length, seed;
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
    if (strcmp(name, kinds[k])) continue;
    opts->contact = (mien_contact)k;
    if (!cli_number(args, "thickness", 0, 100, 0, &thickness) ||
        !cli_number(args, "friction", 0, 10, opts->friction, &opts->friction) ||
        !cli_number(args, "sticky", 0, 100, 0, &opts->sticky) ||
        !cli_number(args, "sticky-length", 0, 1000, 0, &length) ||
        !cli_number(args, "humidity", 0.001, 1000, 1, &opts->humidity) ||
        !cli_number(args, "seed", 0, 9e15, 1, &seed))
      return false;
    opts->thickness = 1e-3 * thickness;
    opts->sticky_length = 1e-3 * length;
    opts->seed = (uint64_t)seed;
    return true;
  }
  cli_usage("'%s' is no contact; there are off, plane and barrier", name);
  return false;
}

bool physics_options(const cli_args *args, mien_step_opts *opts) {
  double iterations;
  mien_step_opts_init(opts);
  if (!read_solver(args, opts) || !cli_number(args, "iterations", 1, 1000, 8, &iterations) ||
      !cli_number(args, "tolerance", 0, 0.999, 0, &opts->tolerance) ||
      !read_vector(args, "gravity", opts->gravity) || !read_vector(args, "wind", opts->wind) ||
      !read_motion(args, opts) || !read_contact(args, opts) || !read_barrier(args, opts))
    return false;
  opts->iterations = (int)iterations;
  // a bake must not depend on how fast the background thread was
  if (opts->solver == MIEN_SOLVER_GAUSS_SEIDEL_OFFLINE) opts->offline_after = 12;
  return true;
}

bool physics_face(const cli_args *args, mien_face_def *def) {
  mien_face_def_init(def);
  return cli_number(args, "stiffness", 1, 1e8, def->stiffness, &def->stiffness) &&
         cli_number(args, "volume-stiffness", 0, 1e8, def->volume_stiffness,
                    &def->volume_stiffness) &&
         cli_number(args, "attachment-rate", 0.01, 1e4, def->attachment_rate,
                    &def->attachment_rate);
}

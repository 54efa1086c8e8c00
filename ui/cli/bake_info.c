#include "bake_info.h"

#include "cli.h"
#include "physics.h"

int bake_info_open(const char *path, FILE **out) {
  if (!path) return CLI_DONE;
  *out = cli_create(path);
  if (!*out) return CLI_FAILED;
  fprintf(*out,
          "frame,time,solver,iterations,sweeps,line_search_steps,energy_start,energy,"
          "energy_inertia,energy_elastic,energy_attachment,residual,max_offset,inverted,seconds,"
          "seconds_local,seconds_global,contacts,least_gap,stuck,broken,seconds_contact,limited,"
          "resolved,implausible,seconds_pose,seconds_rebalance,seconds_output\n");
  return CLI_DONE;
}

void bake_info_write(FILE *file, int frame, double time, const mien_state_info *state) {
  fprintf(file,
          "%d,%.9g,%s,%d,%d,%d,%.9g,%.9g,%.9g,%.9g,%.9g,%.6g,%.6g,%d,%.6g,%.6g,%.6g,"
          "%d,%.6g,%d,%d,%.6g,%d,%d,%d,%.6g,%.6g,%.6g\n",
          frame, time, physics_solver_name(state->solver), state->iterations, state->sweeps,
          state->line_search_steps, state->energy_start, state->energy, state->energy_inertia,
          state->energy_elastic, state->energy_attachment, state->residual, state->max_offset,
          state->ninverted, state->seconds, state->seconds_local, state->seconds_global,
          state->ncontact, state->least_gap, state->nstuck, state->nbroken, state->seconds_contact,
          state->nlimited, state->nresolved, state->nimplausible, state->seconds_pose,
          state->seconds_rebalance, state->seconds_output);
}

int bake_info_close(FILE *file, const char *path, int code) {
  if (!code) return cli_commit(file, path);
  fclose(file);
  return code;
}

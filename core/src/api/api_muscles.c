// The public functions of activations: arguments are checked here and nowhere else.
#include "fit/activations_solver.h"

mien_result mien_activations_create(const mien_face *face, const mien_host *given,
                                    mien_activations **out, mien_error *err) {
  mi_error_clear(err);
  if (!face || !out)
    return mi_fail(err, MIEN_ERR_ARGUMENT, "there is no face, or nowhere to put the solver");
  if (!face->muscles.count)
    return mi_fail(err, MIEN_ERR_MISMATCH,
                   "the face has no muscles; attach it with muscles on, or fit them");
  mien_host host;
  mien_result result = mi_host_resolve(given, &host, err);
  if (result < 0) return result;
  mi_host_entry before = mi_host_enter(&host);
  result = mi_activations_create(face, &host, out, err);
  mi_host_leave(before);
  return result;
}

mien_result mien_activations_solve(mien_activations *solver, mien_f32s target, int rounds,
                                   mien_error *err) {
  mi_error_clear(err);
  if (!solver || !target.data)
    return mi_fail(err, MIEN_ERR_ARGUMENT, "there is no solver or target");
  int nvert = mi_face_render_skin(solver->balance.face)->info.nvert;
  if (target.count != nvert || (target.stride && target.stride < 3))
    return mi_fail(err, MIEN_ERR_MISMATCH, "the target has %d vertices, the rig has %d",
                   target.count, nvert);
  if (rounds < -1 || rounds > 1000)
    return mi_fail(err, MIEN_ERR_ARGUMENT, "%d rounds are not possible; -1 to 1000 are", rounds);
  mi_host_entry before = mi_host_enter(&solver->balance.host);
  mien_result result = mi_activations_solve(solver, &target, rounds, err);
  mi_host_leave(before);
  return result;
}

const mien_activations_info *mien_activations_get_info(const mien_activations *solver) {
  return solver ? &solver->info : NULL;
}

void mien_activations_free(mien_activations *solver) {
  mi_activations_free(solver);
}

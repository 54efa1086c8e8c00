// Muscles fitted to expressions of one subject (Dinev, 4.2.6 to 4.2.8): activations of every
// expression and the shares of all together take turns, with weights that fall from round to round.
#ifndef MI_MUSCLE_FIT_H
#define MI_MUSCLE_FIT_H

#include "fit/muscle_geometry.h"

typedef struct mi_muscle_fit {
  mien_face *face;
  const mien_face_def *def;
  mi_balance balance;
  mi_expression *expressions; // (count)
  int count, rounds, round;   // targets; rounds in all, and done
  int work;                   // Hessians that were factored or skipped, of those of the whole fit
  float *first;               // shares of the atlas                                  (nentry)
  float *errors_before;       // m, with them                                        (count)
  uint64_t hash;              // of all that the fit starts from
  mi_arena arena;
} mi_muscle_fit;

// Fits the face's own shares in place, while it is being made, and fills muscle_* of its info.
mien_result mi_fit_muscles(mien_face *face, const mien_face_def *def, mien_error *err);

// muscle_targets.c: refuses what cannot be an expression of this face. Spikes of a scan become
// holes, in the copy that `out` points to.
mien_result mi_muscle_targets_check(mi_muscle_fit *fit, mien_error *err);
mien_result mi_muscle_target_clean(const mien_face *face, const mien_muscle_target *target,
                                   mi_arena *arena, mien_f32s *out, mien_error *err);

// muscle_resume.c: what goes from round to round, in the file of the definition. A load of what an
// earlier fit of the same start kept; refuses a file that keeps anything else.
mien_result mi_muscle_fit_load(mi_muscle_fit *fit, bool *is_there, mien_error *err);
mien_result mi_muscle_fit_save(mi_muscle_fit *fit, mien_error *err);

#endif

// How long a step of `mien live` may take, so that the next frame begins in time: iterations end
// at a deadline, and what a step does besides them (setting up, contact, mending, the skin) is
// learned from the steps before.
#include "live.h"

#include <math.h>

// The rest of a frame is for the performer's next picture, which is tracked beside the step, and
// for sinks.
static const double share = 0.8;
// Iterations always get this share of a frame: flesh must go on moving, and fewer iterations do not
// help when something else takes longer than a frame.
static const double least = 0.1;

live_pace live_pace_start(double fps, bool is_on) {
  return (live_pace){.period = 1 / fps, .is_on = is_on};
}

double live_pace_budget(const live_pace *pace) {
  return pace->is_on ? fmax(share * pace->period - pace->besides, least * pace->period) : 0;
}

void live_pace_learn(live_pace *pace, const mien_state_info *step) {
  pace->niteration += step->iterations;
  pace->nstep++;
  if (!pace->is_on || !step->budget_used_up) return;
  pace->ncut++;
  // One iteration is always made. A step that is late with that alone is not helped by less time,
  // and frames that could make more would pay for it.
  if (step->iterations < 2 && step->seconds > share * pace->period) return;
  // up at once, down slowly: a frame that comes late is seen, a few iterations less are not
  double besides = fmin(step->seconds - live_pace_budget(pace), pace->period);
  pace->besides =
      besides > pace->besides ? besides : pace->besides + 0.03 * (besides - pace->besides);
}

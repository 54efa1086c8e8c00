// K3: partial rebalancing dials the motion in (Kozlov et al., 7, figure 6).
#include "changing_bar.h"
#include "curves.h"

enum { NALPHA = 5 };

static int run(experiment *e) {
  double swing[NALPHA] = {0};
  curves c = {.title = "K3: the free end of a bar whose rest shape changes",
              .x_label = "frame",
              .y_label = "mm off where it would rest",
              .name = {"alpha 0", "alpha 0.25", "alpha 0.5", "alpha 0.75", "alpha 1"},
              .ncurve = NALPHA,
              .count = CHANGING_FRAMES};
  int code = curves_reserve(&c, CHANGING_FRAMES) ? CLI_DONE : cli_fail("out of memory");
  for (int i = 0; !code && i < CHANGING_FRAMES; i++) c.x[i] = i;
  for (int k = 0; !code && k < NALPHA; k++) {
    code = changing_bar_run(CHANGING_SHAPE, 0.25 * k, c.y[k]);
    swing[k] = changing_bar_swing(c.y[k]);
  }
  if (!code && experiment_is_finite(e, "swings", swing, NALPHA)) {
    e->holds = true;
    for (int k = 1; k < NALPHA; k++) e->holds = e->holds && swing[k] < swing[k - 1];
    snprintf(e->ours, sizeof e->ours,
             "swings of %.2f, %.2f, %.2f, %.2f, %.3f mm at alpha 0, 1/4, 1/2, 3/4, 1", swing[0],
             swing[1], swing[2], swing[3], swing[4]);
  }
  if (!code) code = curves_save(e, "K3", &c);
  curves_free(&c);
  return code;
}

const claim claim_k3 = {
    "K3",
    "Partial rebalancing: alpha between 0 and 1 goes from no rebalancing to all of it, monotonely",
    "picture (figure 6)",
    run,
    "see docs/claims.md",
};

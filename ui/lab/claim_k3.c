// K3: partial rebalancing dials the motion in (Kozlov et al., 7, figure 6), of a rest shape and of
// a material that change.
#include "changing_bar.h"
#include "curves.h"

enum { NALPHA = 5, NWHAT = 2 };

// Less with every alpha, and next to nothing at 1: a blend of two places alone would end elsewhere.
static bool judge(const double swing[NALPHA]) {
  bool holds = swing[0] > 0.5 && swing[NALPHA - 1] < 0.1 * swing[0];
  for (int k = 1; k < NALPHA; k++) holds = holds && swing[k] < swing[k - 1];
  return holds && swing[2] > 0.25 * swing[0] && swing[2] < 0.75 * swing[0];
}

static int run(experiment *e) {
  static const changing_what what[NWHAT] = {CHANGING_SHAPE, CHANGING_STIFFNESS};
  double swing[NWHAT][NALPHA] = {{0}};
  curves c = {.title = "K3: the free end of a bar whose stiffness changes",
              .x_label = "frame",
              .y_label = "mm off where it would rest",
              .name = {"alpha 0", "alpha 0.25", "alpha 0.5", "alpha 0.75", "alpha 1"},
              .ncurve = NALPHA,
              .count = CHANGING_FRAMES};
  int code = curves_reserve(&c, CHANGING_FRAMES) ? CLI_DONE : cli_fail("out of memory");
  for (int i = 0; !code && i < CHANGING_FRAMES; i++) c.x[i] = i;
  for (int k = 0; !code && k < NWHAT * NALPHA; k++) {
    code = changing_bar_run(what[k / NALPHA], 0.25 * (k % NALPHA), c.y[k % NALPHA]);
    swing[k / NALPHA][k % NALPHA] = changing_bar_swing(c.y[k % NALPHA]);
  }
  if (!code && experiment_is_finite(e, "swings", swing[0], NWHAT * NALPHA)) {
    e->holds = judge(swing[0]) && judge(swing[1]);
    snprintf(
        e->ours, sizeof e->ours,
        "at alpha 0, 1/4, 1/2, 3/4, 1 swings of %.2f, %.2f, %.2f, %.2f, %.3f mm (shape), %.2f, "
        "%.2f, %.2f, %.2f, %.3f mm (stiffness)",
        swing[0][0], swing[0][1], swing[0][2], swing[0][3], swing[0][4], swing[1][0], swing[1][1],
        swing[1][2], swing[1][3], swing[1][4]);
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
    .limits = "large offsets: places are blended, the paper blends forces, and both are the same "
              "for small "
              "ones",
};

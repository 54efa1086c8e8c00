// K2: rest shape and material change without oscillation of their own (Kozlov et al., 5.2, fig. 5).
#include "changing_bar.h"
#include "curves.h"

static int run(experiment *e) {
  static const changing_what what[] = {CHANGING_SHAPE, CHANGING_SHAPE, CHANGING_STIFFNESS,
                                       CHANGING_STIFFNESS};
  double swing[4] = {0};
  curves c = {.title = "K2: the free end of a hanging bar while it changes",
              .x_label = "frame",
              .y_label = "mm off where it would rest",
              .name = {"rest shape, not rebalanced", "rest shape, rebalanced",
                       "stiffness to a quarter, not rebalanced",
                       "stiffness to a quarter, rebalanced"},
              .ncurve = 4,
              .count = CHANGING_FRAMES};
  int code = curves_reserve(&c, CHANGING_FRAMES) ? CLI_DONE : cli_fail("out of memory");
  for (int i = 0; !code && i < CHANGING_FRAMES; i++) c.x[i] = i;
  for (int k = 0; !code && k < 4; k++) {
    code = changing_bar_run(what[k], k % 2, c.y[k]);
    swing[k] = changing_bar_swing(c.y[k]);
  }
  if (!code && experiment_is_finite(e, "swings", swing, 4)) {
    e->holds =
        swing[0] > 0.5 && swing[2] > 0.5 && swing[1] < 0.1 * swing[0] && swing[3] < 0.1 * swing[2];
    experiment_note(e, "the shape takes half of the bar's thickness, so that it sags by more; an "
                       "offset that goes along with the shape and no more would swing");
    snprintf(e->ours, sizeof e->ours,
             "after a change of shape the end swings %.3f mm (%.1f without), of stiffness %.3f mm "
             "(%.1f)",
             swing[1], swing[0], swing[3], swing[2]);
  }
  if (!code) code = curves_save(e, "K2", &c);
  curves_free(&c);
  return code;
}

const claim claim_k2 = {
    "K2",
    "Dynamic rebalancing: rest shape and material change without spurious oscillation",
    "picture (figure 5)",
    run,
    .limits = "contact, motion of the head, and changes that last shorter than a frame",
};

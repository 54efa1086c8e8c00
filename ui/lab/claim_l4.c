// L4: a whole frame with the barrier against the same frame without contact (Li et al. 2023,
// section 4).
#include "reproduce.h"

#include "barrier_race.h"

static const double GOAL = 2;

static int run(experiment *e) {
  const barrier_runner runners[] = {
      {.name = "contact off", .contact = MIEN_CONTACT_OFF, .stiffness = 1},
      {.name = "planes", .contact = MIEN_CONTACT_PLANE, .stiffness = 1},
      {.name = "barrier",
       .contact = MIEN_CONTACT_BARRIER,
       .step = MIEN_BARRIER_WOODBURY,
       .stiffness = 1}};
  barrier_race_def def = {.rig = e->quick ? "head_small.glb" : "head.glb",
                          .every = e->quick ? 8 : 2,
                          .repeats = e->quick ? 1 : 5};
  barrier_race race;
  int code = barrier_race_run(&race, e->args, &def, runners, 3);
  if (!code) {
    barrier_times off = barrier_race_mean(&race, 0), barrier = barrier_race_mean(&race, 2);
    const double figures[] = {barrier.total / off.total, off.total};
    if (experiment_is_finite(e, "times of a frame", figures, 2)) {
      e->holds = (e->quick || figures[0] <= GOAL) && !race.ncross && barrier_race_pushes(&race, 2);
      snprintf(e->ours, sizeof e->ours, "%.2f times a frame without contact (the bound is %g)",
               figures[0], GOAL);
    }
    code = barrier_race_report(e, &race, "L4", "L4: a frame of pressed lips, with contact and off");
  }
  barrier_race_close(&race);
  return code;
}

const claim claim_l4 = {
    "L4",
    "A whole frame with barrier contact against the frame without contact",
    "about 4 times",
    run,
    .limits = "sticky springs and friction beside the barrier",
    .judges_times = true,
};

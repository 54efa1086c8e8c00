#include "curves.h"

#include <math.h>

static const double TURN = 6.283185307179586;

static head_pose shake_at(double t) {
  double on = curve_pulse_at((curve_pulse){0.25, 0.6, 2.2, 0.7}, t);
  double phase = TURN * 2.4 * (t - 0.25);
  return (head_pose){.x = 0.012 * on * sin(phase - 0.3),
                     .z = 0.006 * on * sin(2.0 * phase),
                     .yaw = 0.55 * on * sin(phase),
                     .pitch = 0.04 * on,
                     .roll = 0.07 * on * sin(phase - 0.5)};
}

// One bounce per foot, one sway per pair of feet.
static head_pose run_at(double t) {
  double on = curve_pulse_at((curve_pulse){0.3, 1.2, 5.0, 1.2}, t);
  double step = TURN * 2.8 * (t - 0.3), stride = 0.5 * step;
  return (head_pose){.x = 0.014 * on * sin(stride),
                     .y = 0.040 * on * sin(step),
                     .z = 0.010 * on * sin(step + 1.1),
                     .yaw = 0.035 * on * sin(stride + 0.4),
                     .pitch = 0.03 * on + 0.055 * on * sin(step + 0.7),
                     .roll = 0.045 * on * sin(stride - 0.2)};
}

// A path through knots with given height, speed and acceleration: quintics, so two continuous
// derivatives. Between take-off and landing the accelerations are gravity's and the quintic is the
// parabola of free flight.
typedef struct knot {
  double time, height, speed, acceleration;
} knot;

static const knot JUMP[] = {
    {0.50, 0.000, 0.00, 0.000},     {0.95, -0.130, 0.00, 9.000}, {1.13, 0.000, 2.35, -9.81},
    {1.6090988, 0.0, -2.35, -9.81}, {1.76, -0.150, 0.00, 20.00}, {2.30, 0.012, 0.00, -0.80},
    {2.75, 0.000, 0.00, 0.000},
};
enum { NKNOT = sizeof JUMP / sizeof JUMP[0] };

static double jump_height(double t) {
  if (t <= JUMP[0].time || t >= JUMP[NKNOT - 1].time) return 0.0;
  int i = 0;
  while (t > JUMP[i + 1].time) i++;
  const knot *a = &JUMP[i], *b = &JUMP[i + 1];
  double h = b->time - a->time, s = (t - a->time) / h;
  // What the parabola through a leaves to be made up at b, in height, speed and acceleration.
  double p = b->height - a->height - a->speed * h - 0.5 * a->acceleration * h * h;
  double v = (b->speed - a->speed - a->acceleration * h) * h;
  double c = (b->acceleration - a->acceleration) * h * h;
  double cubic = 10.0 * p - 4.0 * v + 0.5 * c, quartic = -15.0 * p + 7.0 * v - c;
  double quintic = 6.0 * p - 3.0 * v + 0.5 * c;
  return a->height + s * h * (a->speed + 0.5 * a->acceleration * s * h) +
         s * s * s * (cubic + s * (quartic + s * quintic));
}

static head_pose jump_at(double t) {
  double crouch = curve_pulse_at((curve_pulse){0.50, 0.40, 0.05, 0.25}, t);
  double look_up = curve_pulse_at((curve_pulse){0.95, 0.25, 0.20, 0.30}, t);
  double landing = curve_pulse_at((curve_pulse){1.58, 0.20, 0.02, 0.60}, t);
  return (head_pose){.y = jump_height(t),
                     .z = 0.03 * crouch + 0.025 * landing,
                     .yaw = 0.03 * landing,
                     .pitch = 0.22 * crouch - 0.16 * look_up + 0.26 * landing,
                     .roll = 0.03 * landing};
}

static head_pose still_at(double t) {
  (void)t;
  return (head_pose){0};
}

typedef struct head_motion {
  performance_kind kind;
  const char *name;
  double seconds;
  head_pose (*at)(double time);
} head_motion;

static const head_motion MOTIONS[] = {
    {PERFORMANCE_SHAKE, "shake", 5.0, shake_at},
    {PERFORMANCE_RUN, "run", 9.0, run_at},
    {PERFORMANCE_JUMP, "jump", 4.0, jump_at},
    {PERFORMANCE_STILL, "still", 4.0, still_at},
};

int performance_fill_head(performance *out, performance_kind kind) {
  const head_motion *motion = MOTIONS;
  while (motion->kind != kind) motion++;
  if (performance_begin(out, motion->name, NULL, 0, motion->seconds) != 0) return -1;
  for (int f = 0; f < out->def.nframe; f++) out->head[f] = head_rigid(motion->at(out->time[f]));
  return 0;
}

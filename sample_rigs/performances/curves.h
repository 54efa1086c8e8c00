// What the performances share: their frames and a few smooth curves.
#ifndef PERFORMANCES_CURVES_H
#define PERFORMANCES_CURVES_H

#include "performances.h"

// Sizes a performance: `seconds` at 60 frames a second, all weights 0, the head at rest. The names
// are borrowed for ever. 0, or -1 when memory ran out.
int performance_begin(performance *out, const char *name, const char *const *channel, int nchannel,
                      double seconds);

int performance_fill_phrase(performance *out);
int performance_fill_reel(performance *out);
int performance_fill_press(performance *out);
int performance_fill_kiss(performance *out);
int performance_fill_head(performance *out, performance_kind kind);

// 0 before `from`, 1 after `to`, two continuous derivatives between.
double curve_ease(double from, double to, double x);
// Rises over [start, start + rise], stays for `hold`, falls over `fall`.
typedef struct curve_pulse {
  double start, rise, hold, fall; // s
} curve_pulse;
double curve_pulse_at(curve_pulse pulse, double time);
// Smooth noise in -1 .. 1 about one bend per unit of x; `lane` picks independent curves.
double curve_noise(unsigned lane, double x);

// Head angles in radians, R = Ry(yaw) Rx(pitch) Rz(roll), the order of the CSV columns.
typedef struct head_pose {
  double x, y, z; // m
  double yaw, pitch, roll;
} head_pose;
mien_rigid head_rigid(head_pose pose);

#endif

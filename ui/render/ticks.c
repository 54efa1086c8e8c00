// Round numbers for axes and legends.
#include "internal.h"

#include <stdio.h>
#include <string.h>

// The smallest of 1, 2, 2.5, 5, 10 times a power of ten that is not below `step`.
static double round_step(double step) {
  static const double choice[] = {1.0, 2.0, 2.5, 5.0, 10.0};
  double power = pow(10.0, floor(log10(step)));
  for (int i = 0; i < 5; i++) {
    if (choice[i] * power >= step * (1.0 - 1e-9)) return choice[i] * power;
  }
  return 10.0 * power;
}

// 1e-07 reads better as 1e-7, and 2e+07 as 2e7.
static void trim_exponent(char *text) {
  char *at = strchr(text, 'e');
  if (!at) return;
  at += at[1] == '-' ? 2 : 1;
  size_t skip = strspn(at, "+0");
  memmove(at, at + skip, strlen(at + skip) + 1);
}

// Enough decimals for the step, never "-0"; powers of ten for very large and very small numbers.
static void print_number(char text[24], double value, double step) {
  double size = fmax(fabs(value), step);
  if (fabs(value) < step * 1e-6) {
    snprintf(text, 24, "0");
  } else if (size >= 1e6 || size < 1e-4) {
    snprintf(text, 24, "%.3g", value);
    trim_exponent(text);
  } else {
    int decimals = 0;
    for (double s = step; decimals < 8 && fabs(s - floor(s + 0.5)) > 1e-6 * s; s *= 10.0)
      decimals++;
    snprintf(text, 24, "%.*f", decimals, value);
  }
}

static void add_tick(rd_ticks *ticks, double value, double step) {
  if (ticks->count == RD_MAX_TICKS) return;
  ticks->at[ticks->count] = value;
  print_number(ticks->text[ticks->count], value, step);
  ticks->count++;
}

static rd_ticks linear_ticks(double min, double max, int wanted) {
  rd_ticks ticks = {0};
  double step = round_step((max - min) / (wanted > 1 ? wanted : 1));
  double first = ceil(min / step - 1e-6);
  for (int i = 0; i < RD_MAX_TICKS; i++) {
    double value = (first + i) * step;
    if (value > max + step * 1e-6) break;
    add_tick(&ticks, value, step);
  }
  return ticks;
}

static void print_log_number(char text[24], double value) {
  bool short_enough = value >= 0.0099 && value < 99999.0;
  snprintf(text, 24, short_enough ? "%g" : "%.0e", value);
  trim_exponent(text);
}

static rd_ticks log_ticks(double min, double max, int wanted) {
  rd_ticks ticks = {0};
  double low = log10(min), high = log10(max);
  int every = (int)ceil((high - low) / (wanted > 1 ? wanted : 1));
  if (every < 1) every = 1;
  bool halves = high - low < 2.0; // 1, 2, 5 when there are few powers
  static const double part[] = {1.0, 2.0, 5.0};
  int from = (int)floor(low) - every, to = (int)ceil(high);
  for (int power = from - (from % every + every) % every; power <= to; power += every) {
    for (int i = 0; i < (halves ? 3 : 1); i++) {
      double value = part[i] * pow(10.0, power);
      bool inside = value >= min * (1.0 - 1e-9) && value <= max * (1.0 + 1e-9);
      if (!inside || ticks.count == RD_MAX_TICKS) continue;
      ticks.at[ticks.count] = value;
      print_log_number(ticks.text[ticks.count], value);
      ticks.count++;
    }
  }
  return ticks;
}

rd_ticks rd_ticks_between(double min, double max, bool log_axis, int wanted) {
  if (!(max > min) || !isfinite(max - min)) return (rd_ticks){0};
  if (log_axis && min > 0.0) return log_ticks(min, max, wanted);
  return linear_ticks(min, max, wanted);
}

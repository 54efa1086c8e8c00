// Curves of an experiment that share their x: one CSV and one plot of them.
#ifndef MIEN_LAB_CURVES_H
#define MIEN_LAB_CURVES_H

#include "reproduce.h"

enum { CURVES_MOST = 8 };

typedef struct curves {
  const char *title, *x_label, *y_label;
  const char *name[CURVES_MOST];
  double *x, *y[CURVES_MOST]; // made by curves_reserve                                   (most)
  int ncurve, count;
  int log_y;
} curves;

bool curves_reserve(curves *c, int most); // false when memory ends; free it in any case
void curves_free(curves *c);
// "<folder>/<id>.csv" and ".png"; a CLI exit code
int curves_save(const experiment *e, const char *id, const curves *c);

#endif

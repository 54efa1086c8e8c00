// Curves with axes, as an image: energies over time, errors over iterations.
#ifndef RENDER_PLOT_H
#define RENDER_PLOT_H

#include "render.h"

typedef enum plot_style { PLOT_LINE = 0, PLOT_DASHED = 1, PLOT_DOTS = 2 } plot_style;

typedef struct plot_series {
  const char *name; // in the legend, or NULL
  const double *x;  // NULL = 0, 1, 2, ...
  const double *y;  // NaN leaves a gap; so does a value <= 0 on a log axis
  int count;
  plot_style style;
  uint32_t colour; // 0xRRGGBB; 0 = the next of eight that colour-blind eyes can tell apart
} plot_series;

typedef struct plot {
  const char *title, *x_label, *y_label; // or NULL
  const plot_series *series;
  int nseries;
  int log_x, log_y;
  double x_min, x_max, y_min, y_max; // min >= max: from the data
  int width, height;                 // pixels, 0 = 900 x 540
} plot;

// Caller frees `out`.
mien_result plot_draw(const plot *plot, render_image *out, mien_error *err);

// Where a value of the data is drawn, in pixels of that image.
void plot_locate(const plot *plot, double x, double y, float pixel[2]);

#endif

#include "curves.h"

#include "plot.h"

#include <stdlib.h>
#include <string.h>

bool curves_reserve(curves *c, int most) {
  c->x = calloc((size_t)most + 1, sizeof *c->x);
  bool done = c->x != NULL;
  for (int k = 0; k < c->ncurve; k++) {
    c->y[k] = calloc((size_t)most + 1, sizeof *c->y[k]);
    done = done && c->y[k];
  }
  return done;
}

void curves_free(curves *c) {
  free(c->x);
  for (int k = 0; k < c->ncurve; k++) free(c->y[k]);
}

static int draw(const experiment *e, const char *id, const curves *c) {
  plot_series series[CURVES_MOST];
  for (int k = 0; k < c->ncurve; k++)
    series[k] = (plot_series){c->name[k], c->x, c->y[k], c->count, PLOT_LINE, 0};
  plot p = {.title = c->title,
            .x_label = c->x_label,
            .y_label = c->y_label,
            .series = series,
            .nseries = c->ncurve,
            .log_y = c->log_y};
  mien_error err;
  render_image image = {0};
  mien_result done = plot_draw(&p, &image, &err);
  if (done >= 0) done = render_image_save(&image, experiment_path(e, id, ".png"), &err);
  render_image_free(&image);
  return done < 0 ? cli_report(&err, id) : CLI_DONE;
}

int curves_save(const experiment *e, const char *id, const curves *c) {
  FILE *csv = cli_create(experiment_path(e, id, ".csv"));
  if (!csv) return CLI_FAILED;
  fprintf(csv, "%s", c->x_label);
  for (int k = 0; k < c->ncurve; k++) // a name may have a comma of its own
    fprintf(csv, strchr(c->name[k], ',') ? ",\"%s\"" : ",%s", c->name[k]);
  for (int i = 0; i < c->count; i++) {
    fprintf(csv, "\n%.6g", c->x[i]);
    for (int k = 0; k < c->ncurve; k++) fprintf(csv, ",%.6g", c->y[k][i]);
  }
  fprintf(csv, "\n");
  int code = cli_commit(csv, experiment_path(e, id, ".csv"));
  return code ? code : draw(e, id, c);
}

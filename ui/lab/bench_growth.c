// How the time of a frame grows with the mesh: sheets of flesh from one to two hundred thousand
// tetrahedra, hanging by their upper edge and shaken.
#include "bench.h"

#include "blocks/blocks.h"
#include "plot.h"

#include <math.h>
#include <stdlib.h>

enum { NSIZE = 7, LEAD_IN = 4 };

typedef struct growth {
  double ntet[NSIZE], seconds[NSIZE]; // s a frame
  int count;
} growth;

static void shake(mien_input *input, double time) {
  mien_input_init(input);
  input->head.translation[2] = 0.01 * sin(12 * time);
}

static double time_frames(mien_state *state, int nframe) {
  mien_step_opts opts;
  mien_input input;
  double best = INFINITY, time = 0;
  mien_step_opts_init(&opts);
  for (int i = 0; i < LEAD_IN + nframe; i++) {
    shake(&input, time += opts.dt);
    double start = cli_clock();
    if (mien_step(state, &input, &opts, NULL) < 0) return -1;
    if (i >= LEAD_IN) best = fmin(best, cli_clock() - start);
  }
  return best;
}

static int measure(growth *g, int cells, int nframe) {
  block_rig sheet;
  mien_rig *rig = NULL;
  mien_face *face = NULL;
  mien_state *state = NULL;
  mien_host host;
  mien_error err = {0};
  if (block_sheet_create(&sheet, cells)) return cli_fail("out of memory");
  mien_host_init(&host);
  host.threads = 2;
  bool made = mien_rig_create(&sheet.store.def, &host, &rig, &err) >= 0 &&
              mien_face_create(rig, NULL, &host, &face, &err) >= 0 &&
              mien_state_create(face, &host, &state, &err) >= 0;
  double seconds = made ? time_frames(state, nframe) : -1;
  if (seconds > 0) {
    g->ntet[g->count] = mien_face_get_info(face)->ntet;
    g->seconds[g->count++] = seconds;
  }
  mien_state_free(state);
  mien_face_free(face);
  mien_rig_free(rig);
  block_free(&sheet);
  return seconds > 0 ? CLI_DONE : cli_report(&err, "growth");
}

// the slope of log time over log size from the given size on, by least squares
static double exponent(const growth *g, double from) {
  double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (int i = 0; i < g->count; i++) {
    double x = log(g->ntet[i]), y = log(g->seconds[i]);
    if (g->ntet[i] < from) continue;
    n++, sx += x, sy += y, sxx += x * x, sxy += x * y;
  }
  return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

static int write_curve(const growth *g, const char *folder) {
  char path[4096];
  mien_error err;
  render_image image = {0};
  double ideal[NSIZE], ms[NSIZE];
  if (!cli_make_folder(folder)) return CLI_FAILED;
  snprintf(path, sizeof path, "%s/growth.csv", folder);
  FILE *file = cli_create(path);
  if (!file) return CLI_FAILED;
  fprintf(file, "tetrahedra,seconds\n");
  for (int i = 0; i < g->count; i++) {
    fprintf(file, "%.0f,%.9g\n", g->ntet[i], g->seconds[i]);
    ms[i] = 1e3 * g->seconds[i];
    ideal[i] = ms[g->count - 1] * g->ntet[i] / g->ntet[g->count - 1];
  }
  if (cli_commit(file, path)) return CLI_FAILED;
  plot_series series[] = {
      {.name = "frame", .x = g->ntet, .y = ms, .count = g->count},
      {.name = "proportional", .x = g->ntet, .y = ideal, .count = g->count, .style = PLOT_DASHED}};
  plot p = {.title = "Time of a frame by size, 2 threads, 8 iterations",
            .x_label = "tetrahedra",
            .y_label = "ms",
            .series = series,
            .nseries = 2,
            .log_x = 1,
            .log_y = 1};
  snprintf(path, sizeof path, "%s/growth.png", folder);
  mien_result done = plot_draw(&p, &image, &err);
  if (done >= 0) done = render_image_save(&image, path, &err);
  render_image_free(&image);
  return done < 0 ? cli_report(&err, path) : CLI_DONE;
}

int bench_growth(bench *b) {
  static const int cells[NSIZE] = {13, 29, 41, 58, 82, 129, 183}; // 1k ... 200k tetrahedra
  int nsize = bench_is_quick(b) ? 4 : NSIZE, code = CLI_DONE;
  growth g = {.count = 0};
  for (int i = 0; !code && i < nsize; i++) code = measure(&g, cells[i], bench_is_quick(b) ? 5 : 20);
  if (code) return code;
  bench_add(
      b, (bench_row){"", "frame of a sheet of 5k tetrahedra, 2 threads", g.seconds[1], 0, NULL, 0});
  bench_add(b, (bench_row){"", nsize == NSIZE ? "  of 200k" : "  of 20k", g.seconds[nsize - 1],
                           g.seconds[1], "5k", 0});
  bench_add_figure(b,
                   (bench_row){"P7",
                               nsize == NSIZE ? "growth: exponent from 5k to 200k"
                                              : "growth: exponent from 5k to 20k only",
                               exponent(&g, 5000), 0, NULL, 1.1},
                   "");
  const char *folder = cli_value(bench_args(b), "plots", NULL);
  return folder ? write_curve(&g, folder) : CLI_DONE;
}

// Z9: the temporal filter takes the jitter of a still head away and does not lag behind a fast one
// (Bouaziz, 4.4, eq. 4.1 and 4.2). A head that rests, turns fast, rests again, seen with noise.
#include "reproduce.h"

#include "base/base.h"
#include "plot.h"
#include "track/filter.h"

#include <math.h>

enum { NFRAME = 600, FPS = 30, MOVES_AT = 200, RESTS_AT = 400, NFILTER = 3 };
static const double noise = 0.5e-3; // m: what a fit of 478 points leaves, at arm's length

static double normal(uint32_t i, uint32_t j) {
  double a = 1 - mi_random_unit(9, i, 2 * j), b = mi_random_unit(9, i, 2 * j + 1);
  return sqrt(-2 * log(a)) * cos(6.283185307179586 * b);
}

// 10 cm to and fro at 1.5 Hz: up to 0.94 m/s
static double truth(int frame) {
  if (frame < MOVES_AT || frame >= RESTS_AT) return 0;
  return 0.1 * sin(6.283185307179586 * 1.5 * (frame - MOVES_AT) / FPS);
}

typedef struct run_of {
  double time[NFRAME], truth[NFRAME], raw[NFRAME], out[NFILTER][NFRAME];
} run_of;

static void filter_all(run_of *r) {
  mi_adaptive adaptive;
  mi_one_euro euro;
  mi_adaptive_init(&adaptive, 3, noise);
  mi_one_euro_init(&euro, 1, 200); // Hz, and Hz per m/s
  for (int f = 0; f < NFRAME; f++) {
    double seen[3], out[3], mean = 0;
    for (uint32_t c = 0; c < 3; c++) seen[c] = noise * normal((uint32_t)f, c);
    seen[0] += truth(f);
    r->time[f] = (double)f / FPS;
    r->truth[f] = truth(f);
    r->raw[f] = seen[0];
    mi_adaptive_next(&adaptive, seen, out);
    r->out[0][f] = out[0];
    r->out[1][f] = mi_one_euro_next(&euro, seen[0], 1.0 / FPS);
    int first = f < MI_WINDOW ? 0 : f - MI_WINDOW;
    for (int k = first; k <= f; k++) mean += r->raw[k];
    r->out[2][f] = mean / (f - first + 1);
  }
}

// standard deviation while still, leaving out the frames around the motion
static double jitter(const double *out) {
  double sum = 0;
  int n = 0;
  for (int f = 20; f < NFRAME; f++) {
    if (f > MOVES_AT - 2 && f < RESTS_AT + 30) continue;
    sum += out[f] * out[f];
    n++;
  }
  return sqrt(sum / n);
}

// the shift, in frames, at which the output is closest to the truth
static double lag(const double *out) {
  double best = 0, least = INFINITY;
  for (double shift = -1; shift <= 8; shift += 0.05) {
    double sum = 0;
    for (int f = MOVES_AT + 20; f < RESTS_AT - 20; f++) {
      double at = f - shift, part = at - floor(at);
      int k = (int)floor(at);
      double d = out[f] - (1 - part) * truth(k) - part * truth(k + 1);
      sum += d * d;
    }
    if (sum < least) least = sum, best = shift;
  }
  return best;
}

static int draw(const experiment *e, run_of *r) {
  enum { FROM = MOVES_AT - 30, N = 75 };
  plot_series series[] = {
      {"seen", r->time + FROM, r->raw + FROM, N, PLOT_DOTS, 0},
      {"adaptive window", r->time + FROM, r->out[0] + FROM, N, PLOT_LINE, 0},
      {"one euro", r->time + FROM, r->out[1] + FROM, N, PLOT_LINE, 0},
      {"mean of six frames", r->time + FROM, r->out[2] + FROM, N, PLOT_DASHED, 0},
  };
  plot p = {.title = "Z9: a head that rests, then moves fast",
            .x_label = "s",
            .y_label = "m",
            .series = series,
            .nseries = 4};
  mien_error err;
  render_image image = {0};
  mien_result done = plot_draw(&p, &image, &err);
  if (done >= 0) done = render_image_save(&image, experiment_path(e, "Z9", ".png"), &err);
  render_image_free(&image);
  return done < 0 ? cli_report(&err, "Z9") : CLI_DONE;
}

static int write_csv(const experiment *e, const run_of *r) {
  FILE *csv = cli_create(experiment_path(e, "Z9", ".csv"));
  if (!csv) return CLI_FAILED;
  fprintf(csv, "time,truth,seen,adaptive,one_euro,mean\n");
  for (int f = 0; f < NFRAME; f++)
    fprintf(csv, "%.6g,%.6g,%.6g,%.6g,%.6g,%.6g\n", r->time[f], r->truth[f], r->raw[f],
            r->out[0][f], r->out[1][f], r->out[2][f]);
  return cli_commit(csv, experiment_path(e, "Z9", ".csv"));
}

static int run(experiment *e) {
  static const char *const names[NFILTER] = {"adaptive window", "one euro", "mean of six frames"};
  static run_of r;
  filter_all(&r);
  double still[NFILTER], late[NFILTER], raw = jitter(r.raw);
  for (int i = 0; i < NFILTER; i++) {
    still[i] = jitter(r.out[i]) / raw;
    late[i] = lag(r.out[i]);
    experiment_note(e, "%s: jitter %.2f of what is seen, lag %.2f frames", names[i], still[i],
                    late[i]);
  }
  // as steady as the mean within a third, and a lag too short to see
  e->holds = still[0] < 0.6 && still[0] < 1.35 * still[2] && late[0] < 0.25 && late[2] > 2;
  snprintf(e->ours, sizeof e->ours,
           "still: jitter %.2f of what is seen (mean of six: %.2f); fast: lag %.2f frames (%.2f)",
           still[0], still[2], late[0], late[2]);
  int code = write_csv(e, &r);
  return code ? code : draw(e, &r);
}

const claim claim_z9 = {
    "Z9",
    "The adaptive temporal filter removes the jitter of a still head and does not lag behind a "
    "fast one",
    "graph (fig. 4.6)",
    run,
    .limits = "noise of a real camera: it is drawn from a normal distribution",
};

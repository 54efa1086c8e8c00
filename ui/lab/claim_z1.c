// Z1: every projection of the projective laws is exact: no member of the set is closer (Bouaziz,
// 7.4, 7.5 and D.1). Shown against brute force, which knows how to make members of a set and
// nothing of how to project onto it.
#include "reproduce.h"

#include "claim_z1_search.h"
#include "claim_z1_trials.h"
#include "plot.h"

#include <math.h>
#include <stdlib.h>

enum { MOST_LAWS = 16, MOST_TRIALS = 200 };

static const double BEATEN = 1e-9;  // closer than the projection by this share is a defeat
static const double REACHED = 1e-6; // brute force came as close as this: both found the same point
static const double MEMBER = 1e-4;  // the projection itself is in the set, as far as a search tells

typedef struct result {
  const mi_law *law;
  double gap[MOST_TRIALS]; // brute force minus projection, as a share of the size; sorted
  int ntrial, nreached, nbeaten, noff;
} result;

static double distance(const double *a, const double *b, int count) {
  double sum = 0;
  for (int i = 0; i < count; i++) sum += (a[i] - (b ? b[i] : 0)) * (a[i] - (b ? b[i] : 0));
  return sqrt(sum);
}

static int by_size(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static bool try_law(const mi_law *law, int ntrial, const search_effort *effort, result *out) {
  *out = (result){.law = law, .ntrial = ntrial};
  for (int i = 0; i < ntrial; i++) {
    trial t;
    double gx[9], p[9];
    if (!trial_make(law, (trial_kind)(i % TRIAL_NKIND), (uint32_t)i, &t)) return false;
    law->reduce(&t.stencil, t.x, gx, p);
    int count = 3 * t.stencil.nrow;
    double size = distance(gx, NULL, count) + distance(p, NULL, count);
    double found = search_closest(law, &t.asked, gx, effort, (uint32_t)i);
    double off = search_closest(law, &t.asked, p, effort, (uint32_t)(i + MOST_TRIALS));
    if (found < 0) return false;
    out->gap[i] = (found - distance(gx, p, count)) / size;
    out->nbeaten += !(out->gap[i] >= -BEATEN); // what is not finite counts against us
    out->nreached += out->gap[i] < REACHED;
    out->noff += !(off / size <= MEMBER);
  }
  qsort(out->gap, (size_t)ntrial, sizeof *out->gap, by_size);
  return true;
}

static int draw(const experiment *e, result *results, int count) {
  static double x[MOST_TRIALS], y[MOST_LAWS][MOST_TRIALS];
  plot_series series[MOST_LAWS];
  mien_error err;
  render_image image = {0};
  for (int l = 0; l < count; l++) {
    for (int i = 0; i < results[l].ntrial; i++) {
      x[i] = 100.0 * (i + 1) / results[l].ntrial;
      y[l][i] = fmax(1e-17, results[l].gap[i]);
    }
    series[l] = (plot_series){.name = results[l].law->name,
                              .x = x,
                              .y = y[l],
                              .count = results[l].ntrial,
                              .style = l < 8 ? PLOT_LINE : PLOT_DASHED};
  }
  plot p = {.title = "Z1: by how much brute force misses the projection",
            .x_label = "% of trials",
            .y_label = "farther than the projection, relative",
            .series = series,
            .nseries = count,
            .log_y = 1,
            .y_min = 1e-17,
            .y_max = 1};
  mien_result done = plot_draw(&p, &image, &err);
  if (done >= 0) done = render_image_save(&image, experiment_path(e, "Z1", ".png"), &err);
  render_image_free(&image);
  return done < 0 ? cli_report(&err, "Z1") : CLI_DONE;
}

static int write_csv(const experiment *e, const result *results, int count) {
  FILE *csv = cli_create(experiment_path(e, "Z1", ".csv"));
  if (!csv) return CLI_FAILED;
  fprintf(csv, "law,trials,beaten,same_point,off_the_set,gap_min,gap_median,gap_max\n");
  for (int l = 0; l < count; l++) {
    const result *r = results + l;
    fprintf(csv, "%s,%d,%d,%d,%d,%.6g,%.6g,%.6g\n", r->law->name, r->ntrial, r->nbeaten,
            r->nreached, r->noff, r->gap[0], r->gap[r->ntrial / 2], r->gap[r->ntrial - 1]);
  }
  return cli_commit(csv, experiment_path(e, "Z1", ".csv"));
}

// One line per law; true when its projection is exact.
static bool report(experiment *e, const result *r) {
  experiment_note(e, "%-15s %d trials, beaten %d times, the same point in %d, median gap %.1e",
                  r->law->name, r->ntrial, r->nbeaten, r->nreached, r->gap[r->ntrial / 2]);
  // a search that seldom gets there would prove nothing
  return r->nbeaten == 0 && 10 * r->nreached >= 9 * r->ntrial && 20 * r->noff <= r->ntrial;
}

static int try_all(experiment *e, result *results) {
  search_effort effort = {1000, 12, 250};
  int nlaw = 0, ntrial = e->quick ? 24 : MOST_TRIALS, ntried = 0, nbeaten = 0;
  e->holds = true;
  for (int l = 0; l < lab_nlaw() && nlaw < MOST_LAWS; l++) {
    if (!lab_law(l)->reduce) continue;
    result *r = results + nlaw++;
    if (!try_law(lab_law(l), ntrial, &effort, r))
      return cli_fail("no trial of %s", lab_law(l)->name);
    e->holds &= report(e, r);
    ntried += ntrial;
    nbeaten += r->nbeaten;
  }
  snprintf(e->ours, sizeof e->ours, "%d laws, brute force closer in %d of %d trials", nlaw, nbeaten,
           ntried);
  int code = write_csv(e, results, nlaw);
  return code ? code : draw(e, results, nlaw);
}

static int run(experiment *e) {
  result *results = calloc(MOST_LAWS, sizeof *results);
  int code = results ? try_all(e, results) : cli_fail("out of memory");
  free(results);
  return code;
}

const claim claim_z1 = {
    "Z1",
    "Projective constraints: strain with limits, volume and area with bounds, example-based, "
    "bending, edges, positions, planes; every projection exact against brute force",
    "given in closed form, not measured",
    run,
    .limits = "speed, and constraints together",
};

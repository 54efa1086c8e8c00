// B4: the first-order SVD's error grows slower than that of keeping the old SVD, and a change of
// the singular values leaves it alone (Barrielle & Stoiber, 6.4, fig. 5 and 6).
#include "reproduce.h"

#include "base/base.h"
#include "math/kernels.h"
#include "plot.h"

#include <math.h>
#include <stdlib.h>

enum { NANGLE = 10, NDIAG = 4, LANES = MI_SVD_LANES };
static const double DIAG[NDIAG] = {0, 0.05, 0.1, 0.2}; // the paper's sigma_diag

// One curve: `count` samples per point, points from 0.001 to 0.5 rad.
typedef struct curve {
  double angle[NANGLE];    // sigma_angle, rad
  double distance[NANGLE]; // mean |F' - F|, which is also the error of keeping the old SVD
  double error[NANGLE];    // mean |U s V' - F'| of the first-order SVD
  double printed[NANGLE];  // the same with derivatives taken at the old singular values
  double turned[NANGLE];   // median angle between old and new U, rad
  double missed[NANGLE];   // median angle between first-order and new U, rad
} curve;

typedef struct sample {
  double u[9], s[3], v[9], f[9]; // the reference
  double u1[9], f1[9];           // U and F after the perturbation
} sample;

static double normal(uint32_t i, uint32_t j) {
  double a = 1 - mi_random_unit(64, i, 2 * j), b = mi_random_unit(64, i, 2 * j + 1);
  return sqrt(-2 * log(a)) * cos(6.283185307179586 * b);
}

static void multiply(const double *a, const double *b, double *out) {
  for (int i = 0; i < 9; i++)
    out[i] =
        a[i / 3 * 3] * b[i % 3] + a[i / 3 * 3 + 1] * b[3 + i % 3] + a[i / 3 * 3 + 2] * b[6 + i % 3];
}

// eq. 22 with the subscripts it should have
static void rotation(const double angle[3], double out[9]) {
  double c[3], s[3], xy[9];
  for (int i = 0; i < 3; i++) {
    c[i] = cos(angle[i]);
    s[i] = sin(angle[i]);
  }
  const double x[9] = {1, 0, 0, 0, c[0], s[0], 0, -s[0], c[0]};
  const double y[9] = {c[1], 0, -s[1], 0, 1, 0, s[1], 0, c[1]};
  const double z[9] = {c[2], s[2], 0, -s[2], c[2], 0, 0, 0, 1};
  multiply(x, y, xy);
  multiply(xy, z, out);
}

static void compose(const double *u, const double *s, const double *v, double *out) {
  for (int i = 0; i < 9; i++) {
    out[i] = 0;
    for (int k = 0; k < 3; k++) out[i] += u[i / 3 * 3 + k] * s[k] * v[i % 3 * 3 + k];
  }
}

static sample draw_sample(uint32_t i, double sigma_angle, double sigma_diag) {
  sample a;
  double tu[3], tv[3], s1[3], v1[9];
  for (uint32_t k = 0; k < 3; k++) {
    tu[k] = 6.283185307179586 * mi_random_unit(65, i, k);
    tv[k] = 6.283185307179586 * mi_random_unit(65, i, 3 + k);
    a.s[k] = 1 + 0.5 * normal(i, k);
    s1[k] = a.s[k] + sigma_diag * normal(i, 3 + k);
  }
  rotation(tu, a.u);
  rotation(tv, a.v);
  compose(a.u, a.s, a.v, a.f);
  for (uint32_t k = 0; k < 3; k++) {
    tu[k] += sigma_angle * normal(i, 6 + k);
    tv[k] += sigma_angle * normal(i, 9 + k);
  }
  rotation(tu, a.u1);
  rotation(tv, v1);
  compose(a.u1, s1, v1, a.f1);
  return a;
}

static double distance(const double *a, const double *b) {
  double sum = 0;
  for (int i = 0; i < 9; i++) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return sqrt(sum);
}

static double angle_between(const double *a, const double *b) {
  return 2 * asin(fmin(1, distance(a, b) / sqrt(8)));
}

// Algorithm 3 as printed: derivatives at the old singular values.
static double printed_error(const sample *a) {
  static const int pair[3][2] = {{1, 2}, {0, 2}, {0, 1}};
  double ut[9], uf[9], c[9], s[3], left[3], right[3], ru[9], rv[9], out[9];
  for (int i = 0; i < 9; i++) ut[i] = a->u[i % 3 * 3 + i / 3];
  multiply(ut, a->f1, uf);
  multiply(uf, a->v, c);
  for (int i = 0; i < 3; i++) {
    int k = pair[i][0], l = pair[i][1];
    double sum = 0.5 / (a->s[l] + a->s[k]), gap = 0.5 / (a->s[l] - a->s[k]);
    double even = i == 1 ? -gap - sum : gap + sum, odd = i == 1 ? sum - gap : gap - sum;
    left[i] = even * c[3 * k + l] + odd * c[3 * l + k];
    right[i] = odd * c[3 * k + l] + even * c[3 * l + k];
    s[i] = c[4 * i];
  }
  rotation(left, ru);
  rotation(right, rv);
  compose(ru, s, rv, out);
  return distance(out, c);
}

static int compare(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

// our kernel on eight samples: reconstruction errors and angles missed
static void follow(const sample a[LANES], double error[LANES], double missed[LANES]) {
  mi_svd3 from, out;
  float f[72];
  for (int i = 0; i < 72; i++) {
    from.u[i] = (float)a[i % 8].u[i / 8];
    from.v[i] = (float)a[i % 8].v[i / 8];
    f[i] = (float)a[i % 8].f1[i / 8];
  }
  for (int i = 0; i < 24; i++) from.s[i] = (float)a[i % 8].s[i / 8];
  mi_kernels_best()->svd3->taylor(f, &from, &out, 1);
  for (int l = 0; l < LANES; l++) {
    double u[9], s[3], v[9], g[9];
    for (int i = 0; i < 9; i++) {
      u[i] = (double)out.u[8 * i + l];
      v[i] = (double)out.v[8 * i + l];
    }
    for (int i = 0; i < 3; i++) s[i] = (double)out.s[8 * i + l];
    compose(u, s, v, g);
    error[l] = distance(g, a[l].f1);
    missed[l] = angle_between(u, a[l].u1);
  }
}

static void measure_point(curve *c, int at, double sigma_diag, int count, double *angles) {
  double *missed = angles, *turned = angles + count, sum[3] = {0};
  for (int i = 0; i < count; i += LANES) {
    sample a[LANES];
    double error[LANES];
    for (int l = 0; l < LANES; l++) a[l] = draw_sample((uint32_t)(i + l), c->angle[at], sigma_diag);
    follow(a, error, missed + i);
    for (int l = 0; l < LANES; l++) {
      sum[0] += distance(a[l].f, a[l].f1);
      sum[1] += error[l];
      sum[2] += printed_error(a + l);
      turned[i + l] = angle_between(a[l].u, a[l].u1);
    }
  }
  qsort(missed, (size_t)count, sizeof *missed, compare);
  qsort(turned, (size_t)count, sizeof *turned, compare);
  c->distance[at] = sum[0] / count;
  c->error[at] = sum[1] / count;
  c->printed[at] = sum[2] / count;
  c->turned[at] = turned[count / 2];
  c->missed[at] = missed[count / 2];
}

static int save_plot(const experiment *e, const plot *p, const char *end) {
  mien_error err;
  render_image image = {0};
  mien_result done = plot_draw(p, &image, &err);
  if (done >= 0) done = render_image_save(&image, experiment_path(e, "B4", end), &err);
  render_image_free(&image);
  return done < 0 ? cli_report(&err, "B4") : CLI_DONE;
}

static int draw(const experiment *e, const curve *c) {
  const char *names[NDIAG] = {"first order, sigma_diag 0", "first order, 0.05", "first order, 0.1",
                              "first order, 0.2"};
  plot_series by_angle[NDIAG + 3], by_distance[3];
  int n = 0;
  for (int d = 0; d < NDIAG; d++)
    by_angle[n++] = (plot_series){names[d], c[d].angle, c[d].error, NANGLE, PLOT_LINE, 0};
  by_angle[n++] = (plot_series){
      "derivatives as printed, 0.05", c[1].angle, c[1].printed, NANGLE, PLOT_DASHED, 0};
  by_angle[n++] = (plot_series){
      "derivatives as printed, 0.2", c[3].angle, c[3].printed, NANGLE, PLOT_DASHED, 0};
  by_angle[n++] = (plot_series){"old SVD kept, 0", c[0].angle, c[0].distance, NANGLE, PLOT_DOTS, 0};
  plot p = {.title = "B4: error of the SVD by how far its rotations turned",
            .x_label = "sigma_angle, rad",
            .y_label = "mean |U S V' - F'|",
            .series = by_angle,
            .nseries = n,
            .log_x = 1,
            .log_y = 1};
  int code = save_plot(e, &p, ".png");
  by_distance[0] = (plot_series){"first order", c[0].distance, c[0].error, NANGLE, PLOT_LINE, 0};
  by_distance[1] =
      (plot_series){"old SVD kept", c[0].distance, c[0].distance, NANGLE, PLOT_LINE, 0};
  plot q = {.title = "B4: error by distance to the reference (fig. 5)",
            .x_label = "mean |F' - F|",
            .y_label = "mean |U S V' - F'|",
            .series = by_distance,
            .nseries = 2,
            .log_x = 1,
            .log_y = 1};
  if (!code) code = save_plot(e, &q, "_distance.png");
  by_distance[0] = (plot_series){"first order", c[0].angle, c[0].missed, NANGLE, PLOT_LINE, 0};
  by_distance[1] = (plot_series){"old U kept", c[0].angle, c[0].turned, NANGLE, PLOT_LINE, 0};
  q.title = "B4: angle to the true U (fig. 6)";
  q.x_label = "sigma_angle, rad";
  q.y_label = "median, rad";
  return code ? code : save_plot(e, &q, "_angles.png");
}

static int write_csv(const experiment *e, const curve *c) {
  FILE *csv = cli_create(experiment_path(e, "B4", ".csv"));
  if (!csv) return CLI_FAILED;
  fprintf(csv, "sigma_diag,sigma_angle,distance_mean,kept_error_mean,first_order_error_mean,"
               "as_printed_error_mean,kept_angle_median,first_order_angle_median\n");
  for (int d = 0; d < NDIAG; d++)
    for (int a = 0; a < NANGLE; a++)
      fprintf(csv, "%g,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g\n", DIAG[d], c[d].angle[a],
              c[d].distance[a], c[d].distance[a], c[d].error[a], c[d].printed[a], c[d].turned[a],
              c[d].missed[a]);
  return cli_commit(csv, experiment_path(e, "B4", ".csv"));
}

static void judge(experiment *e, const curve *c) {
  double slope = log(c[0].error[5] / c[0].error[0]) / log(c[0].distance[5] / c[0].distance[0]);
  double spread = 0, printed = 0;
  bool below = true;
  for (int a = 0; a < NANGLE; a++) {
    if (c[0].angle[a] > 0.1) continue; // beyond, a full SVD is called for anyway (6.3)
    for (int d = 0; d < NDIAG; d++) {
      spread = fmax(spread, fabs(c[d].error[a] / c[0].error[a] - 1));
      printed = fmax(printed, c[d].printed[a] / c[0].printed[a]);
      below &= c[d].error[a] < 0.5 * c[d].distance[a] && c[d].missed[a] < c[d].turned[a];
    }
  }
  e->holds = below && fabs(slope - 2) < 0.2 && spread < 0.15;
  snprintf(e->ours, sizeof e->ours,
           "error grows with distance to the power %.2f (kept: 1.00), sigma_diag changes it by at "
           "most %.0f %%",
           slope, 100 * spread);
  for (int a = 0; a < NANGLE; a += 2)
    experiment_note(e,
                    "sigma_angle %.4f: kept %.2e, first order %.2e; angle kept %.2e, first "
                    "order %.2e rad",
                    c[0].angle[a], c[0].distance[a], c[0].error[a], c[0].turned[a], c[0].missed[a]);
  experiment_note(e,
                  "With derivatives at the old singular values, as printed, sigma_diag changes "
                  "the error up to %.0f times;",
                  printed);
  experiment_note(e, "ours takes them at the new ones, the diagonal of U'F'V, at the same cost.");
}

static int run(experiment *e) {
  int count = e->quick ? 2048 : 32768;
  curve c[NDIAG];
  double *angles = malloc(2 * (size_t)count * sizeof *angles);
  if (!angles) return cli_fail("out of memory");
  for (int d = 0; d < NDIAG; d++)
    for (int a = 0; a < NANGLE; a++) {
      c[d].angle[a] = 0.001 * pow(500, a / (NANGLE - 1.0));
      measure_point(c + d, a, DIAG[d], count, angles);
    }
  free(angles);
  judge(e, c);
  int code = write_csv(e, c);
  return code ? code : draw(e, c);
}

const claim claim_b4 = {
    "B4",
    "A first-order SVD from sparse derivatives and Euler angles is far closer than the old SVD "
    "kept, and a change of the singular values does not hurt it",
    "curves (fig. 5, 6)",
    run,
    .limits = "speed (that is B5), and matrices far from those a face makes",
};

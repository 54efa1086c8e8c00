// B1: a volumetric face from blendshapes alone, with no inverted tetrahedron on any rig, where the
// paper lowered the thickness by hand (Barrielle & Stoiber, 4.1).
#include "reproduce.h"

#include "plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NBIN = 60, MOST_RIGS = 24 };
static const double BIN_MAX = 1.5;

typedef struct result {
  char name[64];
  double bins[NBIN]; // share of tetrahedra by their share of a straight prism's third
} result;

static double tet_volume(const float *p, const int32_t *tet) {
  double e[3][3];
  for (int c = 0; c < 3; c++)
    for (int k = 0; k < 3; k++) e[c][k] = (double)p[3 * tet[c + 1] + k] - p[3 * tet[0] + k];
  return (e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) -
          e[0][1] * (e[1][0] * e[2][2] - e[1][2] * e[2][0]) +
          e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0])) /
         6;
}

// Counted here, from positions alone, and not taken from what the library says of itself.
static int count_inverted(const mien_face_info *face) {
  int ninverted = 0;
  for (int e = 0; e < face->ntet; e++)
    ninverted += !(tet_volume(face->positions.data, face->tets.data + 4 * (size_t)e) > 0);
  return ninverted;
}

// the largest of the three volumes of a prism stands for the straight one
static void fill_bins(const mien_face_info *face, double bins[NBIN]) {
  for (int e = 0; e + 3 <= face->ntet; e += 3) {
    double volume[3], sum = 0;
    for (int k = 0; k < 3; k++)
      sum += volume[k] = tet_volume(face->positions.data, face->tets.data + 4 * (size_t)(e + k));
    for (int k = 0; k < 3; k++) {
      int bin = (int)(3 * volume[k] / sum / BIN_MAX * NBIN);
      bins[bin < 0 ? 0 : bin >= NBIN ? NBIN - 1 : bin] += 100.0 / face->ntet;
    }
  }
}

static int try_rig(experiment *e, const char *path, const char *name, FILE *csv, result *out) {
  mien_rig *rig = cli_load_rig(e->args, path);
  mien_face *face = NULL;
  mien_face_def def;
  mien_error err;
  if (!rig) return CLI_FAILED;
  mien_face_def_init(&def);
  def.use_stored = 0;
  if (mien_face_create(rig, &def, NULL, &face, &err) < 0) {
    mien_rig_free(rig);
    return cli_report(&err, path);
  }
  const mien_face_info *info = mien_face_get_info(face);
  int ninverted = count_inverted(info);
  double left_out = 3.0 * info->nleft_out / (3.0 * info->nleft_out + info->ntet);
  // triangles that no direction can save may be left out, but they must stay a rare exception
  e->holds &= ninverted == 0 && info->ntet > 0 && left_out < 0.005 &&
              info->quality_min >= def.min_quality * (1 - 1e-6);
  experiment_note(e,
                  "%-12s %6d tetrahedra, %d inverted, worst %.2f of straight, thickness %.2f to "
                  "%.2f mm, thinned at %d, %d triangles left out",
                  name, info->ntet, ninverted, info->quality_min, 1e3 * info->thickness_min,
                  1e3 * info->thickness_max, info->nthinned, info->nleft_out);
  fprintf(csv, "%s,%d,%d,%d,%d,%d,%.6g,%.6g,%.6g,%.6g,%.6g\n", name, info->nskin, info->ntet,
          ninverted, info->nleft_out, info->nthinned, info->thickness_min, info->thickness_mean,
          info->thickness_max, info->quality_min, info->shape_min);
  snprintf(out->name, sizeof out->name, "%s", name);
  fill_bins(info, out->bins);
  mien_face_free(face);
  mien_rig_free(rig);
  return CLI_DONE;
}

static int draw(const experiment *e, const result *results, int count) {
  plot_series series[MOST_RIGS];
  double x[NBIN];
  mien_error err;
  render_image image = {0};
  for (int i = 0; i < NBIN; i++) x[i] = BIN_MAX * (i + 0.5) / NBIN;
  for (int i = 0; i < count; i++)
    series[i] = (plot_series){.name = results[i].name, .x = x, .y = results[i].bins, .count = NBIN};
  plot p = {.title = "B1: tetrahedra by their volume, none at or below 0",
            .x_label = "volume as a share of its prism's third",
            .y_label = "% of tetrahedra",
            .series = series,
            .nseries = count};
  mien_result done = plot_draw(&p, &image, &err);
  if (done >= 0) done = render_image_save(&image, experiment_path(e, "B1", ".png"), &err);
  render_image_free(&image);
  return done < 0 ? cli_report(&err, "B1") : CLI_DONE;
}

static int run(experiment *e) {
  static const char *const samples[] = {"head_small", "head",  "creature",  "bar",
                                        "cube",       "sheet", "head_large"};
  int nsample = e->quick ? 6 : 7, nrig = 0, code = CLI_DONE;
  result *results = calloc(MOST_RIGS, sizeof *results);
  if (!results) return cli_fail("out of memory");
  FILE *csv = cli_create(experiment_path(e, "B1", ".csv"));
  if (!csv) {
    free(results);
    return CLI_FAILED;
  }
  fprintf(csv, "rig,skin_vertices,tetrahedra,inverted,left_out,thinned,thickness_min,"
               "thickness_mean,thickness_max,quality_min,mean_ratio_min\n");
  e->holds = true;
  for (int i = 0; !code && i < nsample; i++) {
    char file[64];
    snprintf(file, sizeof file, "%s.glb", samples[i]);
    code = try_rig(e, cli_sample(file), samples[i], csv, results + nrig++);
  }
  // rigs named after the claim are tried, too
  for (int i = 1; !code && i < e->args->nargument && nrig < MOST_RIGS; i++)
    code = try_rig(e, e->args->argument[i], e->args->argument[i], csv, results + nrig++);
  if (code)
    cli_abandon(csv, experiment_path(e, "B1", ".csv"));
  else
    code = cli_commit(csv, experiment_path(e, "B1", ".csv"));
  if (!code) code = draw(e, results, nrig);
  snprintf(e->ours, sizeof e->ours, "%s on %d rigs, automatic",
           e->holds ? "0 inverted" : "inverted or missing tetrahedra", nrig);
  free(results);
  return code;
}

const claim claim_b1 = {
    "B1",
    "A volumetric face from blendshapes alone: hypodermis, three tetrahedra per prism, none "
    "inverted, thinned automatically where needed",
    "thinned by hand",
    run,
    .limits = "that the flesh is anatomical: the thickness is painted or guessed",
};

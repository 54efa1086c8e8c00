// D7: shares fitted to five scans, then activations alone for five expressions that were not among
// them (Dinev, 4.3.1). A subject whose muscles lie 9 mm from the atlas's; scan noise 0.3 mm.
// The fit must also be what does it. Fig. 4.4 shows that activations alone, with the atlas's
// shares, fit an input scan poorly and with artefacts: so each of the five input scans has to be
// fitted closer with the subject's shares. Against scans noise could hide it, so all ten
// expressions have to end closer to the true surface as well, which no fit has seen. The artefacts
// are bumps, what a vertex is off the true surface otherwise than its neighbours are: on every
// input scan they must be larger with the atlas's shares. The thesis has pictures and no figure for
// them.
#include "curves.h"
#include "muscle_subject.h"
#include "picture.h"

#include "fit/activations_solver.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct outcome {
  double scan[SUBJECT_SCANS], truth[SUBJECT_SCANS]; // m, mean distance from both
  double bumps[SUBJECT_SCANS];                      // m, rms
  float *skin[SUBJECT_SCANS];                       //                         (rig nvert x 3)
  double worst;                                     // m, of a vertex from the truth
  int ninverted;                                    // tetrahedra, all expressions
} outcome;

static int count_inverted(const mien_activations *solver) {
  const mi_balance *b = &solver->balance;
  int count = 0;
  for (int t = 0; t < b->ntet; t++) {
    mi_vec3 p[4];
    for (int c = 0; c < 4; c++)
      p[c] = mi_vec3_load(solver->now.x + 4 * (size_t)b->solver->iperm[b->face->tets[4 * t + c]]);
    count += mi_det(p[0], p[1], p[2], p[3]) <= 0;
  }
  return count;
}

static double worst_of(const mien_face *face, const float *a, const float *b) {
  double worst = 0;
  for (int i = 0; i < face->skin.nvert; i++) {
    size_t at = 3 * (size_t)face->skin.vert[i];
    if (face->regions.bits[i] & (MIEN_REGION_MOUTH_BAG | MIEN_REGION_LIP_INNER)) continue;
    worst = fmax(worst, mi_distance(mi_vec3_load(a + at), mi_vec3_load(b + at)));
  }
  return worst;
}

static mi_vec3 off_at(const mien_face *face, const float *a, const float *b, int i) {
  size_t at = 3 * (size_t)face->skin.vert[i];
  return mi_sub(mi_vec3_load(a + at), mi_vec3_load(b + at));
}

static double bumps_of(const mien_face *face, const float *a, const float *b) {
  const mi_topology *topo = &face->skin.topo;
  double sum = 0;
  int count = 0;
  for (int i = 0; i < face->skin.nvert; i++) {
    int first = topo->nbr_first[i], end = topo->nbr_first[i + 1];
    mi_vec3 mean = {0, 0, 0};
    if (face->regions.bits[i] & (MIEN_REGION_MOUTH_BAG | MIEN_REGION_LIP_INNER)) continue;
    for (int k = first; k < end; k++)
      mean = mi_add_scaled(mean, 1.0 / (end - first), off_at(face, a, b, topo->nbr[k]));
    mi_vec3 bump = mi_sub(off_at(face, a, b, i), mean);
    if (end > first) sum += mi_dot(bump, bump), count++;
  }
  return sqrt(sum / fmax(1, count));
}

static int solve(const muscle_subject *s, const mien_face *face, outcome *o) {
  mien_activations *solver;
  mien_error err;
  if (mien_activations_create(face, NULL, &solver, &err) < 0) return cli_report(&err, "D7");
  const mien_activations_info *info = mien_activations_get_info(solver);
  for (int k = 0; k < SUBJECT_SCANS; k++) {
    mien_f32s scan = {s->scan[k], face->rig->info.nvert, 3};
    if (mien_activations_solve(solver, scan, 8, &err) < 0) return cli_report(&err, "D7");
    o->scan[k] = muscle_subject_distance(s, info->positions.data, s->scan[k]);
    o->truth[k] = muscle_subject_distance(s, info->positions.data, s->exact[k]);
    o->worst = fmax(o->worst, worst_of(face, info->positions.data, s->exact[k]));
    o->bumps[k] = bumps_of(face, info->positions.data, s->exact[k]);
    o->ninverted += count_inverted(solver);
    size_t size = 3 * (size_t)face->rig->info.nvert * sizeof *o->skin[k];
    if (!(o->skin[k] = malloc(size))) return cli_fail("out of memory");
    memcpy(o->skin[k], info->positions.data, size);
  }
  mien_activations_free(solver);
  return CLI_DONE;
}

// The input scan with the largest bumps, as fig. 4.4 shows one, and how far both are off it.
static int draw(const experiment *e, const muscle_subject *s, const outcome *fitted,
                const outcome *atlas) {
  enum { SIZE = 420 };
  picture_def def = {.rig = s->rig,
                     .panels = {{PANEL_CLAY, NULL, {.yaw = 25, .pitch = 3, .zoom = 1.3f}, false}},
                     .npanel = 1,
                     .width = SIZE,
                     .height = SIZE,
                     .subject = RIG_VIEW_FACE,
                     .field = "difference",
                     .field_max = 2};
  int worst = 0, nvert = s->truth->rig->info.nvert;
  for (int k = 1; k < SUBJECT_FIT; k++)
    if (atlas->bumps[k] > atlas->bumps[worst]) worst = k;
  const float *const skin[3] = {s->exact[worst], atlas->skin[worst], fitted->skin[worst]};
  static const char *const label[3] = {"the subject", "shares of the atlas", "shares fitted"};
  render_image image[3] = {{0}}, out = {0};
  render_cell cells[3];
  mien_error err;
  mien_result result = MIEN_OK;
  for (int k = 0; result >= 0 && k < 3; k++) {
    picture *p = NULL;
    picture_pose pose = {.positions = {skin[k], nvert, 3},
                         .reference = {skin[0], nvert, 3},
                         .head = {{0, 0, 0, 1}, {0, 0, 0}}};
    def.panels[0].kind = k ? PANEL_HEAT : PANEL_CLAY;
    result = picture_create(&def, &p, &err);
    if (result >= 0) result = picture_draw(p, &pose, image + k, &err);
    picture_free(p);
    cells[k] = (render_cell){image + k, label[k]};
  }
  render_sheet sheet = {.cells = cells, .ncell = 3, .gap = -1};
  if (result >= 0) result = render_sheet_draw(&sheet, &out, &err);
  if (result >= 0)
    result = render_image_save(&out, experiment_path(e, "D7", "_artefacts.png"), &err);
  for (int k = 0; k < 3; k++) render_image_free(image + k);
  render_image_free(&out);
  return result < 0 ? cli_report(&err, "D7") : CLI_DONE;
}

static double mean(const double *values, int begin, int end) {
  double sum = 0;
  for (int k = begin; k < end; k++) sum += values[k] / (end - begin);
  return sum;
}

static int judge(experiment *e, const muscle_subject *s, const outcome *fitted,
                 const outcome *atlas) {
  curves c = {.title = "D7: distance from the true surface, 5 fitted and 5 unseen expressions",
              .x_label = "expression",
              .y_label = "mm",
              .name = {"shares fitted", "shares of the atlas", "motion"},
              .ncurve = 3,
              .count = SUBJECT_SCANS};
  if (!curves_reserve(&c, SUBJECT_SCANS)) return cli_fail("out of memory");
  for (int k = 0; k < SUBJECT_SCANS; k++) {
    c.x[k] = k + 1;
    c.y[0][k] = 1e3 * fitted->truth[k];
    c.y[1][k] = 1e3 * atlas->truth[k];
    c.y[2][k] = 1e3 * muscle_subject_distance(s, s->exact[k], s->truth->rig->positions);
  }
  double seen = mean(fitted->scan, 0, SUBJECT_FIT);
  double unseen = mean(fitted->scan, SUBJECT_FIT, SUBJECT_SCANS);
  double left = mean(fitted->truth, SUBJECT_FIT, SUBJECT_SCANS);
  double before = mean(atlas->truth, SUBJECT_FIT, SUBJECT_SCANS);
  double figures[] = {seen, unseen, left, before};
  if (experiment_is_finite(e, "distances", figures, 4)) {
    int ncloser = 0, nbetter = 0, nsmoother = 0;
    for (int k = 0; k < SUBJECT_FIT; k++) {
      ncloser += fitted->scan[k] < atlas->scan[k];
      nsmoother += fitted->bumps[k] < atlas->bumps[k];
    }
    for (int k = 0; k < SUBJECT_SCANS; k++) nbetter += fitted->truth[k] < atlas->truth[k];
    e->holds = seen <= 0.00085 && unseen <= 0.0009 && ncloser == SUBJECT_FIT &&
               nsmoother == SUBJECT_FIT && nbetter == SUBJECT_SCANS;
    experiment_note(
        e,
        "the five input scans: %.2f mm fitted, %.2f mm with the atlas's shares, %d of 5 "
        "closer when fitted; of all ten %d end closer to the truth",
        1e3 * seen, 1e3 * mean(atlas->scan, 0, SUBJECT_FIT), ncloser, nbetter);
    experiment_note(e,
                    "on these bumps of %.2f mm fitted, %.2f mm with the atlas's shares, smaller on "
                    "%d of 5; farthest vertex from the truth %.1f and %.1f mm; inverted tetrahedra "
                    "%d and %d",
                    1e3 * mean(fitted->bumps, 0, SUBJECT_FIT),
                    1e3 * mean(atlas->bumps, 0, SUBJECT_FIT), nsmoother, 1e3 * fitted->worst,
                    1e3 * atlas->worst, fitted->ninverted, atlas->ninverted);
    snprintf(e->ours, sizeof e->ours,
             "fitted %.2f mm, unseen %.2f mm from scans with %.1f mm of noise; from the true "
             "surface %.2f mm unseen, %.2f mm with the atlas's shares",
             1e3 * seen, 1e3 * unseen, 1e3 * s->noise, 1e3 * left, 1e3 * before);
  }
  experiment_note(e,
                  "over skin that some expression moves by 1 mm or more; expressions move it by "
                  "%.2f mm on average",
                  mean(c.y[2], 0, SUBJECT_SCANS));
  int code = curves_save(e, "D7", &c);
  curves_free(&c);
  return code;
}

static int run(experiment *e) {
  muscle_subject s;
  mien_face *atlas = NULL, *fitted = NULL;
  outcome with = {.worst = 0}, without = {.worst = 0};
  int code = muscle_subject_create(e, "head_small.glb", 0, &s);
  if (!code) code = muscle_subject_face(&s, 0, &atlas);
  if (!code) code = solve(&s, atlas, &without);
  if (!code) code = muscle_subject_face(&s, e->quick ? 3 : 6, &fitted);
  if (!code) code = solve(&s, fitted, &with);
  if (!code) code = judge(e, &s, &with, &without);
  if (!code) code = draw(e, &s, &with, &without);
  for (int k = 0; k < SUBJECT_SCANS; k++) {
    free(with.skin[k]);
    free(without.skin[k]);
  }
  mien_face_free(atlas);
  mien_face_free(fitted);
  muscle_subject_free(&s);
  return code;
}

const claim claim_d7 = {
    "D7",
    "The geometry matrix fitted to five scans serves unseen expressions by activations alone",
    "0.85 mm fitted, 0.90 mm unseen",
    run,
    .limits = "A subject made by the same simulation, on shell flesh: real skin has wrinkles and "
              "materials that vary. Scans are registered and aligned. Inverted tetrahedra, which "
              "fig. 4.4 "
              "has sometimes, are counted and not judged: at the closest that activations come, "
              "one or two "
              "do come where a jaw opens, with the subject's own shares as with the atlas's.",
};

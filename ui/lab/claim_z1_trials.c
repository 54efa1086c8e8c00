#include "claim_z1_trials.h"

#include "energy/linear.h"
#include "math/mat3.h"

#include <math.h>
#include <string.h>

double trial_random(uint32_t number, uint32_t at) {
  return 2 * mi_random_unit(0x5a31, number, at) - 1;
}

// A range for a law to hold, sometimes a single value.
static void draw_bounds(uint32_t number, double bounds[2]) {
  bool is_single = number % 3 == 0;
  bounds[0] = is_single ? 1 : 0.85 + 0.1 * trial_random(number, 900);
  bounds[1] = is_single ? 1 : 1.15 + 0.1 * trial_random(number, 901);
}

static const double tet[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};

// An element of the size of a face's, in any place.
static void draw_element(uint32_t number, int nvert, double *rest) {
  for (int i = 0; i < 3 * nvert; i++)
    rest[i] = 0.01 * (tet[i] + 0.2 * trial_random(number, (uint32_t)i)) +
              0.1 * trial_random(number, 20 + (uint32_t)i % 3);
}

// A vertex above a ring of neighbours.
static void draw_fan(uint32_t number, int nvert, double *rest) {
  for (int k = 0; k < 3; k++) rest[k] = k == 2 ? 0.003 : 0;
  for (int i = 1; i < nvert; i++) {
    double angle = 2 * 3.14159265358979 * i / (nvert - 1);
    rest[3 * i] = 0.01 * cos(angle);
    rest[3 * i + 1] = 0.01 * sin(angle);
    rest[3 * i + 2] = 0;
  }
  for (int i = 0; i < 3 * nvert; i++) rest[i] += 0.001 * trial_random(number, 40 + (uint32_t)i);
}

static bool make_example(trial *out, uint32_t number, double weight) {
  // three independent examples would leave a triangle free altogether
  int nvert = number % 2 ? 4 : 3, count = 1 + (int)(number / 2 % (nvert == 4 ? 3 : 2));
  double position[3 * 12];
  draw_element(number, nvert, out->rest);
  for (int i = 0; i < 3 * nvert * count; i++)
    position[i] = out->rest[i % (3 * nvert)] + 0.004 * trial_random(number, 100 + (uint32_t)i);
  lab_examples examples = {nvert, out->rest, count, position};
  return lab_example_set_up(&out->stencil, &examples, weight);
}

static bool make_point(const mi_law *law, trial *out, uint32_t number, double weight) {
  double a[3], b[3], length = 0;
  for (uint32_t k = 0; k < 3; k++) {
    out->rest[k] = a[k] = 0.1 * trial_random(number, 200 + k);
    b[k] = trial_random(number, 210 + k);
    length += b[k] * b[k];
  }
  for (int k = 0; k < 3; k++) b[k] /= sqrt(length);
  out->is_anchored = true;
  out->has_rest = law != &mi_law_gravity && law != &mi_law_force;
  if (law == &lab_law_plane) return lab_plane_set_up(&out->stencil, weight, a, b);
  if (law == &mi_law_gravity)
    return mi_gravity_set_up(&out->stencil, weight, (const double[]){0, -9.81, 0});
  if (law == &mi_law_force) return mi_linear_set_up(&out->stencil, 1, b, a);
  return mi_spring_set_up(&out->stencil, 1, (const double[]){1}, weight, a);
}

// Two points on skin that stick to each other: an edge against a triangle's side and corner.
static bool make_spring(trial *out, uint32_t number, double weight) {
  double part = 0.5 + 0.4 * trial_random(number, 220), coef[4] = {part, 1 - part, -0.4, -0.6};
  double target[3] = {0};
  draw_element(number, 4, out->rest);
  for (int i = 0; i < 12; i++) target[i % 3] += coef[i / 3] * out->rest[i];
  out->is_anchored = true;
  return mi_spring_set_up(&out->stencil, 4, coef, weight, target);
}

static bool make_wind(trial *out, uint32_t number) {
  mi_wind wind = {{10, 2, -3}, 1.2, 1, 0.8, 0};
  draw_element(number, 3, out->rest);
  out->has_rest = false;
  out->is_anchored = true;
  return mi_wind_set_up(&out->stencil, &wind, out->rest, (const double[]){0.1, 0, 0.2});
}

static bool make_bending(trial *out, uint32_t number, double weight) {
  int nvert = 5 + (int)(number % 4);
  double cotangent[MI_STENCIL_MOST];
  draw_fan(number, nvert, out->rest);
  double area = lab_bending_cotangents(nvert, out->rest, cotangent);
  return area > 0 && lab_bending_set_up(&out->stencil, nvert, out->rest, cotangent, weight * area);
}

static bool make_strain(trial *out, uint32_t number, double weight) {
  double target[9];
  draw_element(number, 4, out->rest);
  for (int i = 0; i < 9; i++)
    target[i] = (i % 4 == 0) + 0.3 * trial_random(number, 300 + (uint32_t)i);
  out->has_rest = number % 2 == 0;
  return mi_strain_set_up(&out->stencil, out->rest, weight, number % 2 ? target : NULL);
}

static bool make_stencil(const mi_law *law, uint32_t number, trial *out) {
  mi_stencil *s = &out->stencil;
  double *rest = out->rest, w = 1.5 + trial_random(number, 990), b[2];
  draw_bounds(number, b);
  out->has_rest = true;
  if (law == &lab_law_example) return make_example(out, number, w);
  if (law == &lab_law_bending) return make_bending(out, number, w);
  if (law == &mi_law_wind) return make_wind(out, number);
  if (law == &mi_law_strain) return make_strain(out, number, w);
  if (law == &mi_law_spring) return make_spring(out, number, w);
  if (law == &mi_law_inertia || law == &mi_law_attachment || law == &mi_law_gravity ||
      law == &mi_law_force || law == &lab_law_plane)
    return make_point(law, out, number, w);
  draw_element(number, 4, rest);
  if (law == &mi_law_volume) return mi_volume_set_up(s, rest, w, b[0], b[1]);
  if (law == &lab_law_strain_limit) return lab_strain_limit_set_up(s, rest, w, b[0], b[1]);
  if (law == &lab_law_trace) return lab_trace_set_up(s, rest, w);
  if (law == &lab_law_stvk) return lab_stvk_set_up(s, rest, 2e6 * w, 5e6 * w);
  if (law == &lab_law_triangle_strain) return lab_triangle_strain_set_up(s, rest, w, b[0], b[1]);
  if (law == &lab_law_triangle_area) return lab_triangle_area_set_up(s, rest, w, b[0], b[1]);
  if (law == &lab_law_edge) {
    double d[3] = {rest[3] - rest[0], rest[4] - rest[1], rest[5] - rest[2]};
    return lab_edge_set_up(s, w, sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]));
  }
  return false;
}

// The linear map that deforms the rest state.
static void draw_map(trial_kind kind, uint32_t number, double map[9]) {
  double draft[9], turn[9], stretch[9], size = 0.25 + 0.2 * trial_random(number, 480);
  double wild = number / 8 % 2 ? 4 : 1.5; // large enough that volume has far-apart answers
  for (uint32_t i = 0; i < 9; i++) {
    double r = trial_random(number, 500 + i);
    draft[i] = trial_random(number, 520 + i);
    stretch[i] = kind == TRIAL_WILD ? wild * r : (i % 4 == 0) + 0.3 * r;
    if (kind == TRIAL_PRESSED) stretch[i] = size * ((i % 4 == 0) + 0.2 * r);
    if (kind == TRIAL_FLAT && i / 3 >= number % 3) stretch[i] = 0;
  }
  mi_mat3_rotation(draft, turn);
  mi_mat3_multiply(turn, stretch, map);
}

static bool has_bounds(const mi_law *law) {
  return law == &mi_law_volume || law == &lab_law_strain_limit || law == &lab_law_triangle_strain ||
         law == &lab_law_triangle_area;
}

bool trial_make(const mi_law *law, trial_kind kind, uint32_t number, trial *out) {
  double map[9], bounds[2];
  memset(out, 0, sizeof *out);
  if (!make_stencil(law, number, out)) return false;
  out->asked = out->stencil;
  draw_bounds(number, bounds);
  if (has_bounds(law)) memcpy(out->asked.parameter, bounds, sizeof bounds);
  draw_map(kind, number, map);
  // what an affine map cannot show: vertices of larger stencils, one by one
  double noise = kind == TRIAL_FLAT ? 0 : 0.001;
  for (int i = 0; i < 3 * out->stencil.nvert; i++) {
    double sum = 0.03 * trial_random(number, 600 + (uint32_t)i % 3);
    for (int k = 0; k < 3; k++) sum += map[3 * (i % 3) + k] * out->rest[i - i % 3 + k];
    out->x[i] = sum + noise * trial_random(number, 610 + (uint32_t)i);
  }
  return true;
}

#include "fit/activations.h"

#include "math/linear.h"

#include <math.h>
#include <string.h>

static const double MM = 1e3;
// Per rad^2 and per mm^2. It decides only what no scan shows: a jaw that stands a millimetre off
// weighs as much as skin that is 0.1 mm off everywhere.
static const double JAW_PULL = 1e-2;
// Stretches of a muscle, within the 0.2 to 5 that a step takes.
static const double LEAST = 0.25, MOST = 4;
static const double CLOSE = 3e-3; // of the cost: a step that wins less is the last
enum { SETTLE = 60, MOST_HALVINGS = 6, SIDE_BY_SIDE = 24 };

static double jaw_pull(int which) {
  return which < 2 ? JAW_PULL : JAW_PULL * MM * MM;
}

static void whole(const float *activation, double a[6]) {
  for (int c = 0; c < 6; c++) a[c] = (double)activation[c] + (c == 0 || c == 3 || c == 5);
}

double mi_activations_cost(const mi_balance *b, const mi_expression *e, const mi_muscle_weights *w,
                           double *residual) {
  double cost = 0.5 * mi_expression_residual(b, e, residual);
  for (int m = 0; m < b->nmuscle; m++) {
    const float *activation = e->activation + MI_ACTIVATION * (size_t)m;
    double a[6], off;
    whole(activation, a);
    off = mi_symmetric_det(a) - 1;
    cost += 0.5 * w->volume * off * off;
    for (int c = 0; c < 6; c++) cost += 0.5 * w->activation * pow((double)activation[c], 2);
  }
  for (int k = 0; k < b->njaw; k++) cost += 0.5 * jaw_pull(k) * e->jaw[k] * e->jaw[k];
  return cost;
}

void mi_activations_pull(const mi_balance *b, const mi_expression *e, const mi_muscle_weights *w,
                         double *gradient, double *matrix) {
  size_t n = (size_t)b->nunknown, first_jaw = MI_ACTIVATION * (size_t)b->nmuscle;
  for (size_t m = 0; m < (size_t)b->nmuscle; m++) {
    double a[6], slope[6];
    whole(e->activation + MI_ACTIVATION * m, a);
    mi_symmetric_cofactor(a, slope);
    double off = mi_symmetric_det(a) - 1;
    for (int c = 0; c < 6; c++) slope[c] *= c == 0 || c == 3 || c == 5 ? 1 : 2;
    for (size_t c = 0; c < 6; c++) {
      size_t row = 6 * m + c;
      gradient[row] += w->volume * off * slope[c] + w->activation * (double)e->activation[row];
      if (!matrix) continue;
      matrix[row * n + row] += w->activation;
      for (size_t d = 0; d < 6; d++) matrix[row * n + 6 * m + d] += w->volume * slope[c] * slope[d];
    }
  }
  for (size_t k = 0; k < (size_t)b->njaw; k++) {
    gradient[first_jaw + k] += jaw_pull((int)k) * e->jaw[k];
    if (matrix) matrix[(first_jaw + k) * (n + 1)] += jaw_pull((int)k);
  }
}

static void note_response(const mi_balance *b, int width, const double *dx, float *response) {
  for (int k = 0; k < width; k++)
    for (int i = 0; i < 3 * b->nvert; i++)
      response[4 * ((size_t)k * (size_t)b->nvert + (size_t)(i / 3)) + (size_t)(i % 3)] =
          (float)dx[(size_t)i * (size_t)width + (size_t)k];
}

bool mi_activations_jacobian(mi_balance *b, const mi_expression *e, double *jacobian,
                             float *response) {
  size_t rows = 3 * (size_t)b->nvert, n = (size_t)b->nunknown;
  int most = e->factor ? SIDE_BY_SIDE : 1;
  mi_arena scratch;
  mi_arena_init(&scratch, &b->host);
  size_t room = rows * (size_t)most;
  double *f = MI_PUSH(&scratch, double, room), *dx = MI_PUSH(&scratch, double, room);
  bool done = f && dx;
  for (int first = 0; done && first < b->nunknown; first += most) {
    int width = b->nunknown - first < most ? b->nunknown - first : most;
    memset(f, 0, rows * (size_t)width * sizeof *f);
    for (int k = 0; k < width; k++) mi_balance_push(b, e, first + k, width, f + k);
    done = mi_balance_solve(b, e, width, f, dx);
    for (int r = 0; done && r < 3 * b->nseen; r++) {
      double scale = MM * sqrt(e->weight[r / 3] / fmax(1, e->total));
      size_t at = 3 * (size_t)b->place[r / 3] + (size_t)(r % 3);
      for (int k = 0; k < width; k++)
        jacobian[(size_t)r * n + (size_t)(first + k)] = scale * dx[at * (size_t)width + (size_t)k];
    }
    if (done && response)
      note_response(b, width, dx, response + 4 * (size_t)b->nvert * (size_t)first);
  }
  mi_arena_free(&scratch);
  return done;
}

// How much of its part of a step a muscle can take: the range is convex, so that less of what fits
// fits, too.
static double room_for(const mi_expression *e, int m, const double *step) {
  double low = 0, high = 1;
  for (int n = 0; n < 12; n++) {
    double a[6], least, most, share = n ? (low + high) / 2 : 1;
    whole(e->activation + MI_ACTIVATION * (size_t)m, a);
    for (int c = 0; c < 6; c++) a[c] += share * step[6 * m + c];
    mi_symmetric_range(a, &least, &most);
    bool fits = least > LEAST && most < MOST;
    if (fits && n == 0) return 1;
    if (fits)
      low = share;
    else
      high = share;
  }
  return 0.95 * low;
}

// Shortens the parts that do not fit. Returns how many; `held` says which.
static int shorten(const mi_balance *b, const mi_expression *e, double *step, unsigned char *held) {
  int count = 0;
  for (int m = 0; m < b->nmuscle; m++) {
    double share = room_for(e, m, step);
    if (share == 1) continue;
    for (int c = 0; c < MI_ACTIVATION; c++) step[MI_ACTIVATION * m + c] *= share;
    held[m] = 1;
    count++;
  }
  return count;
}

// The others' equations with what is held on their right-hand side.
static void hold(const mi_balance *b, const unsigned char *held, const double *gradient,
                 double *matrix, double *step) {
  int n = b->nunknown;
  for (int i = 0; i < n; i++) {
    bool is_held = i / MI_ACTIVATION < b->nmuscle && held[i / MI_ACTIVATION];
    if (!is_held) step[i] = -gradient[i];
  }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < i; j++) {
      bool row = i / MI_ACTIVATION < b->nmuscle && held[i / MI_ACTIVATION];
      bool column = j / MI_ACTIVATION < b->nmuscle && held[j / MI_ACTIVATION];
      double at = matrix[i * n + j];
      if (row && !column) step[j] -= at * step[i];
      if (column && !row) step[i] -= at * step[j];
      if (row || column) matrix[i * n + j] = 0;
    }
  for (int i = 0; i < MI_ACTIVATION * b->nmuscle; i++)
    if (held[i / MI_ACTIVATION]) matrix[i * n + i] = 1;
}

bool mi_activations_step(const mi_balance *b, const mi_expression *e, const double *matrix,
                         double *work, const double *gradient, double *step) {
  int n = b->nunknown;
  size_t size = (size_t)n * (size_t)n * sizeof *work;
  unsigned char held[256] = {0};
  memcpy(work, matrix, size);
  for (int k = 0; k < n; k++) step[k] = -gradient[k];
  if (!mi_linear_solve_spd(n, work, 1, step)) return false;
  if (b->nmuscle > (int)sizeof held || !shorten(b, e, step, held)) return true;
  memcpy(work, matrix, size);
  hold(b, held, gradient, work, step);
  if (!mi_linear_solve_spd(n, work, 1, step)) return false;
  shorten(b, e, step, held);
  return true;
}

bool mi_activations_move(mi_balance *b, mi_expression *e, const double *step, double share,
                         int iterations) {
  for (int m = 0; m < b->nmuscle; m++) {
    double a[6], least, most;
    whole(e->activation + MI_ACTIVATION * (size_t)m, a);
    for (int c = 0; c < 6; c++) a[c] += share * step[6 * m + c];
    mi_symmetric_range(a, &least, &most);
    if (!(least > LEAST && most < MOST)) return false;
  }
  for (int k = 0; k < MI_ACTIVATION * b->nmuscle; k++)
    e->activation[k] = (float)((double)e->activation[k] + share * step[k]);
  for (int k = 0; k < b->njaw; k++) e->jaw[k] += share * step[MI_ACTIVATION * b->nmuscle + k];
  mi_balance_settle(b, e, iterations);
  return true;
}

typedef struct kept {
  float *activation, *x;
  double jaw[MI_JAW], error;
} kept;

static void copy_to(const mi_balance *b, kept *k, const mi_expression *e) {
  memcpy(k->activation, e->activation, MI_ACTIVATION * (size_t)b->nmuscle * sizeof(float));
  memcpy(k->x, e->x, 4 * (size_t)b->nvert * sizeof(float));
  memcpy(k->jaw, e->jaw, sizeof k->jaw);
  k->error = e->error;
}

static void copy_from(const mi_balance *b, const kept *k, mi_expression *e) {
  memcpy(e->activation, k->activation, MI_ACTIVATION * (size_t)b->nmuscle * sizeof(float));
  memcpy(e->x, k->x, 4 * (size_t)b->nvert * sizeof(float));
  memcpy(e->jaw, k->jaw, sizeof e->jaw);
  e->error = k->error;
}

typedef struct chord {
  double *jacobian, *matrix, *left; // J, J'J, and that with what pulls
  double *work, *slope, *step, *residual;
  kept before;
} chord;

static bool reserve(const mi_balance *b, mi_arena *arena, chord *c) {
  size_t n = (size_t)b->nunknown, nrow = 3 * (size_t)b->nseen;
  c->jacobian = MI_PUSH(arena, double, nrow *n);
  c->matrix = MI_PUSH(arena, double, n *n);
  c->left = MI_PUSH(arena, double, n *n);
  c->work = MI_PUSH(arena, double, n *n);
  c->slope = MI_PUSH(arena, double, n);
  c->step = MI_PUSH(arena, double, n);
  c->residual = MI_PUSH(arena, double, nrow);
  c->before.activation = MI_PUSH(arena, float, MI_ACTIVATION *(size_t)b->nmuscle);
  c->before.x = MI_PUSH(arena, float, 4 * (size_t)b->nvert);
  return c->jacobian && c->matrix && c->left && c->work && c->slope && c->step && c->residual &&
         c->before.activation && c->before.x;
}

// One step down. MIEN_REMARK when there is none.
static mien_result descend(mi_balance *b, mi_expression *e, const mi_muscle_weights *w, chord *c,
                           double *cost) {
  int n = b->nunknown, nrow = 3 * b->nseen;
  mi_expression_residual(b, e, c->residual);
  memcpy(c->left, c->matrix, (size_t)n * (size_t)n * sizeof *c->left);
  mi_linear_multiply(&(mi_product){n, 1, nrow, c->jacobian, c->residual, true, false, 0}, c->slope);
  mi_activations_pull(b, e, w, c->slope, c->left);
  if (!mi_activations_step(b, e, c->left, c->work, c->slope, c->step)) return MIEN_REMARK;
  copy_to(b, &c->before, e);
  double share = 1;
  for (int halving = 0; halving < MOST_HALVINGS; halving++, share /= 2) {
    if (!mi_activations_move(b, e, c->step, share, SETTLE)) continue;
    double now = mi_activations_cost(b, e, w, c->residual);
    if (now < *cost) {
      *cost = now;
      return MIEN_OK;
    }
    copy_from(b, &c->before, e);
  }
  return MIEN_REMARK;
}

static mien_result improve(mi_balance *b, mi_expression *e, const mi_muscle_weights *w, int steps,
                           double *cost, mi_arena *scratch, mien_error *err) {
  int n = b->nunknown, nrow = 3 * b->nseen;
  chord c = {0};
  if (!reserve(b, scratch, &c) || mi_balance_linearise(b, e, err) < 0 ||
      !mi_activations_jacobian(b, e, c.jacobian, NULL))
    return mi_fail_memory(err);
  mi_linear_multiply(&(mi_product){n, n, nrow, c.jacobian, c.jacobian, true, false, 0}, c.matrix);
  mien_result result = MIEN_OK;
  for (int k = 0; k < steps && result == MIEN_OK; k++) {
    double before = *cost;
    result = descend(b, e, w, &c, cost);
    if (k == 0 && result != MIEN_OK) return result;
    if (before - *cost < CLOSE * before) break;
  }
  return MIEN_OK;
}

mien_result mi_activations_improve(mi_balance *b, mi_expression *e, const mi_muscle_weights *w,
                                   int steps, double *cost, mien_error *err) {
  mi_arena scratch;
  mi_arena_init(&scratch, &b->host);
  mien_result result = improve(b, e, w, steps, cost, &scratch, err);
  mi_arena_free(&scratch);
  return result;
}

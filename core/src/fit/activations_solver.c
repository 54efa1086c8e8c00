#include "fit/activations_solver.h"

#include "face/carry.h"
#include "math/linear.h"

#include <math.h>
#include <string.h>

enum { SETTLE = 4, ROUNDS = 3, CHUNK = 512 };
static const double CLOSE = 0.01; // a round that wins less is the last
static const mi_muscle_weights WEIGHTS = {0.003, 0.03, 0};

static mien_result find_jacobian(mien_activations *s, mien_error *err) {
  mi_balance *b = &s->balance;
  mi_expression *e = &s->now;
  for (int k = 0; k < b->nseen; k++) e->weight[k] = 1;
  e->total = b->nseen;
  mi_balance_settle(b, e, 1);
  mien_result result = mi_balance_linearise(b, e, err);
  if (result < 0) return result;
  if (!mi_activations_jacobian(b, e, s->jacobian, s->response)) return mi_fail_memory(err);
  mi_linear_multiply(&(mi_product){b->nunknown, b->nunknown, 3 * b->nseen, s->jacobian, s->jacobian,
                                   true, false, 0},
                     s->matrix);
  mi_expression_free(e); // the factor is not needed any more
  return MIEN_OK;
}

static mien_result prepare(mien_activations *s, mien_error *err) {
  mi_balance *b = &s->balance;
  mi_arena *arena = &b->arena;
  size_t n = (size_t)b->nunknown, nrow = 3 * (size_t)b->nseen, nmuscle = (size_t)b->nmuscle;
  mien_result result = mi_expression_create(b, &s->now, err);
  if (result < 0) return result;
  s->jacobian = MI_PUSH(arena, double, nrow *n);
  s->matrix = MI_PUSH(arena, double, n *n);
  s->left = MI_PUSH(arena, double, n *n);
  s->response = MI_PUSH(arena, float, 4 * (size_t)b->nvert * n);
  s->moved = MI_PUSH(arena, float, 4 * (size_t)b->nvert);
  s->step = MI_PUSH(arena, double, n);
  s->residual = MI_PUSH(arena, double, nrow);
  s->activations = MI_PUSH(arena, float, MI_ACTIVATION *nmuscle);
  s->before = MI_PUSH(arena, float, MI_ACTIVATION *nmuscle);
  s->contraction = MI_PUSH(arena, float, nmuscle);
  s->before_x = MI_PUSH(arena, float, 4 * (size_t)b->nvert);
  s->positions = MI_PUSH(arena, float, 3 * (size_t)mi_face_render_skin(b->face)->info.nvert);
  s->motion = MI_PUSH(arena, float, 4 * (size_t)b->face->skin.nvert);
  if (!s->jacobian || !s->matrix || !s->left || !s->response || !s->moved || !s->step ||
      !s->residual || !s->activations || !s->before || !s->contraction || !s->before_x ||
      !s->positions || !s->motion)
    return mi_fail_memory(err);
  s->weights = WEIGHTS;
  return find_jacobian(s, err);
}

mien_result mi_activations_create(const mien_face *face, const mien_host *host,
                                  mien_activations **out, mien_error *err) {
  mi_arena arena;
  mi_arena_init(&arena, host);
  mien_activations *s = MI_PUSH(&arena, mien_activations, 1);
  if (!s) return mi_fail_memory(err);
  mien_result result = mi_balance_create(face, host, &s->balance, err);
  if (result < 0) {
    mi_arena_free(&arena);
    return result;
  }
  // the solver lies in its own arena and is freed with it
  s->own = arena;
  result = prepare(s, err);
  if (result < 0) {
    mi_activations_free(s);
    return result;
  }
  *out = s;
  return MIEN_OK;
}

void mi_activations_free(mien_activations *s) {
  if (!s) return;
  mi_expression_free(&s->now);
  mi_balance_free(&s->balance);
  mi_arena own = s->own;
  mi_arena_free(&own);
}

// The step of the chord from the current residual; unseen rows have no weight, the others are
// scaled up for it.
static bool find_step(mien_activations *s) {
  const mi_balance *b = &s->balance;
  int n = b->nunknown, nrow = 3 * b->nseen;
  double share = s->now.total / b->nseen;
  mi_expression_residual(b, &s->now, s->residual);
  // the Jacobian's rows are scaled for a skin that is seen whole
  for (int r = 0; r < nrow; r++) s->residual[r] *= sqrt(share);
  mi_linear_multiply(&(mi_product){n, 1, nrow, s->jacobian, s->residual, true, false, 0}, s->step);
  memcpy(s->left, s->matrix, (size_t)n * (size_t)n * sizeof *s->left);
  mi_activations_pull(b, &s->now, &s->weights, s->step, s->left);
  for (int k = 0; k < n; k++) s->step[k] = -s->step[k];
  return mi_linear_solve_spd(n, s->left, 1, s->step);
}

static void move_range(void *user, int begin, int end) {
  const mien_activations *s = user;
  size_t stride = 4 * (size_t)s->balance.nvert;
  memset(s->moved + 4 * (size_t)begin, 0, 4 * (size_t)(end - begin) * sizeof(float));
  for (int k = 0; k < s->balance.nunknown; k++) {
    const float *response = s->response + (size_t)k * stride;
    float by = (float)s->step[k];
    for (int i = 4 * begin; i < 4 * end; i++) s->moved[i] += by * response[i];
  }
}

// One round. False, with nothing changed, when no lower cost was found.
static bool improve(mien_activations *s, double *cost) {
  mi_balance *b = &s->balance;
  mi_expression *e = &s->now;
  size_t nx = 4 * (size_t)b->nvert * sizeof(float);
  size_t na = MI_ACTIVATION * (size_t)b->nmuscle * sizeof(float);
  double jaw[MI_JAW], error = e->error;
  if (!find_step(s)) return false;
  memcpy(s->before_x, e->x, nx);
  memcpy(s->before, e->activation, na);
  memcpy(jaw, e->jaw, sizeof jaw);
  mi_parallel(b->host.threads, b->nvert, CHUNK, move_range, s);
  for (double share = 1; share > 0.2; share /= 2) {
    for (int i = 0; i < 4 * b->nvert; i++) e->x[i] = s->before_x[i] + (float)share * s->moved[i];
    if (!mi_activations_move(b, e, s->step, share, SETTLE)) {
      memcpy(e->x, s->before_x, nx);
      continue;
    }
    double now = mi_activations_cost(b, e, &s->weights, s->residual);
    if (now < *cost) {
      *cost = now;
      return true;
    }
    memcpy(e->x, s->before_x, nx);
    memcpy(e->activation, s->before, na);
    memcpy(e->jaw, jaw, sizeof jaw);
    e->error = error;
  }
  return false;
}

// Flesh on the rig that is shown: what the coarser skin moves by takes the finer one along.
static void show(mien_activations *s) {
  const mi_balance *b = &s->balance;
  const mien_face *face = b->face;
  const mien_rig *shown = mi_face_render_skin(face);
  memcpy(s->positions, shown->positions, 3 * (size_t)shown->info.nvert * sizeof(float));
  for (int i = 0; i < face->skin.nvert; i++) {
    const float *x = s->now.x + 4 * (size_t)b->solver->iperm[i];
    int vert = face->skin.vert[i];
    if (!face->embedding.render_skin) {
      memcpy(s->positions + 3 * (size_t)vert, x, 3 * sizeof(float));
      continue;
    }
    for (size_t c = 0; c < 3; c++)
      s->motion[4 * (size_t)i + c] = x[c] - face->rig->positions[3 * (size_t)vert + c];
  }
  if (face->embedding.render_skin)
    mi_skin_map_apply(&face->embedding.map, s->motion, b->host.threads, s->positions);
}

static void publish(mien_activations *s) {
  const mi_balance *b = &s->balance;
  const mien_face *face = b->face;
  mien_activations_info *info = &s->info;
  for (int k = 0; k < MI_ACTIVATION * b->nmuscle; k++) {
    int c = k % MI_ACTIVATION;
    s->activations[k] = s->now.activation[k] + (float)(c == 0 || c == 3 || c == 5);
    if (c == 0) s->contraction[k / MI_ACTIVATION] = -s->now.activation[k];
  }
  show(s);
  info->nmuscle = b->nmuscle;
  info->activations = (mien_f32s){s->activations, b->nmuscle, MI_ACTIVATION};
  info->contraction = (mien_f32s){s->contraction, b->nmuscle, 1};
  info->positions = (mien_f32s){s->positions, mi_face_render_skin(face)->info.nvert, 3};
  info->jaw = mi_jaw_place(face, s->now.jaw);
  memcpy(info->jaw_angles, s->now.jaw, sizeof info->jaw_angles);
  memcpy(info->jaw_shift, s->now.jaw + 2, sizeof info->jaw_shift);
  info->error = s->now.error;
}

mien_result mi_activations_solve(mien_activations *s, const mien_f32s *target, int rounds,
                                 mien_error *err) {
  mi_balance *b = &s->balance;
  double started = mi_clock(), cost, first;
  mi_expression_aim(b, &s->now, target);
  if (s->now.total < 0.1 * b->nseen)
    return mi_fail(err, MIEN_ERR_MISMATCH, "only %.0f of %d vertices of the target are seen",
                   s->now.total, b->nseen);
  mi_expression_measure(b, &s->now);
  cost = first = mi_activations_cost(b, &s->now, &s->weights, s->residual);
  s->info.rounds = 0;
  double before = INFINITY;
  while (s->info.rounds < (rounds ? rounds : ROUNDS) && before - cost > CLOSE * cost) {
    before = cost;
    if (!improve(s, &cost)) break;
    s->info.rounds++;
  }
  publish(s);
  s->info.residual = first > 0 ? cost / first : 0;
  s->info.seconds = mi_clock() - started;
  return MIEN_OK;
}

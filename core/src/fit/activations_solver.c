#include "fit/activations_solver.h"

#include "face/carry.h"
#include "math/linear.h"

#include <math.h>
#include <string.h>

enum { SETTLE = 16, ROUNDS = 3, CHORDS = 12 };
static const double WIN = 1e-3; // of the cost: what is less does not count
// Flesh is in balance when the next iteration would move no vertex farther: a tenth of what scans
// are off by.
static const double SETTLED = 3e-5;  // m
static const double POLISHED = 0.01; // of the cost: a slow round that won less was the last
// A muscle that moves no vertex of a block farther, however it contracts, is not in its response. A
// hundred such muscles, some to and some fro, are still a third of a scan's noise off.
static const double UNMOVED = 1e-5; // m
static const double MM = 1e3;
static const mi_muscle_weights WEIGHTS = {0.003, 0.03, 0};

// How far each unknown may go: a stretch by its whole length, half a radian, 2 cm.
static double range_of(const mi_balance *b, int unknown) {
  int jaw = unknown - MI_ACTIVATION * b->nmuscle;
  return jaw < 0 ? 1 : jaw < 2 ? 0.5 : 0.02;
}

static mien_result find_response(mien_activations *s, mi_arena *scratch, mien_error *err) {
  mi_balance *b = &s->balance;
  mi_expression *e = &s->now;
  size_t n = (size_t)b->nunknown, size = 4 * (size_t)b->nvert;
  double *jacobian = MI_PUSH(scratch, double, 3 * (size_t)b->nseen * n);
  float *response = MI_PUSH(scratch, float, size *n), *least = MI_PUSH(scratch, float, n);
  if (!jacobian || !response || !least) return mi_fail_memory(err);
  for (int u = 0; u < b->nunknown; u++) least[u] = (float)(UNMOVED / range_of(b, u));
  for (int k = 0; k < b->nseen; k++) e->weight[k] = 1;
  e->total = b->nseen;
  mi_balance_settle(b, e, 1);
  mien_result result = mi_balance_linearise(b, e, err);
  if (result < 0) return result;
  if (!mi_activations_jacobian(b, e, jacobian, response) ||
      !mi_response_create(b->nunknown, 4 * b->nvert, response, least, &b->arena, &s->response))
    return mi_fail_memory(err);
  mi_linear_multiply(
      &(mi_product){b->nunknown, b->nunknown, 3 * b->nseen, jacobian, jacobian, true, false, 0},
      s->matrix);
  mi_expression_free(e); // the factor is not needed any more
  size_t room = MI_RESPONSE_BLOCK * (size_t)s->response.nblock;
  s->moved = MI_PUSH(&b->arena, float, room);
  s->off = MI_PUSH(&b->arena, float, room);
  return s->moved && s->off ? MIEN_OK : mi_fail_memory(err);
}

static mien_result prepare(mien_activations *s, mien_error *err) {
  mi_balance *b = &s->balance;
  mi_arena *arena = &b->arena;
  size_t n = (size_t)b->nunknown, nrow = 3 * (size_t)b->nseen, nmuscle = (size_t)b->nmuscle;
  mien_result result = mi_expression_create(b, &s->now, err);
  if (result < 0) return result;
  s->matrix = MI_PUSH(arena, double, n *n);
  s->left = MI_PUSH(arena, double, n *n);
  s->work = MI_PUSH(arena, double, n *n);
  s->step = MI_PUSH(arena, double, n);
  s->slope = MI_PUSH(arena, double, n);
  s->residual = MI_PUSH(arena, double, nrow);
  s->activations = MI_PUSH(arena, float, MI_ACTIVATION *nmuscle);
  s->before = MI_PUSH(arena, float, MI_ACTIVATION *nmuscle);
  s->contraction = MI_PUSH(arena, float, nmuscle);
  s->before_x = MI_PUSH(arena, float, 4 * (size_t)b->nvert);
  s->positions = MI_PUSH(arena, float, 3 * (size_t)mi_face_render_skin(b->face)->info.nvert);
  s->motion = MI_PUSH(arena, float, 4 * (size_t)b->face->skin.nvert);
  if (!mi_secants_create(b->nunknown, (int)nrow, 4 * b->nvert, arena, &s->secants) || !s->matrix ||
      !s->left || !s->work || !s->step || !s->slope || !s->residual || !s->activations ||
      !s->before || !s->contraction || !s->before_x || !s->positions || !s->motion)
    return mi_fail_memory(err);
  s->weights = WEIGHTS;
  mi_arena scratch;
  mi_arena_init(&scratch, &b->host);
  result = find_response(s, &scratch, err);
  mi_arena_free(&scratch);
  return result;
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
  s->balance.settled = SETTLED;
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

// J'r of the response at rest, whose rows are scaled for a skin that is seen whole.
static void pull_back(mien_activations *s, const double *residual, double *out) {
  const mi_balance *b = &s->balance;
  double scale = MM / sqrt(b->nseen);
  for (int r = 0; r < 3 * b->nseen; r++)
    s->off[4 * (size_t)b->place[r / 3] + (size_t)(r % 3)] = (float)(scale * residual[r]);
  mi_response_apply_transposed(&s->response, s->off, b->host.threads, out);
}

// Notes where the flesh went with `share` of the step, against where it was said to go.
static void note_secant(mien_activations *s, double share) {
  const mi_balance *b = &s->balance;
  mi_secant *a = mi_secants_next(&s->secants);
  double scale = MM / sqrt(b->nseen);
  for (int k = 0; k < b->nunknown; k++) a->step[k] = share * s->step[k];
  for (int i = 0; i < 4 * b->nvert; i++)
    a->all[i] = s->now.x[i] - (s->before_x[i] + (float)share * s->moved[i]);
  for (int r = 0; r < 3 * b->nseen; r++) {
    bool is_seen = s->now.weight[r / 3] > 0;
    size_t at = 4 * (size_t)b->place[r / 3] + (size_t)(r % 3);
    a->seen[r] = is_seen ? scale * (double)a->all[at] : 0;
  }
  pull_back(s, a->seen, a->row);
  mi_secants_keep(&s->secants, a);
}

// The step of the chord from the current residual, and by how much it should lower the cost; 0 =
// there is no step. Unseen rows have no weight, the others are scaled up for it.
static double find_step(mien_activations *s) {
  const mi_balance *b = &s->balance;
  int n = b->nunknown;
  mi_expression_residual(b, &s->now, s->residual);
  for (int r = 0; r < 3 * b->nseen; r++) s->residual[r] *= sqrt(s->now.total / b->nseen);
  pull_back(s, s->residual, s->slope);
  memcpy(s->left, s->matrix, (size_t)n * (size_t)n * sizeof *s->left);
  mi_secants_correct(&s->secants, s->residual, s->slope, s->left);
  mi_activations_pull(b, &s->now, &s->weights, s->slope, s->left);
  if (!mi_activations_step(b, &s->now, s->left, s->work, s->slope, s->step)) return 0;
  double foretold = 0;
  for (int k = 0; k < n; k++) foretold -= 0.5 * s->slope[k] * s->step[k];
  return foretold;
}

// One round, with the step that was found. False, with nothing changed, when no lower cost was
// found.
static bool improve(mien_activations *s, double foretold, double *cost) {
  mi_balance *b = &s->balance;
  mi_expression *e = &s->now;
  size_t nx = 4 * (size_t)b->nvert * sizeof(float);
  size_t na = MI_ACTIVATION * (size_t)b->nmuscle * sizeof(float);
  double jaw[MI_JAW], error = e->error;
  memcpy(s->before_x, e->x, nx);
  memcpy(s->before, e->activation, na);
  memcpy(jaw, e->jaw, sizeof jaw);
  mi_response_apply(&s->response, s->step, b->host.threads, s->moved);
  mi_secants_move(&s->secants, s->step, s->moved);
  for (double share = 1; share > 0.2; share /= 2) {
    for (int i = 0; i < 4 * b->nvert; i++) e->x[i] = s->before_x[i] + (float)share * s->moved[i];
    if (!mi_activations_move(b, e, s->step, share, SETTLE)) {
      memcpy(e->x, s->before_x, nx);
      continue;
    }
    double now = mi_activations_cost(b, e, &s->weights, s->residual);
    bool is_lower = now < *cost;
    bool is_off = foretold - (*cost - now) > WIN * *cost;
    if (is_off && (is_lower || share == 1)) note_secant(s, share);
    if (is_lower) {
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

// Flesh that was not in balance yet makes every step from it look bad. Returns the cost in balance.
static double settle_again(mien_activations *s) {
  mi_balance_settle(&s->balance, &s->now, SETTLE);
  return mi_activations_cost(&s->balance, &s->now, &s->weights, s->residual);
}

// The chord ends where the gradient that the response at rest gives is zero. From there on with the
// response where the flesh is: slow, and as close as muscles come.
static mien_result polish(mien_activations *s, double *cost, mien_error *err) {
  mien_result result = MIEN_OK;
  double before;
  mi_expression_reserve(&s->balance, &s->now);
  do {
    before = *cost;
    result = mi_activations_improve(&s->balance, &s->now, &s->weights, 1, cost, err);
    s->info.rounds++;
  } while (result == MIEN_OK && before - *cost > POLISHED * before);
  mi_expression_free(&s->now);
  return result < 0 ? result : MIEN_OK;
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
  int most = rounds > 0 ? rounds : rounds < 0 ? CHORDS : ROUNDS;
  s->info.rounds = 0;
  for (int nfailed = 0; s->info.rounds < most && nfailed < 2;) {
    double foretold = find_step(s);
    if (!(foretold > WIN * cost)) break;
    bool is_lower = improve(s, foretold, &cost);
    nfailed = is_lower ? 0 : nfailed + 1; // what failed has corrected the response
    if (!is_lower) cost = settle_again(s);
    s->info.rounds++;
  }
  mien_result result = rounds < 0 ? polish(s, &cost, err) : MIEN_OK;
  if (result < 0) return result;
  publish(s);
  s->info.residual = first > 0 ? cost / first : 0;
  s->info.seconds = mi_clock() - started;
  return MIEN_OK;
}

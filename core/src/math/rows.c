#include "math/rows.h"

#include <string.h>

typedef float row __attribute__((vector_size(16)));

static inline row load(const float *at) {
  row a;
  memcpy(&a, at, sizeof a);
  return a;
}

static inline void store(float *at, row a) {
  memcpy(at, &a, sizeof a);
}

static inline row all(float a) {
  return (row){a, a, a, a};
}

// Three floats of the other order.
static inline row load_three(const float *at) {
  return (row){at[0], at[1], at[2], 0};
}

static inline void store_three(float *at, row a) {
  at[0] = a[0], at[1] = a[1], at[2] = a[2];
}

static inline row yzx(row a) {
  return (row){a[1], a[2], a[0], a[3]};
}

static inline row zxy(row a) {
  return (row){a[2], a[0], a[1], a[3]};
}

void mi_rows_apply(const mi_rows_change *change, int begin, int end) {
  mi_rows_change c = *change;
  row about = load(c.about), shift = load(c.shift), spin = load(c.spin);
  row spin_yzx = yzx(spin), spin_zxy = zxy(spin), keep = all(c.keep), far = all(c.far);
  for (size_t i = 4 * (size_t)begin; i < 4 * (size_t)end; i += 4) {
    row x = load(c.x + i), r = x - about;
    row turning = spin_yzx * zxy(r) - spin_zxy * yzx(r);
    store(c.v + i, keep * load(c.v + i) + (shift + turning));
    store(c.x + i, x + far * load(c.d + i));
  }
}

typedef struct field {
  row axis[4];
} field;

static inline field field_of(const mi_rows_order *order) {
  field f;
  for (int k = 0; k < 4; k++) f.axis[k] = load(order->frame[k]);
  return f;
}

static inline row field_at(const field *f, row x) {
  return f->axis[0] * all(x[0]) + f->axis[1] * all(x[1]) + f->axis[2] * all(x[2]) + f->axis[3];
}

void mi_rows_see(const mi_rows_order *order, const float *x, const float *v, int begin, int end,
                 float *out) {
  field frame = field_of(order);
  for (int k = begin; k < end; k++) {
    size_t from = 3 * (size_t)order->perm[k];
    row gained = field_at(&frame, load_three(x + from));
    store(out + 4 * (size_t)k, load_three(v + from) + gained);
  }
}

void mi_rows_gather(const mi_rows_order *order, const mi_rows_ends *ends, int begin, int end) {
  mi_rows_ends e = *ends;
  field frame = field_of(order);
  row rate = all(e.rate);
  for (int k = begin; k < end; k++) {
    size_t from = 3 * (size_t)order->perm[k], to = 4 * (size_t)k;
    row gained = field_at(&frame, load(e.x + to));
    row had = load(e.first + to) - load_three(e.before + from);
    store(e.start + to, load(e.start + to) + load(e.posed + to));
    store(e.velocity + to, load_three(e.now + from) + gained);
    store(e.accel + to, load_three(e.outer + from) + rate * (gained - had));
  }
}

void mi_rows_hand_back(const mi_rows_order *order, const float *x, const float *v,
                       const float *posed, int begin, int end, float *to_v, float *to_x) {
  field frame = field_of(order);
  for (int k = begin; k < end; k++) {
    size_t to = 3 * (size_t)order->perm[k], from = 4 * (size_t)k;
    row place = load(x + from);
    store_three(to_v + to, load(v + from) - field_at(&frame, place));
    if (to_x) store_three(to_x + to, place - load(posed + from));
  }
}

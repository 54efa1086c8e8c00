// Compiled once per SIMD body: see math/wide.h and the core's CMakeLists.txt. Eight vertices at a
// time, one register per coordinate: cross products need no shuffles.
#include "math/momenta.h"

#include "math/wide_rows.h"

#if defined(MI_BODY_AVX2)
#define BODY_TABLE mi_momenta_body_avx2
#elif defined(MI_BODY_NEON)
#define BODY_TABLE mi_momenta_body_neon
#else
#define BODY_TABLE mi_momenta_body_scalar
#endif

enum { RUN = 16 * MI_WIDE, MOST_SUMS = 10 };

// Eight rows; where fewer are left the last one stands in, without mass and not counted.
typedef struct eight {
  int32_t row[MI_WIDE];
  mi_wide mass, counts;
} eight;

MI_INLINE eight take_eight(const mi_mass_rows *rows, int i, int end) {
  eight e;
  float inertia[MI_WIDE], counts[MI_WIDE];
  if (i + MI_WIDE <= end) {
    for (int k = 0; k < MI_WIDE; k++) e.row[k] = i + k;
    e.mass = mi_wmul(mi_wload(rows->inertia + i), mi_wset(rows->unit));
    e.counts = mi_wset(1);
    return e;
  }
  for (int k = 0; k < MI_WIDE; k++) {
    e.row[k] = i + k < end ? i + k : end - 1;
    inertia[k] = i + k < end ? rows->inertia[i + k] : 0;
    counts[k] = i + k < end;
  }
  e.mass = mi_wmul(mi_wload(inertia), mi_wset(rows->unit));
  e.counts = mi_wload(counts);
  return e;
}

static inline mi_wide3 scale3(mi_wide s, mi_wide3 a) {
  return (mi_wide3){mi_wmul(s, a.x), mi_wmul(s, a.y), mi_wmul(s, a.z)};
}

static inline mi_wide3 sub3(mi_wide3 a, mi_wide3 b) {
  return (mi_wide3){mi_wsub(a.x, b.x), mi_wsub(a.y, b.y), mi_wsub(a.z, b.z)};
}

static inline mi_wide3 arm_of(const mi_mass_rows *rows, const eight *e) {
  mi_wide3 about = {mi_wset(rows->about[0]), mi_wset(rows->about[1]), mi_wset(rows->about[2])};
  return sub3(mi_wgather(rows->x, e->row), about);
}

// -- sums of eight lanes --------------------------------------------------------------------------

MI_INLINE void clear(mi_wide *sum, int count) {
  for (int k = 0; k < count; k++) sum[k] = mi_wset(0);
}

MI_INLINE void add_vector(mi_wide *sum, mi_wide3 a) {
  sum[0] = mi_wadd(sum[0], a.x);
  sum[1] = mi_wadd(sum[1], a.y);
  sum[2] = mi_wadd(sum[2], a.z);
}

MI_INLINE void add_cross(mi_wide *sum, mi_wide3 a, mi_wide3 b) {
  sum[0] = mi_wnmadd(a.z, b.y, mi_wmadd(a.y, b.z, sum[0]));
  sum[1] = mi_wnmadd(a.x, b.z, mi_wmadd(a.z, b.x, sum[1]));
  sum[2] = mi_wnmadd(a.y, b.x, mi_wmadd(a.x, b.y, sum[2]));
}

MI_INLINE void add_dot(mi_wide *sum, mi_wide3 a, mi_wide3 b) {
  *sum = mi_wmadd(a.z, b.z, mi_wmadd(a.y, b.y, mi_wmadd(a.x, b.x, *sum)));
}

MI_INLINE void add_up(const mi_wide *sum, int count, double *out) {
  for (int k = 0; k < count; k++) {
    float lane[MI_WIDE];
    double even = 0, odd = 0;
    mi_wstore(lane, sum[k]);
    for (int p = 0; p < MI_WIDE; p += 2) even += (double)lane[p], odd += (double)lane[p + 1];
    out[k] += even + odd;
  }
}

static int run_end(int begin, int end) {
  return end - begin < RUN ? end : begin + RUN;
}

// -- the kernels ----------------------------------------------------------------------------------

static void momenta(const mi_mass_rows *rows, int begin, int end, double out[7]) {
  for (int run = begin; run < end; run += RUN) {
    mi_wide sum[7];
    clear(sum, 7);
    for (int i = run; i < run_end(run, end); i += MI_WIDE) {
      eight e = take_eight(rows, i, end);
      mi_wide3 v = mi_wgather(rows->v, e.row), p = scale3(e.mass, v);
      add_vector(sum, p);
      add_cross(sum + 3, arm_of(rows, &e), p);
      add_dot(sum + 6, v, p);
    }
    add_up(sum, 7, out);
  }
}

static void shape(const mi_mass_rows *rows, int begin, int end, double out[10]) {
  for (int run = begin; run < end; run += RUN) {
    mi_wide sum[MOST_SUMS];
    clear(sum, 10);
    for (int i = run; i < run_end(run, end); i += MI_WIDE) {
      eight e = take_eight(rows, i, end);
      mi_wide3 r = arm_of(rows, &e), m = scale3(e.mass, r);
      sum[0] = mi_wadd(sum[0], e.mass);
      add_vector(sum + 1, m);
      sum[4] = mi_wmadd(m.x, r.x, sum[4]);
      sum[5] = mi_wmadd(m.y, r.y, sum[5]);
      sum[6] = mi_wmadd(m.z, r.z, sum[6]);
      sum[7] = mi_wmadd(m.x, r.y, sum[7]);
      sum[8] = mi_wmadd(m.y, r.z, sum[8]);
      sum[9] = mi_wmadd(m.z, r.x, sum[9]);
    }
    add_up(sum, 10, out);
  }
}

static void along(const mi_mass_rows *rows, const float *d, const float *f, int begin, int end,
                  double out[4]) {
  for (int run = begin; run < end; run += RUN) {
    mi_wide sum[4];
    clear(sum, 4);
    for (int i = run; i < run_end(run, end); i += MI_WIDE) {
      eight e = take_eight(rows, i, end);
      mi_wide3 way = mi_wgather(d, e.row);
      add_cross(sum, way, scale3(e.mass, mi_wgather(rows->v, e.row)));
      add_dot(sum + 3, scale3(e.counts, way), mi_wgather(f, e.row));
    }
    add_up(sum, 4, out);
  }
}

static void work(const mi_mass_rows *rows, const float *accel, const float *start, int begin,
                 int end, double out[1]) {
  for (int run = begin; run < end; run += RUN) {
    mi_wide sum[1];
    clear(sum, 1);
    for (int i = run; i < run_end(run, end); i += MI_WIDE) {
      eight e = take_eight(rows, i, end);
      mi_wide3 gone = sub3(mi_wgather(rows->x, e.row), mi_wgather(start, e.row));
      add_dot(sum, gone, scale3(e.mass, mi_wgather(accel, e.row)));
    }
    add_up(sum, 1, out);
  }
}

const mi_momenta_kernels BODY_TABLE = {momenta, shape, along, work};

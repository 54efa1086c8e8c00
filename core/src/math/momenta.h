// Momenta, inertia and work of moving point masses: sums over rows of four floats, x, y, z, 0. The
// kernels add short runs in float and the runs in double.
#ifndef MI_MOMENTA_H
#define MI_MOMENTA_H

typedef struct mi_mass_rows {
  const float *x, *v;   // m, m / s
  const float *inertia; // one a row; its mass is `unit` times that
  float unit;
  float about[3]; // m, the point that r = x - about is measured from
} mi_mass_rows;

// In the table of a SIMD body: mi_kernels_best()->momenta.
typedef struct mi_momenta_kernels {
  // += sum m v, sum r x m v, sum m v.v
  void (*momenta)(const mi_mass_rows *rows, int begin, int end, double sum[7]);
  // += sum m, sum m r, sum m (xx, yy, zz, xy, yz, zx) of r
  void (*shape)(const mi_mass_rows *rows, int begin, int end, double sum[10]);
  // += sum d x m v, sum f.d
  void (*along)(const mi_mass_rows *rows, const float *d, const float *f, int begin, int end,
                double sum[4]);
  // += sum m accel.(x - start)
  void (*work)(const mi_mass_rows *rows, const float *accel, const float *start, int begin, int end,
               double sum[1]);
} mi_momenta_kernels;

extern const mi_momenta_kernels mi_momenta_body_scalar, mi_momenta_body_avx2, mi_momenta_body_neon;

#endif

// Sums over the rows of moving flesh, one table per SIMD body (see math/wide.h). A row is four
// floats: x, y, z, 0. Few enough are added in float that it does not matter, the rest in double.
#ifndef MI_MOTION_KERNELS_H
#define MI_MOTION_KERNELS_H

typedef struct mi_motion_rows {
  const float *x, *v;   // m, m / s
  const float *inertia; // one a row; its mass is `unit` times that
  float unit;
  float about[3]; // m, the point that r = x - about is measured from
} mi_motion_rows;

typedef struct mi_motion_kernels {
  // += sum m v, sum r x m v, sum m v.v
  void (*momenta)(const mi_motion_rows *rows, int begin, int end, double sum[7]);
  // += sum m, sum m r, sum m (xx, yy, zz, xy, yz, zx) of r
  void (*shape)(const mi_motion_rows *rows, int begin, int end, double sum[10]);
  // += sum d x m v, sum f.d
  void (*along)(const mi_motion_rows *rows, const float *d, const float *f, int begin, int end,
                double sum[4]);
  // += sum m push.(x - start)
  void (*work)(const mi_motion_rows *rows, const float *accel, const float *start, int begin,
               int end, double sum[1]);
} mi_motion_kernels;

const mi_motion_kernels *mi_motion_kernels_best(void);

extern const mi_motion_kernels mi_motion_body_scalar, mi_motion_body_avx2, mi_motion_body_neon;

#endif

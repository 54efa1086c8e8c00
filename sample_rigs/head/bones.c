// Skull and jaw bone: closed surfaces inside the flesh, clear of skin, mouth bag, eye pockets and
// each other.
#include "parts.h"

#include <stdlib.h>

#include "cage.h"
#include "form.h"

static double carve(double a, double tool, double width) {
  return -head_form_join(-a, tool, width);
}

// Bone is the head form sunk by the thickness of the flesh, with everything that is not bone taken
// away.
static double skull_distance(vec3 p) {
  p.x = fabs(p.x);
  double d = head_form_distance(p) + 7.0;
  double floor = -38.0 + 0.35 * fmax(0.0, 40.0 - p.z);
  d = carve(d, p.y - fmin(floor, 0.0), 10);
  vec3 eye = eye_centre();
  double orbit = head_form_capsule(p, eye, v3(eye.x + 3, eye.y - 1, 120), 17.0, 21.0);
  d = carve(d, orbit, 5);
  double nose = head_form_ellipsoid(p, v3(0, -14, 102), v3(12, 24, 17));
  d = carve(d, nose, 6);
  double bag = head_form_ellipsoid(p, v3(0, -56, 72), v3(40, 25, 46));
  d = carve(d, bag, 6);
  double masseter = head_form_ellipsoid(p, v3(60, -36, 26), v3(27, 34, 46));
  return carve(d, masseter, 10);
}

// First exit from the bone along a ray from inside the brain case.
static vec3 skull_point(vec3 direction) {
  vec3 p = v3(0, 26, -4);
  for (int i = 0; i < 160; i++) {
    double d = skull_distance(p);
    if (d > -1e-3) break;
    p = v3_madd(p, -0.5 * d, direction);
  }
  return p;
}

// Bone is laid over a cube blown up to a sphere.
static vec3 cube_direction(int n, const int g[3]) {
  double a[3];
  for (int i = 0; i < 3; i++) a[i] = tan((2.0 * g[i] / n - 1.0) * acos(-1.0) / 4.0);
  return v3_unit(v3(a[0], a[1], a[2]));
}

// Points of the cube in scan order; only those on its surface become vertices.
static int cube_index(int n, const int g[3]) {
  return (g[2] * (n + 1) + g[1]) * (n + 1) + g[0];
}

static int on_surface(int n, const int g[3]) {
  for (int i = 0; i < 3; i++)
    if (g[i] == 0 || g[i] == n) return 1;
  return 0;
}

static void skull_faces(mesh_builder *mesh, int n, const int *vertex) {
  for (int axis = 0; axis < 3; axis++)
    for (int end = 0; end < 2; end++)
      for (int b = 0; b < n; b++)
        for (int a = 0; a < n; a++) {
          int quad[4];
          static const int corner[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
          for (int k = 0; k < 4; k++) {
            int g[3];
            g[axis] = end * n;
            g[(axis + 1) % 3] = a + corner[k][0];
            g[(axis + 2) % 3] = b + corner[k][1];
            quad[k] = vertex[cube_index(n, g)];
          }
          if (end)
            mesh_builder_quad(mesh, quad[0], quad[1], quad[2], quad[3]);
          else
            mesh_builder_quad(mesh, quad[3], quad[2], quad[1], quad[0]);
        }
}

void build_skull(mesh_builder *mesh, int fineness) {
  static const float bone[3] = {0.80f, 0.74f, 0.62f};
  int n = 12 * fineness;
  size_t side = (size_t)n + 1;
  int *vertex = malloc(side * side * side * sizeof *vertex);
  if (!vertex) {
    mesh->failed = 1;
    return;
  }
  int g[3];
  for (g[2] = 0; g[2] <= n; g[2]++)
    for (g[1] = 0; g[1] <= n; g[1]++)
      for (g[0] = 0; g[0] <= n; g[0]++) {
        if (!on_surface(n, g)) continue;
        vec3 p = skull_point(cube_direction(n, g));
        vertex[cube_index(n, g)] = mesh_builder_vertex(mesh, (float)p.x, (float)p.y, (float)p.z);
      }
  skull_faces(mesh, n, vertex);
  mesh_builder_paint(mesh, 0, bone);
  free(vertex);
}

// Path of the left half of the jaw bone from the chin over the angle to the joint, with half height
// and half thickness.
typedef struct jaw_station {
  vec3 p;
  double height;
  double thickness;
} jaw_station;

static const jaw_station jaw_path[] = {
    {{0, -87, 86.5}, 8.0, 5.0}, {{8, -86.5, 85}, 8.0, 5.0},  {{16, -84, 78.5}, 7.2, 4.5},
    {{24, -80, 66}, 6.6, 4.2},  {{31, -75.5, 51}, 6.6, 4.0}, {{37, -69, 35.5}, 7.2, 3.8},
    {{42, -60, 21}, 8.0, 3.6},  {{45.5, -47, 14}, 8.5, 3.4}, {{48.5, -33, 11.5}, 8.5, 3.2},
    {{51, -20, 10}, 6.5, 3.2},  {{52, -12, 9}, 4.6, 3.4}};

enum { NSTATION = sizeof jaw_path / sizeof jaw_path[0] };

static jaw_station mirrored_station(int i) {
  jaw_station s = jaw_path[i < 0 ? -i : i];
  if (i < 0) s.p.x = -s.p.x;
  return s;
}

static double catmull_rom(double a, double b, double c, double d, double t) {
  return b + 0.5 * t * (c - a + t * (2 * a - 5 * b + 4 * c - d + t * (3 * (b - c) + d - a)));
}

static jaw_station jaw_at(double s) {
  int last = NSTATION - 1;
  int i = (int)floor(s);
  i = i < -last ? -last : i >= last ? last - 1 : i;
  double t = s - i;
  jaw_station k[4];
  for (int n = 0; n < 4; n++) {
    int j = i - 1 + n;
    k[n] = mirrored_station(j < -last ? -last : j > last ? last : j);
  }
  jaw_station out;
  out.p.x = catmull_rom(k[0].p.x, k[1].p.x, k[2].p.x, k[3].p.x, t);
  out.p.y = catmull_rom(k[0].p.y, k[1].p.y, k[2].p.y, k[3].p.y, t);
  out.p.z = catmull_rom(k[0].p.z, k[1].p.z, k[2].p.z, k[3].p.z, t);
  out.height = mix(k[1].height, k[2].height, t);
  out.thickness = mix(k[1].thickness, k[2].thickness, t);
  return out;
}

static void jaw_ring(mesh_builder *mesh, double s, double shrink, double shift, int count,
                     int *loop) {
  jaw_station here = jaw_at(s);
  vec3 tangent = v3_unit(v3_sub(jaw_at(s + 0.05).p, jaw_at(s - 0.05).p));
  vec3 out = v3_unit(v3(here.p.x, 0, 0.8 * (here.p.z + 10)));
  vec3 up = v3_unit(v3_cross(out, tangent));
  vec3 thick = v3_cross(tangent, up);
  vec3 centre = v3_madd(here.p, shift, tangent);
  for (int i = 0; i < count; i++) {
    double a = 2.0 * acos(-1.0) * i / count;
    vec3 p = v3_madd(centre, shrink * here.height * cos(a), up);
    p = v3_madd(p, shrink * here.thickness * sin(a), thick);
    loop[i] = mesh_builder_vertex(mesh, (float)p.x, (float)p.y, (float)p.z);
  }
}

void build_jaw_bone(mesh_builder *mesh, int fineness) {
  enum { MOST = 32 };
  static const float bone[3] = {0.80f, 0.74f, 0.62f};
  int count = 6 * fineness;
  int nring = 3 * (NSTATION - 1) * fineness;
  int last[MOST];
  int next[MOST];
  double end = NSTATION - 1;
  double height = jaw_path[NSTATION - 1].thickness;
  for (int r = -2; r <= nring + 2; r++) {
    // The two rings beyond each end round it off.
    int beyond = r < 0 ? -r : r > nring ? r - nring : 0;
    double s = r < 0 ? -end : r > nring ? end : -end + 2.0 * end * r / nring;
    double shrink = beyond == 0 ? 1.0 : beyond == 1 ? 0.80 : 0.42;
    double shift = (r < 0 ? -1.0 : 1.0) * height * (beyond == 0 ? 0.0 : beyond == 1 ? 0.6 : 0.9);
    jaw_ring(mesh, s, shrink, shift, count, next);
    if (r > -2) mesh_builder_bridge(mesh, last, next, count, 1);
    for (int i = 0; i < count; i++) last[i] = next[i];
    if (r == -2 || r == nring + 2) {
      jaw_station tip = jaw_at(s);
      vec3 tangent = v3_unit(v3_sub(jaw_at(s + 0.05).p, jaw_at(s - 0.05).p));
      vec3 p = v3_madd(tip.p, (r < 0 ? -1.0 : 1.0) * height, tangent);
      float centre[3] = {(float)p.x, (float)p.y, (float)p.z};
      int reversed[MOST];
      for (int i = 0; i < count; i++) reversed[i] = next[count - 1 - i];
      mesh_builder_fan(mesh, r < 0 ? reversed : next, count, centre);
    }
  }
  mesh_builder_paint(mesh, 0, bone);
}

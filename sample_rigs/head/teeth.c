// Teeth, tongue and eyeballs.
#include "parts.h"

#include "cage.h"

enum { NTOOTH = 14, SECTION = 12 };

static const float ivory[3] = {0.80f, 0.75f, 0.62f};
static const float gum[3] = {0.55f, 0.20f, 0.19f};

// Cross-section of a tooth with its gum: depth behind the front, height above the biting edge
// (upper row).
static const double section[SECTION][2] = {{0.9, 0.0}, {0.1, 1.2},  {0.0, 4.0},  {0.4, 7.0},
                                           {0.2, 8.4}, {1.6, 10.0}, {4.0, 10.3}, {6.4, 9.6},
                                           {6.6, 7.5}, {5.2, 5.0},  {3.2, 2.2},  {2.2, 0.2}};
static const int section_is_gum[SECTION] = {0, 0, 0, 0, 1, 1, 1, 1, 1, 0, 0, 0};

typedef struct arch_shape {
  double width; // x of the last molar's middle
  double front; // z of the front
  double bend;
  double edge; // y of the biting edges
  double up;   // +1 upper row, -1 lower row
} arch_shape;

// Length along the arch is tabulated so that teeth get even widths.
static double arch_x(const arch_shape *a, double share) {
  enum { STEPS = 400 };
  double total = 0.0;
  double want = 0.0;
  for (int pass = 0; pass < 2; pass++) {
    double length = 0.0;
    for (int i = 0; i < STEPS; i++) {
      double x = a->width * (i + 0.5) / STEPS;
      length += a->width / STEPS * sqrt(1.0 + 4.0 * a->bend * a->bend * x * x);
      if (pass && length >= want) return x;
    }
    total = length;
    want = fabs(share) * total;
  }
  return a->width;
}

static vec3 arch_point(const arch_shape *a, double share, double depth, double rise) {
  double x = arch_x(a, share);
  if (share < 0) x = -x;
  if (share == 0.0) x = 0.0;
  vec3 normal = v3_unit(v3(2.0 * a->bend * x, 0, 1));
  vec3 p = v3(x, a->edge + a->up * rise, a->front - a->bend * x * x);
  return v3_madd(p, -depth, normal);
}

// Distance into a tooth: 0 at the gap between two, 1 on its crown.
static double crown(double share) {
  double t = fabs(share) * NTOOTH / 2.0;
  return pow(fabs(sin(acos(-1.0) * t)), 0.5);
}

static void tooth_ring(mesh_builder *mesh, const arch_shape *a, double share, double shrink,
                       int *loop) {
  double c = crown(share);
  double back = ramp(0.35, 0.75, fabs(share));
  for (int i = 0; i < SECTION; i++) {
    int flesh = section_is_gum[i];
    double depth = section[i][0];
    double rise = section[i][1];
    // Molars are thicker and blunter; gaps dip in and up.
    depth = mix(depth, 0.6 + 1.15 * depth, back * (rise < 9.0));
    if (!flesh) {
      depth += (depth < 3.5 ? 0.7 : -0.4) * (1.0 - c);
      rise = fmax(rise, 1.0 * (1.0 - c));
      rise = mix(rise, fmax(rise, 0.7), back);
    }
    if (a->up < 0) rise *= 0.82;
    depth = mix(3.4, depth, shrink);
    rise = mix(5.0, rise, shrink);
    vec3 p = arch_point(a, share, depth, rise);
    loop[i] = mesh_builder_vertex(mesh, (float)p.x, (float)p.y, (float)p.z);
    for (int k = 0; k < 3 && loop[i] >= 0; k++)
      mesh->colour[loop[i]][k] = flesh ? gum[k] : ivory[k];
  }
}

static void cap(mesh_builder *mesh, const arch_shape *a, double share, const int *loop, int flip) {
  vec3 p = arch_point(a, share, 3.4, 5.0);
  float centre[3] = {(float)p.x, (float)p.y, (float)p.z};
  int ordered[SECTION];
  for (int i = 0; i < SECTION; i++) ordered[i] = loop[flip ? SECTION - 1 - i : i];
  int v = mesh_builder_fan(mesh, ordered, SECTION, centre);
  for (int k = 0; k < 3 && v >= 0; k++) mesh->colour[v][k] = gum[k];
}

void build_teeth(mesh_builder *mesh, int upper, int fineness) {
  double line = mouth_line_height();
  arch_shape a = {25.5, mouth_base() - 9.4, 0.036, line - 2.2, 1.0};
  if (!upper) a = (arch_shape){23.5, mouth_base() - 13.0, 0.039, line - 3.0, -1.0};
  int per_tooth = 4 * fineness;
  int n = NTOOTH * per_tooth;
  int last[SECTION];
  int next[SECTION];
  for (int r = 0; r <= n; r++) {
    double share = 2.0 * r / n - 1.0;
    double shrink = r == 0 || r == n ? 0.8 : 1.0;
    tooth_ring(mesh, &a, share, shrink, next);
    // Seen from outside the section runs clockwise in the upper row and counter-clockwise in the
    // mirrored lower row.
    if (r > 0 && !upper)
      mesh_builder_bridge(mesh, last, next, SECTION, 1);
    else if (r > 0)
      mesh_builder_bridge(mesh, next, last, SECTION, 1);
    if (r == 0 || r == n) cap(mesh, &a, share, next, (r == 0) != (upper != 0));
    for (int i = 0; i < SECTION; i++) last[i] = next[i];
  }
}

void build_tongue(mesh_builder *mesh, int fineness) {
  static const float pink[3] = {0.58f, 0.24f, 0.24f};
  int nring = 8 * fineness;
  int nside = 8 * fineness;
  int last[32];
  int next[32];
  vec3 centre = v3(0, mouth_line_height() - 5.2, mouth_base() - 37.5);
  float tip[3] = {0.0f, (float)centre.y, (float)(centre.z + 16.0)};
  float root[3] = {0.0f, (float)(centre.y - 1.5), (float)(centre.z - 9.0)};
  for (int r = 1; r < nring; r++) {
    double a = acos(-1.0) * r / nring;
    double along = cos(a);
    for (int i = 0; i < nside; i++) {
      double b = 2.0 * acos(-1.0) * i / nside;
      double width = 11.5 * pow(sin(a), 0.75);
      double thick = 4.0 * pow(sin(a), 0.8);
      double x = width * cos(b);
      double groove = sin(b) > 0 ? 0.9 * exp(-x * x / 12.0) * sin(a) : 0.0;
      double y = centre.y + thick * sin(b) - groove - 1.5 * (along < 0 ? along * along : 0.0);
      double z = centre.z + (along > 0 ? 16.0 : 9.0) * along;
      next[i] = mesh_builder_vertex(mesh, (float)x, (float)y, (float)z);
    }
    if (r > 1)
      mesh_builder_bridge(mesh, next, last, nside, 1);
    else
      mesh_builder_fan(mesh, next, nside, tip);
    for (int i = 0; i < nside; i++) last[i] = next[i];
  }
  int reversed[32];
  for (int i = 0; i < nside; i++) reversed[i] = last[nside - 1 - i];
  mesh_builder_fan(mesh, reversed, nside, root);
  mesh_builder_paint(mesh, 0, pink);
}

// Rings round the optical axis; doubled where the colour jumps.
static const double eye_polar[] = {0.08, 0.165, 0.185, 0.26, 0.34, 0.42, 0.465, 0.50, 0.56, 0.66,
                                   0.8,  0.98,  1.2,   1.45, 1.75, 2.05, 2.35,  2.65, 2.9};

static void eye_colour(double polar, double spoke, float colour[3]) {
  static const double pupil[3] = {0.008, 0.008, 0.01};
  static const double iris[3] = {0.13, 0.12, 0.075};
  static const double limbus[3] = {0.03, 0.028, 0.02};
  static const double white[3] = {0.72, 0.69, 0.66};
  double in_iris = ramp(0.165, 0.185, polar);
  double rim = ramp(0.36, 0.47, polar);
  double out = ramp(0.475, 0.53, polar);
  double veins = ramp(0.8, 1.5, polar);
  for (int k = 0; k < 3; k++) {
    double c = mix(iris[k] * (1.0 + 0.25 * spoke), limbus[k], rim);
    c = mix(pupil[k], c, in_iris);
    c = mix(c, white[k], out);
    colour[k] = (float)(c * (k == 0 ? 1.0 : 1.0 - 0.12 * veins));
  }
}

void build_eyeball(mesh_builder *mesh, int left, int fineness) {
  enum { MOST = 64, NRING = sizeof eye_polar / sizeof eye_polar[0] };
  int nside = 24 * fineness > MOST ? MOST : 24 * fineness;
  vec3 centre = eye_centre();
  double side = left ? 1.0 : -1.0;
  int last[MOST];
  int next[MOST];
  for (int r = 0; r < NRING; r++) {
    for (int i = 0; i < nside; i++) {
      double a = 2.0 * acos(-1.0) * i / nside;
      vec3 d = v3(sin(eye_polar[r]) * cos(a), sin(eye_polar[r]) * sin(a), cos(eye_polar[r]));
      vec3 p = v3_madd(centre, eye_ball_radius(d), d);
      next[i] = mesh_builder_vertex(mesh, (float)(side * p.x), (float)p.y, (float)p.z);
      if (next[i] >= 0)
        eye_colour(eye_polar[r], sin(11.0 * a) * cos(4.0 * a), mesh->colour[next[i]]);
    }
    int reversed[MOST];
    for (int i = 0; i < nside; i++) reversed[i] = next[nside - 1 - i];
    if (r > 0 && left)
      mesh_builder_bridge(mesh, next, last, nside, 1);
    else if (r > 0)
      mesh_builder_bridge(mesh, last, next, nside, 1);
    if (r == 0 || r == NRING - 1) {
      double reach = eye_ball_radius(v3(0, 0, r == 0 ? 1 : -1)) * (r == 0 ? 1.0 : -1.0);
      float pole[3] = {(float)(side * centre.x), (float)centre.y, (float)(centre.z + reach)};
      int v = mesh_builder_fan(mesh, (r == 0) == (left != 0) ? next : reversed, nside, pole);
      if (v >= 0) eye_colour(r == 0 ? 0.0 : 3.14, 0.0, mesh->colour[v]);
    }
    for (int i = 0; i < nside; i++) last[i] = next[i];
  }
}

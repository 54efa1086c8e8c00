// Eyeballs.
#include "parts.h"

#include "cage.h"

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

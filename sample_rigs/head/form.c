#include "form.h"

double head_form_ellipsoid(vec3 p, vec3 centre, vec3 radius) {
  vec3 q = v3_sub(p, centre);
  vec3 a = v3(q.x / radius.x, q.y / radius.y, q.z / radius.z);
  vec3 b = v3(a.x / radius.x, a.y / radius.y, a.z / radius.z);
  double la = v3_length(a);
  double lb = v3_length(b);
  return lb > 1e-9 ? la * (la - 1.0) / lb : -fmin(radius.x, fmin(radius.y, radius.z));
}

double head_form_capsule(vec3 p, vec3 a, vec3 b, double radius_a, double radius_b) {
  vec3 ab = v3_sub(b, a);
  double t = clamp01(v3_dot(v3_sub(p, a), ab) / v3_dot(ab, ab));
  return v3_length(v3_sub(p, v3_madd(a, t, ab))) - mix(radius_a, radius_b, t);
}

double head_form_join(double a, double b, double width) {
  double h = fmax(width - fabs(a - b), 0.0) / width;
  return fmin(a, b) - h * h * h * width / 6.0;
}

static double carve(double a, double tool, double width) {
  return -head_form_join(-a, tool, width);
}

static double cranium(vec3 p) {
  double d = head_form_ellipsoid(p, v3(0, 42, -12), v3(73, 83.5, 85));
  double forehead = head_form_ellipsoid(p, v3(0, 56, 26), v3(60, 60, 68));
  d = head_form_join(d, forehead, 36);
  double occiput = head_form_ellipsoid(p, v3(0, 18, -46), v3(58, 56, 50));
  return head_form_join(d, occiput, 36);
}

static double jaw(vec3 p) {
  vec3 chin = v3(10, -85.5, 83.5);
  vec3 body = v3(28, -78.5, 57);
  vec3 angle = v3(41, -58, 18);
  double d = head_form_capsule(p, chin, body, 14, 12);
  d = head_form_join(d, head_form_capsule(p, body, angle, 12, 12), 20);
  double ramus = head_form_capsule(p, angle, v3(52, -2, 8), 12, 9.5);
  d = head_form_join(d, ramus, 18);
  double masseter = head_form_ellipsoid(p, v3(43, -26, 27), v3(17.5, 40, 32));
  d = head_form_join(d, masseter, 30);
  double floor = head_form_ellipsoid(p, v3(0, -78, 48), v3(34, 23, 42));
  d = head_form_join(d, floor, 24);
  double boss = head_form_ellipsoid(p, v3(0, -86.5, 86), v3(19, 13, 15));
  return head_form_join(d, boss, 26);
}

static double face_mask(vec3 p) {
  double d = head_form_ellipsoid(p, v3(0, -12, 27), v3(61, 76, 63));
  double muzzle = head_form_ellipsoid(p, v3(0, -54, 62), v3(36, 34, 41));
  d = head_form_join(d, muzzle, 26);
  double cheek = head_form_ellipsoid(p, v3(32, -36, 56), v3(26, 34, 29));
  d = head_form_join(d, cheek, 30);
  double cheekbone = head_form_ellipsoid(p, v3(43, -4, 54), v3(21, 15, 24));
  d = head_form_join(d, cheekbone, 30);
  double arch = head_form_capsule(p, v3(49, -3, 52), v3(61, 2, 10), 7.5, 6);
  d = head_form_join(d, arch, 26);
  double under_eye = head_form_ellipsoid(p, v3(29, -5, 71), v3(19, 13, 14));
  return head_form_join(d, under_eye, 16);
}

static double brow(vec3 p) {
  double d = head_form_capsule(p, v3(10, 35, 84), v3(43, 35.5, 67), 11, 9);
  double glabella = head_form_ellipsoid(p, v3(0, 37, 82), v3(17, 13, 15));
  d = head_form_join(d, glabella, 14);
  double rim = head_form_capsule(p, v3(45, 32, 65), v3(48, 0, 62), 8.0, 9);
  return head_form_join(d, rim, 24);
}

static double nose(vec3 p) {
  double d = head_form_capsule(p, v3(0, 24, 86), v3(0, -6, 97.2), 6.4, 6.6);
  double tip = head_form_capsule(p, v3(0, -6, 97.2), v3(0, -19.5, 106.2), 6.6, 8.6);
  d = head_form_join(d, tip, 12);
  double wing = head_form_ellipsoid(p, v3(10.9, -22.5, 97.5), v3(6.2, 7.4, 10.5));
  d = head_form_join(d, wing, 8);
  double flank = head_form_ellipsoid(p, v3(0, -8, 87), v3(14.5, 28, 13));
  d = head_form_join(d, flank, 12);
  double columella = head_form_capsule(p, v3(0, -25.5, 107), v3(0, -30, 98), 4.6, 5.5);
  return head_form_join(d, columella, 7);
}

static double neck(vec3 p) {
  vec3 a = v3(0, -230, -45);
  vec3 b = v3(0, 0, -15);
  vec3 c = v3_mix(a, b, clamp01((p.y - a.y) / (b.y - a.y)));
  double radius = 52.5 + 9 * ramp(-110, -210, p.y);
  double d = sqrt(p.x * p.x / 0.92 + (p.z - c.z) * (p.z - c.z)) - radius;
  // Nothing of the neck above the ears.
  d = carve(d, -p.y, 40);
  double cord = head_form_capsule(p, v3(48, -30, -24), v3(20, -190, 2), 9, 9);
  d = head_form_join(d, cord, 30);
  double larynx = head_form_ellipsoid(p, v3(0, -132, 14), v3(15, 24, 14));
  return head_form_join(d, larynx, 30);
}

// Hollows: eye sockets, temples, the fold under the lower lip, the philtrum.
static double hollow_out(double d, vec3 p) {
  double socket = head_form_ellipsoid(p, v3(31, 16.8, 100), v3(18, 12.3, 20));
  d = carve(d, socket, 16);
  double temple = head_form_ellipsoid(p, v3(98, 34, 50), v3(28, 36, 42));
  d = carve(d, temple, 40);
  double fold = head_form_capsule(p, v3(0, -73.5, 112.5), v3(15, -72, 107), 8.5, 8.5);
  d = carve(d, fold, 10);
  double philtrum = head_form_capsule(p, v3(0, -37, 102.8), v3(0, -46, 104.4), 3.0, 3.2);
  return carve(d, philtrum, 4);
}

double head_form_distance(vec3 p) {
  // Both sides are one: paired forms stand at +x and the solid is folded there.
  p.x = fabs(p.x);
  double d = head_form_join(cranium(p), face_mask(p), 30);
  d = head_form_join(d, jaw(p), 24);
  d = head_form_join(d, brow(p), 16);
  d = hollow_out(d, p);
  d = head_form_join(d, neck(p), 38);
  return head_form_join(d, nose(p), 8);
}

// Not of unit length.
static vec3 normal(vec3 p) {
  const double h = 0.05;
  return v3(head_form_distance(v3(p.x + h, p.y, p.z)) - head_form_distance(v3(p.x - h, p.y, p.z)),
            head_form_distance(v3(p.x, p.y + h, p.z)) - head_form_distance(v3(p.x, p.y - h, p.z)),
            head_form_distance(v3(p.x, p.y, p.z + h)) - head_form_distance(v3(p.x, p.y, p.z - h)));
}

vec3 head_form_project(vec3 p, int rounds) {
  const double h = 0.05;
  for (int i = 0; i < rounds; i++) {
    double d = head_form_distance(p);
    vec3 g = v3_scale(normal(p), 0.5 / h);
    double gg = fmax(v3_dot(g, g), 0.05);
    p = v3_madd(p, -d / gg, g);
  }
  return p;
}

double head_form_front(double x, double y) {
  double z = 150.0;
  for (int i = 0; i < 120; i++) {
    double d = head_form_distance(v3(x, y, z));
    if (d < 1e-4) break;
    z -= 0.7 * d;
  }
  return z;
}

// Rings round the mouth: skin, lips, inner lips, mouth bag.
#include "cage.h"

#include "form.h"
#include "parts.h"

#include <threads.h>

enum { CORNER = 6 };

// The line along which the lips meet, from the middle of the upper lip over the corner back to the
// middle of the lower.
static const double line_x[MOUTH_NANGLE] = {0,    4.6,  9.4,  14.2, 18.6, 22.4, 25.2,
                                            22.4, 18.6, 14.2, 9.4,  4.6,  0};
static const double line_y[MOUTH_NANGLE] = {-54.2, -53.7, -53.2, -53.0, -52.9, -52.8, -52.6,
                                            -52.8, -52.9, -53.0, -53.2, -53.7, -54.2};
// Height of the red: the cupid's bow above, the fuller lip below.
static const double height[MOUTH_NANGLE] = {6.6, 8.2, 7.4, 5.7, 4.0, 2.3, 1.5,
                                            2.6, 4.8, 6.9, 8.5, 9.3, 9.5};
// Fullness: how far the red swells forward.
static const double swell[MOUTH_NANGLE] = {1.15, 1.0,  0.95, 0.85, 0.65, 0.42, 0.25,
                                           0.45, 0.75, 0.98, 1.12, 1.15, 1.1};
// Which way is outwards in the frontal plane, degrees from up.
static const double outward[MOUTH_NANGLE] = {0, 4, 9, 15, 24, 42, 90, 138, 156, 165, 171, 176, 180};

// Profile of a lip: fraction of its height above the line, millimetres above the line, forward.
// Between the rings the subdivided lips swell towards each other: less than half a millimetre
// stays.
typedef struct lip_profile {
  double along;
  double above;
  double forward;
} lip_profile;

static const lip_profile upper_profile[] = {
    [RING_ROLL] = {1.0, 2.2, 0.5},   [RING_BORDER] = {1.0, 0.0, 0.7},   [4] = {0.58, 0.0, 2.2},
    [5] = {0.18, 0.1, 2.5},          [RING_CONTACT] = {0.0, 0.22, 0.6}, [7] = {0.0, 0.42, -2.4},
    [RING_INNER] = {0.15, 0.9, -5.6}};
static const lip_profile lower_profile[] = {
    [RING_ROLL] = {1.0, 2.2, -0.5},  [RING_BORDER] = {1.0, 0.0, 0.6},   [4] = {0.62, 0.0, 2.6},
    [5] = {0.22, 0.1, 2.5},          [RING_CONTACT] = {0.0, 0.22, 0.6}, [7] = {0.0, 0.50, -2.4},
    [RING_INNER] = {0.15, 0.9, -5.6}};

// The bag behind the lips: half width, half heights, depth, and how much it follows the curve of
// the teeth.
typedef struct bag_section {
  double width;
  double up;
  double down;
  double depth;
  double curve;
} bag_section;

static const bag_section bag[] = {{26.5, 8.0, 8.5, 6.9, 1.0},   // 9
                                  {28.5, 12.5, 13.2, 8.2, 1.0}, // 10: the fold
                                  {30.0, 14.0, 15.5, 14.0, 0.9}, {31.0, 13.5, 15.0, 30.0, 0.5},
                                  {28.0, 11.5, 13.0, 44.0, 0.2}, {18.0, 8.0, 9.0, 50.0, 0.1}};

double mouth_arch(double x) {
  return 0.0235 * x * x;
}

double mouth_line_height(void) {
  return line_y[CORNER];
}

// The lips grow out of the muzzle, so they are measured from its surface. Shapes ask for it at
// every vertex.
static double base_found;

static void find_base(void) {
  base_found = head_form_front(0.0, line_y[0]) - 0.2;
}

double mouth_base(void) {
  static once_flag once = ONCE_FLAG_INIT;
  call_once(&once, find_base);
  return base_found;
}

// How much higher the slit between the lips lies at its back: from the front no light falls through
// it.
static const double slit_rise[] = {[RING_CONTACT] = 0.0, [7] = 0.7, [RING_INNER] = 0.8};

static vec3 lip_point(int ring, int k) {
  double angle = outward[k] * acos(-1.0) / 180.0;
  const lip_profile *f = k < CORNER ? upper_profile : lower_profile;
  lip_profile p = f[ring];
  double reach = p.along * height[k] + p.above;
  double x = line_x[k] + sin(angle) * reach;
  double y = line_y[k] + cos(angle) * reach;
  double forward = p.forward > 0 ? p.forward * swell[k] : p.forward;
  if (ring >= RING_CONTACT) y += slit_rise[ring];
  if (k == CORNER && ring >= RING_CONTACT) x = line_x[k] + 0.5 * (ring - RING_CONTACT);
  // The red grows out of the face where it is; the slit keeps the depth of the line.
  double face = head_form_front(line_x[k], line_y[k]);
  if (ring < RING_CONTACT) face = mix(face, head_form_front(x, y), ramp(5.5, 2.5, ring));
  return v3(x, y, face + forward);
}

static vec3 bag_point(const bag_section *s, int k, double base) {
  // Angles are spread so that the flat sides get as many vertices as the ends.
  double a = acos(-1.0) * k / (MOUTH_NANGLE - 1);
  double sx = sin(a);
  double cy = cos(a);
  double norm = pow(pow(fabs(sx), 2.6) + pow(fabs(cy), 2.6), -1.0 / 2.6);
  double x = s->width * sx * norm;
  double y = line_y[CORNER] + (cy > 0 ? s->up : s->down) * cy * norm;
  return v3(x, y, base - s->depth - s->curve * mouth_arch(x));
}

static void name_vertex(cage *c, int v, int ring, int k) {
  cage_vertex *w = &c->vert[v];
  w->plane = k == 0 || k == MOUTH_NANGLE - 1;
  w->pinned = 1;
  w->channel[CH_MOUTH_RING] = ring;
  if (w->plane) w->p.x = 0.0;
}

static void place_ring(cage *c, int ring, double base) {
  for (int k = 0; k < MOUTH_NANGLE; k++) {
    vec3 p;
    if (ring == 1) {
      vec3 outer = c->vert[c->mouth[0][k]].p;
      p = v3_mix(outer, lip_point(RING_ROLL, k), 0.55);
    } else if (ring <= RING_INNER) {
      p = lip_point(ring, k);
    } else {
      p = bag_point(&bag[ring - RING_INNER - 1], k, base);
    }
    int on_form = ring <= RING_ROLL;
    int v = cage_add_vertex(c, on_form ? head_form_project(p, PROJECT_FULLY) : p);
    c->mouth[ring][k] = v;
    name_vertex(c, v, ring, k);
    c->vert[v].channel[CH_ON_FORM] = on_form;
    // The skin between window and lips may settle.
    if (ring == 1) c->vert[v].pinned = 0;
  }
}

static void close_bag(cage *c) {
  enum { WIDTH = 5, ROWS = 5 };
  int grid[ROWS * WIDTH];
  const int *ring = c->mouth[MOUTH_NRING - 1];
  for (int i = 0; i < ROWS * WIDTH; i++) grid[i] = -1;
  for (int j = 0; j < WIDTH; j++) {
    grid[(ROWS - 1) * WIDTH + j] = ring[j];
    grid[j] = ring[MOUTH_NANGLE - 1 - j];
  }
  for (int i = 1; i < ROWS - 1; i++) {
    grid[i * WIDTH + WIDTH - 1] = ring[2 * (WIDTH - 1) - i];
    vec3 p = v3_mix(c->vert[ring[MOUTH_NANGLE - 1]].p, c->vert[ring[0]].p, i / 4.0);
    p.z -= 2.0;
    int v = cage_add_vertex(c, p);
    grid[i * WIDTH] = v;
  }
  int first = grid[WIDTH];
  cage_fill_grid(c, grid, ROWS, WIDTH);
  for (int v = first; v < c->nvert; v++) name_vertex(c, v, MOUTH_NRING, 1);
  for (int i = 1; i < ROWS - 1; i++) name_vertex(c, grid[i * WIDTH], MOUTH_NRING, 0);
  for (int i = 1; i < ROWS - 1; i++)
    for (int j = 0; j < WIDTH - 1; j++)
      c->vert[grid[i * WIDTH + j]].channel[CH_LIP_SIDE] = 0.5 * (i - 2);
}

void cage_build_mouth(cage *c) {
  double base = mouth_base();
  for (int k = 0; k < MOUTH_NANGLE; k++) {
    int row = k <= 4 ? 10 : k >= 8 ? 6 : 14 - k;
    int column = k <= 4 ? k : k >= 8 ? 12 - k : 4;
    c->mouth[0][k] = c->strip[row][column];
  }
  for (int ring = 1; ring < MOUTH_NRING; ring++) {
    place_ring(c, ring, base);
    cage_join_rings(c, c->mouth[ring - 1], c->mouth[ring], MOUTH_NANGLE, 0);
  }
  for (int ring = 0; ring < MOUTH_NRING; ring++)
    for (int k = 0; k < MOUTH_NANGLE; k++) {
      double side = ring < RING_BORDER   ? (CORNER - k) / 2.0
                    : ring <= RING_INNER ? CORNER - k
                                         : (CORNER - k) / 3.0;
      c->vert[c->mouth[ring][k]].channel[CH_LIP_SIDE] = fmax(-1.0, fmin(1.0, side));
    }
  close_bag(c);
}

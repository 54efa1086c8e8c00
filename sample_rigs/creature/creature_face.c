#include "creature_model.h"

#include <complex.h>

// The face is a sphere with two holes, the mouth and the neck. A Moebius map takes the ring between
// two circles to a ring between concentric ones, and a logarithmic polar grid there gives cells
// that are nearly square everywhere on the head: small around the mouth, larger on the cranium.
typedef struct face_map {
  double shift;        // p of z -> (z + p) / (1 + p z)
  double inner;        // radius of the mouth's circle after the map
  double neck_tangent; // radius of the neck's circle before it
} face_map;

typedef struct face_hole {
  int column, ring, width, height; // cells column .. column+width-1
} face_hole;

enum { NHOLE = 2 + CREATURE_TENTACLES };

static const double MOUTH_ANGLE = 0.40; // rad, radius of the mouth's circle seen from the origin
static const double NECK_ANGLE = 0.30;
static const double MOUTH_FROM_TOP = 1.84; // rad, from the direction against the neck
static const double MOUTH_SQUEEZE = 0.62;  // the circle becomes an ellipse this high
static const vec3 UP = {0.0, 0.98481, 0.17365};
static const vec3 FRONT = {0.0, -0.17365, 0.98481};

// Holes on the left half; the right half mirrors them. The eye, then four tentacles.
static const face_hole LEFT_HOLES[1 + CREATURE_TENTACLES / 2] = {
    {28, 6, 6, 6}, {16, 4, 3, 3}, {11, 9, 3, 3}, {7, 4, 3, 3}, {2, 8, 3, 3},
};

static face_map map_make(void) {
  face_map map;
  map.neck_tangent = 1.0 / tan(0.5 * NECK_ANGLE);
  double near = tan(0.5 * (MOUTH_FROM_TOP - MOUTH_ANGLE)) / map.neck_tangent;
  double far = tan(0.5 * (MOUTH_FROM_TOP + MOUTH_ANGLE)) / map.neck_tangent;
  double s = near + far, q = 1.0 + near * far;
  map.shift = (q - sqrt(q * q - s * s)) / s;
  map.inner = (far - map.shift) / (1.0 - map.shift * far);
  return map;
}

// Direction from the origin to the image of the concentric ring's point (angle, share 0-1
// outwards).
static vec3 moebius_direction(const face_map *map, double theta, double share) {
  double complex zeta = pow(map->inner, 1.0 - share) * cexp(I * theta);
  double complex w = map->neck_tangent * (zeta + map->shift) / (1.0 + map->shift * zeta);
  double size = cabs(w), angle = 2.0 * atan(size);
  vec3 side = v3_add(v3_scale(FRONT, creal(w) / size), v3(cimag(w) / size, 0.0, 0.0));
  vec3 direction = v3_add(v3_scale(UP, cos(angle)), v3_scale(side, sin(angle)));
  // Press the circle around the mouth into an ellipse.
  vec3 mouth = v3_add(v3_scale(UP, cos(MOUTH_FROM_TOP)), v3_scale(FRONT, sin(MOUTH_FROM_TOP)));
  vec3 mouth_up = v3_cross(mouth, v3(1, 0, 0));
  double from_mouth = acos(fmin(1.0, v3_dot(direction, mouth)));
  double squeeze = (1.0 - MOUTH_SQUEEZE) * ramp(3.4 * MOUTH_ANGLE, 0.6 * MOUTH_ANGLE, from_mouth);
  return v3_unit(v3_madd(direction, -squeeze * v3_dot(direction, mouth_up), mouth_up));
}

// The angle of a grid point: further out the columns gather above, where the head is large.
static double map_theta(double column, double ring) {
  double theta = 2.0 * acos(-1.0) * column / CREATURE_COLUMNS, share = ring / CREATURE_RINGS;
  return theta + 0.60 * ramp(0.05, 0.60, share) * ramp(1.0, 0.60, share) * sin(theta);
}

// The conformal rings grow too fast towards the crown; along each column they are spaced anew by
// arc length, starting fine at the lips above the mouth and wide below it.
static vec3 map_direction(const face_map *map, double column, double ring) {
  enum { STEPS = 160 };
  double theta = map_theta(column, ring), share = ring / CREATURE_RINGS;
  double first = 0.95 + 0.55 * cos(theta), last_step = 0.45;
  double left = 1.0 - share;
  double wanted = share * share * (3.0 - 2.0 * share) + first * share * left * left -
                  last_step * share * share * left;
  double length_to[STEPS + 1] = {0.0};
  vec3 last = moebius_direction(map, theta, 0.0);
  for (int i = 1; i <= STEPS; i++) {
    vec3 next = moebius_direction(map, theta, (double)i / STEPS);
    length_to[i] = length_to[i - 1] + v3_length(v3_sub(next, last));
    last = next;
  }
  int i = 1;
  while (i < STEPS && length_to[i] < wanted * length_to[STEPS]) i++;
  double inside =
      (wanted * length_to[STEPS] - length_to[i - 1]) / (length_to[i] - length_to[i - 1]);
  return moebius_direction(map, theta, (i - 1 + inside) / STEPS);
}

static void list_holes(face_hole hole[NHOLE]) {
  for (int i = 0; i < NHOLE / 2; i++) {
    hole[2 * i] = hole[2 * i + 1] = LEFT_HOLES[i];
    hole[2 * i + 1].column = CREATURE_COLUMNS - LEFT_HOLES[i].column - LEFT_HOLES[i].width;
  }
}

// Square holes become round: near a hole, points at the same distance in cells move to a circle.
static void round_holes(const face_hole *hole, double *column, double *ring) {
  double x = *column, y = *ring;
  for (int i = 0; i < NHOLE; i++) {
    double dx = remainder(x - hole[i].column - 0.5 * hole[i].width, CREATURE_COLUMNS);
    double dy = y - hole[i].ring - 0.5 * hole[i].height;
    double across = 2.0 * dx / hole[i].width, down = 2.0 * dy / hole[i].height;
    double square = fmax(fabs(across), fabs(down)), circle = hypot(across, down);
    if (circle < 1e-9) continue;
    double shift = (1.13 * square / circle - 1.0) * ramp(2.3, 1.0, square);
    *column += shift * dx;
    *ring += shift * dy;
  }
}

static int is_inside(const face_hole *hole, int column, int ring) {
  for (int i = 0; i < NHOLE; i++) {
    int dx = (column - hole[i].column + CREATURE_COLUMNS) % CREATURE_COLUMNS;
    int dy = ring - hole[i].ring;
    if (dx > 0 && dx < hole[i].width && dy > 0 && dy < hole[i].height) return 1;
  }
  return 0;
}

static int is_hole_cell(const face_hole *hole, int column, int ring) {
  for (int i = 0; i < NHOLE; i++) {
    int dx = (column - hole[i].column + CREATURE_COLUMNS) % CREATURE_COLUMNS;
    int dy = ring - hole[i].ring;
    if (dx < hole[i].width && dy >= 0 && dy < hole[i].height) return 1;
  }
  return 0;
}

typedef int face_node[CREATURE_RINGS + 1][CREATURE_COLUMNS];

// Walks a hole's rim counter-clockwise seen from outside: along the far ring, then towards the
// mouth.
static void walk_rim(const face_hole *hole, face_node node, int *loop) {
  static const int STEP[4][2] = {{1, 0}, {0, -1}, {-1, 0}, {0, 1}};
  int column = hole->column, ring = hole->ring + hole->height, n = 0;
  for (int side = 0; side < 4; side++) {
    for (int i = 0; i < (side % 2 == 0 ? hole->width : hole->height); i++) {
      loop[n++] = node[ring][(column + CREATURE_COLUMNS) % CREATURE_COLUMNS];
      column += STEP[side][0];
      ring += STEP[side][1];
    }
  }
}

static vec3 hole_centre(const creature_model *model, const face_map *map, const face_hole *hole) {
  return creature_surface_at(&model->surface, map_direction(map, hole->column + 0.5 * hole->width,
                                                            hole->ring + 0.5 * hole->height));
}

// Raises a little hill under every tentacle, so that it grows out of the skin instead of standing
// on it.
static void raise_roots(creature_model *model, const face_map *map, const face_hole *hole) {
  creature_surface raised = model->surface;
  for (int i = 2; i < NHOLE; i++) {
    vec3 centre = hole_centre(model, map, &hole[i]);
    vec3 edge = creature_surface_at(
        &model->surface, map_direction(map, hole[i].column, hole[i].ring + 0.5 * hole[i].height));
    int k = raised.nroot++;
    raised.root[k] = centre;
    raised.root_direction[k] = creature_surface_normal(&model->surface, centre);
    raised.root_radius[k] = v3_length(v3_sub(edge, centre));
  }
  model->surface = raised;
}

static void set_eye(creature_model *model, const face_map *map, const face_hole *hole, int side) {
  creature_eye *eye = &model->eye[side];
  double sign = side == 0 ? 1.0 : -1.0;
  vec3 front = hole_centre(model, map, hole);
  eye->gaze = v3_unit(v3(0.45 * sign, -0.03, 1.0));
  eye->right = v3_unit(v3_cross(v3(0, 1, 0), eye->gaze));
  eye->up = v3_cross(eye->gaze, eye->right);
  eye->radius = 0.0185;
  vec3 normal = creature_surface_normal(&model->surface, front);
  eye->centre = v3_madd(front, -0.0155, v3_unit(v3_add(normal, eye->gaze)));
}

void creature_model_face(creature_model *model) {
  face_map map = map_make();
  face_hole hole[NHOLE];
  face_node node;
  list_holes(hole);
  raise_roots(model, &map, hole);
  model->mouth_centre =
      creature_surface_at(&model->surface, v3_add(v3_scale(UP, cos(MOUTH_FROM_TOP)),
                                                  v3_scale(FRONT, sin(MOUTH_FROM_TOP))));
  for (int r = 0; r <= CREATURE_RINGS; r++) {
    for (int c = 0; c < CREATURE_COLUMNS; c++) {
      node[r][c] = -1;
      if (is_inside(hole, c, r)) continue;
      double column = c, ring = r;
      round_holes(hole, &column, &ring);
      skin_vertex what = {
          .kind = SKIN_FACE, .theta = map_theta(column, ring), .ring = ring / CREATURE_RINGS};
      vec3 p = creature_surface_at(&model->surface, map_direction(&map, column, ring));
      node[r][c] = creature_vertex(model, p, what);
    }
  }
  for (int r = 0; r < CREATURE_RINGS; r++) {
    for (int c = 0; c < CREATURE_COLUMNS; c++) {
      int d = (c + 1) % CREATURE_COLUMNS;
      if (!is_hole_cell(hole, c, r))
        mesh_builder_quad(&model->store->mesh, node[r + 1][c], node[r + 1][d], node[r][d],
                          node[r][c]);
    }
  }
  for (int c = 0; c < CREATURE_COLUMNS; c++) model->mouth[c] = node[0][c];
  for (int side = 0; side < 2; side++) {
    set_eye(model, &map, &hole[side], side);
    walk_rim(&hole[side], node, model->eye[side].loop);
  }
  for (int i = 0; i < CREATURE_TENTACLES; i++) walk_rim(&hole[2 + i], node, model->root_loop[i]);
}

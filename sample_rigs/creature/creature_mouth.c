#include "creature_model.h"

// One loop of the mouth, from the skin around the lips through the slit into the bag.
typedef struct mouth_row {
  double width, height, front; // mm: half width, half height, in front of the skin's own z
  double straight;             // 0 elliptic, 1 evenly spaced along a slit
  double power;                // of the height along the lip: 1 elliptic, 0.3 almost parallel
} mouth_row;

static const mouth_row ROWS[] = {
    {43.5, 18.5, 1.2, 0.00, 1.00},   {41.0, 13.8, 3.0, 0.00, 1.00},  {39.2, 10.0, 5.0, 0.05, 1.00},
    {38.0, 7.0, 6.4, 0.10, 0.85},    {37.0, 4.2, 6.8, 0.20, 0.65},   {36.3, 2.0, 5.8, 0.28, 0.40},
    {35.8, 0.75, 4.0, 0.30, 0.20},   {35.4, 0.50, 1.6, 0.30, 0.15},  {35.0, 0.50, -1.2, 0.30, 0.15},
    {34.6, 1.30, -4.0, 0.30, 0.25},  {34.2, 4.0, -7.0, 0.28, 0.45},  {33.8, 7.5, -10.5, 0.20, 0.70},
    {33.2, 10.5, -15.5, 0.15, 0.85}, {32.2, 12.0, -22.0, 0.10, 1.0}, {30.0, 11.5, -29.0, 0.10, 1.0},
    {27.0, 8.5, -35.0, 0.20, 0.80},  {24.0, 4.0, -39.0, 0.30, 0.50},
};
enum { NROW = sizeof ROWS / sizeof ROWS[0] };

static const double ARCH = 2.2; // 1/m, how far the corners hang

double creature_mouth_height(const creature_model *model, double x) {
  return model->mouth_centre.y - ARCH * x * x;
}

static double skin_field(const void *surface, vec3 p) {
  return creature_surface_distance(surface, p);
}

double creature_mouth_front(const creature_model *model, double x) {
  vec3 inside = v3(x, creature_mouth_height(model, x), 0.01);
  return creature_field_exit(skin_field, &model->surface, inside, v3(0, 0, 1)).z;
}

static vec3 row_point(const creature_model *model, const mouth_row *row, double theta) {
  double c = cos(theta), s = sin(theta);
  double slit = 1.0 - fabs(remainder(theta, 2.0 * acos(-1.0))) / (0.5 * acos(-1.0)); // 1 .. -1
  double even = s < 0.0 ? -(1.0 - fabs(slit)) : 1.0 - fabs(slit);
  double x = 1e-3 * row->width * (s + row->straight * (even - s));
  double rise = fabs(c) < 1e-9 ? 0.0 : copysign(pow(fabs(c), row->power), -c);
  double front = 1e-3 * row->front;
  if (front > 0.0) front *= 0.35 + 0.65 * sqrt(fabs(c));
  return v3(x, creature_mouth_height(model, x) + 1e-3 * row->height * rise,
            creature_mouth_front(model, x) + front);
}

// Zips the last loop shut: the lower half's columns to the upper half's.
static void close_bag(mesh_builder *mesh, const int *loop) {
  const int quarter = CREATURE_COLUMNS / 4;
  for (int i = -quarter; i < quarter; i++) {
    int a = loop[(i + CREATURE_COLUMNS) % CREATURE_COLUMNS];
    int b = loop[(i + 1 + CREATURE_COLUMNS) % CREATURE_COLUMNS];
    int c = loop[CREATURE_COLUMNS / 2 - i - 1];
    int d = loop[CREATURE_COLUMNS / 2 - i];
    if (i == -quarter)
      mesh_builder_triangle(mesh, a, b, c);
    else if (i == quarter - 1)
      mesh_builder_triangle(mesh, a, b, d);
    else
      mesh_builder_quad(mesh, a, b, c, d);
  }
}

void creature_model_lips(creature_model *model) {
  int outer[CREATURE_COLUMNS], inner[CREATURE_COLUMNS];
  for (int c = 0; c < CREATURE_COLUMNS; c++) outer[c] = model->mouth[c];
  for (int r = 0; r < NROW; r++) {
    for (int c = 0; c < CREATURE_COLUMNS; c++) {
      double theta = 2.0 * acos(-1.0) * c / CREATURE_COLUMNS;
      skin_vertex what = {.kind = SKIN_LIP, .theta = theta, .row = r + 1};
      inner[c] = creature_vertex(model, row_point(model, &ROWS[r], theta), what);
    }
    mesh_builder_bridge(&model->store->mesh, outer, inner, CREATURE_COLUMNS, 1);
    for (int c = 0; c < CREATURE_COLUMNS; c++) outer[c] = inner[c];
  }
  close_bag(&model->store->mesh, outer);
}

// The strip round the head and the lid on top.
#include "cage.h"

#include <string.h>

#include "form.h"

enum { FIRST_EAR_COLUMN = CAGE_NFRONT + 2, LAST_EAR_COLUMN = CAGE_NFRONT + 5 };

// Rough places of the columns over the face; the head form pulls them onto the surface. Rows from
// the neck up, entries of zero lie inside a window.
static const vec3 front[CAGE_NROW][CAGE_NFRONT + 1] = {
    {{0, -165, 24},
     {9, -165, 23},
     {18, -165, 20},
     {27, -165, 15},
     {36, -165, 8},
     {43, -165, -1},
     {49, -165, -11},
     {53, -165, -22}},
    {{0, -132, 36},
     {9, -132, 35},
     {18, -132, 31},
     {26, -132, 26},
     {34, -132, 19},
     {40, -131, 10},
     {45, -130, 2},
     {49, -129, -7}},
    {{0, -112, 50},
     {8, -112, 49},
     {16, -111, 47},
     {24, -110, 43},
     {31, -108, 37},
     {37, -106, 30},
     {42, -103, 21},
     {46, -100, 13}},
    {{0, -106, 74},
     {7, -106, 73},
     {14, -105, 70},
     {21, -103, 65},
     {28, -100, 58},
     {35, -97, 49},
     {41, -92, 39},
     {46, -88, 29}},
    {{0, -99, 95},
     {7, -99, 94},
     {14, -97.5, 90.5},
     {20.5, -95, 84.5},
     {27.5, -91.5, 76},
     {35, -87, 65},
     {42, -81.5, 53},
     {48, -76, 40}},
    {{0, -87, 102.5},
     {7.5, -87, 101.5},
     {15, -86, 98},
     {22, -84, 92},
     {29.5, -80.5, 83},
     {37.5, -77, 71.5},
     {44.5, -73, 59.5},
     {50, -68.5, 45.5}},
    {{0, -74, 98},
     {7.5, -74, 97.5},
     {15, -73.5, 95.5},
     {23, -72.5, 91.5},
     {31, -71, 84.5},
     {39.5, -69, 74.5},
     {46.5, -66, 63.5},
     {52, -62, 49}},
    {{0, 0, 0},
     {0, 0, 0},
     {0, 0, 0},
     {0, 0, 0},
     {35, -62, 83.5},
     {42.5, -61, 77},
     {48.5, -58.5, 67},
     {54, -55.5, 52}},
    {{0, 0, 0},
     {0, 0, 0},
     {0, 0, 0},
     {0, 0, 0},
     {36, -53, 84.5},
     {43.5, -52.5, 79},
     {50, -51, 69.5},
     {55.5, -49, 54}},
    {{0, 0, 0},
     {0, 0, 0},
     {0, 0, 0},
     {0, 0, 0},
     {35, -44, 86},
     {42.5, -44, 81.5},
     {50, -43, 72},
     {56.5, -42, 56}},
    {{0, -33.5, 104.5},
     {6, -33.5, 103.5},
     {13, -33.5, 100},
     {21, -34, 96},
     {31, -35.5, 89},
     {40, -35.5, 83.5},
     {49, -35, 74.5},
     {57, -34.5, 58}},
    {{0, -29.5, 111},
     {5, -30, 108},
     {12.5, -29.5, 101},
     {19, -28, 95},
     {29.5, -28.5, 89.5},
     {38.5, -28.5, 84.5},
     {48, -28, 76},
     {57, -27.5, 60}},
    {{0, -21, 116},
     {5.5, -21.5, 113.5},
     {14, -21, 104},
     {19.5, -19.5, 93.5},
     {28, -20.5, 89.5},
     {37, -20.5, 85},
     {46.5, -20, 77.5},
     {57, -19, 63}},
    {{0, -10, 110},
     {5, -10, 106.5},
     {11.5, -11, 98},
     {17, -9.5, 89.5},
     {24.5, -9, 88},
     {34, -9, 84.5},
     {44, -8.5, 78.5},
     {56, -9, 66}},
    {{0, 2, 102},
     {4.5, 2, 99.5},
     {9, 1.5, 94},
     {13.5, 2, 88},
     {0, 0, 0},
     {0, 0, 0},
     {0, 0, 0},
     {57.5, 1, 63}},
    {{0, 15, 95},
     {3.4, 15, 94},
     {6.4, 15, 93},
     {10.0, 14.5, 91},
     {0, 0, 0},
     {0, 0, 0},
     {0, 0, 0},
     {57.5, 14.5, 61.5}},
    {{0, 26, 94},
     {4.0, 26, 93},
     {7.5, 26, 92},
     {11, 26.5, 90},
     {0, 0, 0},
     {0, 0, 0},
     {0, 0, 0},
     {56, 25, 64}},
    {{0, 38, 98},
     {6, 37.5, 97.5},
     {10, 36.5, 96},
     {15, 35.5, 94},
     {23, 38.5, 91},
     {33, 40, 87},
     {43, 39, 80},
     {53, 34.5, 69}},
    {{0, 60, 95},
     {8, 60, 94.7},
     {16, 60, 93.5},
     {25, 60, 91},
     {35, 59.5, 86.5},
     {45, 58, 79},
     {54, 56, 68},
     {62.5, 53, 54}},
    {{0, 82, 89},
     {9, 82, 88.5},
     {18, 82, 87},
     {27, 81.5, 84},
     {36, 80.5, 79.5},
     {45, 79, 73},
     {53, 76.5, 64},
     {60, 73, 53}},
    {{0, 98, 79},
     {9, 98, 78.5},
     {18, 97.5, 77},
     {26, 96.5, 74},
     {34, 95, 70},
     {41, 93, 65},
     {48, 90, 58.5},
     {54, 86, 50}},
};

// Heights of the rows at the middle of the back.
static const double back_height[CAGE_NROW] = {-165, -140, -118, -100, -84, -70, -57,
                                              -47,  -37,  -28,  -19,  -10, -1,  8,
                                              18,   28,   38,   49,   61,  74,  87};

// Border of the ear's window: top row, then the two sides and the bottom.
static const vec3 ear_border[4][4] = {
    {{63, -34, 9}, {63, -40, 0}, {64, -40, -10}, {66, -33, -22}},
    {{67, -11, 11}, {0, 0, 0}, {0, 0, 0}, {71, -12, -32}},
    {{69, 13, 12}, {0, 0, 0}, {0, 0, 0}, {74, 13, -38}},
    {{70, 34, 8}, {72, 41, -5}, {73, 41, -21}, {74, 35, -36}},
};

static int inside(int value, int low, int high) {
  return value > low && value < high;
}

static int in_window(int row, int column) {
  return (column < 4 && inside(row, 6, 10)) || (inside(column, 3, 7) && inside(row, 13, 17)) ||
         (inside(column, FIRST_EAR_COLUMN, LAST_EAR_COLUMN) && inside(row, EAR_ROW, EAR_ROW + 3));
}

static int quad_in_window(int row, int column) {
  return (column < 4 && row >= 6 && row < 10) ||
         (column >= 3 && column < 7 && row >= 13 && row < 17) ||
         (column >= FIRST_EAR_COLUMN && column < LAST_EAR_COLUMN && row >= EAR_ROW &&
          row < EAR_ROW + 3);
}

// A first guess on the side and back: swept round a vertical axis, heights blended from the face to
// the back.
static vec3 swept_round(int row, int column) {
  vec3 edge = front[row][CAGE_NFRONT];
  double axis = row < 3 ? -33.0 : -14.0;
  double t = (double)(column - CAGE_NFRONT) / (CAGE_NCOLUMN - 1 - CAGE_NFRONT);
  double from = atan2(edge.x, edge.z - axis);
  double angle = mix(from, acos(-1.0), t);
  double radius =
      mix(hypot(edge.x, edge.z - axis), row < 3 ? 56.0 : 80.0, sin(acos(-1.0) * t * 0.5));
  double y = mix(edge.y, back_height[row], ramp(0.0, 1.0, t));
  return v3(radius * sin(angle), y, axis + radius * cos(angle));
}

static void place_strip(cage *c) {
  for (int i = 0; i < CAGE_NROW; i++)
    for (int j = 0; j < CAGE_NCOLUMN; j++) {
      c->strip[i][j] = -1;
      if (in_window(i, j)) continue;
      int on_front = j <= CAGE_NFRONT;
      int on_ear =
          i >= EAR_ROW && i <= EAR_ROW + 3 && j >= FIRST_EAR_COLUMN && j <= LAST_EAR_COLUMN;
      vec3 p = on_front ? front[i][j]
               : on_ear ? ear_border[i - EAR_ROW][j - FIRST_EAR_COLUMN]
                        : swept_round(i, j);
      double y = p.y;
      p = head_form_project(p, PROJECT_FULLY);
      if (i == 0) p.y = y;
      int v = cage_add_vertex(c, p);
      c->strip[i][j] = v;
      c->vert[v].plane = j == 0 || j == CAGE_NCOLUMN - 1;
      // The neck and the floor of the mouth settle by themselves.
      int face = i > 3 && (j < CAGE_NFRONT || (i >= 13 && i <= 17));
      c->vert[v].pinned = (on_front && face) || on_ear;
      c->vert[v].channel[CH_ON_FORM] = 1.0;
      if (c->vert[v].plane) c->vert[v].p.x = 0.0;
    }
  for (int i = 0; i + 1 < CAGE_NROW; i++)
    for (int j = 0; j + 1 < CAGE_NCOLUMN; j++)
      if (!quad_in_window(i, j))
        cage_add_quad(c, c->strip[i][j], c->strip[i][j + 1], c->strip[i + 1][j + 1],
                      c->strip[i + 1][j]);
}

// The top runs from the hairline to the back, as wide as the front and as deep as the side. Rows of
// the filled grid go back.
static void place_top(cage *c) {
  int grid[(CAGE_NSIDE + 1) * (CAGE_NFRONT + 1)];
  int width = CAGE_NFRONT + 1;
  int top = CAGE_NROW - 1;
  int first = c->nvert;
  for (int j = 0; j <= CAGE_NSIDE; j++)
    for (int i = 0; i <= CAGE_NFRONT; i++) {
      int v = -1;
      if (j == 0)
        v = c->strip[top][i];
      else if (j == CAGE_NSIDE)
        v = c->strip[top][CAGE_NCOLUMN - 1 - i];
      else if (i == CAGE_NFRONT)
        v = c->strip[top][CAGE_NFRONT + j];
      else if (i == 0) {
        double t = (double)j / CAGE_NSIDE;
        vec3 a = c->vert[c->strip[top][0]].p;
        vec3 b = c->vert[c->strip[top][CAGE_NCOLUMN - 1]].p;
        v = cage_add_vertex(c, v3_add(v3_mix(a, b, t), v3(0, 35 * sin(acos(-1.0) * t), 0)));
        c->vert[v].plane = 1;
      }
      grid[j * width + i] = v;
    }
  cage_fill_grid(c, grid, CAGE_NSIDE + 1, width);
  for (int v = first; v < c->nvert; v++) {
    c->vert[v].p = head_form_project(c->vert[v].p, PROJECT_FULLY);
    c->vert[v].channel[CH_ON_FORM] = 1.0;
  }
}

int cage_build(cage *c) {
  memset(c, 0, sizeof *c);
  place_strip(c);
  place_top(c);
  cage_build_mouth(c);
  cage_build_eye(c);
  cage_build_ear(c);
  return cage_settle(c);
}

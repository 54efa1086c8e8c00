// The 68 landmarks. They stand on cage vertices, so they are in the same places at every density.
#include "landmarks.h"

#include "cage.h"

static void set_pair(const skin *s, int *landmark, int left, int right, int cage_vertex_index) {
  int v = s->from_cage[cage_vertex_index];
  landmark[left] = v;
  landmark[right] = s->mirror[v];
}

static void jaw_line(const cage *c, const skin *s, int *landmark) {
  static const int place[9][2] = {{4, 0}, {4, 2}, {4, 4},  {4, 6}, {5, 7},
                                  {6, 8}, {8, 8}, {11, 8}, {14, 8}};
  for (int i = 0; i < 9; i++)
    set_pair(s, landmark, 8 + i, 8 - i, c->strip[place[i][0]][place[i][1]]);
}

static void brows_and_nose(const cage *c, const skin *s, int *landmark) {
  for (int i = 0; i < 5; i++) set_pair(s, landmark, 22 + i, 21 - i, c->strip[17][3 + i]);
  for (int i = 0; i < 4; i++) landmark[27 + i] = s->from_cage[c->strip[15 - i][0]];
  set_pair(s, landmark, 33, 33, c->strip[10][0]);
  set_pair(s, landmark, 34, 32, c->strip[10][1]);
  set_pair(s, landmark, 35, 31, c->strip[11][2]);
}

static void eyes(const cage *c, const skin *s, int *landmark) {
  // Left eye from its inner corner, clockwise seen from the front; the right eye from its outer
  // corner.
  static const int angle[6] = {14, 1, 3, 6, 9, 11};
  static const int right[6] = {39, 38, 37, 36, 41, 40};
  for (int i = 0; i < 6; i++) set_pair(s, landmark, 42 + i, right[i], c->eye[LID_OUTER][angle[i]]);
}

static void lips(const cage *c, const skin *s, int *landmark) {
  static const int outer[7] = {0, 1, 3, 6, 8, 10, 12};
  static const int outer_left[7] = {51, 52, 53, 54, 55, 56, 57};
  static const int outer_right[7] = {51, 50, 49, 48, 59, 58, 57};
  for (int i = 0; i < 7; i++)
    set_pair(s, landmark, outer_left[i], outer_right[i], c->mouth[RING_BORDER][outer[i]]);
  static const int inner[5] = {0, 2, 6, 10, 12};
  static const int inner_left[5] = {62, 63, 64, 65, 66};
  static const int inner_right[5] = {62, 61, 60, 67, 66};
  for (int i = 0; i < 5; i++)
    set_pair(s, landmark, inner_left[i], inner_right[i], c->mouth[RING_CONTACT][inner[i]]);
}

void find_landmarks(const cage *c, const skin *s, int *landmark) {
  jaw_line(c, s, landmark);
  brows_and_nose(c, s, landmark);
  eyes(c, s, landmark);
  lips(c, s, landmark);
}

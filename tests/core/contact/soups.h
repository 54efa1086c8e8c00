// Triangles to find contacts in, and finding them the slow way.
#ifndef SOUPS_H
#define SOUPS_H

#include "contact/contact.h"
#include "scenes/scene.h"

typedef enum soup_kind {
  SOUP_RANDOM, // small triangles anywhere, a third of them rigid
  SOUP_STRIPS, // two curved strips that face each other
  SOUP_TUBES,  // limbs of a creature that lie against each other
  SOUP_POINT,  // everything in one point
  SOUP_KINDS,
} soup_kind;

typedef struct soup {
  scene_mesh mesh;
  int nsoft;
  float *moved, *offset; // where it goes; per vertex
  mi_arena arena;
  mi_surface *surface;
} soup;
// Fails the test when it cannot be made.
soup soup_create(soup_kind kind, bool has_offsets);
void soup_free(soup *s);
double soup_size(soup_kind kind); // a length that matters in it

// Of a pair, in double, from the same floats.
mi_closest soup_closest(const soup *s, const float *position, mi_pair pair, bool is_edges);
bool soup_may_meet(const soup *s, mi_pair pair, bool is_edges); // not shared, not all rigid

#endif

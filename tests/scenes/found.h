// A rig's skin and regions, found, for tests of the rig module.
#ifndef MIEN_TESTS_FOUND_H
#define MIEN_TESTS_FOUND_H

#include "rig/regions.h"

typedef struct found {
  mi_arena arena;
  mi_remarks remarks;
  mi_skin skin;
  mi_regions regions;
} found;

// Fails the test when the library refuses the rig.
void found_make(const mien_rig *rig, found *f);
void found_free(found *f);
// A remark contains this text.
bool found_says(const found *f, const char *text);
// Skin vertices that have all these bits.
int found_count(const found *f, int bits);
// Every fact that must hold for any rig: ranges, a closed slit along edges, bits that exclude each
// other. Fails the test otherwise.
void found_check(const found *f);

#endif

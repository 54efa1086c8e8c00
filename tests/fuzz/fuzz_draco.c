// Any bytes as a mesh packed by Draco: what is unpacked is as large as was said, and no larger than
// is allowed. Run: fuzz_draco corpus/draco
#include "limited_host.h"

#include <draco_adapter.h>
#include <stdlib.h>

// Every attribute as every type, in memory of its exact size.
static void take_attributes(const mien_draco *draco, size_t most) {
  static const struct {
    int component;
    size_t size;
  } types[] = {{MIEN_DRACO_BYTE, 1},   {MIEN_DRACO_UBYTE, 1}, {MIEN_DRACO_SHORT, 2},
               {MIEN_DRACO_USHORT, 2}, {MIEN_DRACO_UINT, 4},  {MIEN_DRACO_FLOAT, 4}};
  size_t nvert = (size_t)mien_draco_vertices(draco);
  for (unsigned id = 0; id < 4; id++)
    for (int width = 1; width <= 4; width++)
      for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
        size_t size = nvert * (size_t)width * types[t].size;
        void *to = size <= most ? malloc(size ? size : 1) : NULL;
        if (to) mien_draco_attribute(draco, id, types[t].component, width, to);
        free(to);
      }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const size_t most = (size_t)1 << 20;
  char why[160];
  size_t unfolded;
  mien_draco *draco = mien_draco_open(data, size, most, &unfolded, why);
  if (!draco) return 0;
  if (unfolded > most) abort();
  size_t ncorner = 3 * (size_t)mien_draco_triangles(draco);
  uint32_t *corner = malloc(ncorner ? 4 * ncorner : 1);
  if (corner && mien_draco_corners(draco, MIEN_DRACO_UINT, corner))
    for (size_t i = 0; i < ncorner; i++)
      if (corner[i] >= (uint32_t)mien_draco_vertices(draco)) abort();
  free(corner);
  take_attributes(draco, most);
  mien_draco_close(draco);
  return 0;
}

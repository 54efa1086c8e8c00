#include "tetrahedra.h"

#include "tetgen_adapter.h"

mien_tetrahedralise_fn *cli_tetrahedralise(void) {
  return mien_tetgen;
}

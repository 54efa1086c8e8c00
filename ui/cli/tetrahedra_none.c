#include "tetrahedra.h"

mien_tetrahedralise_fn *cli_tetrahedralise(void) {
  return NULL;
}

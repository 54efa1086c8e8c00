// TetGen, when this build has it.
#ifndef MIEN_CLI_TETRAHEDRA_H
#define MIEN_CLI_TETRAHEDRA_H

#include <mien/mien.h>

mien_tetrahedralise_fn *cli_tetrahedralise(void); // NULL = built without

#endif

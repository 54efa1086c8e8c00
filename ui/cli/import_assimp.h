// Reading what other programs write: FBX, DAE and whatever else Assimp knows. The build picks
// import_assimp.c or, without Assimp, import_none.c.
#ifndef MIEN_IMPORT_ASSIMP_H
#define MIEN_IMPORT_ASSIMP_H

#include "cli.h"

typedef struct import_job {
  const char *path;
  const mien_rig_opts *opts;
  const mien_host *host;
} import_job;

// The rig and its animation (NULL when there is none) of a file. An exit code; on failure a
// sentence has been printed and nothing was made. What the user should know is in the remarks of
// the rig.
int import_file(const import_job *job, mien_rig **rig, mien_take **take);

bool import_is_built(void); // does this build have Assimp?

#endif

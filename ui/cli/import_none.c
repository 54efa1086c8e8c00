#include "import_assimp.h"

int import_file(const import_job *job, mien_rig **rig, mien_take **take) {
  *rig = NULL;
  *take = NULL;
  return cli_fail(
      "%s: this build reads .glb files and folders of .obj files only; for FBX, DAE and "
      "others install libassimp-dev and build with -DMIEN_ASSIMP=ON",
      job->path);
}

bool import_is_built(void) {
  return false;
}

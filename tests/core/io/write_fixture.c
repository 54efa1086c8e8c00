// Writes the fixture rig with its take, for programs that look at it from outside: Blender.
#include "fixture.h"

int main(int argc, char **argv) {
  if (argc != 2) return 2;
  mien_host host = fixture_host();
  mien_rig *rig = fixture_rig(&host);
  mien_take *take = fixture_take(&host);
  mien_error err = {0};
  mien_result result = mi_glb_write(rig, &(mi_glb_extra){.take = take}, argv[1], &err);
  if (result < 0) print_error("%s\n", err.text);
  fixture_free_take(take);
  mi_rig_release(rig);
  return result < 0;
}

// Writes the sample rigs (.glb) and takes (.csv) into a folder, always the same bits.
#include "blocks/blocks.h"
#include "creature/creature.h"
#include "head/head_rig.h"
#include "performances/performances.h"

#include <stdio.h>
#include <string.h>

static int complain(const char *what, const char *why) {
  fprintf(stderr, "make_samples: %s: %s\n", what, why);
  return 1;
}

static int write_rig(const mien_rig_def *def, const char *folder, const char *file) {
  char path[4096];
  mien_error err;
  mien_rig *rig = NULL;
  snprintf(path, sizeof path, "%s/%s.glb", folder, file);
  mien_result result = mien_rig_create(def, NULL, &rig, &err);
  if (result >= 0) {
    const mien_rig_info *info = mien_rig_get_info(rig);
    for (int i = 0; i < info->nremark; i++)
      fprintf(stderr, "make_samples: %s: %s\n", file, info->remarks[i]);
    result = mien_rig_save(rig, NULL, NULL, path, &err);
  }
  mien_rig_free(rig);
  return result < 0 ? complain(file, err.text) : 0;
}

static int write_head(const char *folder, int density, const char *file) {
  head_model model;
  head_rig rig;
  if (head_model_create(&(head_options){density}, &model)) return complain(file, "out of memory");
  int failed = head_rig_create(&model, "head", &rig);
  if (failed)
    failed = complain(file, "out of memory");
  else
    failed = write_rig(&rig.def, folder, file);
  head_rig_free(&rig);
  head_model_free(&model);
  return failed;
}

static int write_creature(const char *folder) {
  creature_rig rig;
  if (creature_create(&rig)) return complain("creature", "out of memory");
  int failed = write_rig(&rig.store.def, folder, "creature");
  creature_free(&rig);
  return failed;
}

static int write_block(const char *folder, int (*create)(block_rig *, int), int cells,
                       const char *file) {
  block_rig rig;
  if (create(&rig, cells)) return complain(file, "out of memory");
  int failed = write_rig(&rig.store.def, folder, file);
  block_free(&rig);
  return failed;
}

static int write_take(const char *folder, performance_kind kind) {
  performance take;
  char path[4096];
  mien_error err;
  mien_take *made = NULL;
  if (performance_create(&take, kind)) return complain("take", "out of memory");
  snprintf(path, sizeof path, "%s/%s.csv", folder, take.def.name);
  mien_result result = mien_take_create(&take.def, NULL, &made, &err);
  if (result >= 0) result = mien_take_save(made, path, &err);
  mien_take_free(made);
  int failed = result < 0 ? complain(take.def.name, err.text) : 0;
  performance_free(&take);
  return failed;
}

int main(int argc, char **argv) {
  if (argc != 2) return complain("usage", "make_samples FOLDER");
  const char *folder = argv[1];
  int failed = write_head(folder, 0, "head_small") || write_head(folder, 1, "head") ||
               write_head(folder, 2, "head_large") || write_creature(folder);
  failed = failed || write_block(folder, block_bar_create, 8, "bar") ||
           write_block(folder, block_cube_create, 10, "cube") ||
           write_block(folder, block_sheet_create, 24, "sheet");
  for (int kind = 0; !failed && kind < PERFORMANCE_COUNT; kind++)
    failed = write_take(folder, (performance_kind)kind);
  return failed;
}

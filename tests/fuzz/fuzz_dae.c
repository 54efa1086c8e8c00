// Any text as a COLLADA file, before Assimp sees it. Run: fuzz_dae corpus/dae
#include "dae_morphs.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char *text = malloc(size + 1);
  if (!text) return 0;
  memcpy(text, data, size);
  text[size] = 0;
  dae_morphs morphs;
  if (dae_has_morphs(text)) {
    dae_morphs_read(text, &morphs);
    dae_morphs_free(&morphs);
  }
  free(text);
  return 0;
}

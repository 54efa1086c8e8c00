// Any bytes as settings: as JSON, and as the text of every parameter. Settings that were refused
// are as they were; what was accepted is written and read back to the same. Run: fuzz_settings
// corpus/settings
#include "limited_host.h"

#include <stdlib.h>
#include <string.h>

static void go_round(const mien_settings *settings) {
  char json[16384];
  mien_settings again;
  mien_error err;
  size_t length = mien_settings_write(settings, json, sizeof json);
  mien_settings_init(&again);
  if (length >= sizeof json || mien_settings_read(&again, json, length, &err) < 0) abort();
  char second[16384];
  if (mien_settings_write(&again, second, sizeof second) != length || memcmp(json, second, length))
    abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  mien_settings settings, before;
  mien_error err;
  mien_settings_init(&settings);
  before = settings;
  if (mien_settings_read(&settings, (const char *)data, size, &err) >= 0)
    go_round(&settings);
  else if (memcmp(&settings, &before, sizeof before))
    abort();
  // the first byte chooses a parameter, the rest is its text
  int count;
  const mien_param *params = mien_params(&count);
  char *text = size ? malloc(size) : NULL;
  if (!text) return 0;
  memcpy(text, data + 1, size - 1);
  text[size - 1] = 0;
  mien_settings_init(&settings);
  if (mien_settings_set(&settings, params[data[0] % count].name, text, &err) >= 0)
    go_round(&settings);
  else if (memcmp(&settings, &before, sizeof before))
    abort();
  free(text);
  return 0;
}

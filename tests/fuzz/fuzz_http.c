// Any bytes as what a web browser asks: never more than is there is read, and nobody gets in who
// does not know the secret. Run: fuzz_http corpus/http
#include "limited_host.h"
#include "live_request.h"

#include <stdlib.h>
#include <string.h>

static const char secret[LIVE_SECRET] = "0123456789abcdef0123456789abcdef";

static bool holds(const uint8_t *data, size_t size, const char *what) {
  for (size_t i = 0; i + strlen(what) <= size; i++)
    if (!memcmp(data + i, what, strlen(what))) return true;
  return false;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char *exact = malloc(size ? size : 1);
  if (!exact) return 0;
  memcpy(exact, data, size);
  live_request asked = live_request_read(exact, size, 8080, secret);
  bool gets_in =
      asked == LIVE_REQUEST_PAGE || asked == LIVE_REQUEST_FRAME || asked == LIVE_REQUEST_MISSING;
  if (gets_in && !holds(data, size, secret)) abort();
  if (gets_in && !holds(data, size, ":8080")) abort();
  free(exact);
  return 0;
}

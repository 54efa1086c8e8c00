// Any bytes as a shape predictor; one that is taken is evaluated. Run: fuzz_ert corpus/ert
#include "limited_host.h"
#include "track/ert.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  mien_host host;
  if (!make_limited_host(&host)) return 0;
  mi_ert *ert = NULL;
  mien_error err;
  if (mi_ert_read(data, size, &host, &ert, &err) < 0) return 0;
  uint8_t pixels[32 * 32] = {0};
  float xy[2 * MIEN_POINTS_ERT];
  mi_ert_evaluate(ert, &(mien_image){pixels, 32, 32, 0, 1, 0}, &(mien_box){4, 4, 24, 24}, xy);
  mi_ert_free(ert);
  return 0;
}

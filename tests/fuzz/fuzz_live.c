// Any bytes as packets of a live stream: the first byte chooses the protocol, then packets of a
// two-byte length each. Run: fuzz_live corpus/live
#include "limited_host.h"
#include "live/live.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size == 0) return 0;
  mien_protocol protocol = (mien_protocol)(data[0] % 3);
  mi_reading reading;
  mi_reading_init(&reading);
  const uint8_t *at = data + 1, *end = data + size;
  while (end - at >= 2) {
    size_t length = (size_t)at[0] << 8 | at[1];
    at += 2;
    if (length > (size_t)(end - at)) length = (size_t)(end - at);
    uint8_t *packet = malloc(length ? length : 1); // exact, so that reads behind its end are seen
    if (!packet) return 0;
    memcpy(packet, at, length);
    mi_packet_read(&reading, protocol, packet, length);
    free(packet);
    at += length;
  }
  for (int i = 0; i < reading.nchannel; i++)
    if (!(reading.frame.weight[i] >= 0 && reading.frame.weight[i] <= 1)) abort();
  return 0;
}

// Any bytes as a network; one that is taken is run. Run: fuzz_net corpus/net
#include "limited_host.h"
#include "track/net.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  mien_host host;
  if (!make_limited_host(&host)) return 0;
  mi_net *net = NULL;
  mien_error err;
  if (mi_net_read(data, size, &host, &net, &err) < 0) return 0;
  int dim[3];
  mi_net_input_size(net, dim);
  memset(mi_net_input(net), 0, sizeof(float) * (size_t)dim[0] * (size_t)dim[1] * (size_t)dim[2]);
  if (mi_net_macs(net) < 1e6) mi_net_run(net);
  mi_net_free(net);
  return 0;
}

// A small neural network, read from a .tflite file and run by our own code: what the face mesh and
// the face detector need and nothing more. Pure C, one thread, no allocation after reading.
#ifndef MI_NET_H
#define MI_NET_H

#include "base/base.h"

typedef struct mi_net mi_net;

// The bytes are not kept. Counts, offsets, shapes and indices in them are all checked.
mien_result mi_net_read(const void *bytes, size_t size, const mien_host *host, mi_net **out,
                        mien_error *err);
void mi_net_free(mi_net *net);

// Height, width and channels of the input picture.
void mi_net_input_size(const mi_net *net, int size[3]);
// (height x width x channels) floats, to be written before each run; a run may spoil it.
float *mi_net_input(mi_net *net);
void mi_net_run(mi_net *net);
int mi_net_output_count(const mi_net *net);
int mi_net_output_size(const mi_net *net, int output); // floats
void mi_net_output(const mi_net *net, int output, float *out);
double mi_net_macs(const mi_net *net); // multiplications and additions of one run

#endif

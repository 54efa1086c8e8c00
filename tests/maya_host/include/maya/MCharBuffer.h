#ifndef HOST_MCHARBUFFER_H
#define HOST_MCHARBUFFER_H

#include <maya/MTypes.h>

MAYA_HOST_OPEN

class MCharBuffer {
public:
  char *ptr() { return memory; }
  operator char *() { return memory; }
  char *memory = nullptr; // of the host
};

MAYA_HOST_CLOSE

#endif

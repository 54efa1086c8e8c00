#ifndef HOST_MINTARRAY_H
#define HOST_MINTARRAY_H

#include <host/array.h>

MAYA_HOST_OPEN

class MIntArray {
public:
  MIntArray(const int from[], unsigned int n);
  explicit MIntArray(unsigned int n, int init = 0);
  MStatus get(int out[]) const;
  MAYA_HOST_ARRAY(MIntArray, int, int, int)
};

MAYA_HOST_CLOSE

#endif

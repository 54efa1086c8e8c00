#ifndef HOST_MFLOATARRAY_H
#define HOST_MFLOATARRAY_H

#include <host/array.h>

MAYA_HOST_OPEN

class MFloatArray {
public:
  MFloatArray(const float from[], unsigned int n);
  explicit MFloatArray(unsigned int n, float init = 0);
  MStatus get(float out[]) const;
  MAYA_HOST_ARRAY(MFloatArray, float, float, float)
};

MAYA_HOST_CLOSE

#endif

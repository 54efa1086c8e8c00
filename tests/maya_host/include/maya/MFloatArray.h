#ifndef HOST_MFLOATARRAY_H
#define HOST_MFLOATARRAY_H

#include <maya/HostArray.h>

MAYA_HOST_OPEN

class MFloatArray : public HostArray<float> {
public:
  using HostArray<float>::HostArray;
  MFloatArray() = default;
  explicit MFloatArray(unsigned int n, float init = 0) : HostArray(n, init) {}
  MStatus get(float out[]) const;
};

MAYA_HOST_CLOSE

#endif

#ifndef HOST_MINTARRAY_H
#define HOST_MINTARRAY_H

#include <maya/HostArray.h>

MAYA_HOST_OPEN

class MIntArray : public HostArray<int> {
public:
  using HostArray<int>::HostArray;
  MIntArray() = default;
  explicit MIntArray(unsigned int n, int init = 0) : HostArray(n, init) {}
  MStatus get(int out[]) const;
};

MAYA_HOST_CLOSE

#endif

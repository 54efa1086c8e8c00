#ifndef HOST_MDOUBLEARRAY_H
#define HOST_MDOUBLEARRAY_H

#include <maya/HostArray.h>

MAYA_HOST_OPEN

class MDoubleArray : public HostArray<double> {
public:
  using HostArray<double>::HostArray;
  MDoubleArray() = default;
  explicit MDoubleArray(unsigned int n, double init = 0) : HostArray(n, init) {}
  MStatus get(double out[]) const;
};

MAYA_HOST_CLOSE

#endif

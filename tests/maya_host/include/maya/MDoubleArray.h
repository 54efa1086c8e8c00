#ifndef HOST_MDOUBLEARRAY_H
#define HOST_MDOUBLEARRAY_H

#include <host/array.h>

MAYA_HOST_OPEN

class MDoubleArray {
public:
  MDoubleArray(const double from[], unsigned int n);
  explicit MDoubleArray(unsigned int n, double init = 0);
  MStatus get(double out[]) const;
  MAYA_HOST_ARRAY(MDoubleArray, double, double, double)
};

MAYA_HOST_CLOSE

#endif

#ifndef HOST_MPOINTARRAY_H
#define HOST_MPOINTARRAY_H

#include <host/array.h>
#include <maya/MPoint.h>

MAYA_HOST_OPEN

class MPointArray {
public:
  explicit MPointArray(unsigned int n, const MPoint &init = MPoint());
  MStatus get(double out[][4]) const;
  MAYA_HOST_ARRAY(MPointArray, MPoint, const MPoint &, const MPoint &)
};

MAYA_HOST_CLOSE

#endif

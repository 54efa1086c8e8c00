#ifndef HOST_MPOINTARRAY_H
#define HOST_MPOINTARRAY_H

#include <maya/HostArray.h>
#include <maya/MPoint.h>

MAYA_HOST_OPEN

class MPointArray : public HostArray<MPoint> {
public:
  using HostArray<MPoint>::HostArray;
  MPointArray() = default;
  explicit MPointArray(unsigned int n, const MPoint &init = MPoint()) : HostArray(n, init) {}
  MStatus get(double out[][4]) const;
};

MAYA_HOST_CLOSE

#endif

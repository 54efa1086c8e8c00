#ifndef HOST_MFLOATPOINTARRAY_H
#define HOST_MFLOATPOINTARRAY_H

#include <maya/HostArray.h>
#include <maya/MFloatPoint.h>

MAYA_HOST_OPEN

class MFloatPointArray : public HostArray<MFloatPoint> {
public:
  using HostArray<MFloatPoint>::HostArray;
  MFloatPointArray() = default;
  MStatus get(float out[][4]) const;
};

MAYA_HOST_CLOSE

#endif

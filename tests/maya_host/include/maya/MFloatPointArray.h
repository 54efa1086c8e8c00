#ifndef HOST_MFLOATPOINTARRAY_H
#define HOST_MFLOATPOINTARRAY_H

#include <host/array.h>
#include <maya/MFloatPoint.h>

MAYA_HOST_OPEN

class MFloatPointArray {
public:
  MStatus get(float out[][4]) const;
  MAYA_HOST_ARRAY(MFloatPointArray, MFloatPoint, const MFloatPoint &, const MFloatPoint &)
};

MAYA_HOST_CLOSE

#endif

#ifndef HOST_MFLOATVECTORARRAY_H
#define HOST_MFLOATVECTORARRAY_H

#include <host/array.h>
#include <maya/MFloatVector.h>

MAYA_HOST_OPEN

class MFloatVectorArray {
public:
  MAYA_HOST_ARRAY(MFloatVectorArray, MFloatVector, const MFloatVector &, const MFloatVector &)
};

MAYA_HOST_CLOSE

#endif

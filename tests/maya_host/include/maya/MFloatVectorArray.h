#ifndef HOST_MFLOATVECTORARRAY_H
#define HOST_MFLOATVECTORARRAY_H

#include <maya/HostArray.h>
#include <maya/MFloatVector.h>

MAYA_HOST_OPEN

class MFloatVectorArray : public HostArray<MFloatVector> {
public:
  using HostArray<MFloatVector>::HostArray;
  MFloatVectorArray() = default;
};

MAYA_HOST_CLOSE

#endif

#ifndef HOST_MVECTORARRAY_H
#define HOST_MVECTORARRAY_H

#include <maya/HostArray.h>
#include <maya/MVector.h>

MAYA_HOST_OPEN

class MVectorArray : public HostArray<MVector> {
public:
  using HostArray<MVector>::HostArray;
  MVectorArray() = default;
};

MAYA_HOST_CLOSE

#endif

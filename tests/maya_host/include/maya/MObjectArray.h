#ifndef HOST_MOBJECTARRAY_H
#define HOST_MOBJECTARRAY_H

#include <maya/HostArray.h>
#include <maya/MObject.h>

MAYA_HOST_OPEN

class MObjectArray : public HostArray<MObject> {
public:
  using HostArray<MObject>::HostArray;
  MObjectArray() = default;
};

MAYA_HOST_CLOSE

#endif

#ifndef HOST_MPLUGARRAY_H
#define HOST_MPLUGARRAY_H

#include <maya/HostArray.h>
#include <maya/MPlug.h>

MAYA_HOST_OPEN

class MPlugArray : public HostArray<MPlug> {
public:
  using HostArray<MPlug>::HostArray;
  MPlugArray() = default;
};

MAYA_HOST_CLOSE

#endif

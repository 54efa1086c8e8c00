#ifndef HOST_MPLUGARRAY_H
#define HOST_MPLUGARRAY_H

#include <host/array.h>

MAYA_HOST_OPEN

class MPlugArray {
public:
  MAYA_HOST_ARRAY(MPlugArray, MPlug, const MPlug &, const MPlug &)
};

MAYA_HOST_CLOSE

#endif

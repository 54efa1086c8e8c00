#ifndef HOST_MVECTORARRAY_H
#define HOST_MVECTORARRAY_H

#include <host/array.h>
#include <maya/MVector.h>

MAYA_HOST_OPEN

class MVectorArray {
public:
  MAYA_HOST_ARRAY(MVectorArray, MVector, const MVector &, const MVector &)
};

MAYA_HOST_CLOSE

#endif

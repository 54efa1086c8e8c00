#ifndef HOST_MOBJECTARRAY_H
#define HOST_MOBJECTARRAY_H

#include <host/array.h>
#include <maya/MObject.h>

MAYA_HOST_OPEN

class MObjectArray {
public:
  MAYA_HOST_ARRAY(MObjectArray, MObject, const MObject &, const MObject &)
};

MAYA_HOST_CLOSE

#endif

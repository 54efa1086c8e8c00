#ifndef HOST_MSTRINGARRAY_H
#define HOST_MSTRINGARRAY_H

#include <host/array.h>

MAYA_HOST_OPEN

class MStringArray {
public:
  MAYA_HOST_ARRAY(MStringArray, MString, const MString &, MString)
};

MAYA_HOST_CLOSE

#endif

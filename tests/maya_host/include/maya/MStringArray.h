#ifndef HOST_MSTRINGARRAY_H
#define HOST_MSTRINGARRAY_H

#include <maya/HostArray.h>
#include <maya/MString.h>

MAYA_HOST_OPEN

class MStringArray : public HostArray<MString> {
public:
  using HostArray<MString>::HostArray;
  MStringArray() = default;
};

MAYA_HOST_CLOSE

#endif

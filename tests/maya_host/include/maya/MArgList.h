#ifndef HOST_MARGLIST_H
#define HOST_MARGLIST_H

#include <maya/MStringArray.h>

MAYA_HOST_OPEN

class MArgList {
public:
  unsigned int length(MStatus *ReturnStatus = nullptr) const;
  MString asString(unsigned int index, MStatus *ReturnStatus = nullptr) const;
  int asInt(unsigned int index, MStatus *ReturnStatus = nullptr) const;
  double asDouble(unsigned int index, MStatus *ReturnStatus = nullptr) const;
  MStringArray words; // of the host
};

MAYA_HOST_CLOSE

#endif

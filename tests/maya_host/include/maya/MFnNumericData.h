#ifndef HOST_MFNNUMERICDATA_H
#define HOST_MFNNUMERICDATA_H

#include <maya/MFnData.h>

MAYA_HOST_OPEN

class MFnNumericData {
public:
  enum Type {
    kInvalid = 0,
    kBoolean,
    kByte,
    kChar,
    kShort,
    kInt,
    kLong = kInt,
    kInt64,
    kFloat,
    k3Float,
    kDouble,
    k3Double
  };
};

MAYA_HOST_CLOSE

#endif

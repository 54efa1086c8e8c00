#ifndef HOST_MFNNUMERICDATA_H
#define HOST_MFNNUMERICDATA_H

#include <maya/MFnData.h>

MAYA_HOST_OPEN

class MFnNumericData : public MFnData {
public:
  enum Type {
    kInvalid = 0,
    kBoolean = 1,
    kByte = 2,
    kChar = 3,
    kShort = 4,
    kInt = 7,
    kLong = kInt,
    kInt64 = 10,
    kFloat = 11,
    k3Float = 13,
    kDouble = 14,
    k3Double = 16
  };
};

MAYA_HOST_CLOSE

#endif

#ifndef HOST_MFNUNITATTRIBUTE_H
#define HOST_MFNUNITATTRIBUTE_H

#include <maya/MFnAttribute.h>

MAYA_HOST_OPEN

class MFnUnitAttribute : public MFnAttribute {
public:
  enum Type { kInvalid, kAngle, kDistance, kTime };
  using MFnAttribute::MFnAttribute;
  MObject create(const MString &full, const MString &brief, Type type, double value = 0,
                 MStatus *ReturnStatus = nullptr);
  MObject create(const MString &full, const MString &brief, const MTime &value,
                 MStatus *ReturnStatus = nullptr);
  MStatus setMin(double value);
  MStatus setMax(double value);
};

MAYA_HOST_CLOSE

#endif

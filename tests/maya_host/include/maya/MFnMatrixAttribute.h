#ifndef HOST_MFNMATRIXATTRIBUTE_H
#define HOST_MFNMATRIXATTRIBUTE_H

#include <maya/MFnAttribute.h>

MAYA_HOST_OPEN

class MFnMatrixAttribute : public MFnAttribute {
public:
  enum Type { kFloat, kDouble };
  using MFnAttribute::MFnAttribute;
  MObject create(const MString &full, const MString &brief, Type type = kDouble,
                 MStatus *ReturnStatus = nullptr);
  MStatus setDefault(const MMatrix &value);
};

MAYA_HOST_CLOSE

#endif

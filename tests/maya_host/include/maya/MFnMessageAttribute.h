#ifndef HOST_MFNMESSAGEATTRIBUTE_H
#define HOST_MFNMESSAGEATTRIBUTE_H

#include <maya/MFnAttribute.h>

MAYA_HOST_OPEN

class MFnMessageAttribute : public MFnAttribute {
public:
  using MFnAttribute::MFnAttribute;
  MObject create(const MString &full, const MString &brief, MStatus *ReturnStatus = nullptr);
};

MAYA_HOST_CLOSE

#endif

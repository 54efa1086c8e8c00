#ifndef HOST_MFNCOMPOUNDATTRIBUTE_H
#define HOST_MFNCOMPOUNDATTRIBUTE_H

#include <maya/MFnAttribute.h>

MAYA_HOST_OPEN

class MFnCompoundAttribute : public MFnAttribute {
public:
  using MFnAttribute::MFnAttribute;
  MObject create(const MString &full, const MString &brief, MStatus *ReturnStatus = nullptr);
  MStatus addChild(const MObject &child);
  unsigned int numChildren(MStatus *ReturnStatus = nullptr) const;
};

MAYA_HOST_CLOSE

#endif

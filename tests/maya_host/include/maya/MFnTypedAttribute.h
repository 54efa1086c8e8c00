#ifndef HOST_MFNTYPEDATTRIBUTE_H
#define HOST_MFNTYPEDATTRIBUTE_H

#include <maya/MFnAttribute.h>
#include <maya/MFnData.h>
#include <maya/MObject.h>

MAYA_HOST_OPEN

class MFnTypedAttribute : public MFnAttribute {
public:
  using MFnAttribute::MFnAttribute;
  MObject create(const MString &full, const MString &brief, MFnData::Type type,
                 MObject value = MObject::kNullObj, MStatus *ReturnStatus = nullptr);
};

MAYA_HOST_CLOSE

#endif

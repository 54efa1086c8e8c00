#ifndef HOST_MFNENUMATTRIBUTE_H
#define HOST_MFNENUMATTRIBUTE_H

#include <maya/MFnAttribute.h>

MAYA_HOST_OPEN

class MFnEnumAttribute : public MFnAttribute {
public:
  using MFnAttribute::MFnAttribute;
  MObject create(const MString &full, const MString &brief, short value = 0,
                 MStatus *ReturnStatus = nullptr);
  MStatus addField(const MString &name, short index);
  short fieldIndex(const MString &name, MStatus *ReturnStatus = nullptr) const;
  MString fieldName(short index, MStatus *ReturnStatus = nullptr) const;
  MStatus setDefault(short value);
};

MAYA_HOST_CLOSE

#endif

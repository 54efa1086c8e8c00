#ifndef HOST_MFNNUMERICATTRIBUTE_H
#define HOST_MFNNUMERICATTRIBUTE_H

#include <maya/MFnAttribute.h>
#include <maya/MFnNumericData.h>
#include <maya/MObject.h>

MAYA_HOST_OPEN

class MFnNumericAttribute : public MFnAttribute {
public:
  using MFnAttribute::MFnAttribute;
  MObject create(const MString &full, const MString &brief, MFnNumericData::Type type,
                 double value = 0, MStatus *ReturnStatus = nullptr);
  MObject create(const MString &full, const MString &brief, const MObject &c1, const MObject &c2,
                 const MObject &c3 = MObject::kNullObj, MStatus *ReturnStatus = nullptr);
  MObject createColor(const MString &full, const MString &brief, MStatus *ReturnStatus = nullptr);
  MObject createPoint(const MString &full, const MString &brief, MStatus *ReturnStatus = nullptr);
  MStatus setMin(double value);
  MStatus setMax(double value);
  MStatus setSoftMin(double value);
  MStatus setSoftMax(double value);
  MStatus setDefault(bool value);
  MStatus setDefault(int value);
  MStatus setDefault(float value);
  MStatus setDefault(double value);
  MStatus setDefault(float a, float b, float c);
  MStatus setDefault(double a, double b, double c);
};

MAYA_HOST_CLOSE

#endif

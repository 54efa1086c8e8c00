#ifndef HOST_MDATAHANDLE_H
#define HOST_MDATAHANDLE_H

#include <maya/MFnData.h>
#include <maya/MObject.h>

MAYA_HOST_OPEN

class MDataHandle {
public:
  MDataHandle() = default;
  MFnData::Type type() const;
  bool isNumeric() const;
  bool &asBool() const;
  short &asShort() const;
  int &asInt() const;
  float &asFloat() const;
  double &asDouble() const;
  MTime asTime() const;
  MDistance asDistance() const;
  MAngle asAngle() const;
  float3 &asFloat3() const;
  double3 &asDouble3() const;
  MVector &asVector() const;
  MFloatVector &asFloatVector() const;
  MMatrix &asMatrix() const;
  MString &asString() const;
  MObject asMesh() const;
  MObject asMeshTransformed() const;
  MObject data();
  MDataHandle child(const MObject &attribute);
  MDataHandle child(const MPlug &plug);
  void set(bool value);
  void set(short value);
  void set(int value);
  void set(float value);
  void set(double value);
  void set(const MString &value);
  void set(const MMatrix &value);
  void set(const MTime &value);
  void set(float a, float b, float c);
  void set(double a, double b, double c);
  MStatus set(const MObject &data);
  MStatus setMObject(const MObject &data);
  void setMTime(const MTime &value);
  void setFloat(float value);
  void setDouble(double value);
  void setInt(int value);
  void setBool(bool value);
  void setString(const MString &value);
  MStatus copy(const MDataHandle &from);
  void setClean();
  MObject attribute();

private:
  MDataHandle(host::Value *v, host::Block *b, int part = -1) : held(v), block(b), component(part) {}
  host::Value *held = nullptr;
  host::Block *block = nullptr;
  int component = -1;
};

MAYA_HOST_CLOSE

#endif

#ifndef HOST_MFNBASE_H
#define HOST_MFNBASE_H

#include <maya/MObject.h>
#include <maya/MStatus.h>

MAYA_HOST_OPEN

class MFnBase {
public:
  virtual ~MFnBase();
  MStatus setObject(const MObject &object) { return object_ = object, MStatus(); }
  MObject object(MStatus *ReturnStatus = nullptr) const;
  bool hasObj(const MObject &object) const { return !object.isNull(); }

protected:
  MObject object_;
};

MAYA_HOST_CLOSE

#endif

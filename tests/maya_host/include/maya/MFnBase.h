#ifndef HOST_MFNBASE_H
#define HOST_MFNBASE_H

#include <maya/MFn.h>
#include <maya/MStatus.h>

MAYA_HOST_OPEN

class MFnBase {
public:
  virtual ~MFnBase();
  virtual MStatus setObject(const MObject &object);
  MObject object(MStatus *ReturnStatus = nullptr) const;
  bool hasObj(const MObject &object) const;
  MFnBase(const MFnBase &) = delete;
  MFnBase &operator=(const MFnBase &) = delete;

protected:
  MFnBase();

private:
  MObject &object_; // its own, made and freed with it
};

MAYA_HOST_CLOSE

#endif

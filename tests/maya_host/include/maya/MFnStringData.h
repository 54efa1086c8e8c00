#ifndef HOST_MFNSTRINGDATA_H
#define HOST_MFNSTRINGDATA_H

#include <maya/MFnData.h>

MAYA_HOST_OPEN

class MFnStringData : public MFnData {
public:
  MFnStringData() = default;
  explicit MFnStringData(const MObject &object, MStatus *ReturnStatus = nullptr);
  MObject create(const MString &value, MStatus *ReturnStatus = nullptr);
  MString string(MStatus *ReturnStatus = nullptr) const;
};

MAYA_HOST_CLOSE

#endif

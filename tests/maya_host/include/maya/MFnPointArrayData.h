#ifndef HOST_MFNPOINTARRAYDATA_H
#define HOST_MFNPOINTARRAYDATA_H

#include <maya/MFnData.h>

MAYA_HOST_OPEN

class MFnPointArrayData : public MFnData {
public:
  MFnPointArrayData() = default;
  explicit MFnPointArrayData(const MObject &object, MStatus *ReturnStatus = nullptr);
  MObject create(const MPointArray &values, MStatus *ReturnStatus = nullptr);
  MPointArray array(MStatus *ReturnStatus = nullptr);
  unsigned int length(MStatus *ReturnStatus = nullptr) const;
};

MAYA_HOST_CLOSE

#endif

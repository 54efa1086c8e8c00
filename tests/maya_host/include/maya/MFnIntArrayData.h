#ifndef HOST_MFNINTARRAYDATA_H
#define HOST_MFNINTARRAYDATA_H

#include <maya/MFnData.h>

MAYA_HOST_OPEN

class MFnIntArrayData : public MFnData {
public:
  MFnIntArrayData() = default;
  explicit MFnIntArrayData(const MObject &object, MStatus *ReturnStatus = nullptr);
  MObject create(const MIntArray &values, MStatus *ReturnStatus = nullptr);
  MIntArray array(MStatus *ReturnStatus = nullptr);
  unsigned int length(MStatus *ReturnStatus = nullptr) const;
};

MAYA_HOST_CLOSE

#endif

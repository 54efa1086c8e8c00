#ifndef HOST_MFNMATRIXDATA_H
#define HOST_MFNMATRIXDATA_H

#include <maya/MFnData.h>

MAYA_HOST_OPEN

class MFnMatrixData : public MFnData {
public:
  MFnMatrixData() = default;
  explicit MFnMatrixData(const MObject &object, MStatus *ReturnStatus = nullptr);
  MObject create(const MMatrix &value, MStatus *ReturnStatus = nullptr);
  const MMatrix &matrix(MStatus *ReturnStatus = nullptr) const;
};

MAYA_HOST_CLOSE

#endif

#ifndef HOST_MFNDOUBLEARRAYDATA_H
#define HOST_MFNDOUBLEARRAYDATA_H

#include <maya/MFnData.h>

MAYA_HOST_OPEN

class MFnDoubleArrayData : public MFnData {
public:
  MFnDoubleArrayData() = default;
  explicit MFnDoubleArrayData(const MObject &object, MStatus *ReturnStatus = nullptr);
  MObject create(const MDoubleArray &values, MStatus *ReturnStatus = nullptr);
  MDoubleArray array(MStatus *ReturnStatus = nullptr);
  unsigned int length(MStatus *ReturnStatus = nullptr) const;
};

MAYA_HOST_CLOSE

#endif

#ifndef HOST_MFNCOMPONENTLISTDATA_H
#define HOST_MFNCOMPONENTLISTDATA_H

#include <maya/MFnData.h>

MAYA_HOST_OPEN

class MFnComponentListData : public MFnData {
public:
  MFnComponentListData();
  explicit MFnComponentListData(const MObject &object, MStatus *ReturnStatus = nullptr);
  unsigned int length(MStatus *ReturnStatus = nullptr) const;
  MObject operator[](unsigned int index) const;
};

MAYA_HOST_CLOSE

#endif

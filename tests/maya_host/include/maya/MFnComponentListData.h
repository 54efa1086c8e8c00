#ifndef HOST_MFNCOMPONENTLISTDATA_H
#define HOST_MFNCOMPONENTLISTDATA_H

#include <maya/MFnBase.h>

MAYA_HOST_OPEN

class MFnComponentListData : public MFnBase {
public:
  explicit MFnComponentListData(const MObject &object, MStatus *ReturnStatus = nullptr);
  unsigned int length(MStatus *ReturnStatus = nullptr) const;
  MObject get(unsigned int index, MStatus *ReturnStatus = nullptr) const;
};

MAYA_HOST_CLOSE

#endif

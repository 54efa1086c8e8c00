#ifndef HOST_MARRAYDATAHANDLE_H
#define HOST_MARRAYDATAHANDLE_H

#include <maya/MStatus.h>

MAYA_HOST_OPEN

class MArrayDataHandle {
public:
  explicit MArrayDataHandle(const MDataHandle &handle, MStatus *ReturnStatus = nullptr);
  MDataHandle inputValue(MStatus *ReturnStatus = nullptr);
  MDataHandle outputValue(MStatus *ReturnStatus = nullptr);
  MArrayDataHandle inputArrayValue(MStatus *ReturnStatus = nullptr);
  MArrayDataHandle outputArrayValue(MStatus *ReturnStatus = nullptr);
  MStatus next();
  unsigned int elementCount(MStatus *ReturnStatus = nullptr);
  unsigned int elementIndex(MStatus *ReturnStatus = nullptr);
  MStatus jumpToElement(unsigned int logical);
  MStatus jumpToArrayElement(unsigned int physical);
  MStatus setClean();
  MStatus setAllClean();
  MArrayDataBuilder builder(MStatus *ReturnStatus = nullptr);
  MStatus set(MArrayDataBuilder &builder);

private:
  MArrayDataHandle() = default;
  host::Value *list = nullptr;
  host::Block *block = nullptr;
  host::Value *here(MStatus *status);
  unsigned int position_ = 0; // physical
};

MAYA_HOST_CLOSE

#endif

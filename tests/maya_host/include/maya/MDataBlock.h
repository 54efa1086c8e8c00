#ifndef HOST_MDATABLOCK_H
#define HOST_MDATABLOCK_H

#include <maya/MArrayDataHandle.h>
#include <maya/MDataHandle.h>

MAYA_HOST_OPEN

class MDataBlock {
public:
  MDataHandle inputValue(const MObject &attribute, MStatus *ReturnStatus = nullptr);
  MDataHandle inputValue(const MPlug &plug, MStatus *ReturnStatus = nullptr);
  MDataHandle outputValue(const MObject &attribute, MStatus *ReturnStatus = nullptr);
  MDataHandle outputValue(const MPlug &plug, MStatus *ReturnStatus = nullptr);
  MArrayDataHandle inputArrayValue(const MObject &attribute, MStatus *ReturnStatus = nullptr);
  MArrayDataHandle inputArrayValue(const MPlug &plug, MStatus *ReturnStatus = nullptr);
  MArrayDataHandle outputArrayValue(const MObject &attribute, MStatus *ReturnStatus = nullptr);
  MArrayDataHandle outputArrayValue(const MPlug &plug, MStatus *ReturnStatus = nullptr);
  MStatus setClean(const MObject &attribute);
  MStatus setClean(const MPlug &plug);
  bool isClean(const MObject &attribute, MStatus *ReturnStatus = nullptr);
  bool isClean(const MPlug &plug);
  MDGContext context(MStatus *ReturnStatus = nullptr);

private:
  explicit MDataBlock(host::Block *b) : block(b) {}
  host::Block *block;
  MDataHandle handle(const host::Plug &p, bool evaluate, MStatus *status);
  MArrayDataHandle arrayHandle(const host::Plug &p, bool evaluate, MStatus *status);
};

MAYA_HOST_CLOSE

#endif

#ifndef HOST_MFNATTRIBUTE_H
#define HOST_MFNATTRIBUTE_H

#include <maya/MFnBase.h>

MAYA_HOST_OPEN

class MFnAttribute : public MFnBase {
public:
  enum DisconnectBehavior { kDelete, kReset, kNothing };
  MFnAttribute() = default;
  explicit MFnAttribute(const MObject &object, MStatus *ReturnStatus = nullptr);
  MString name(MStatus *ReturnStatus = nullptr) const;
  MString shortName(MStatus *ReturnStatus = nullptr) const;
  bool isKeyable(MStatus *ReturnStatus = nullptr) const;
  bool isStorable(MStatus *ReturnStatus = nullptr) const;
  bool isArray(MStatus *ReturnStatus = nullptr) const;
  bool isWritable(MStatus *ReturnStatus = nullptr) const;
  MStatus setReadable(bool state);
  MStatus setWritable(bool state);
  MStatus setConnectable(bool state);
  MStatus setStorable(bool state);
  MStatus setCached(bool state);
  MStatus setArray(bool state);
  MStatus setIndexMatters(bool state);
  MStatus setKeyable(bool state);
  MStatus setChannelBox(bool state);
  MStatus setHidden(bool state);
  MStatus setUsedAsColor(bool state);
  MStatus setUsedAsFilename(bool state);
  MStatus setAffectsAppearance(bool state);
  MStatus setUsesArrayDataBuilder(bool state);
  MStatus setInternal(bool state);
  MStatus setDisconnectBehavior(DisconnectBehavior behaviour);
  MStatus setNiceNameOverride(const MString &name);
  MStatus addToCategory(const MString &category);

private:
  host::Attr *attr() const;
  MStatus flag(bool host::Attr::*which, bool state);
  MObject make(const MString &full, const MString &brief, int kind, MStatus *status);
};

MAYA_HOST_CLOSE

#endif

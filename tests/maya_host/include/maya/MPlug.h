#ifndef HOST_MPLUG_H
#define HOST_MPLUG_H

#include <maya/MIntArray.h>
#include <maya/MObject.h>
#include <maya/MStatus.h>
#include <memory>

MAYA_HOST_OPEN

class MPlug {
public:
  MPlug();
  MPlug(const MObject &node, const MObject &attribute);
  MPlug(const MPlug &o);
  MPlug &operator=(const MPlug &o);
  ~MPlug();
  MObject attribute(MStatus *ReturnStatus = nullptr) const;
  MObject node(MStatus *ReturnStatus = nullptr) const;
  MString name(MStatus *ReturnStatus = nullptr) const;
  MString info(MStatus *ReturnStatus = nullptr) const;
  MString partialName(bool includeNodeName = false, bool includeNonMandatoryIndices = false,
                      bool includeInstancedIndices = false, bool useAlias = false,
                      bool useFullAttributePath = false, bool useLongNames = false,
                      MStatus *ReturnStatus = nullptr) const;
  bool isNull(MStatus *ReturnStatus = nullptr) const;
  bool isArray(MStatus *ReturnStatus = nullptr) const;
  bool isElement(MStatus *ReturnStatus = nullptr) const;
  bool isCompound(MStatus *ReturnStatus = nullptr) const;
  bool isChild(MStatus *ReturnStatus = nullptr) const;
  bool isKeyable(MStatus *ReturnStatus = nullptr) const;
  bool isConnected(MStatus *ReturnStatus = nullptr) const;
  bool isDestination(MStatus *ReturnStatus = nullptr) const;
  MPlug source(MStatus *ReturnStatus = nullptr) const;
  unsigned int logicalIndex(MStatus *ReturnStatus = nullptr) const;
  MStatus selectAncestorLogicalIndex(unsigned int index,
                                     const MObject &attribute = MObject::kNullObj);
  unsigned int getExistingArrayAttributeIndices(MIntArray &indices,
                                                MStatus *ReturnStatus = nullptr);
  unsigned int numElements(MStatus *ReturnStatus = nullptr) const;
  unsigned int evaluateNumElements(MStatus *ReturnStatus = nullptr);
  unsigned int numChildren(MStatus *ReturnStatus = nullptr) const;
  MPlug child(MObject &attribute, MStatus *ReturnStatus = nullptr) const;
  MPlug child(unsigned int index, MStatus *ReturnStatus = nullptr) const;
  MPlug parent(MStatus *ReturnStatus = nullptr) const;
  MPlug array(MStatus *ReturnStatus = nullptr) const;
  MPlug elementByLogicalIndex(unsigned int index, MStatus *ReturnStatus = nullptr) const;
  MPlug elementByPhysicalIndex(unsigned int index, MStatus *ReturnStatus = nullptr) const;
  bool connectedTo(MPlugArray &list, bool asDst, bool asSrc, MStatus *ReturnStatus = nullptr) const;
  bool operator==(const MPlug &o) const;
  bool operator!=(const MPlug &o) const { return !(*this == o); }
  bool operator==(const MObject &attribute) const;
  bool operator!=(const MObject &attribute) const { return !(*this == attribute); }
  double asDouble(MStatus *ReturnStatus = nullptr) const;
  float asFloat(MStatus *ReturnStatus = nullptr) const;
  int asInt(MStatus *ReturnStatus = nullptr) const;
  short asShort(MStatus *ReturnStatus = nullptr) const;
  bool asBool(MStatus *ReturnStatus = nullptr) const;
  MTime asMTime(MStatus *ReturnStatus = nullptr) const;
  MString asString(MStatus *ReturnStatus = nullptr) const;
  MObject asMObject(MStatus *ReturnStatus = nullptr) const;
  MStatus setDouble(double value);
  MStatus setFloat(float value);
  MStatus setInt(int value);
  MStatus setShort(short value);
  MStatus setBool(bool value);
  MStatus setString(const MString &value);
  MStatus setMTime(const MTime &value);
  MStatus setMObject(const MObject &value);

private:
  explicit MPlug(const host::Plug &p);
  const host::Plug &hostPlug() const { return *plug_; }
  MStatus setNumber(double value);
  std::unique_ptr<host::Plug> plug_;
};

MAYA_HOST_CLOSE

#endif

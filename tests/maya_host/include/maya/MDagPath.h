#ifndef HOST_MDAGPATH_H
#define HOST_MDAGPATH_H

#include <maya/MObject.h>
#include <maya/MStatus.h>

MAYA_HOST_OPEN

class MDagPath {
public:
  MDagPath() = default;
  bool isValid(MStatus *ReturnStatus = nullptr) const;
  MObject node(MStatus *ReturnStatus = nullptr) const;
  MObject transform(MStatus *ReturnStatus = nullptr) const;
  bool hasFn(MFn::Type type, MStatus *ReturnStatus = nullptr) const;
  MFn::Type apiType(MStatus *ReturnStatus = nullptr) const;
  MStatus extendToShape();
  unsigned int childCount(MStatus *ReturnStatus = nullptr) const;
  MObject child(unsigned int index, MStatus *ReturnStatus = nullptr) const;
  MStatus pop(unsigned int n = 1);
  MStatus push(const MObject &child);
  MMatrix inclusiveMatrix(MStatus *ReturnStatus = nullptr) const;
  MString fullPathName(MStatus *ReturnStatus = nullptr) const;
  MString partialPathName(MStatus *ReturnStatus = nullptr) const;
  static MStatus getAPathTo(const MObject &node, MDagPath &path);
  bool operator==(const MDagPath &o) const { return node_ == o.node_; }

private:
  explicit MDagPath(host::Node *n) : node_(n) {}
  host::Node *node_ = nullptr;
};

MAYA_HOST_CLOSE

#endif

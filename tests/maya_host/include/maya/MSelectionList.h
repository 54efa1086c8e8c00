#ifndef HOST_MSELECTIONLIST_H
#define HOST_MSELECTIONLIST_H

#include <maya/MDagPath.h>
#include <maya/MPlug.h>
#include <vector>

MAYA_HOST_OPEN

class MSelectionList {
public:
  MStatus add(const MString &name, bool searchChildNamespaces = false);
  MStatus add(const MObject &node, bool mergeWithExisting = false);
  MStatus add(const MDagPath &path, const MObject &component = MObject::kNullObj,
              bool mergeWithExisting = false);
  unsigned int length(MStatus *ReturnStatus = nullptr) const;
  bool isEmpty(MStatus *ReturnStatus = nullptr) const { return (void)ReturnStatus, list_.empty(); }
  MStatus clear();
  MStatus getDagPath(unsigned int index, MDagPath &path) const;
  MStatus getDagPath(unsigned int index, MDagPath &path, MObject &component) const;
  MStatus getDependNode(unsigned int index, MObject &node) const;
  MStatus getPlug(unsigned int index, MPlug &plug) const;
  MStatus getSelectionStrings(MStringArray &names) const;

private:
  struct Item {
    host::Node *node;
    MPlug plug;
  };
  std::vector<Item> list_;
};

MAYA_HOST_CLOSE

#endif

#ifndef HOST_MSELECTIONLIST_H
#define HOST_MSELECTIONLIST_H

#include <maya/MObject.h>
#include <maya/MStatus.h>
#include <memory>

MAYA_HOST_OPEN

class MSelectionList {
public:
  MSelectionList();
  MSelectionList(const MSelectionList &o);
  ~MSelectionList();
  MSelectionList &operator=(const MSelectionList &o);
  MStatus add(const MString &name, bool searchChildNamespaces = false);
  MStatus add(const MObject &node, bool mergeWithExisting = false);
  MStatus add(const MDagPath &path, const MObject &component = MObject::kNullObj,
              bool mergeWithExisting = false);
  unsigned int length(MStatus *ReturnStatus = nullptr) const;
  bool isEmpty(MStatus *ReturnStatus = nullptr) const;
  MStatus clear();
  MStatus getDagPath(unsigned int index, MDagPath &path,
                     MObject &component = MObject::kNullObj) const;
  MStatus getDependNode(unsigned int index, MObject &node) const;
  MStatus getPlug(unsigned int index, MPlug &plug) const;
  MStatus getSelectionStrings(MStringArray &names) const;

private:
  struct Items;
  std::unique_ptr<Items> items_;
};

MAYA_HOST_CLOSE

#endif

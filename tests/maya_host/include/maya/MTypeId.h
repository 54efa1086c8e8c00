#ifndef HOST_MTYPEID_H
#define HOST_MTYPEID_H

#include <maya/MStatus.h>

MAYA_HOST_OPEN

class MTypeId {
public:
  MTypeId() : id_(0) {}
  MTypeId(unsigned int id) : id_(id) {}
  MTypeId(unsigned int prefix, unsigned int id) : id_((prefix << 8) | id) {}
  bool operator==(const MTypeId &o) const { return id_ == o.id_; }
  bool operator!=(const MTypeId &o) const { return id_ != o.id_; }
  unsigned int id(MStatus *ReturnStatus = nullptr) const {
    if (ReturnStatus) *ReturnStatus = MStatus::kSuccess;
    return id_;
  }

private:
  unsigned int id_;
};

MAYA_HOST_CLOSE

#endif

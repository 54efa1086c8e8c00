#ifndef HOST_MDGCONTEXT_H
#define HOST_MDGCONTEXT_H

#include <maya/MTime.h>
#include <memory>

MAYA_HOST_OPEN

class MDGContext {
public:
  MDGContext();
  explicit MDGContext(const MTime &when);
  bool isNormal(MStatus *ReturnStatus = nullptr) const;
  MStatus getTime(MTime &when) const;
  bool operator==(const MDGContext &o) const { return hostContext() == o.hostContext(); }
  static MDGContext &current();
  static MDGContext fsNormal;

  // of the host
  explicit MDGContext(host::Context *borrowed);
  host::Context *hostContext() const;

private:
  std::shared_ptr<host::Context> own_;
  host::Context *borrowed_ = nullptr;
};

MAYA_HOST_CLOSE

#endif

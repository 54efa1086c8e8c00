#ifndef HOST_MDGCONTEXT_H
#define HOST_MDGCONTEXT_H

#include <maya/MStatus.h>
#include <memory>

MAYA_HOST_OPEN

class MDGContext {
public:
  MDGContext();
  explicit MDGContext(const MTime &when);
  bool isNormal(MStatus *ReturnStatus = nullptr) const;
  MStatus getTime(MTime &when) const;
  static const MDGContext current();
  static MDGContext fsNormal;

private:
  explicit MDGContext(host::Context *borrowed);
  host::Context *hostContext() const;
  std::shared_ptr<host::Context> own_;
  host::Context *borrowed_ = nullptr;
};

MAYA_HOST_CLOSE

#endif

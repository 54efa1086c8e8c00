#ifndef HOST_MDGCONTEXTGUARD_H
#define HOST_MDGCONTEXTGUARD_H

#include <maya/MStatus.h>
#include <memory>

MAYA_HOST_OPEN

class MDGContextGuard {
public:
  explicit MDGContextGuard(const MDGContext &context);
  ~MDGContextGuard();
  MDGContextGuard(const MDGContextGuard &) = delete;

private:
  std::unique_ptr<MDGContext> context_;
  host::Context *outer_;
};

MAYA_HOST_CLOSE

#endif

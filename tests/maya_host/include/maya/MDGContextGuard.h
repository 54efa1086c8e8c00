#ifndef HOST_MDGCONTEXTGUARD_H
#define HOST_MDGCONTEXTGUARD_H

#include <maya/MDGContext.h>

MAYA_HOST_OPEN

class MDGContextGuard {
public:
  explicit MDGContextGuard(const MDGContext &context);
  ~MDGContextGuard();
  MDGContextGuard(const MDGContextGuard &) = delete;

private:
  MDGContext context_;
  host::Context *outer_;
};

MAYA_HOST_CLOSE

#endif

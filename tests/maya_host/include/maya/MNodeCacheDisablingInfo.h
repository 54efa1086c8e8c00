#ifndef HOST_MNODECACHEDISABLINGINFO_H
#define HOST_MNODECACHEDISABLINGINFO_H

#include <maya/MString.h>

MAYA_HOST_OPEN

class MNodeCacheDisablingInfo {
public:
  void setCacheDisabled(bool value) { disabled_ = value; }
  bool getCacheDisabled() const { return disabled_; }
  void setReason(const MString &text) { reason_ = text; }

private:
  MNodeCacheDisablingInfo() = default;
  MNodeCacheDisablingInfo(const MNodeCacheDisablingInfo &) = delete;
  MNodeCacheDisablingInfo &operator=(const MNodeCacheDisablingInfo &) = delete;
  ~MNodeCacheDisablingInfo() = default;
  bool disabled_ = false;
  MString reason_;
};

MAYA_HOST_CLOSE

#endif

#ifndef HOST_MNODECACHESETUPINFO_H
#define HOST_MNODECACHESETUPINFO_H

#include <maya/MTypes.h>

MAYA_HOST_OPEN

class MNodeCacheSetupInfo {
public:
  enum PreferenceFlag { kWantToCacheByDefault };
  enum RequirementFlag { kSimulationSupport };
  void setPreference(PreferenceFlag, bool value) { wanted_ = value; }
  bool getPreference(PreferenceFlag) const { return wanted_; }
  void setRequirement(RequirementFlag, bool value) { simulation_ = value; }
  bool getRequirement(RequirementFlag) const { return simulation_; }

private:
  MNodeCacheSetupInfo() = default;
  MNodeCacheSetupInfo(const MNodeCacheSetupInfo &) = delete;
  MNodeCacheSetupInfo &operator=(const MNodeCacheSetupInfo &) = delete;
  ~MNodeCacheSetupInfo() = default;
  bool wanted_ = false, simulation_ = false;
};

MAYA_HOST_CLOSE

#endif

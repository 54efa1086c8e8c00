// From the members of a deformer to the vertices of the mesh (2020 and later).
#ifndef HOST_MINDEXMAPPER_H
#define HOST_MINDEXMAPPER_H

#include <maya/MTypes.h>
#include <vector>

MAYA_HOST_OPEN

class MIndexMapper {
public:
  MIndexMapper() = default;
  MIndexMapper(const MIndexMapper &) = default;
  MIndexMapper &operator=(const MIndexMapper &) = delete;
  unsigned int affectCount() const { return static_cast<unsigned int>(ids_.size()); }
  unsigned int affectToFull(unsigned int i) const { return static_cast<unsigned int>(ids_[i]); }
  bool isIdentityMap() const { return identity_; }

private:
  MIndexMapper(std::vector<int> ids, bool identity) : ids_(std::move(ids)), identity_(identity) {}
  std::vector<int> ids_;
  bool identity_ = true;
};

MAYA_HOST_CLOSE

#endif

// What all arrays of the API have in common.
#ifndef HOST_HOSTARRAY_H
#define HOST_HOSTARRAY_H

#include <maya/MStatus.h>
#include <vector>

MAYA_HOST_OPEN

template <class T> class HostArray {
public:
  HostArray() = default;
  HostArray(unsigned int n, const T &init) : list_(n, init) {}
  HostArray(const T *from, unsigned int n) : list_(from, from + n) {}
  T &operator[](unsigned int i) { return list_[i]; }
  const T &operator[](unsigned int i) const { return list_[i]; }
  unsigned int length() const { return static_cast<unsigned int>(list_.size()); }
  MStatus setLength(unsigned int n) { return list_.resize(n), MStatus(); }
  MStatus append(const T &v) { return list_.push_back(v), MStatus(); }
  MStatus set(const T &v, unsigned int i) {
    if (i >= length()) return MStatus::kFailure;
    list_[i] = v;
    return MStatus();
  }
  MStatus insert(const T &v, unsigned int i) {
    if (i > length()) return MStatus::kFailure;
    list_.insert(list_.begin() + static_cast<long>(i), v);
    return MStatus();
  }
  MStatus remove(unsigned int i) {
    if (i >= length()) return MStatus::kFailure;
    list_.erase(list_.begin() + static_cast<long>(i));
    return MStatus();
  }
  MStatus clear() { return list_.clear(), MStatus(); }
  MStatus copy(const HostArray &o) { return list_ = o.list_, MStatus(); }
  void setSizeIncrement(unsigned int) {}

protected:
  std::vector<T> list_;
};

MAYA_HOST_CLOSE

#endif

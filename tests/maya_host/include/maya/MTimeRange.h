#ifndef HOST_MTIMERANGE_H
#define HOST_MTIMERANGE_H

#include <maya/MTime.h>

MAYA_HOST_OPEN

class MTimeRange {
public:
  MTimeRange() = default;
  MTimeRange(const MTime &at) : min_(at), max_(at), empty_(false) {}
  MTimeRange(const MTime &first, const MTime &last) : min_(first), max_(last), empty_(false) {}
  bool isEmpty() const { return empty_; }
  MTime min() const { return min_; }
  MTime max() const { return max_; }
  MTimeRange operator|(const MTimeRange &o) const;
  MTimeRange operator&(const MTimeRange &o) const;

private:
  MTime min_, max_;
  bool empty_ = true;
};

MAYA_HOST_CLOSE

#endif

#ifndef HOST_MTIMERANGE_H
#define HOST_MTIMERANGE_H

#include <maya/MTime.h>

MAYA_HOST_OPEN

class MClosedTimeInterval {
public:
  MTime min, max;
  bool empty() const { return max < min; }
};

class MTimeRange {
public:
  MTimeRange() = default;
  MTimeRange(MTime first, MTime last) : min_(first), max_(last), empty_(false) {}
  bool empty() const { return empty_; }
  MClosedTimeInterval bounds() const { return {min_, max_}; }
  MTimeRange operator|(const MTimeRange &o) const;

private:
  MTime min_, max_;
  bool empty_ = true;
};

MAYA_HOST_CLOSE

#endif

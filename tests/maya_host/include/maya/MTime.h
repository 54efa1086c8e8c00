#ifndef HOST_MTIME_H
#define HOST_MTIME_H

#include <maya/MStatus.h>

MAYA_HOST_OPEN

class MTime {
public:
  enum Unit {
    kInvalid,
    kHours,
    kMinutes,
    kSeconds,
    kMilliseconds,
    kGames,
    kFilm,
    kPALFrame,
    kNTSCFrame,
    kShowScan,
    kPALField,
    kNTSCField,
    k24FPS = kFilm,
    k25FPS = kPALFrame,
    k30FPS = kNTSCFrame,
    k60FPS = kNTSCField
  };
  typedef MInt64 MTick;
  MTime() : ticks_(0), unit_(uiUnit()) {}
  explicit MTime(double value, Unit unit = kFilm);
  double value() const { return as(unit_); }
  Unit unit() const { return unit_; }
  double as(Unit unit) const;
  double asUnits(Unit unit) const { return as(unit); }
  MStatus setValue(double value);
  MStatus setUnit(Unit unit) { return unit_ = unit, MStatus(); }
  static Unit uiUnit();
  static MTick ticksPerSecond();
  bool operator==(const MTime &o) const { return ticks_ == o.ticks_; }
  bool operator!=(const MTime &o) const { return ticks_ != o.ticks_; }
  bool operator<(const MTime &o) const { return ticks_ < o.ticks_; }
  bool operator<=(const MTime &o) const { return ticks_ <= o.ticks_; }
  bool operator>(const MTime &o) const { return ticks_ > o.ticks_; }
  bool operator>=(const MTime &o) const { return ticks_ >= o.ticks_; }
  MTime operator+(const MTime &o) const { return make(ticks_ + o.ticks_, unit_); }
  MTime operator-(const MTime &o) const { return make(ticks_ - o.ticks_, unit_); }

private:
  static MTime make(MTick ticks, Unit unit = kFilm);
  MTick hostTicks() const { return ticks_; }
  MTick ticks_;
  Unit unit_;
};

MAYA_HOST_CLOSE

#endif

#ifndef HOST_MANGLE_H
#define HOST_MANGLE_H

#include <maya/MTypes.h>

MAYA_HOST_OPEN

class MAngle {
public:
  enum Unit { kInvalid, kRadians, kDegrees };
  MAngle();
  explicit MAngle(double value, Unit unit = kRadians);
  double asRadians() const { return radians_; }
  double asDegrees() const;

private:
  double radians_;
};

MAYA_HOST_CLOSE

#endif

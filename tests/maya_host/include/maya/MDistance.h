#ifndef HOST_MDISTANCE_H
#define HOST_MDISTANCE_H

#include <maya/MTypes.h>

MAYA_HOST_OPEN

class MDistance {
public:
  enum Unit {
    kInvalid,
    kInches,
    kFeet,
    kYards,
    kMiles,
    kMillimeters,
    kCentimeters,
    kKilometers,
    kMeters
  };
  MDistance();
  explicit MDistance(double value, Unit unit = kCentimeters);
  double as(Unit unit, MStatus *ReturnStatus = nullptr) const;
  double asCentimeters() const { return cm_; }
  double asMeters() const { return cm_ / 100; }
  static Unit internalUnit() { return kCentimeters; }

private:
  double cm_;
};

MAYA_HOST_CLOSE

#endif

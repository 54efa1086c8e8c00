#ifndef HOST_MVECTOR_H
#define HOST_MVECTOR_H

#include <maya/MTypes.h>

MAYA_HOST_OPEN

class MVector {
public:
  double x, y, z;
  MVector() : x(0), y(0), z(0) {}
  MVector(double a, double b, double c = 0) : x(a), y(b), z(c) {}
  explicit MVector(const double v[3]) : x(v[0]), y(v[1]), z(v[2]) {}
  double &operator[](unsigned int i) { return (&x)[i]; }
  double operator[](unsigned int i) const { return (&x)[i]; }
  double operator()(unsigned int i) const { return (&x)[i]; }
  MVector operator+(const MVector &o) const { return {x + o.x, y + o.y, z + o.z}; }
  MVector operator-(const MVector &o) const { return {x - o.x, y - o.y, z - o.z}; }
  MVector operator-() const { return {-x, -y, -z}; }
  MVector operator*(double s) const { return {x * s, y * s, z * s}; }
  MVector operator/(double s) const { return {x / s, y / s, z / s}; }
  double operator*(const MVector &o) const { return x * o.x + y * o.y + z * o.z; }
  MVector operator^(const MVector &o) const {
    return {y * o.z - z * o.y, z * o.x - x * o.z, x * o.y - y * o.x};
  }
  MVector operator*(const MMatrix &m) const; // directions: without the translation
  bool operator==(const MVector &o) const { return x == o.x && y == o.y && z == o.z; }
  double length() const;
  MVector normal() const;
};

MAYA_HOST_CLOSE

#endif

#ifndef HOST_MPOINT_H
#define HOST_MPOINT_H

#include <maya/MVector.h>

MAYA_HOST_OPEN

class MPoint {
public:
  double x, y, z, w;
  MPoint() : x(0), y(0), z(0), w(1) {}
  MPoint(double a, double b, double c = 0, double d = 1) : x(a), y(b), z(c), w(d) {}
  MPoint(const MVector &v) : x(v.x), y(v.y), z(v.z), w(1) {}
  double &operator[](unsigned int i) { return (&x)[i]; }
  double operator[](unsigned int i) const { return (&x)[i]; }
  MVector operator-(const MPoint &o) const { return {x - o.x, y - o.y, z - o.z}; }
  MPoint operator+(const MVector &v) const { return {x + v.x, y + v.y, z + v.z, w}; }
  MPoint operator-(const MVector &v) const { return {x - v.x, y - v.y, z - v.z, w}; }
  MPoint &operator+=(const MVector &v) { return *this = *this + v; }
  MPoint operator*(const MMatrix &m) const;
  bool operator==(const MPoint &o) const { return x == o.x && y == o.y && z == o.z && w == o.w; }
  double distanceTo(const MPoint &o) const { return (*this - o).length(); }
};

MAYA_HOST_CLOSE

#endif

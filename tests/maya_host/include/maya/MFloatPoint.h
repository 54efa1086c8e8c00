#ifndef HOST_MFLOATPOINT_H
#define HOST_MFLOATPOINT_H

#include <maya/MTypes.h>

MAYA_HOST_OPEN

class MFloatPoint {
public:
  float x, y, z, w;
  MFloatPoint() : x(0), y(0), z(0), w(1) {}
  MFloatPoint(float a, float b, float c = 0, float d = 1) : x(a), y(b), z(c), w(d) {}
  float &operator[](unsigned int i) { return (&x)[i]; }
  float operator[](unsigned int i) const { return (&x)[i]; }
};

MAYA_HOST_CLOSE

#endif

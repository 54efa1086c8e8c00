#ifndef HOST_MFLOATPOINT_H
#define HOST_MFLOATPOINT_H

#include <maya/MTypes.h>

MAYA_HOST_OPEN

class MFloatPoint {
public:
  float x, y, z, w;
  MFloatPoint(float a = 0, float b = 0, float c = 0, float d = 1) : x(a), y(b), z(c), w(d) {}
  float &operator[](unsigned int i) { return (&x)[i]; }
  float operator[](unsigned int i) const { return (&x)[i]; }
};

MAYA_HOST_CLOSE

#endif

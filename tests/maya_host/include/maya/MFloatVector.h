#ifndef HOST_MFLOATVECTOR_H
#define HOST_MFLOATVECTOR_H

#include <maya/MTypes.h>

MAYA_HOST_OPEN

class MFloatVector {
public:
  float x, y, z;
  MFloatVector() : x(0), y(0), z(0) {}
  MFloatVector(float a, float b, float c = 0) : x(a), y(b), z(c) {}
  float &operator[](unsigned int i) { return (&x)[i]; }
  float operator[](unsigned int i) const { return (&x)[i]; }
};

MAYA_HOST_CLOSE

#endif

#ifndef HOST_MFLOATVECTOR_H
#define HOST_MFLOATVECTOR_H

#include <maya/MTypes.h>

MAYA_HOST_OPEN

class MFloatVector {
public:
  float x, y, z;
  MFloatVector(float a = 0, float b = 0, float c = 0) : x(a), y(b), z(c) {}
  float &operator[](unsigned int i) { return (&x)[i]; }
  float operator[](unsigned int i) const { return (&x)[i]; }
};

MAYA_HOST_CLOSE

#endif

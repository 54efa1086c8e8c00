#ifndef HOST_MTYPES_H
#define HOST_MTYPES_H

#include <maya/MApiNamespace.h>

MAYA_HOST_OPEN

#define MAYA_API_VERSION MAYA_HOST_VERSION
#define PLUGIN_EXPORT __attribute__((visibility("default")))

typedef long MInt64;
typedef unsigned long MUint64;
typedef short short2[2];
typedef int int2[2];
typedef int int3[3];
typedef float float2[2];
typedef float float3[3];
typedef double double2[2];
typedef double double3[3];
typedef double double4[4];

class MSpace {
public:
  enum Space {
    kInvalid = 0,
    kTransform = 1,
    kPreTransform = 2,
    kObject = 2,
    kPostTransform = 3,
    kWorld = 4,
    kLast = 5
  };
};

MAYA_HOST_CLOSE

#endif

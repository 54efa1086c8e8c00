#ifndef HOST_MFNDATA_H
#define HOST_MFNDATA_H

#include <maya/MObject.h>

MAYA_HOST_OPEN

class MFnData {
public:
  enum Type {
    kInvalid = 0,
    kNumeric,
    kPlugin,
    kPluginGeometry,
    kString,
    kMatrix,
    kStringArray,
    kDoubleArray,
    kFloatArray,
    kIntArray,
    kPointArray,
    kVectorArray,
    kMatrixArray,
    kComponentList,
    kMesh,
    kAny
  };
};

MAYA_HOST_CLOSE

#endif

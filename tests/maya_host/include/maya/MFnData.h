#ifndef HOST_MFNDATA_H
#define HOST_MFNDATA_H

#include <maya/MFnBase.h>

MAYA_HOST_OPEN

class MFnData : public MFnBase {
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
    kAny = 24
  };
};

MAYA_HOST_CLOSE

#endif

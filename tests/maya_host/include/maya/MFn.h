#ifndef HOST_MFN_H
#define HOST_MFN_H

#include <maya/MApiNamespace.h>

MAYA_HOST_OPEN

// The numbers move from version to version, as Maya's do: never store one.
class MFn {
public:
  enum Type {
    kInvalid = 0,
    kBase = 1,
    kDependencyNode = 4,
    kDagNode = 107 + MAYA_HOST_VERSION / 10000 - 2022,
    kTransform,
    kMesh,
    kTime,
    kBlendShape,
    kGeometryFilt,
    kPluginDependNode,
    kPluginDeformerNode,
    kPluginThreadedDevice,
    kAttribute,
    kNumericAttribute,
    kUnitAttribute,
    kTypedAttribute,
    kEnumAttribute,
    kMatrixAttribute,
    kCompoundAttribute,
    kMessageAttribute,
    kData,
    kMeshData,
    kDoubleArrayData,
    kFloatArrayData,
    kIntArrayData,
    kPointArrayData,
    kVectorArrayData,
    kStringData,
    kMatrixData,
    kComponentListData,
    kMeshVertComponent,
    kPlugin,
    kAnimCurve
  };
};

MAYA_HOST_CLOSE

#endif

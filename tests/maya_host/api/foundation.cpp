// Of Foundation: handles to whatever Maya has.
#include "engine/deform.h"

#include <maya/MObject.h>

using host::Kind;

MAYA_HOST_OPEN

MObject MObject::kNullObj;

static MFn::Type dataType(Kind kind) {
  switch (kind) {
  case Kind::mesh:
    return MFn::kMeshData;
  case Kind::doubles:
    return MFn::kDoubleArrayData;
  case Kind::floats:
    return MFn::kFloatArrayData;
  case Kind::ints:
    return MFn::kIntArrayData;
  case Kind::points:
    return MFn::kPointArrayData;
  case Kind::vectors:
    return MFn::kVectorArrayData;
  case Kind::text:
    return MFn::kStringData;
  case Kind::matrix:
    return MFn::kMatrixData;
  case Kind::components:
    return MFn::kComponentListData;
  default:
    return MFn::kData;
  }
}

MFn::Type MObject::apiType() const {
  if (plugin) return MFn::kPlugin;
  if (data) return dataType(data->kind);
  if (attr) return MFn::kAttribute;
  if (!node) return MFn::kInvalid;
  static const std::pair<const char *, MFn::Type> known[] = {
      {"transform", MFn::kTransform},
      {"mesh", MFn::kMesh},
      {"time", MFn::kTime},
      {"blendShape", MFn::kBlendShape},
      {"animCurveTU", MFn::kAnimCurve},
      {"deformer", MFn::kPluginDeformerNode},
      {"threadedDevice", MFn::kPluginThreadedDevice}};
  for (auto &k : known)
    if (node->type->isA(k.first)) return k.second;
  return node->type->plugin.empty() ? MFn::kDependencyNode : MFn::kPluginDependNode;
}

bool MObject::hasFn(MFn::Type type) const {
  if (isNull()) return false;
  if (type == MFn::kBase || apiType() == type) return true;
  if (data) return type == MFn::kData || (type == MFn::kMesh && data->kind == Kind::mesh);
  if (!node) return type == MFn::kAttribute && attr;
  if (type == MFn::kDependencyNode) return true;
  if (type == MFn::kGeometryFilt) return node->type->isA("geometryFilter");
  return type == MFn::kDagNode && node->type->isDag;
}

MAYA_HOST_CLOSE

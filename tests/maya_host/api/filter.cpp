// Deformers, of OpenMayaAnim.
#include "api/adapter.h"

#include <cstring>

#include <maya/MIndexMapper.h>
#include <maya/MItGeometry.h>
#include <maya/MMatrix.h>
#include <maya/MPxDeformerNode.h>

using host::Block;
using host::Plug;
using host::Status;

static thread_local host::Geometry *deforming = nullptr; // while deform runs on this thread

struct FilterAdapter : Adapter<host::GeometryFilter> {
  using Adapter::Adapter;
  std::map<unsigned, std::pair<int, size_t>> known; // vertices and polygons of every geometry
  // Maya's own part of a deformer follows where the node says that a plug is none of its own
  Status compute(const Plug &p, Block &b) override {
    Status status = Adapter::compute(p, b);
    return status == Status::unknownParameter ? host::GeometryFilter::compute(p, b) : status;
  }
  Status deform(Block &b, host::Geometry &g, const host::Matrix &world, unsigned index) override {
    auto *filter = static_cast<MPxGeometryFilter *>(node.get());
    MDataBlock block(&b);
    MItGeometry iter(&g);
    MMatrix matrix;
    std::memcpy(matrix.matrix, world.data(), sizeof matrix.matrix);
    host::Geometry *outer = deforming;
    deforming = &g;
    MStatus status;
#if MAYA_HOST_VERSION >= 20250000
    std::pair<int, size_t> size{g.data->mesh.nvert(), g.data->mesh.counts.size()};
    bool isNew = b.context->normal && known[index] != size;
    if (b.context->normal) known[index] = size;
    status = filter->prepareDeform(
        block, index, isNew ? MPxGeometryFilter::kTopologyChanged : MPxGeometryFilter::kNoChange);
#endif
    if (status) status = filter->deform(block, iter, matrix, index);
    deforming = outer;
    return engineStatus(status);
  }
};

static const bool known = [] {
  Adapt *make = [](MPxNode *node) -> std::unique_ptr<host::Behaviour> {
    return std::make_unique<FilterAdapter>(node);
  };
  addAdapter(MPxNode::kDeformerNode, "deformer", make);
  addAdapter(MPxNode::kGeometryFilter, "geometryFilter", make);
  return true;
}();

MAYA_HOST_OPEN

static const host::BaseAttrs &base() {
  return host::baseAttrs();
}
MObject MPxGeometryFilter::input(base().input);
// Maya's own filters need not share this object with those of plug-ins, and here they do not.
MObject MPxGeometryFilter::inputGeom = [] {
  MObject made(base().inputGeom);
  made.ofPlugins = true;
  return made;
}();
MObject MPxGeometryFilter::groupId(base().groupId);
MObject MPxGeometryFilter::outputGeom(base().outputGeom);
MObject MPxGeometryFilter::envelope(base().envelope);
MObject MPxGeometryFilter::componentTagExpression(base().tagExpression);
MObject MPxDeformerNode::weightList(base().weightList);
MObject MPxDeformerNode::weights(base().weights);

MPxGeometryFilter::MPxGeometryFilter() = default;
MPxGeometryFilter::~MPxGeometryFilter() = default;
MStatus MPxGeometryFilter::deform(MDataBlock &, MItGeometry &, const MMatrix &, unsigned int) {
  return MStatus();
}
MObject &MPxGeometryFilter::accessoryAttribute() const {
  return MObject::kNullObj;
}
MStatus MPxGeometryFilter::accessoryNodeSetup(MDagModifier &) {
  return MStatus();
}
void MPxGeometryFilter::setModifiedCallback(MSelectionList &, bool) {}
#if MAYA_HOST_VERSION >= 20250000
MObject MPxGeometryFilter::originalGeometry(base().originalGeometry);
MStatus MPxGeometryFilter::prepareDeform(MDataBlock &, unsigned int, int) {
  return MStatus();
}
#endif
#if MAYA_HOST_VERSION >= 20240000
MIndexMapper MPxGeometryFilter::indexMapper(unsigned int multiIndex, MStatus *status) const {
  bool ok = deforming && deforming->index == multiIndex;
  answer(status, ok ? MStatus::kSuccess : MStatus::kFailure);
  if (!ok) return MIndexMapper();
  bool all = static_cast<int>(deforming->members.size()) == deforming->data->mesh.nvert();
  return MIndexMapper(deforming->members, all);
}
const float *MPxDeformerNode::envelopeWeights(MDataBlock &block, unsigned int multiIndex,
                                              unsigned int *n) {
  static thread_local std::vector<float> bulk;
  bulk.clear();
  float envelope_ = block.inputValue(envelope).asFloat();
  for (int v : deforming ? deforming->members : std::vector<int>())
    bulk.push_back(envelope_ * weightValue(block, multiIndex, static_cast<unsigned>(v)));
  if (n) *n = static_cast<unsigned>(bulk.size());
  return bulk.data();
}
#endif
MPxDeformerNode::MPxDeformerNode() = default;
MPxDeformerNode::~MPxDeformerNode() = default;
float MPxDeformerNode::weightValue(MDataBlock &block, unsigned int multiIndex, unsigned int at) {
  return host::weightOf(*block.block, multiIndex, at);
}

MAYA_HOST_CLOSE

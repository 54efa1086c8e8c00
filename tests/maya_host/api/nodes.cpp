// Nodes of plug-ins: the adapter between an MPxNode and the engine.
#include "api/bridge.h"

#include <cstring>

#include <maya/MCacheSchema.h>
#include <maya/MEvaluationNode.h>
#include <maya/MIndexMapper.h>
#include <maya/MItGeometry.h>
#include <maya/MMatrix.h>
#include <maya/MNodeCacheDisablingInfo.h>
#include <maya/MNodeCacheSetupInfo.h>
#include <maya/MObjectArray.h>
#include <maya/MPlugArray.h>
#include <maya/MPxDeformerNode.h>
#include <maya/MPxThreadedDeviceNode.h>

using host::Behaviour;
using host::Block;
using host::Context;
using host::Evaluated;
using host::Plug;
using host::Scheduling;
using host::Span;
using host::Status;

static Status engineStatus(const MStatus &s) {
  if (s) return Status::ok;
  return s == MStatus::kUnknownParameter ? Status::unknownParameter : Status::failure;
}

static thread_local host::Geometry *deforming = nullptr; // while deform runs on this thread

// What an adapter of any kind forwards to its node.
template <class Base> struct Adapter : Base {
  std::unique_ptr<MPxNode> node;
  explicit Adapter(MPxNode *n) : node(n) {}
  void created(host::Node *n) override {
    node->hostNode = n;
    node->postConstructor();
  }
  Status compute(const Plug &p, Block &b) override {
    MDataBlock block(&b);
    return engineStatus(node->compute(MPlug(p), block));
  }
  void dirtied(const Plug &p, std::vector<Plug> &more) override {
    MPlugArray affected;
    node->setDependentsDirty(MPlug(p), affected);
    for (unsigned i = 0; i < affected.length(); i++) more.push_back(affected[i].hostPlug());
  }
  void before(Context &c, const Evaluated &e) override {
    node->preEvaluation(MDGContext(&c), MEvaluationNode(&e));
  }
  void after(Context &c, const Evaluated &e) override {
    node->postEvaluation(MDGContext(&c), MEvaluationNode(&e), MPxNode::kEvaluatedDirectly);
  }
  Scheduling scheduling() const override {
    switch (node->schedulingType()) {
    case MPxNode::kParallel:
      return Scheduling::parallel;
    case MPxNode::kSerialize:
      return Scheduling::serialize;
    case MPxNode::kGloballySerialize:
      return Scheduling::globallySerialize;
    default:
      return Scheduling::untrusted;
    }
  }
  host::CacheSetup cacheSetup(const Evaluated &e) const override {
    MNodeCacheDisablingInfo off;
    MNodeCacheSetupInfo setup;
    MObjectArray monitored;
    node->getCacheSetup(MEvaluationNode(&e), off, setup, monitored);
    std::vector<std::string> names;
    for (unsigned int k = 0; k < monitored.length(); k++)
      names.push_back(monitored[k].attr->longName);
    return {setup.getRequirement(MNodeCacheSetupInfo::kSimulationSupport),
            setup.getPreference(MNodeCacheSetupInfo::kWantToCacheByDefault), off.getCacheDisabled(),
            text(off.getReason()), names};
  }
  Span invalidated(const Plug &p, Span span) const override {
    MTimeRange out = node->transformInvalidationRange(
        MPlug(p), MTimeRange(MTime::make(span.first), MTime::make(span.last)));
    return out.isEmpty() ? span : Span{out.min().hostTicks(), out.max().hostTicks()};
  }
  void connected(const Plug &mine, const Plug &other, bool asSrc, bool made) override {
    if (made)
      node->connectionMade(MPlug(mine), MPlug(other), asSrc);
    else
      node->connectionBroken(MPlug(mine), MPlug(other), asSrc);
  }
  void *user() override { return node.get(); }
};

struct FilterAdapter : Adapter<host::GeometryFilter> {
  using Adapter::Adapter;
  std::map<unsigned, std::pair<int, size_t>> known; // vertices and polygons of every geometry
  Status base(const Plug &p, Block &b) { return host::GeometryFilter::compute(p, b); }
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

struct DeviceAdapter : Adapter<Behaviour> {
  using Adapter::Adapter;
  MPxThreadedDeviceNode *device() const { return static_cast<MPxThreadedDeviceNode *>(node.get()); }
  void changed(const Plug &p) override {
    if (p.attr != host::baseAttrs().live) return;
    if (p.node->block->find(p)->b)
      device()->hostStart();
    else
      device()->hostStop();
  }
  void stop() override { device()->hostStop(); }
  void idle(std::vector<Plug> &news) override {
    MObjectArray refreshed;
    if (!device()->hostHasNews(refreshed)) return;
    for (unsigned i = 0; i < refreshed.length(); i++)
      news.push_back(host::plugOf(node->hostNode, refreshed[i].attr));
  }
};

std::unique_ptr<Behaviour> adapt(MPxNode *node, int kind) {
  if (kind == MPxNode::kDeformerNode || kind == MPxNode::kGeometryFilter)
    return std::make_unique<FilterAdapter>(node);
  if (kind == MPxNode::kThreadedDeviceNode) return std::make_unique<DeviceAdapter>(node);
  return std::make_unique<Adapter<Behaviour>>(node);
}

MAYA_HOST_OPEN

static const host::BaseAttrs &base() {
  return host::baseAttrs();
}
MObject MPxNode::message(base().message);
MObject MPxNode::caching(base().caching);
MObject MPxNode::state(base().nodeState);
MObject MPxNode::frozen(base().frozen);
MObject MPxNode::isHistoricallyInteresting(base().historical);
MObject MPxGeometryFilter::input(base().input);
MObject MPxGeometryFilter::inputGeom(base().inputGeom);
MObject MPxGeometryFilter::groupId(base().groupId);
MObject MPxGeometryFilter::outputGeom(base().outputGeom);
MObject MPxGeometryFilter::envelope(base().envelope);
MObject MPxGeometryFilter::componentTagExpression(base().tagExpression);
MObject MPxDeformerNode::weightList(base().weightList);
MObject MPxDeformerNode::weights(base().weights);

MPxNode::MPxNode() = default;
MPxNode::~MPxNode() = default;
void MPxNode::postConstructor() {}
MStatus MPxNode::compute(const MPlug &, MDataBlock &) {
  return MStatus::kUnknownParameter;
}
MStatus MPxNode::setDependentsDirty(const MPlug &, MPlugArray &) {
  return MStatus();
}
MStatus MPxNode::preEvaluation(const MDGContext &, const MEvaluationNode &) {
  return MStatus();
}
MStatus MPxNode::postEvaluation(const MDGContext &, const MEvaluationNode &, PostEvaluationType) {
  return MStatus();
}
MPxNode::SchedulingType MPxNode::schedulingType() const {
  return kDefaultScheduling;
}
MStatus MPxNode::connectionMade(const MPlug &, const MPlug &, bool) {
  return MStatus::kUnknownParameter;
}
MStatus MPxNode::connectionBroken(const MPlug &, const MPlug &, bool) {
  return MStatus::kUnknownParameter;
}
void MPxNode::copyInternalData(MPxNode *) {}
MStatus MPxNode::shouldSave(const MPlug &, bool &) {
  return MStatus::kUnknownParameter;
}
bool MPxNode::isPassiveOutput(const MPlug &) const {
  return false;
}
void MPxNode::getCacheSetup(const MEvaluationNode &, MNodeCacheDisablingInfo &,
                            MNodeCacheSetupInfo &, MObjectArray &) const {}
void MPxNode::configCache(const MEvaluationNode &, MCacheSchema &) const {}
MTimeRange MPxNode::transformInvalidationRange(const MPlug &, const MTimeRange &input) const {
  return input;
}
MObject MPxNode::thisMObject() const {
  return hostNode ? MObject(hostNode) : MObject();
}
MString MPxNode::name() const {
  return hostNode ? hostNode->name.c_str() : "";
}
MTypeId MPxNode::typeId() const {
  return hostNode ? hostNode->type->id : 0;
}
MString MPxNode::typeName() const {
  return hostNode ? hostNode->type->name.c_str() : "";
}

MPxGeometryFilter::MPxGeometryFilter() = default;
MPxGeometryFilter::~MPxGeometryFilter() = default;
MStatus MPxGeometryFilter::compute(const MPlug &plug, MDataBlock &block) {
  auto *adapter = static_cast<FilterAdapter *>(hostNode->behaviour.get());
  switch (adapter->base(plug.hostPlug(), *block.block)) {
  case Status::ok:
    return MStatus();
  case Status::unknownParameter:
    return MStatus::kUnknownParameter;
  default:
    return MStatus::kFailure;
  }
}
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

bool MEvaluationNode::dirtyPlugExists(const MObject &attribute, MStatus *status) const {
  answer(status, MStatus::kSuccess);
  return evaluated->isDirty(attribute.attr);
}
MPlug MEvaluationNode::dirtyPlug(const MObject &attribute, MStatus *status) const {
  for (const Plug &p : evaluated->dirty)
    if (p.attr == attribute.attr) return answer(status, MStatus::kSuccess), MPlug(p);
  answer(status, MStatus::kFailure);
  return MPlug();
}

bool MCacheSchema::add(const MObject &attribute) {
  return attributes_.append(attribute), true;
}
bool MCacheSchema::contains(const MObject &attribute) const {
  for (unsigned i = 0; i < attributes_.length(); i++)
    if (attributes_[i] == attribute) return true;
  return false;
}

MAYA_HOST_CLOSE

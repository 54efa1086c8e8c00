// Nodes of plug-ins, and what Maya asks them.
#include "api/adapter.h"

#include <maya/MCacheSchema.h>
#include <maya/MObjectArray.h>
#include <maya/MPlugArray.h>

using host::Plug;

struct Known {
  const char *base;
  Adapt *adapt;
};
static std::map<int, Known> &adapters() {
  static std::map<int, Known> all;
  return all;
}
void addAdapter(int kind, const char *base, Adapt *adapt) {
  adapters()[kind] = {base, adapt};
}
std::unique_ptr<host::Behaviour> adapt(MPxNode *node, int kind) {
  auto found = adapters().find(kind);
  if (found != adapters().end()) return found->second.adapt(node);
  return std::make_unique<Adapter<host::Behaviour>>(node);
}
const char *baseOf(int kind) {
  auto found = adapters().find(kind);
  return found == adapters().end() ? "node" : found->second.base;
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
MStatus MPxNode::postEvaluation(const MDGContext &, const MEvaluationNode &, unsigned int) {
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
MDataBlock MPxNode::forceCache() {
  return MDataBlock(hostNode->block.get());
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

bool MEvaluationNode::dirtyPlugExists(const MObject &attribute, MStatus *status) const {
  answer(status, MStatus::kSuccess);
  // Maya answers for the top-most parent: whatever is dirty in a compound makes all of it so
  host::Attr *top = host::lineage(attribute.attr).front();
  for (const Plug &p : evaluated->dirty)
    if (host::lineage(p.attr).front() == top) return true;
  return false;
}
MPlug MEvaluationNode::dirtyPlug(const MObject &attribute, MStatus *status) const {
  for (const Plug &p : evaluated->dirty)
    if (p.attr == attribute.attr) return answer(status, MStatus::kSuccess), MPlug(p);
  answer(status, MStatus::kFailure);
  return MPlug();
}

MStatus MCacheSchema::add(const MObject &) {
  return MStatus();
}

MAYA_HOST_CLOSE

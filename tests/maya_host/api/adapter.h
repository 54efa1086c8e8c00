// Between an MPxNode and the engine.
#ifndef HOST_ADAPTER_H
#define HOST_ADAPTER_H

#include "api/bridge.h"

#include <maya/MEvaluationNode.h>
#include <maya/MNodeCacheDisablingInfo.h>
#include <maya/MNodeCacheSetupInfo.h>
#include <maya/MPxNode.h>

inline host::Status engineStatus(const MStatus &s) {
  if (s) return host::Status::ok;
  return s == MStatus::kUnknownParameter ? host::Status::unknownParameter : host::Status::failure;
}

// What an adapter of any kind forwards to its node.
template <class Base> struct Adapter : Base {
  std::unique_ptr<MPxNode> node;
  explicit Adapter(MPxNode *n) : node(n) {}
  void created(host::Node *n) override {
    node->hostNode = n;
    node->postConstructor();
  }
  host::Status compute(const host::Plug &p, host::Block &b) override {
    MDataBlock block(&b);
    return engineStatus(node->compute(MPlug(p), block));
  }
  void dirtied(const host::Plug &p, std::vector<host::Plug> &more) override {
    MPlugArray affected;
    node->setDependentsDirty(MPlug(p), affected);
    for (unsigned i = 0; i < affected.length(); i++) more.push_back(affected[i].hostPlug());
  }
  void before(host::Context &c, const host::Evaluated &e) override {
    node->preEvaluation(MDGContext(&c), MEvaluationNode(&e));
  }
  void after(host::Context &c, const host::Evaluated &e) override {
    node->postEvaluation(MDGContext(&c), MEvaluationNode(&e), 1);
  }
  host::Scheduling scheduling() const override {
    switch (node->schedulingType()) {
    case MPxNode::kParallel:
      return host::Scheduling::parallel;
    case MPxNode::kSerialize:
      return host::Scheduling::serialize;
    case MPxNode::kGloballySerialize:
      return host::Scheduling::globallySerialize;
    default:
      return host::Scheduling::untrusted;
    }
  }
  host::CacheSetup cacheSetup(const host::Evaluated &e) const override {
    MNodeCacheDisablingInfo off;
    MNodeCacheSetupInfo setup;
    MObjectArray monitored;
    node->getCacheSetup(MEvaluationNode(&e), off, setup, monitored);
    std::vector<std::string> names;
    for (unsigned int k = 0; k < monitored.length(); k++)
      names.push_back(monitored[k].attr->longName);
    return {setup.getRequirement(MNodeCacheSetupInfo::kSimulationSupport),
            setup.getPreference(MNodeCacheSetupInfo::kWantToCacheByDefault), off.getCacheDisabled(),
            text(off.reason_), names};
  }
  host::Span invalidated(const host::Plug &p, host::Span span) const override {
    MTimeRange out = node->transformInvalidationRange(
        MPlug(p), MTimeRange(MTime::make(span.first), MTime::make(span.last)));
    return out.empty_ ? span : host::Span{out.min_.hostTicks(), out.max_.hostTicks()};
  }
  void connected(const host::Plug &mine, const host::Plug &other, bool asSrc, bool made) override {
    if (made)
      node->connectionMade(MPlug(mine), MPlug(other), asSrc);
    else
      node->connectionBroken(MPlug(mine), MPlug(other), asSrc);
  }
  void *user() override { return node.get(); }
};

#endif

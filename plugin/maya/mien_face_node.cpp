#include "geometry_path.h"

#include <limits>

#include <maya/MEvaluationNode.h>
#include <maya/MGlobal.h>
#include <maya/MNodeCacheDisablingInfo.h>
#include <maya/MNodeCacheSetupInfo.h>
#include <maya/MPlugArray.h>
#include <maya/MPoint.h>
#include <maya/MTimeRange.h>
#include <maya/MVector.h>

namespace mien_maya {

MienFaceNode::Geometry &MienFaceNode::geometry(unsigned int index) {
  std::lock_guard<std::mutex> hold(lock_);
  auto &slot = geometries_[index];
  if (!slot) slot = std::make_unique<Geometry>();
  return *slot;
}

const MienFaceNode::Geometry *MienFaceNode::find(unsigned int index) const {
  std::lock_guard<std::mutex> hold(lock_);
  auto found = geometries_.find(index);
  return found == geometries_.end() ? nullptr : found->second.get();
}

// Said once until it is no longer true; a sentence per frame would bury everything else.
void MienFaceNode::warnOnce(Geometry &g, const std::string &text) const {
  std::lock_guard<std::mutex> hold(g.saying); // frames are evaluated beside each other
  if (!g.said.insert(text).second) return;
  MGlobal::displayWarning(MString("mien: ") + name() + " " + text.c_str());
}

// -- When to read rig and maps again --------------------------------------------------------------

void MienFaceNode::markStale() {
  std::lock_guard<std::mutex> hold(lock_);
  for (auto &g : geometries_) g.second->is_stale = true;
}

MStatus MienFaceNode::setDependentsDirty(const MPlug &plug, MPlugArray &affected) {
  // a compound or a list is dirty as a whole when an element comes or goes
  MObject attribute = plug.attribute();
  bool isSource = attribute == aPerGeometry || attribute == aShapes || attribute == aColliders ||
                  attribute == aShapeMaps;
  for (unsigned int k = 0; k < aSources.length(); k++)
    isSource = isSource || attribute == aSources[k];
  if (isSource) markStale();
  return MPxDeformerNode::setDependentsDirty(plug, affected);
}

// Under the Evaluation Manager setDependentsDirty is not called: the same question, asked here.
MStatus MienFaceNode::preEvaluation(const MDGContext &context, const MEvaluationNode &node) {
  if (!context.isNormal()) return MS::kFailure;
  MStatus status;
  for (unsigned int k = 0; k < aSources.length(); k++)
    if (node.dirtyPlugExists(aSources[k], &status) && status) {
      markStale();
      break;
    }
  return MS::kSuccess;
}

// -- Cached Playback ------------------------------------------------------------------------------

void MienFaceNode::getCacheSetup(const MEvaluationNode &node, MNodeCacheDisablingInfo &disabling,
                                 MNodeCacheSetupInfo &setup, MObjectArray &monitored) const {
  MPxDeformerNode::getCacheSetup(node, disabling, setup, monitored);
  monitored.append(aParameters[0]); // enable
  MPlug enable(thisMObject(), aParameters[0]);
  bool isOn = enable.isDestination() || enable.asBool(); // keyed: at some frame it is on
  setup.setRequirement(MNodeCacheSetupInfo::kSimulationSupport, isOn);
  setup.setPreference(MNodeCacheSetupInfo::kWantToCacheByDefault, true);
}

// A change at one frame changes all later ones. Filling starts again at the start frame; the frames
// before the change are there as snapshots and cost next to nothing.
MTimeRange MienFaceNode::transformInvalidationRange(const MPlug &, const MTimeRange &range) const {
  // half of the largest number of ticks: arithmetic on the end of time must not overflow
  double last = static_cast<double>(std::numeric_limits<MTime::MTick>::max() / 2) /
                static_cast<double>(MTime::ticksPerSecond());
  // called while the graph is being dirtied: nothing may be evaluated here, so a start that is
  // connected is taken for the beginning of time
  MPlug plug(thisMObject(), aStartTime);
  MTime start = plug.isDestination() ? MTime(-last, MTime::kSeconds) : plug.asMTime();
  return range | MTimeRange(start, MTime(last, MTime::kSeconds));
}

// -- Evaluation -----------------------------------------------------------------------------------

static void forgetSaid(std::mutex &saying, std::set<std::string> &said) {
  std::lock_guard<std::mutex> hold(saying);
  said.clear();
}

// Rig and flesh, made anew when what they are made of has changed. False: pass through.
bool MienFaceNode::prepare(MDataBlock &block, unsigned int index, const Settings &settings,
                           Geometry &g) const {
  if (!g.is_stale.exchange(false)) return g.can_simulate;
  RigSource source;
  g.why_not.clear();
  g.can_simulate = readRig(block, index, settings, &source, &g.why_not) &&
                   g.solver.build(source, settings, &g.why_not);
  if (!g.can_simulate)
    g.why_not += "; the mesh passes through unchanged";
  else
    forgetSaid(g.saying, g.said);
  return g.can_simulate;
}

MStatus MienFaceNode::deform(MDataBlock &block, MItGeometry &iter, const MMatrix &localToWorld,
                             unsigned int multiIndex) {
  float envelope_ = block.inputValue(envelope).asFloat();
  Settings settings;
  std::string why;
  Geometry &g = geometry(multiIndex);
  if (!readSettings(block, &settings, &why)) return warnOnce(g, why), MS::kSuccess;
  if (!settings.enable) {
    g.solver.reset();
    return MS::kSuccess;
  }
  // an envelope that is animated through 0 hides the simulation, it does not stop it
  bool isHidden = envelope_ == 0 && !MPlug(thisMObject(), envelope).isDestination();
  if (isHidden || iter.count() == 0) return MS::kSuccess;
  std::vector<double> offsets;
  Stats stats_;
  MMatrix to_head;
  double metres = settings.metres();
  { // two threads may ask for two frames of this mesh
    std::lock_guard<std::mutex> hold(g.lock);
    if (!prepare(block, multiIndex, settings, g)) return warnOnce(g, g.why_not), MS::kSuccess;
    FrameInput frame;
    to_head = readHead(block, multiIndex, localToWorld, &frame, metres);
    readFrame(block, multiIndex, to_head, settings, &frame);
    int nvert = static_cast<int>(frame.pose.size() / 3);
    if (nvert != g.solver.nvert()) {
      warnOnce(g, "gets " + std::to_string(nvert) + " vertices, its rest mesh has " +
                      std::to_string(g.solver.nvert()) +
                      "; the mesh passes through unchanged. Undo the change of topology, or run "
                      "'mien' again on the new mesh");
      return MS::kSuccess;
    }
    if (!g.solver.evaluate(frame, settings, &offsets, &stats_, &why))
      return warnOnce(g, "cannot simulate this frame: " + why), MS::kSuccess;
    {
      std::lock_guard<std::mutex> tell(g.telling);
      g.stats = stats_;
    }
    if (!stats_.remark.empty() && !g.is_doubted) {
      g.is_doubted = true; // once: a shot may have a hundred such frames
      warnOnce(g, "is not plausible: " + stats_.remark);
    }
  }
  writeOut(block, iter, multiIndex, to_head.inverse(), 1 / metres, offsets);
  return MS::kSuccess;
}

// Adds what physics adds: where that is nothing, the point is the artist's to the last bit.
void MienFaceNode::writeOut(MDataBlock &block, MItGeometry &iter, unsigned int index,
                            const MMatrix &to_object, double units,
                            const std::vector<double> &offsets) {
  double envelope_ = static_cast<double>(block.inputValue(envelope).asFloat());
  for (; !iter.isDone(); iter.next()) {
    size_t at = 3 * static_cast<size_t>(iter.index());
    if (at + 2 >= offsets.size()) continue;
    MVector off(offsets[at], offsets[at + 1], offsets[at + 2]);
    if (off.x == 0 && off.y == 0 && off.z == 0) continue;
    double share =
        envelope_ *
        static_cast<double>(weightValue(block, index, static_cast<unsigned int>(iter.index())));
    iter.setPosition(iter.position() + (off * (share * units)) * to_object);
  }
}

MStatus MienFaceNode::compute(const MPlug &plug, MDataBlock &block) {
  Stats s = firstStats();
  if (plug == aOutSolveTime)
    block.outputValue(aOutSolveTime).set(s.milliseconds);
  else if (plug == aOutIterations)
    block.outputValue(aOutIterations).set(s.iterations);
  else if (plug == aOutResidual)
    block.outputValue(aOutResidual).set(s.residual);
  else if (plug == aOutMaxOffset)
    block.outputValue(aOutMaxOffset).set(s.max_offset * 1000); // mm
  else if (plug == aOutContacts)
    block.outputValue(aOutContacts).set(s.contacts);
  else if (plug == aOutStuck)
    block.outputValue(aOutStuck).set(s.stuck);
  else if (plug == aOutFramesKept)
    block.outputValue(aOutFramesKept).set(s.frames_kept);
  else
    return MPxDeformerNode::compute(plug, block);
  return block.setClean(plug);
}

// -- For the command ------------------------------------------------------------------------------

void MienFaceNode::forget() {
  std::lock_guard<std::mutex> hold(lock_);
  for (auto &g : geometries_) g.second->solver.reset();
}

Stats MienFaceNode::stats(unsigned int index) const {
  std::lock_guard<std::mutex> hold(lock_);
  auto found = geometries_.find(index);
  if (found == geometries_.end()) return Stats();
  std::lock_guard<std::mutex> one(found->second->telling);
  return found->second->stats;
}

Stats MienFaceNode::firstStats() const {
  std::lock_guard<std::mutex> hold(lock_);
  if (geometries_.empty()) return Stats();
  std::lock_guard<std::mutex> one(geometries_.begin()->second->telling);
  return geometries_.begin()->second->stats;
}

std::vector<std::string> MienFaceNode::remarks(unsigned int index) const {
  const Geometry *g = find(index);
  return g ? g->solver.remarks() : std::vector<std::string>();
}

std::vector<float> MienFaceNode::automaticMap(unsigned int index, const std::string &map) const {
  const Geometry *g = find(index);
  return g ? g->solver.automaticMap(map) : std::vector<float>();
}

const FaceSolver *MienFaceNode::solver(unsigned int index) const {
  const Geometry *g = find(index);
  return g ? &g->solver : nullptr;
}

std::shared_ptr<const mien_rig> MienFaceNode::rig(unsigned int index) const {
  const Geometry *g = find(index);
  return g ? g->solver.rig() : nullptr;
}

} // namespace mien_maya

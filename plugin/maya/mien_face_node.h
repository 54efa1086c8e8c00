// The deformer. Reads plugs, asks a FaceSolver, writes points; nothing else.
#ifndef MIEN_MAYA_FACE_NODE_H
#define MIEN_MAYA_FACE_NODE_H

#include "face_solver.h"

#include <atomic>
#include <memory>
#include <mutex>
#include <set>

#include <maya/MDataBlock.h>
#include <maya/MItGeometry.h>
#include <maya/MMatrix.h>
#include <maya/MObjectArray.h>
#include <maya/MPxDeformerNode.h>

namespace mien_maya {

// How long a frame of the scene is, s.
double frameSeconds();

class MienFaceNode : public MPxDeformerNode {
public:
  static void *creator() { return new MienFaceNode; }
  static MStatus initialize();

  MStatus compute(const MPlug &plug, MDataBlock &block) override;
  MStatus deform(MDataBlock &block, MItGeometry &iter, const MMatrix &localToWorld,
                 unsigned int multiIndex) override;
  MStatus setDependentsDirty(const MPlug &plug, MPlugArray &affected) override;
  MStatus preEvaluation(const MDGContext &context, const MEvaluationNode &node) override;
  SchedulingType schedulingType() const override { return kParallel; } // no state but its own
  void getCacheSetup(const MEvaluationNode &node, MNodeCacheDisablingInfo &disabling,
                     MNodeCacheSetupInfo &setup, MObjectArray &monitored) const override;
  MTimeRange transformInvalidationRange(const MPlug &source,
                                        const MTimeRange &range) const override;

  // for the command
  void forget();
  Stats stats(unsigned int geometry) const;
  Stats firstStats() const; // of the first geometry there is; asks no plug
  std::vector<std::string> remarks(unsigned int geometry) const;
  std::vector<float> automaticMap(unsigned int geometry, const std::string &map) const;
  std::shared_ptr<const mien_rig> rig(unsigned int geometry) const;
  const FaceSolver *solver(unsigned int geometry) const; // null when nothing was evaluated yet

  static MObject aTime, aStartTime, aHeadMatrix, aHeadRestMatrix, aJawMatrix, aJawRestMatrix;
  static MObject aPerGeometry, aRestMesh, aRestMatrix, aFittedMuscles, aContraction;
  static MObject aShapeMaps, aShapeMapName, aShapeMapValues, aBrushTarget, aBrushMap;
  static MObject aColliders, aColliderMesh, aColliderMatrix;
  static MObject aShapes, aShapeName, aShapePoints, aShapeComponents, aShapeMesh, aShapeFull,
      aShapeChannel;
  static MObject aShapeWeights, aShapeWeight; // apart: they change with every frame
  static MObject aOutSolveTime, aOutIterations, aOutResidual, aOutMaxOffset, aOutContacts,
      aOutStuck, aOutFramesKept;
  static MObjectArray aParameters, aMaps; // in the order of the tables
  static MObjectArray aSources;           // what the flesh is made of

private:
  struct Geometry { // one per geometry index
    FaceSolver solver;
    std::mutex lock; // rebuilding
    std::atomic<bool> is_stale{true};
    bool can_simulate = false, is_doubted = false;
    std::string why_not;
    std::mutex saying;
    std::set<std::string> said;
    std::mutex telling; // held for a copy only: whoever asks never waits for a step
    Stats stats;
  };
  Geometry &geometry(unsigned int index);
  const Geometry *find(unsigned int index) const;
  void markStale();
  bool readSettings(MDataBlock &block, Settings *settings, std::string *why) const;
  bool readRig(MDataBlock &block, unsigned int index, const Settings &settings, RigSource *source,
               std::string *why) const;
  void readFrame(MDataBlock &block, unsigned int index, const MMatrix &to_head,
                 const Settings &settings, FrameInput *frame) const;
  void readWeights(MDataBlock &block, unsigned int index, std::vector<float> *shares) const;
  void readContractions(MDataBlock &block, std::vector<float> *out) const;
  MMatrix readHead(MDataBlock &block, unsigned int index, const MMatrix &localToWorld,
                   FrameInput *frame, double metres) const;
  void readColliders(MDataBlock &block, double metres, std::vector<ColliderSource> *sources,
                     std::vector<mien_rigid> *places) const;
  bool prepare(MDataBlock &block, unsigned int index, const Settings &settings, Geometry &g) const;
  void writeOut(MDataBlock &block, MItGeometry &iter, unsigned int index, const MMatrix &to_object,
                double units, const std::vector<double> &offsets);
  void warnOnce(Geometry &g, const std::string &text) const;

  mutable std::mutex lock_; // of the list
  std::map<unsigned int, std::unique_ptr<Geometry>> geometries_;
};

} // namespace mien_maya

#endif

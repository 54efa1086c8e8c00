// What every deformer does before and after its own work: fetch the geometry, find the members,
// hand over a copy, keep the rest.
#ifndef HOST_DEFORM_H
#define HOST_DEFORM_H

#include "engine/scene.h"

namespace host {

// Inherited attributes, the same objects in every scene.
struct BaseAttrs {
  Attr *message, *caching, *nodeState, *frozen, *historical;                 // node
  Attr *input, *inputGeom, *groupId, *tagExpression, *outputGeom, *envelope; // geometryFilter
  Attr *originalGeometry;
  Attr *weightList, *weights;                 // deformer
  Attr *live, *deviceFrameRate, *threadState; // threadedDevice
};
const BaseAttrs &baseAttrs();
Attr *newAttr(const std::string &longName, const std::string &shortName, Kind kind);

// The geometry a deformer works on. `members` are vertex numbers, ascending.
struct Geometry {
  Data *data = nullptr;
  std::vector<int> members;
  unsigned index = 0;
};

struct GeometryFilter : Behaviour {
  Status compute(const Plug &p, Block &block) override;
  virtual Status deform(Block &, Geometry &, const Matrix &, unsigned) = 0;
};

// What a live target does to the neutral, as a blendShape finds it when it is evaluated.
void readLiveTarget(const Mesh &rest, const Mesh &mesh, DataPtr *points, DataPtr *ids);

float weightOf(Block &block, unsigned geometry, unsigned vertex);

} // namespace host

#endif

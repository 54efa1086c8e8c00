#ifndef HOST_MPXDEFORMERNODE_H
#define HOST_MPXDEFORMERNODE_H

#include <maya/MPxGeometryFilter.h>

MAYA_HOST_OPEN

class MPxDeformerNode : public MPxGeometryFilter {
public:
  MPxDeformerNode();
  ~MPxDeformerNode() override;
  float weightValue(MDataBlock &block, unsigned int multiIndex, unsigned int wtIndex);
#if MAYA_HOST_VERSION >= 20240000
  const float *envelopeWeights(MDataBlock &block, unsigned int multiIndex,
                               unsigned int *n = nullptr);
#endif
  static MObject weightList, weights;
};

MAYA_HOST_CLOSE

#endif

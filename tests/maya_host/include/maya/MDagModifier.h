#ifndef HOST_MDAGMODIFIER_H
#define HOST_MDAGMODIFIER_H

#include <maya/MDGModifier.h>

MAYA_HOST_OPEN

class MDagModifier : public MDGModifier {
public:
  ~MDagModifier() override;
};

MAYA_HOST_CLOSE

#endif

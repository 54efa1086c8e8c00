#ifndef HOST_MCACHESCHEMA_H
#define HOST_MCACHESCHEMA_H

#include <maya/MStatus.h>

MAYA_HOST_OPEN

class MCacheSchema {
public:
  MStatus add(const MObject &attribute);

private:
  MCacheSchema() = default;
  MCacheSchema(const MCacheSchema &) = default;
  ~MCacheSchema() = default;
};

MAYA_HOST_CLOSE

#endif

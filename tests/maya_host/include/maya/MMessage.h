#ifndef HOST_MMESSAGE_H
#define HOST_MMESSAGE_H

#include <maya/MStatus.h>

MAYA_HOST_OPEN

typedef unsigned long MCallbackId;
class MMessage {
public:
  typedef void (*MNodeFunction)(MObject &node, void *clientData);
  typedef void (*MBasicFunction)(void *clientData);
  static MStatus removeCallback(MCallbackId id);
};

MAYA_HOST_CLOSE

#endif

#ifndef HOST_MNODEMESSAGE_H
#define HOST_MNODEMESSAGE_H

#include <maya/MMessage.h>

MAYA_HOST_OPEN

class MNodeMessage : public MMessage {
public:
  static MCallbackId addNodePreRemovalCallback(MObject &node, MNodeFunction fn,
                                               void *clientData = nullptr,
                                               MStatus *ReturnStatus = nullptr);
};

MAYA_HOST_CLOSE

#endif

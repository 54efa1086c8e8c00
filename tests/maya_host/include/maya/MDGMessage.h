#ifndef HOST_MDGMESSAGE_H
#define HOST_MDGMESSAGE_H

#include <maya/MMessage.h>
#include <maya/MString.h>

MAYA_HOST_OPEN

class MDGMessage : public MMessage {
public:
  static MCallbackId addNodeAddedCallback(MNodeFunction fn, const MString &type = "dependNode",
                                          void *clientData = nullptr,
                                          MStatus *ReturnStatus = nullptr);
};

MAYA_HOST_CLOSE

#endif

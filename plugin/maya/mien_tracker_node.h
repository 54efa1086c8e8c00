// The live performance as a device of Maya: Live Link Face, iFacialMocap or VMC over UDP, received
// in a thread of its own, weights and head out as plugs.
#ifndef MIEN_MAYA_TRACKER_NODE_H
#define MIEN_MAYA_TRACKER_NODE_H

#include "tracker_source.h"

#include <mutex>

#include <maya/MDataBlock.h>
#include <maya/MPxThreadedDeviceNode.h>

namespace mien_maya {

class MienTrackerNode : public MPxThreadedDeviceNode {
public:
  static void *creator() { return new MienTrackerNode; }
  static MStatus initialize();
  ~MienTrackerNode() override { destroyMemoryPools(); }

  void postConstructor() override;
  void threadHandler() override;
  void threadShutdownHandler() override { setDone(true); }
  MStatus compute(const MPlug &plug, MDataBlock &block) override;
  void getCacheSetup(const MEvaluationNode &node, MNodeCacheDisablingInfo &disabling,
                     MNodeCacheSetupInfo &setup, MObjectArray &monitored) const override;

  static MObject aProtocol, aAddress, aPort, aPhone;
  static MObject aWeight, aHeadRotate, aHeadTranslate, aReceiving, aFrames, aOutPort;

private:
  struct Wish { // what is set on the node: read where Maya evaluates it, used in the device's
                // thread
    mien_protocol protocol = MIEN_PROTOCOL_LIVE_LINK;
    std::string address, phone;
    int port = 0;
    bool isRead = false;
    bool operator==(const Wish &o) const {
      return protocol == o.protocol && address == o.address && phone == o.phone && port == o.port &&
             isRead == o.isRead;
    }
  };
  void readWish(MDataBlock &block);
  Wish wish();
  void write(MDataBlock &block) const;
  std::mutex lock_;
  Wish wish_;
  TrackerFrame last_ = TrackerFrame();
  std::string said_; // the last trouble
};

} // namespace mien_maya

#endif

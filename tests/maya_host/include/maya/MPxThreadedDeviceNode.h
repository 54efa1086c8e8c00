#ifndef HOST_MPXTHREADEDDEVICENODE_H
#define HOST_MPXTHREADEDDEVICENODE_H

#include <maya/MCharBuffer.h>
#include <maya/MObjectArray.h>
#include <maya/MPxNode.h>

MAYA_HOST_OPEN

class MPxThreadedDeviceNode : public MPxNode {
public:
  MPxThreadedDeviceNode();
  ~MPxThreadedDeviceNode() override;
  virtual void threadHandler();
  virtual void threadShutdownHandler();
  bool isLive();
  bool isDone();
  void setDone(bool done);
  void setRefreshOutputAttributes(MObjectArray &attributes);
  void createMemoryPools(unsigned int poolCount, unsigned int count, unsigned int size);
  void destroyMemoryPools();
  MStatus acquireDataStorage(MCharBuffer &buffer);
  void releaseDataStorage(MCharBuffer &buffer);
  void pushThreadData(MCharBuffer &buffer);
  bool popThreadData(MCharBuffer &buffer);
  void beginThreadLoop();
  void endThreadLoop();
  static MObject live, frameRate, threadingState;

  // of the host
  void hostStart();
  void hostStop();
  bool hostHasNews(MObjectArray &refreshed);

private:
  struct Device;
  std::unique_ptr<Device> device_;
};

MAYA_HOST_CLOSE

#endif

#ifndef HOST_MPXTHREADEDDEVICENODE_H
#define HOST_MPXTHREADEDDEVICENODE_H

#include <maya/MPxNode.h>
#include <memory>

MAYA_HOST_OPEN

class MCharBuffer {
public:
  MCharBuffer() = default;
  MCharBuffer(const MCharBuffer &) = delete;
  MCharBuffer &operator=(const MCharBuffer &) = delete;
  char *ptr();

private:
  char *memory = nullptr;
};

class MPxThreadedDeviceNode : public MPxNode {
public:
  MPxThreadedDeviceNode();
  ~MPxThreadedDeviceNode() override;
  virtual void threadHandler();
  virtual void threadShutdownHandler();
  bool isLive();
  bool isDone();
  MStatus setDone(bool done);
  MStatus setRefreshOutputAttributes(const MObjectArray &attributes);
  MStatus createMemoryPools(int poolCount, int count, long size);
  MStatus destroyMemoryPools();
  MStatus acquireDataStorage(MCharBuffer &buffer);
  MStatus releaseDataStorage(MCharBuffer &buffer);
  MStatus pushThreadData(MCharBuffer &buffer);
  MStatus popThreadData(MCharBuffer &buffer);
  MStatus beginThreadLoop();
  MStatus endThreadLoop();
  static MObject live, frameRate;

private:
  void hostStart();
  void hostStop();
  bool hostHasNews(MObjectArray &refreshed);
  struct Device;
  std::unique_ptr<Device> device_;
};

MAYA_HOST_CLOSE

#endif

// Of OpenMayaUI: a device with a thread of its own that hands over data through a pool of buffers.
#include "api/adapter.h"

#include <chrono>
#include <deque>
#include <mutex>
#include <thread>

#include <maya/MPxThreadedDeviceNode.h>

struct DeviceAdapter : Adapter<host::Behaviour> {
  using Adapter::Adapter;
  MPxThreadedDeviceNode *device() const { return static_cast<MPxThreadedDeviceNode *>(node.get()); }
  void changed(const host::Plug &p) override {
    if (p.attr != host::baseAttrs().live) return;
    if (p.node->block->find(p)->b)
      device()->hostStart();
    else
      device()->hostStop();
  }
  void stop() override { device()->hostStop(); }
  void idle(std::vector<host::Plug> &news) override {
    MObjectArray refreshed;
    if (!device()->hostHasNews(refreshed)) return;
    for (unsigned i = 0; i < refreshed.length(); i++)
      news.push_back(host::plugOf(node->hostNode, refreshed[i].attr));
  }
};

static const bool known = [] {
  addAdapter(MPxNode::kThreadedDeviceNode, "threadedDevice",
             [](MPxNode *node) -> std::unique_ptr<host::Behaviour> {
               return std::make_unique<DeviceAdapter>(node);
             });
  return true;
}();

MAYA_HOST_OPEN

char *MCharBuffer::ptr() {
  return memory;
}

MObject MPxThreadedDeviceNode::live(host::baseAttrs().live);
MObject MPxThreadedDeviceNode::frameRate(host::baseAttrs().deviceFrameRate);

struct MPxThreadedDeviceNode::Device {
  std::thread thread;
  std::mutex lock;
  std::vector<std::vector<char>> memory;
  std::vector<char *> free;
  std::deque<char *> full;
  std::atomic<bool> live{false}, done{true}, news{false}, ended{true};
  MObjectArray refreshed;
};

MPxThreadedDeviceNode::MPxThreadedDeviceNode() : device_(new Device) {}
MPxThreadedDeviceNode::~MPxThreadedDeviceNode() {
  // the thread would call a virtual function of an object that is half gone
  if (device_->thread.joinable()) {
    theScene().say('e', "a device was destroyed while its thread runs");
    device_->done = true;
    device_->thread.join();
  }
}
void MPxThreadedDeviceNode::threadHandler() {}
void MPxThreadedDeviceNode::threadShutdownHandler() {}
bool MPxThreadedDeviceNode::isLive() {
  return device_->live;
}
bool MPxThreadedDeviceNode::isDone() {
  return device_->done;
}
MStatus MPxThreadedDeviceNode::setDone(bool done) {
  device_->done = done;
  return MStatus();
}
MStatus MPxThreadedDeviceNode::setRefreshOutputAttributes(const MObjectArray &attributes) {
  if (attributes.length() != 1)
    theScene().say('e',
                   "a device refreshes one attribute, not " + std::to_string(attributes.length()));
  device_->refreshed.clear();
  if (attributes.length()) device_->refreshed.append(attributes[0]);
  return MStatus();
}

MStatus MPxThreadedDeviceNode::createMemoryPools(int poolCount, int count, long size) {
  std::lock_guard<std::mutex> hold(device_->lock);
  for (int k = 0; k < poolCount; k++)
    device_->memory.emplace_back(static_cast<size_t>(count) * static_cast<size_t>(size));
  for (auto &m : device_->memory) device_->free.push_back(m.data());
  return MStatus();
}
MStatus MPxThreadedDeviceNode::destroyMemoryPools() {
  std::lock_guard<std::mutex> hold(device_->lock);
  device_->free.clear();
  device_->full.clear();
  device_->memory.clear();
  return MStatus();
}
MStatus MPxThreadedDeviceNode::acquireDataStorage(MCharBuffer &buffer) {
  std::lock_guard<std::mutex> hold(device_->lock);
  if (device_->free.empty()) return MStatus::kFailure;
  buffer.memory = device_->free.back();
  device_->free.pop_back();
  return MStatus();
}
MStatus MPxThreadedDeviceNode::releaseDataStorage(MCharBuffer &buffer) {
  std::lock_guard<std::mutex> hold(device_->lock);
  if (buffer.memory) device_->free.push_back(buffer.memory);
  buffer.memory = nullptr;
  return MStatus();
}
MStatus MPxThreadedDeviceNode::pushThreadData(MCharBuffer &buffer) {
  std::lock_guard<std::mutex> hold(device_->lock);
  device_->full.push_back(buffer.memory);
  device_->news = true;
  return MStatus();
}
// the oldest: what was not fetched in time waits
MStatus MPxThreadedDeviceNode::popThreadData(MCharBuffer &buffer) {
  std::lock_guard<std::mutex> hold(device_->lock);
  if (device_->full.empty()) return MStatus::kFailure;
  buffer.memory = device_->full.front();
  device_->full.pop_front();
  return MStatus();
}
MStatus MPxThreadedDeviceNode::beginThreadLoop() {
  return MStatus();
}
MStatus MPxThreadedDeviceNode::endThreadLoop() {
  std::this_thread::yield();
  return MStatus();
}

void MPxThreadedDeviceNode::hostStart() {
  if (device_->thread.joinable()) return;
  device_->live = true;
  device_->done = false;
  device_->ended = false;
  device_->thread = std::thread([this] {
    host::Scene::isDeviceThread() = true; // plugs may not be read here
    threadHandler();
    device_->ended = true;
  });
}
void MPxThreadedDeviceNode::hostStop() {
  device_->live = false;
  if (!device_->thread.joinable()) return;
  // threadHandler may set "not done" once more at its start: ask until it has ended
  while (!device_->ended) {
    threadShutdownHandler();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  device_->thread.join();
}
bool MPxThreadedDeviceNode::hostHasNews(MObjectArray &refreshed) {
  refreshed = device_->refreshed;
  return device_->news.exchange(false);
}

MAYA_HOST_CLOSE

#include "tracker_source.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <thread>

namespace mien_maya {

bool TrackerSource::open(mien_protocol protocol, const std::string &address, int port,
                         const std::string &phone) {
  close();
  mien_stream_def def;
  mien_error err;
  mien_stream_def_init(&def);
  def.protocol = protocol;
  def.address = address.empty() ? nullptr : address.c_str();
  def.port = port;
  def.phone = phone.empty() ? nullptr : phone.c_str();
  why_.clear();
  isNew_ = true;
  if (mien_stream_create(&def, nullptr, &stream_, &err) >= 0) return true;
  stream_ = nullptr;
  why_ = err.text;
  return false;
}

void TrackerSource::close() {
  mien_stream_free(stream_);
  stream_ = nullptr;
}

bool TrackerSource::next(double seconds, TrackerFrame *frame) {
  mien_error err;
  bool isNew = isNew_;
  isNew_ = false;
  *frame = TrackerFrame();
  frame->rotation[3] = 1;
  if (!stream_) { // nothing to wait for: not a loop that burns a core
    std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
  } else {
    mien_result result = mien_stream_latest(stream_, seconds, &err);
    const mien_stream_info *info = mien_stream_get_info(stream_);
    if (result < 0) why_ = err.text;
    isNew = isNew || result != MIEN_NO_FRAME || wasReceiving_ != (info->is_live != 0);
    wasReceiving_ = info->is_live;
    int count = std::min<int>(info->nchannel, TrackerFrame::kMost);
    for (int k = 0; k < count && info->nframe; k++) frame->weights[k] = info->weights[k];
    if (info->has_head) {
      std::memcpy(frame->rotation, info->head.rotation, sizeof frame->rotation);
      std::memcpy(frame->translation, info->head.translation, sizeof frame->translation);
    }
    frame->frames = static_cast<int>(info->nframe);
    frame->port = info->port;
    frame->isReceiving = info->is_live;
  }
  std::strncpy(frame->why, why_.c_str(), sizeof frame->why - 1);
  return isNew;
}

std::vector<std::string> trackerChannels() {
  std::vector<std::string> names;
  mien_stream_def def;
  mien_stream *stream = nullptr;
  mien_stream_def_init(&def);
  def.port = -1;
  if (mien_stream_create(&def, nullptr, &stream, nullptr) < 0) return names;
  const mien_stream_info *info = mien_stream_get_info(stream);
  for (int k = 0; k < info->nchannel; k++) names.push_back(info->channels[k]);
  mien_stream_free(stream);
  return names;
}

} // namespace mien_maya

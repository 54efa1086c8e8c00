// Where the tracker's frames come from: a stream of libmien. Knows nothing of Maya; one thread at a
// time.
#ifndef MIEN_MAYA_TRACKER_SOURCE_H
#define MIEN_MAYA_TRACKER_SOURCE_H

#include <string>
#include <vector>

#include <mien/mien.h>

namespace mien_maya {

// One frame as it is handed from the thread to Maya: plain bytes.
struct TrackerFrame {
  enum { kMost = 52 };                // channels of ARKit
  float weights[kMost];               // 0-1
  double rotation[4];                 // of the head: x, y, z, w
  double translation[3];              // m
  int frames;                         // so far
  int port;                           // that is listened at
  int isReceiving;                    // the last frame is less than a second old
  char why[sizeof(mien_error::text)]; // "" = all is well
};

class TrackerSource {
public:
  ~TrackerSource() { close(); }
  // False, and the reason is in every frame.
  bool open(mien_protocol protocol, const std::string &address, int port, const std::string &phone);
  // Waits a moment for news. True when `frame` says something else than before.
  bool next(double seconds, TrackerFrame *frame);
  void close();

private:
  mien_stream *stream_ = nullptr;
  bool wasReceiving_ = false, isNew_ = true;
  std::string why_;
};

// The names of the channels, in order; empty when no socket can be opened.
std::vector<std::string> trackerChannels();

} // namespace mien_maya

#endif

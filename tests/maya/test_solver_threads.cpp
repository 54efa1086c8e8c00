// One FaceSolver, many threads, under ThreadSanitizer: frames in any order, and beside them what
// the command asks for (reset, remarks, maps) and a stroke that builds the flesh anew. The
// sanitizer's report is the failure; what comes out is looked at in test_playback.
#include "face_solver.h"

#include <atomic>
#include <cmath>
#include <cstdio>
#include <thread>

using namespace mien_maya;

// a curved sheet of n x n vertices, m
static RigSource sheet(int n) {
  RigSource out;
  out.name = "sheet";
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++) {
      double u = i / (n - 1.0) - 0.5, w = j / (n - 1.0) - 0.5;
      for (double v : {0.18 * u, 0.22 * w, 0.06 * (1 - 2 * u * u - 2 * w * w)})
        out.rest.push_back(static_cast<float>(v));
    }
  for (int j = 0; j + 1 < n; j++)
    for (int i = 0; i + 1 < n; i++) {
      out.counts.push_back(4);
      for (int v : {j * n + i, j * n + i + 1, (j + 1) * n + i + 1, (j + 1) * n + i})
        out.corners.push_back(v);
    }
  out.maps.resize(1);
  out.maps[0].name = "attachment";
  return out;
}

int main() {
  RigSource source = sheet(6);
  Settings settings;
  settingsInit(&settings);
  FaceSolver solver;
  std::string why;
  if (!solver.build(source, settings, &why)) return std::printf("%s\n", why.c_str()), 1;
  std::atomic<int> shown{0}, refused{0};
  auto frames = [&](int first, int step) {
    for (int k = 0; k < 12; k++) {
      FrameInput input;
      input.start = 1 / 24.0;
      input.time = (1 + (first + k * step) % 8) / 24.0;
      input.pose = source.rest;
      input.head.translation[1] = 0.02 * std::sin(40 * input.time);
      std::vector<double> offsets;
      Stats stats;
      std::string reason;
      (solver.evaluate(input, settings, &offsets, &stats, &reason) ? shown : refused)++;
    }
  };
  auto command = [&] {
    for (int k = 0; k < 40; k++) {
      solver.reset();
      solver.remarks();
      solver.rig();
      solver.automaticMap("attachment");
    }
  };
  auto artist = [&] { // a stroke, then the neutral sculpted a little
    RigSource painted = source;
    for (int k = 0; k < 8; k++) {
      std::string reason;
      painted.maps[0].values[k] = 0.5f;
      if (k % 2) painted.rest[2] += 1e-5f;
      solver.build(painted, settings, &reason);
    }
  };
  std::thread forward(frames, 0, 1), anywhere(frames, 3, 5), beside(command), other(artist);
  forward.join();
  anywhere.join();
  beside.join();
  other.join();
  std::printf("%d frames, %d refused\n", shown.load(), refused.load());
  return shown == 24 && refused == 0 ? 0 : 1;
}

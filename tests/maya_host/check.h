// A test is a program: every CHECK that fails is named, the exit code is their number.
#ifndef HOST_CHECK_H
#define HOST_CHECK_H

#include "engine/scene.h"

#include <cmath>
#include <cstdio>

inline int &failures() {
  static int n = 0;
  return n;
}
inline int &checks() {
  static int n = 0;
  return n;
}

#define CHECK(condition, ...)                                                                      \
  do {                                                                                             \
    checks()++;                                                                                    \
    if (!(condition)) {                                                                            \
      failures()++;                                                                                \
      std::printf("%s:%d: %s: ", __FILE__, __LINE__, #condition);                                  \
      std::printf(__VA_ARGS__);                                                                    \
      std::printf("\n");                                                                           \
    }                                                                                              \
  } while (0)

// A test that checked nothing has failed.
inline int verdict() {
  std::printf("%d checks, %d failed\n", checks(), failures());
  return failures() || !checks() ? 1 : 0;
}

inline void printMessages(const host::Scene &scene) {
  for (const host::Message &m : scene.messages) std::printf("  %c: %s\n", m.level, m.text.c_str());
}

// n x n vertices in the plane y = 0, quads
inline host::Mesh grid(int n, float step = 1) {
  host::Mesh m;
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++)
      for (float v : {static_cast<float>(i) * step, 0.0f, static_cast<float>(j) * step})
        m.points.push_back(v);
  for (int j = 0; j + 1 < n; j++)
    for (int i = 0; i + 1 < n; i++) {
      m.counts.push_back(4);
      for (int v : {j * n + i, j * n + i + 1, (j + 1) * n + i + 1, (j + 1) * n + i})
        m.corners.push_back(v);
    }
  return m;
}

inline double height(const host::Mesh &m, int v) {
  return v < m.nvert() ? static_cast<double>(m.points[3 * static_cast<size_t>(v) + 1]) : NAN;
}
inline bool near(double a, double b, double tolerance = 1e-5) {
  return std::fabs(a - b) <= tolerance;
}

#endif

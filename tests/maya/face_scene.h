// A small face to attach to: a curved sheet with a blendShape and a head above it, in centimetres.
#ifndef MAYA_FACE_SCENE_H
#define MAYA_FACE_SCENE_H

#include "check.h"

#include <unistd.h>

extern std::string plugin;

// n x n vertices, 18 x 22 cm, bulging towards +z
inline host::Mesh faceMesh(int n = 12) {
  host::Mesh m = grid(n);
  for (size_t v = 0; v < m.points.size() / 3; v++) {
    float *p = &m.points[3 * v];
    float u = p[0] / static_cast<float>(n - 1) - 0.5f, w = p[2] / static_cast<float>(n - 1) - 0.5f;
    p[0] = 18 * u;
    p[1] = 22 * w;
    p[2] = 6 * (1 - 2 * u * u - 2 * w * w);
  }
  return m;
}

inline host::Mesh puffed(const host::Mesh &m, float by) {
  host::Mesh out = m;
  for (size_t v = 0; v < m.points.size() / 3; v++)
    if (m.points[3 * v + 2] > 5) out.points[3 * v + 2] += by;
  return out;
}

// a ball, counter-clockwise from outside
inline host::Mesh octahedron(float size = 3) {
  host::Mesh ball;
  ball.points = {size, 0, 0, -size, 0, 0, 0, size, 0, 0, -size, 0, 0, 0, size, 0, 0, -size};
  for (int c : {0, 2, 4, 2, 1, 4, 1, 3, 4, 3, 0, 4, 2, 0, 5, 1, 2, 5, 3, 1, 5, 0, 3, 5})
    ball.corners.push_back(c);
  ball.counts.assign(8, 3);
  return ball;
}

// head > face, blendShape "shapes" with "puff" and "jawOpen"
inline void buildFace(host::Scene &scene, bool animated = true) {
  CHECK(scene.loadPlugin(plugin), "the plug-in does not load");
  host::Node *head = scene.create("transform", "head");
  host::Mesh m = faceMesh(), jaw = m;
  for (size_t v = 0; v < m.points.size() / 3; v++)
    if (m.points[3 * v + 1] < -4) jaw.points[3 * v + 1] -= 1.5f;
  scene.createMesh("face", m, head);
  scene.createBlendShape("face", "shapes", {"puff", "jawOpen"}, {puffed(m, 1), jaw});
  if (!animated) return;
  for (int f = 1; f <= 40; f++) scene.setKey("head.translateY", f, 4 * std::sin(f * 0.9));
  scene.setKey("head.rotateY", 1, 0);
  scene.setKey("head.rotateY", 20, 40);
  scene.setKey("shapes.weight[0]", 1, 0);
  scene.setKey("shapes.weight[0]", 20, 1);
}

inline std::string attachFace(host::Scene &scene, const std::string &flags = "") {
  std::string name;
  CHECK(scene.mel("mien " + flags + " face", &name), "mien failed");
  if (name.empty()) printMessages(scene);
  scene.set(name + ".attachmentRate", 8); // loose enough to see something
  return name;
}

inline std::vector<std::vector<float>> playFace(host::Scene &scene, int first, int last,
                                                const std::string &mesh = "face") {
  std::vector<std::vector<float>> out;
  for (int f = first; f <= last; f++) {
    scene.evaluate(f);
    out.push_back(scene.getMesh(mesh).points);
  }
  return out;
}

// the largest distance between two lists of points, cm
inline double apart(const std::vector<float> &a, const std::vector<float> &b) {
  if (a.size() != b.size()) return INFINITY;
  double worst = 0;
  for (size_t i = 0; i < a.size(); i++)
    worst = std::fmax(worst, std::fabs(static_cast<double>(a[i]) - static_cast<double>(b[i])));
  return worst;
}

inline std::string scratchFile(const char *name) {
  return "/tmp/mien_maya_" + std::to_string(getpid()) + "_" + name;
}

#endif

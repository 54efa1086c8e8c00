// The tongue at rest, on the floor of the mouth behind the lower teeth.
#include "parts.h"

void build_tongue(mesh_builder *mesh, int fineness) {
  static const float pink[3] = {0.58f, 0.24f, 0.24f};
  int nring = 8 * fineness;
  int nside = 8 * fineness;
  int last[32];
  int next[32];
  vec3 centre = v3(0, mouth_line_height() - 5.2, mouth_base() - 37.5);
  float tip[3] = {0.0f, (float)centre.y, (float)(centre.z + 16.0)};
  float root[3] = {0.0f, (float)(centre.y - 1.5), (float)(centre.z - 9.0)};
  for (int r = 1; r < nring; r++) {
    double a = acos(-1.0) * r / nring;
    double along = cos(a);
    for (int i = 0; i < nside; i++) {
      double b = 2.0 * acos(-1.0) * i / nside;
      double width = 11.5 * pow(sin(a), 0.75);
      double thick = 4.0 * pow(sin(a), 0.8);
      double x = width * cos(b);
      double groove = sin(b) > 0 ? 0.9 * exp(-x * x / 12.0) * sin(a) : 0.0;
      double y = centre.y + thick * sin(b) - groove - 1.5 * (along < 0 ? along * along : 0.0);
      double z = centre.z + (along > 0 ? 16.0 : 9.0) * along;
      next[i] = mesh_builder_vertex(mesh, (float)x, (float)y, (float)z);
    }
    if (r > 1)
      mesh_builder_bridge(mesh, next, last, nside, 1);
    else
      mesh_builder_fan(mesh, next, nside, tip);
    for (int i = 0; i < nside; i++) last[i] = next[i];
  }
  int reversed[32];
  for (int i = 0; i < nside; i++) reversed[i] = last[nside - 1 - i];
  mesh_builder_fan(mesh, reversed, nside, root);
  mesh_builder_paint(mesh, 0, pink);
}

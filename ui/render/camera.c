// Where the picture is taken from.
#include "internal.h"

static void put(float out[3], rd_vec v) {
  out[0] = v.x, out[1] = v.y, out[2] = v.z;
}

// How far back the eye must go for one corner to be inside the view, from the box's middle.
static float distance_for(rd_vec corner, rd_vec back, float across[2], float slope[2]) {
  float depth = rd_dot(corner, back); // towards the eye
  float x = depth + fabsf(across[0]) / slope[0], y = depth + fabsf(across[1]) / slope[1];
  return x > y ? x : y;
}

render_camera render_camera_frame(const float box_min[3], const float box_max[3],
                                  render_angle angle) {
  float aspect = angle.aspect > 0.0f ? angle.aspect : 1.0f;
  float zoom = angle.zoom > 0.0f ? angle.zoom : 1.0f;
  float pitch = rd_clamp(angle.pitch, -89.0f, 89.0f) * RD_PI / 180.0f;
  float yaw = angle.yaw * RD_PI / 180.0f;
  rd_vec middle = rd_scale(rd_add(rd_at(box_min), rd_at(box_max)), 0.5f);
  rd_vec half = rd_scale(rd_sub(rd_at(box_max), rd_at(box_min)), 0.5f);
  rd_vec back = {sinf(yaw) * cosf(pitch), sinf(pitch), cosf(yaw) * cosf(pitch)};
  rd_vec right = rd_unit(rd_cross((rd_vec){0.0f, 1.0f, 0.0f}, back));
  rd_vec up = rd_cross(back, right);

  // 24 degrees from bottom to top is a portrait lens: noses keep their size.
  render_camera camera = {.field_of_view = 24.0f, .up = {0.0f, 1.0f, 0.0f}};
  float slope_y = tanf(0.5f * camera.field_of_view * RD_PI / 180.0f);
  float slope[2] = {slope_y * aspect, slope_y}, distance = 0.0f, tall = 0.0f;
  for (int i = 0; i < 8; i++) {
    rd_vec corner = {i & 1 ? half.x : -half.x, i & 2 ? half.y : -half.y, i & 4 ? half.z : -half.z};
    float across[2] = {rd_dot(corner, right), rd_dot(corner, up)};
    distance = fmaxf(distance, distance_for(corner, back, across, slope));
    tall = fmaxf(tall, fmaxf(fabsf(across[1]), fabsf(across[0]) / aspect));
  }
  if (distance <= 0.0f) distance = 1.0f;
  if (angle.orthographic) camera.height = 2.1f * tall / zoom;
  // A twentieth of air around the box. Zooming narrows the lens instead of stepping into the face.
  camera.field_of_view = 2.0f * atanf(1.05f * slope_y / zoom) * 180.0f / RD_PI;
  put(camera.at, middle);
  put(camera.eye, rd_add(middle, rd_scale(back, distance)));
  return camera;
}

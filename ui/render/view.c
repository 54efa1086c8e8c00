// Where things are in the picture and in the key light's shadow map.
#include "gl.h"

// -- Matrices -------------------------------------------------------------------------------------

static rd_matrix multiply(rd_matrix a, rd_matrix b) {
  rd_matrix out = {{0}};
  for (int c = 0; c < 4; c++) {
    for (int r = 0; r < 4; r++) {
      for (int k = 0; k < 4; k++) out.m[4 * c + r] += a.m[4 * k + r] * b.m[4 * c + k];
    }
  }
  return out;
}

rd_matrix rd_placement(const mien_rigid *rigid) {
  double x = rigid->rotation[0], y = rigid->rotation[1], z = rigid->rotation[2];
  double w = rigid->rotation[3];
  const double *t = rigid->translation;
  return (rd_matrix){
      {(float)(1 - 2 * (y * y + z * z)), (float)(2 * (x * y + z * w)), (float)(2 * (x * z - y * w)),
       0, (float)(2 * (x * y - z * w)), (float)(1 - 2 * (x * x + z * z)),
       (float)(2 * (y * z + x * w)), 0, (float)(2 * (x * z + y * w)), (float)(2 * (y * z - x * w)),
       (float)(1 - 2 * (x * x + y * y)), 0, (float)t[0], (float)t[1], (float)t[2], 1}};
}

static rd_vec place(const rd_matrix *m, rd_vec p) {
  const float *a = m->m;
  return (rd_vec){a[0] * p.x + a[4] * p.y + a[8] * p.z + a[12],
                  a[1] * p.x + a[5] * p.y + a[9] * p.z + a[13],
                  a[2] * p.x + a[6] * p.y + a[10] * p.z + a[14]};
}

// World to a frame at `origin` with these axes.
static rd_matrix look(rd_vec origin, rd_vec right, rd_vec up, rd_vec back) {
  return (rd_matrix){{right.x, up.x, back.x, 0, right.y, up.y, back.y, 0, right.z, up.z, back.z, 0,
                      -rd_dot(right, origin), -rd_dot(up, origin), -rd_dot(back, origin), 1}};
}

static rd_matrix orthographic(float half_width, float half_height, float near, float far) {
  return (rd_matrix){{1 / half_width, 0, 0, 0, 0, 1 / half_height, 0, 0, 0, 0, -2 / (far - near), 0,
                      0, 0, -(far + near) / (far - near), 1}};
}

static rd_matrix perspective(float slope_x, float slope_y, float near, float far) {
  return (rd_matrix){{1 / slope_x, 0, 0, 0, 0, 1 / slope_y, 0, 0, 0, 0,
                      -(far + near) / (far - near), -1, 0, 0, -2 * far * near / (far - near), 0}};
}

// -- View -----------------------------------------------------------------------------------------

typedef struct ball {
  rd_vec middle;
  float radius;
} ball;

const render_mesh *rd_item_mesh(const render_item *item) {
  return item->solid ? item->solid->surface : item->mesh;
}

// A ball around everything that is drawn.
static ball scene_ball(const render_scene *scene) {
  float low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
  for (int i = 0; i < scene->nitem; i++) {
    const render_mesh *mesh = rd_item_mesh(&scene->items[i]);
    rd_matrix placed = rd_placement(&scene->items[i].placement);
    for (int c = 0; c < 8; c++) {
      const float *box[2] = {mesh->box_min, mesh->box_max};
      rd_vec p = place(&placed, (rd_vec){box[c & 1][0], box[c >> 1 & 1][1], box[c >> 2 & 1][2]});
      float at[3] = {p.x, p.y, p.z};
      for (int k = 0; k < 3; k++) {
        low[k] = rd_min(low[k], at[k]);
        high[k] = rd_max(high[k], at[k]);
      }
    }
  }
  if (!(low[0] <= high[0])) return (ball){{0, 0, 0}, 1.0f};
  rd_vec diagonal = rd_sub(rd_at(high), rd_at(low));
  return (ball){rd_scale(rd_add(rd_at(low), rd_at(high)), 0.5f),
                rd_max(0.5f * rd_length(diagonal), 1e-6f)};
}

static rd_vec along(rd_vec right, rd_vec up, rd_vec back, float x, float y, float z) {
  return rd_unit(rd_add(rd_add(rd_scale(right, x), rd_scale(up, y)), rd_scale(back, z)));
}

// The part that the camera sees: a close-up gets a finer shadow map.
static ball seen_ball(const render_scene *scene, ball all, float aspect) {
  const render_camera *camera = &scene->camera;
  float distance = rd_length(rd_sub(rd_at(camera->eye), rd_at(camera->at)));
  float tall =
      camera->height > 0.0f
          ? 0.5f * camera->height
          : distance * tanf(rd_clamp(camera->field_of_view, 0.1f, 170.0f) * RD_PI / 360.0f);
  float radius = 1.8f * tall * rd_max(1.0f, aspect);
  return radius < 0.7f * all.radius ? (ball){rd_at(camera->at), radius} : all;
}

// The shadow map covers what is seen from side to side, and everything in depth.
static void fit_shadow(rd_view *v, ball all, ball seen, rd_vec up) {
  rd_vec side = rd_unit(rd_cross(up, v->key)), over = rd_cross(v->key, side);
  float depth = all.radius + rd_length(rd_sub(all.middle, seen.middle));
  v->shadow_clip = multiply(orthographic(seen.radius, seen.radius, -depth, depth),
                            look(seen.middle, side, over, v->key));
  const rd_matrix to_unit = {{0.5f, 0, 0, 0, 0, 0.5f, 0, 0, 0, 0, 0.5f, 0, 0.5f, 0.5f, 0.5f, 1}};
  v->shadow = multiply(to_unit, v->shadow_clip);
  v->lift = 3.0f * 2.0f * seen.radius / RD_SHADOW_SIZE;
}

rd_view rd_view_of(const render_target *target, const render_scene *scene) {
  const render_camera *camera = &scene->camera;
  ball all = scene_ball(scene);
  rd_view v = {.eye = rd_at(camera->eye), .exposure = scene->exposure > 0 ? scene->exposure : 1.0f};
  rd_vec back = rd_unit(rd_sub(v.eye, rd_at(camera->at)));
  rd_vec right = rd_unit(rd_cross(rd_at(camera->up), back)), up = rd_cross(back, right);
  float depth = rd_dot(rd_sub(v.eye, all.middle), back);
  float aspect = (float)target->width / (float)target->height;
  float far = rd_max(depth + 1.01f * all.radius, 1e-3f * all.radius);
  if (camera->height > 0.0f) {
    float half = 0.5f * camera->height;
    v.projection = orthographic(half * aspect, half, depth - 1.01f * all.radius, far);
  } else {
    float near = rd_max(depth - 1.01f * all.radius, 0.002f * far);
    float slope = tanf(rd_clamp(camera->field_of_view, 0.1f, 170.0f) * RD_PI / 360.0f);
    v.projection = perspective(slope * aspect, slope, near, far);
  }
  v.projection = multiply(v.projection, look(v.eye, right, up, back));
  v.key = along(right, up, back, -0.50f, 0.62f, 0.80f);
  v.fill = along(right, up, back, 0.90f, 0.05f, 0.60f);
  v.rim = along(right, up, back, 0.70f, 0.45f, -0.75f);

  fit_shadow(&v, all, seen_ball(scene, all, aspect), up);
  return v;
}

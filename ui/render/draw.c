// One picture of a scene: shadows, background, solid surfaces, then glassy ones; averaged down.
#include "gl.h"

#include <stdlib.h>
#include <string.h>

// -- Materials ------------------------------------------------------------------------------------

typedef struct material {
  float gloss[4]; // highlights, roughness, rim, wet highlight
  float bleed[4]; // how far light goes around, per colour
} material;

static const material materials[] = {
    [RENDER_CLAY] = {{0.9f, 0.55f, 0.10f, 0.0f}, {0.14f, 0.12f, 0.10f}},
    [RENDER_SKIN] = {{0.55f, 0.50f, 0.16f, 0.05f}, {0.38f, 0.16f, 0.10f}},
    [RENDER_LIP] = {{1.2f, 0.36f, 0.10f, 0.30f}, {0.42f, 0.14f, 0.12f}},
    [RENDER_EYE] = {{1.3f, 0.16f, 0.20f, 1.0f}, {0.22f, 0.16f, 0.14f}},
    [RENDER_TEETH] = {{1.2f, 0.24f, 0.12f, 0.4f}, {0.34f, 0.28f, 0.20f}},
    [RENDER_BONE] = {{0.4f, 0.60f, 0.06f, 0.0f}, {0.20f, 0.17f, 0.12f}},
    [RENDER_FLESH] = {{0.75f, 0.42f, 0.14f, 0.25f}, {0.46f, 0.14f, 0.10f}},
    [RENDER_FLAT] = {{0.0f, 1.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f}},
};

void render_item_init(render_item *item) {
  *item = (render_item){.material = RENDER_CLAY,
                        .colour = {0.40f, 0.385f, 0.365f},
                        .inside = {0.10f, 0.045f, 0.04f},
                        .opacity = 1.0f,
                        .placement = {.rotation = {0.0, 0.0, 0.0, 1.0}},
                        .section = {0.62f, 0.16f, 0.13f},
                        .edge_colour = {0.02f, 0.02f, 0.025f},
                        .values_max = 1.0f};
}

// -- Drawing --------------------------------------------------------------------------------------

static void set1(GLuint program, const char *name, float value) {
  glUniform1f(glGetUniformLocation(program, name), value);
}
static void set3(GLuint program, const char *name, const float *value) {
  glUniform3fv(glGetUniformLocation(program, name), 1, value);
}
static void set4(GLuint program, const char *name, const float *value) {
  glUniform4fv(glGetUniformLocation(program, name), 1, value);
}
static void set_matrix(GLuint program, const char *name, const rd_matrix *value) {
  glUniformMatrix4fv(glGetUniformLocation(program, name), 1, GL_FALSE, value->m);
}

static void point_at(int attribute, int width, int stride, int offset) {
  glEnableVertexAttribArray((GLuint)attribute);
  glVertexAttribPointer((GLuint)attribute, width, GL_FLOAT, GL_FALSE,
                        stride * (GLsizei)sizeof(float),
                        (const void *)((size_t)offset * sizeof(float)));
}

static void bind_mesh(const render_mesh *mesh) {
  glBindBuffer(GL_ARRAY_BUFFER, mesh->moving_buffer);
  point_at(RD_AT_POSITION, 3, 6, 0);
  point_at(RD_AT_NORMAL, 3, 6, 3);
  glBindBuffer(GL_ARRAY_BUFFER, mesh->painted_buffer);
  point_at(RD_AT_COLOUR, 4, 4, 0);
  glBindBuffer(GL_ARRAY_BUFFER, mesh->value_buffer);
  point_at(RD_AT_VALUE, 1, 1, 0);
  glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, mesh->corner_buffer);
}

static void draw_triangles(const render_mesh *mesh) {
  glDrawElements(GL_TRIANGLES, 3 * mesh->ntri, GL_UNSIGNED_INT, NULL);
}

// Both programs need to know where things are and what is cut away.
static void set_place(GLuint program, const render_item *item, const rd_matrix *projection) {
  rd_matrix placed = rd_placement(&item->placement);
  glUseProgram(program);
  set_matrix(program, "view_projection", projection);
  set_matrix(program, "placement", &placed);
  // llvmpipe cuts by the distance once it was enabled, so what is not cut needs a harmless plane.
  static const float keep_all[4] = {0.0f, 0.0f, 0.0f, 1.0f};
  set4(program, "plane", item->clip ? item->plane : keep_all);
  if (item->clip) {
    glEnable(GL_CLIP_DISTANCE0);
  } else {
    glDisable(GL_CLIP_DISTANCE0);
  }
}

static void set_look(const render_target *target, const rd_view *v, const render_item *item) {
  GLuint program = target->shade;
  const material *look_of = &materials[item->material];
  set_place(program, item, &v->projection);
  set_matrix(program, "shadow_projection", &v->shadow);
  set1(program, "lift", v->lift);
  set1(program, "texel", 1.0f / RD_SHADOW_SIZE);
  set1(program, "shadowed", target->shadows ? 1.0f : 0.0f);
  set1(program, "exposure", v->exposure);
  set1(program, "opacity", item->opacity);
  set1(program, "lit", item->material == RENDER_FLAT ? 0.0f : 1.0f);
  set1(program, "by_value", item->use_values ? 1.0f : 0.0f);
  set3(program, "eye", (float[3]){v->eye.x, v->eye.y, v->eye.z});
  set3(program, "key", (float[3]){v->key.x, v->key.y, v->key.z});
  set3(program, "fill", (float[3]){v->fill.x, v->fill.y, v->fill.z});
  set3(program, "rim", (float[3]){v->rim.x, v->rim.y, v->rim.z});
  set3(program, "up", (float[3]){0.0f, 1.0f, 0.0f});
  set3(program, "tint", item->colour);
  set3(program, "inside", item->inside);
  set4(program, "gloss", look_of->gloss);
  set4(program, "bleed", look_of->bleed);
  float span = item->values_max - item->values_min;
  glUniform2f(glGetUniformLocation(program, "range"), item->values_min,
              span != 0.0f ? item->values_max : item->values_min + 1.0f);
  glUniform1i(glGetUniformLocation(program, "map"), 0);
  glUniform1i(glGetUniformLocation(program, "shadow_map"), 1);
  glActiveTexture(GL_TEXTURE1);
  glBindTexture(GL_TEXTURE_2D, target->shadow_map);
  glActiveTexture(GL_TEXTURE0);
  glBindTexture(GL_TEXTURE_2D, target->maps[item->map == RENDER_MAP_SIGNED]);
}

// The plane in the item's own space.
static void plane_of_item(const render_item *item, float out[4]) {
  rd_matrix placed = rd_placement(&item->placement);
  const float *p = item->plane, *m = placed.m;
  for (int c = 0; c < 3; c++) {
    out[c] = p[0] * m[4 * c] + p[1] * m[4 * c + 1] + p[2] * m[4 * c + 2];
  }
  out[3] = p[0] * m[12] + p[1] * m[13] + p[2] * m[14] + p[3];
}

static mien_result draw_section(const render_target *target, const rd_view *v,
                                const render_item *item, mien_error *err) {
  float plane[4];
  plane_of_item(item, plane);
  rd_section section;
  if (!rd_section_make(item->solid, plane, &section)) return rd_fail_memory(err);
  render_item face = *item;
  memcpy(face.colour, item->section, sizeof face.colour);
  face.clip = 0;
  GLuint buffer = 0;
  glGenBuffers(1, &buffer);
  glBindBuffer(GL_ARRAY_BUFFER, buffer);
  glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)section.nvert * 10 * (GLsizeiptr)sizeof(float),
               section.vertices, GL_STREAM_DRAW);
  point_at(RD_AT_POSITION, 3, 10, 0);
  point_at(RD_AT_NORMAL, 3, 10, 3);
  point_at(RD_AT_COLOUR, 4, 10, 6);
  glDisableVertexAttribArray(RD_AT_VALUE);
  glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, 0);
  face.use_values = 0;
  set_look(target, v, &face);
  glPolygonOffset(1.0f, 2.0f);
  glDrawElements(GL_TRIANGLES, 3 * section.ntri, GL_UNSIGNED_INT, section.corners);
  if (item->edges) {
    face.material = RENDER_FLAT;
    memcpy(face.colour, item->edge_colour, sizeof face.colour);
    face.opacity = 0.45f;
    set_look(target, v, &face);
    glEnable(GL_BLEND);
    glLineWidth(0.6f * (float)target->samples);
    glDrawElements(GL_LINES, 2 * section.nline, GL_UNSIGNED_INT, section.lines);
    glDisable(GL_BLEND);
  }
  glDeleteBuffers(1, &buffer);
  rd_section_free(&section);
  return MIEN_OK;
}

static void draw_edges(const render_target *target, const rd_view *v, const render_item *item) {
  render_item lines = *item;
  lines.material = RENDER_FLAT;
  lines.use_values = 0;
  lines.opacity = 0.4f;
  memcpy(lines.colour, item->edge_colour, sizeof lines.colour);
  set_look(target, v, &lines);
  glEnable(GL_BLEND);
  glLineWidth(0.5f * (float)target->samples);
  glPolygonMode(GL_FRONT_AND_BACK, GL_LINE);
  draw_triangles(rd_item_mesh(item));
  glPolygonMode(GL_FRONT_AND_BACK, GL_FILL);
  glDisable(GL_BLEND);
}

// A skin that lies exactly on a solid's surface wins over it.
static void push_back(const render_item *item) {
  glEnable(GL_POLYGON_OFFSET_FILL);
  glPolygonOffset(item->solid ? 2.0f : 0.5f, item->solid ? 8.0f : 1.0f);
}

// Depth alone. Lighting is dear without a graphics card: what is hidden must not be lit.
static void draw_depth(const render_target *target, const rd_view *v, const render_item *item) {
  bind_mesh(rd_item_mesh(item));
  push_back(item);
  set_place(target->plain, item, &v->projection);
  glColorMask(GL_FALSE, GL_FALSE, GL_FALSE, GL_FALSE);
  draw_triangles(rd_item_mesh(item));
  glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
  glDisable(GL_POLYGON_OFFSET_FILL);
}

static mien_result draw_item(const render_target *target, const rd_view *v, const render_item *item,
                             mien_error *err) {
  const render_mesh *mesh = rd_item_mesh(item);
  bool glassy = item->opacity < 1.0f;
  if (glassy) draw_depth(target, v, item);
  bind_mesh(mesh);
  push_back(item);
  if (glassy) glEnable(GL_BLEND);
  set_look(target, v, item);
  draw_triangles(mesh);
  glDisable(GL_BLEND);
  if (item->edges && !item->solid) draw_edges(target, v, item);
  mien_result result = MIEN_OK;
  if (item->solid && item->clip) result = draw_section(target, v, item, err);
  glDisable(GL_POLYGON_OFFSET_FILL);
  return result;
}

static void draw_shadows(const render_target *target, const rd_view *v, const render_scene *scene) {
  glBindFramebuffer(GL_FRAMEBUFFER, target->shadow_frame);
  glViewport(0, 0, RD_SHADOW_SIZE, RD_SHADOW_SIZE);
  glClear(GL_DEPTH_BUFFER_BIT);
  glEnable(GL_POLYGON_OFFSET_FILL); // slanted faces must not darken themselves
  glPolygonOffset(2.0f, 2.0f);
  for (int i = 0; i < scene->nitem; i++) {
    const render_item *item = &scene->items[i];
    if (item->opacity < 1.0f || item->material == RENDER_FLAT) continue;
    bind_mesh(rd_item_mesh(item));
    set_place(target->plain, item, &v->shadow_clip);
    draw_triangles(rd_item_mesh(item));
  }
}

static void draw_backdrop(const render_target *target) {
  static const float corners[] = {-1, -1, 0, 1, -1, 0, -1, 1, 0, 1, 1, 0};
  glUseProgram(target->backdrop);
  glDisable(GL_CLIP_DISTANCE0);
  set3(target->backdrop, "top", target->top);
  set3(target->backdrop, "bottom", target->bottom);
  set1(target->backdrop, "vignette", target->vignette);
  glBindBuffer(GL_ARRAY_BUFFER, 0);
  for (int i = 0; i < 4; i++) glDisableVertexAttribArray((GLuint)i);
  glEnableVertexAttribArray(RD_AT_POSITION);
  glVertexAttribPointer(RD_AT_POSITION, 3, GL_FLOAT, GL_FALSE, 0, corners);
  glDepthMask(GL_FALSE);
  glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
  glDepthMask(GL_TRUE);
}

// -- Picture --------------------------------------------------------------------------------------

static bool all_same(const unsigned char *first, int n, ptrdiff_t row) {
  for (int j = 0; j < n; j++) {
    for (int i = 0; i < n; i++) {
      if (memcmp(first, first + j * row + 4 * (ptrdiff_t)i, 3) != 0) return false;
    }
  }
  return true;
}

// The average of n x n samples in linear light. Most are all the same, which needs no arithmetic.
static void average_pixel(const rd_gamma *gamma, const unsigned char *first, int n, ptrdiff_t row,
                          unsigned char pixel[3]) {
  if (all_same(first, n, row)) {
    memcpy(pixel, first, 3);
    return;
  }
  float sum[3] = {0};
  for (int j = 0; j < n; j++) {
    const unsigned char *sample = first + j * row;
    for (int i = 0; i < 4 * n; i += 4) {
      for (int c = 0; c < 3; c++) sum[c] += gamma->light[sample[i + c]];
    }
  }
  for (int c = 0; c < 3; c++) pixel[c] = rd_gamma_byte(gamma, sum[c] / (float)(n * n));
}

// OpenGL's rows go from bottom to top.
static void average_down(const render_target *target, render_image *out) {
  int n = target->samples;
  ptrdiff_t row = 4 * (ptrdiff_t)target->width * n;
  for (int y = 0; y < target->height; y++) {
    unsigned char *pixel = out->rgb + 3 * (ptrdiff_t)y * target->width;
    const unsigned char *first = target->pixels + (ptrdiff_t)(target->height - 1 - y) * n * row;
    for (int x = 0; x < target->width; x++, pixel += 3, first += 4 * (ptrdiff_t)n) {
      average_pixel(&target->gamma, first, n, row, pixel);
    }
  }
}

static mien_result check_scene(const render_target *target, const render_scene *scene,
                               const render_image *out, mien_error *err) {
  if (!target || !scene || !out || scene->nitem < 0 || (scene->nitem && !scene->items)) {
    return rd_fail(err, MIEN_ERR_ARGUMENT, "Drawing needs a target, a scene and an image.");
  }
  if (out->rgb && (out->width != target->width || out->height != target->height)) {
    return rd_fail(err, MIEN_ERR_MISMATCH, "The image is %d x %d, but the target is %d x %d.",
                   out->width, out->height, target->width, target->height);
  }
  for (int i = 0; i < scene->nitem; i++) {
    const render_item *item = &scene->items[i];
    if (!item->mesh == !item->solid || (unsigned)item->material > RENDER_FLAT) {
      return rd_fail(err, MIEN_ERR_ARGUMENT, "Item %d needs a mesh or a solid, and a material.", i);
    }
    if (rd_item_mesh(item)->target != target) {
      return rd_fail(err, MIEN_ERR_MISMATCH, "Item %d was made for another target.", i);
    }
  }
  return MIEN_OK;
}

static mien_result draw_all(render_target *target, const render_scene *scene, mien_error *err) {
  rd_view v = rd_view_of(target, scene);
  int width = target->width * target->samples, height = target->height * target->samples;
  glEnable(GL_DEPTH_TEST);
  glDepthFunc(GL_LEQUAL);
  glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
  if (target->shadows) draw_shadows(target, &v, scene);
  glBindFramebuffer(GL_FRAMEBUFFER, target->frame);
  glEnable(GL_FRAMEBUFFER_SRGB);
  glViewport(0, 0, width, height);
  glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
  draw_backdrop(target);
  for (int i = 0; i < scene->nitem; i++) {
    if (scene->items[i].opacity >= 1.0f) draw_depth(target, &v, &scene->items[i]);
  }
  mien_result result = MIEN_OK;
  for (int glassy = 0; glassy < 2; glassy++) {
    for (int i = 0; i < scene->nitem && result >= 0; i++) {
      if ((scene->items[i].opacity < 1.0f) != glassy) continue;
      result = draw_item(target, &v, &scene->items[i], err);
    }
  }
  glReadPixels(0, 0, width, height, GL_RGBA, GL_UNSIGNED_BYTE, target->pixels);
  GLenum trouble = glGetError();
  if (result >= 0 && trouble != GL_NO_ERROR) {
    result = rd_fail(err, MIEN_ERR_IO, "OSMesa could not draw the picture (error %x).",
                     (unsigned)trouble);
  }
  return result;
}

mien_result render_scene_draw(render_target *target, const render_scene *scene, render_image *out,
                              mien_error *err) {
  mien_result result = check_scene(target, scene, out, err);
  if (result >= 0) result = rd_target_use(target, err);
  if (result >= 0) result = draw_all(target, scene, err);
  if (result >= 0 && !out->rgb) {
    result = render_image_create(target->width, target->height, 0, out, err);
  }
  if (result >= 0) average_down(target, out);
  return result;
}

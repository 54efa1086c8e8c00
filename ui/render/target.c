// The off-screen surface: context, frame buffers, colour maps.
#include "gl.h"

#include <stdlib.h>

void render_target_def_init(render_target_def *def) {
  *def = (render_target_def){.width = 960,
                             .height = 960,
                             .samples = 2,
                             .top = 0x4A5058,
                             .bottom = 0x23262B,
                             .vignette = 0.3f,
                             .shadows = 1};
}

mien_result rd_target_use(render_target *target, mien_error *err) {
  if (!OSMesaMakeCurrent(target->context, target->corner, GL_UNSIGNED_BYTE, 16, 16)) {
    return rd_fail(err, MIEN_ERR_IO, "OSMesa refused to draw (the context cannot be used).");
  }
  return MIEN_OK;
}

static mien_result check_frame(mien_error *err) {
  GLenum status = glCheckFramebufferStatus(GL_FRAMEBUFFER);
  if (status == GL_FRAMEBUFFER_COMPLETE) return MIEN_OK;
  return rd_fail(err, MIEN_ERR_IO, "OSMesa cannot make the drawing surface (status %x).",
                 (unsigned)status);
}

static mien_result make_frame(render_target *target, mien_error *err) {
  int width = target->width * target->samples, height = target->height * target->samples;
  glGenFramebuffers(1, &target->frame);
  glBindFramebuffer(GL_FRAMEBUFFER, target->frame);
  glGenRenderbuffers(1, &target->colour);
  glBindRenderbuffer(GL_RENDERBUFFER, target->colour);
  glRenderbufferStorage(GL_RENDERBUFFER, GL_SRGB8_ALPHA8, width, height);
  glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, target->colour);
  glGenRenderbuffers(1, &target->depth);
  glBindRenderbuffer(GL_RENDERBUFFER, target->depth);
  glRenderbufferStorage(GL_RENDERBUFFER, GL_DEPTH_COMPONENT24, width, height);
  glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, target->depth);
  return check_frame(err);
}

static mien_result make_shadow_frame(render_target *target, mien_error *err) {
  glGenTextures(1, &target->shadow_map);
  glBindTexture(GL_TEXTURE_2D, target->shadow_map);
  glTexImage2D(GL_TEXTURE_2D, 0, GL_DEPTH_COMPONENT24, RD_SHADOW_SIZE, RD_SHADOW_SIZE, 0,
               GL_DEPTH_COMPONENT, GL_UNSIGNED_INT, NULL);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_COMPARE_MODE, GL_COMPARE_REF_TO_TEXTURE);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_COMPARE_FUNC, GL_LEQUAL);
  glGenFramebuffers(1, &target->shadow_frame);
  glBindFramebuffer(GL_FRAMEBUFFER, target->shadow_frame);
  glFramebufferTexture2D(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_TEXTURE_2D, target->shadow_map, 0);
  glDrawBuffer(GL_NONE);
  glReadBuffer(GL_NONE);
  return check_frame(err);
}

static void make_maps(render_target *target) {
  glGenTextures(2, target->maps);
  for (int map = 0; map < 2; map++) {
    unsigned char texels[256 * 3];
    for (int i = 0; i < 256; i++) {
      uint32_t colour = render_map_colour((render_map)map, (float)i / 255.0f);
      for (int c = 0; c < 3; c++) texels[3 * i + c] = (unsigned char)(colour >> (16 - 8 * c));
    }
    glBindTexture(GL_TEXTURE_2D, target->maps[map]);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_SRGB8, 256, 1, 0, GL_RGB, GL_UNSIGNED_BYTE, texels);
  }
}

static mien_result start_drawing(render_target *target, mien_error *err) {
  const int wanted[] = {OSMESA_FORMAT,
                        OSMESA_RGBA,
                        OSMESA_DEPTH_BITS,
                        24,
                        OSMESA_PROFILE,
                        OSMESA_COMPAT_PROFILE,
                        OSMESA_CONTEXT_MAJOR_VERSION,
                        3,
                        OSMESA_CONTEXT_MINOR_VERSION,
                        0,
                        0};
  if (!rd_gl_load())
    return rd_fail(err, MIEN_ERR_IO, "Pictures need OSMesa, which is not installed (libosmesa6).");
  target->context = OSMesaCreateContextAttribs(wanted, NULL);
  if (!target->context) {
    return rd_fail(err, MIEN_ERR_IO, "OSMesa cannot draw with OpenGL 3 here (package libosmesa6).");
  }
  mien_result result = rd_target_use(target, err);
  if (result >= 0) result = make_frame(target, err);
  if (result >= 0) result = make_shadow_frame(target, err);
  if (result < 0) return result;
  make_maps(target);
  return rd_shaders_create(target, err);
}

mien_result render_target_create(const render_target_def *def, render_target **out,
                                 mien_error *err) {
  if (!def || !out) return rd_fail(err, MIEN_ERR_ARGUMENT, "A target needs its definition.");
  if (def->width < 1 || def->height < 1 || def->width > 8192 || def->height > 8192) {
    return rd_fail(err, MIEN_ERR_ARGUMENT,
                   "A picture of %d x %d pixels cannot be drawn (1 to 8192).", def->width,
                   def->height);
  }
  int larger = def->width > def->height ? def->width : def->height;
  if (def->samples < 1 || def->samples > 4 || larger * def->samples > 16384) {
    return rd_fail(err, MIEN_ERR_ARGUMENT, "%d samples per pixel cannot be drawn at this size.",
                   def->samples);
  }
  render_target *target = RD_NEW(render_target, 1);
  if (!target) return rd_fail_memory(err);
  target->width = def->width;
  target->height = def->height;
  target->samples = def->samples;
  target->vignette = def->vignette;
  target->shadows = def->shadows != 0;
  render_linear_colour(def->top, target->top);
  render_linear_colour(def->bottom, target->bottom);
  rd_gamma_init(&target->gamma);
  size_t npixel = (size_t)def->width * (size_t)def->height * (size_t)(def->samples * def->samples);
  target->pixels = rd_alloc(npixel, 4);
  mien_result result = target->pixels ? start_drawing(target, err) : rd_fail_memory(err);
  if (result < 0) {
    render_target_free(target);
    return result;
  }
  *out = target;
  return MIEN_OK;
}

// The context owns every name made in it, so destroying it frees them all.
void render_target_free(render_target *target) {
  if (!target) return;
  if (target->context) OSMesaDestroyContext(target->context);
  free(target->pixels);
  free(target);
}

// Shared by the drawing files: OpenGL through OSMesa (Mesa's software renderer), no display.
#ifndef RENDER_GL_H
#define RENDER_GL_H

#include "gl_load.h"
#include "internal.h"

#define RD_SHADOW_SIZE 1024

enum { RD_AT_POSITION, RD_AT_NORMAL, RD_AT_COLOUR, RD_AT_VALUE };

struct render_target {
  int width, height, samples;
  OSMesaContext context;
  unsigned char *pixels;             // of the supersampled picture, RGBA
  unsigned char corner[4 * 16 * 16]; // OSMesa wants a buffer of its own; nothing is drawn into it
  rd_gamma gamma;
  float top[3], bottom[3], vignette;
  bool shadows;
  GLuint frame, colour, depth;     // where the picture is drawn
  GLuint shadow_frame, shadow_map; // depth seen from the key light
  GLuint maps[2];                  // colour maps, 256 x 1
  GLuint shade, plain, backdrop;   // programs: lit surfaces, depth only, background
};

struct render_mesh {
  render_target *target;
  int nvert, ntri;  // as given
  int ngpu;         // vertices after splitting at creases
  int32_t *source;  // uploaded vertex -> given vertex                  (ngpu)
  int32_t *corners; // uploaded vertices of the triangles               (ntri x 3)
  float *moving;    // position and normal of each uploaded vertex      (ngpu x 6)
  float *painted;   // colour and occlusion                             (ngpu x 4)
  float *values;    //                                                  (ngpu)
  float box_min[3], box_max[3];
  GLuint moving_buffer, painted_buffer, value_buffer, corner_buffer;
};

struct render_solid {
  render_target *target;
  int nvert, ntet;
  int32_t *tets;
  float *positions; // (nvert x 3)
  float *colours;   // (nvert x 3)
  render_mesh *surface;
};

// -- View ----------------------------------------------------------------------------------------

typedef struct rd_matrix {
  float m[16]; // columns, as OpenGL wants them
} rd_matrix;

typedef struct rd_view {
  rd_matrix projection, shadow; // world to picture, world to shadow map (0 to 1)
  rd_matrix shadow_clip;        // world to shadow map (-1 to 1)
  rd_vec eye, key, fill, rim;
  float lift; // how far a surface looks above itself for its own shadow
  float exposure;
} rd_view;

rd_matrix rd_placement(const mien_rigid *rigid);
const render_mesh *rd_item_mesh(const render_item *item); // a solid's surface is a mesh, too
rd_view rd_view_of(const render_target *target, const render_scene *scene);

// -- Drawing -------------------------------------------------------------------------------------

// Makes the target's context the thread's current one.
mien_result rd_target_use(render_target *target, mien_error *err);

// Compiles the three programs.
mien_result rd_shaders_create(render_target *target, mien_error *err);

// The section of a solid with a plane: polygons as triangles, and their outlines.
typedef struct rd_section {
  int nvert, ntri, nline;
  float *vertices;  // position, normal, colour, occlusion               (nvert x 10)
  int32_t *corners; //                                                   (ntri x 3)
  int32_t *lines;   //                                                   (nline x 2)
} rd_section;
// The plane is given in the solid's own space.
bool rd_section_make(const render_solid *solid, const float plane[4], rd_section *out);
void rd_section_free(rd_section *section);

#endif

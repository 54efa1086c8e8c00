// Pictures of faces, without a display: off-screen drawing, labels, contact sheets, PNG and MP4.
//
//   image   RGB pixels in memory: draw on it, put images together, save it
//   target  an off-screen drawing surface; meshes and solids are uploaded to one target
//   mesh    a surface, uploaded once, moved every frame
//   solid   tetrahedra, shown cut open by a plane
//   video   images, one after the other, into an MP4 file
//
// Results and errors are those of mien.h: 0 done, < 0 refused, nothing changed, a sentence in err.
// Colours of surfaces are linear RGB from 0 to 1; colours of labels and pixels are 0xRRGGBB (sRGB).
// One target must be used by one thread at a time. The same calls draw the same pixels.
#ifndef RENDER_H
#define RENDER_H

#include <mien/mien.h>

// -- Image ----------------------------------------------------------------------------------------

// Rows from top to bottom, no padding. {0} is "no image"; owners free with render_image_free.
typedef struct render_image {
  int width, height;
  unsigned char *rgb;
} render_image;

typedef struct render_rect {
  int x, y, width, height; // pixels, from the top left corner
} render_rect;

mien_result render_image_create(int width, int height, uint32_t colour, render_image *out,
                                mien_error *err);
void render_image_free(render_image *image);

// PNG. Written under a temporary name and renamed when it is whole.
mien_result render_image_save(const render_image *image, const char *path, mien_error *err);
mien_result render_image_load(const char *path, render_image *out, mien_error *err);

// Whatever lies outside the image is left out. Opacity runs from 0 to 1.
void render_image_fill(render_image *to, render_rect rect, uint32_t colour, float opacity);
void render_image_blit(render_image *to, const render_image *from, int x, int y, float opacity);
// An antialiased line of `points` (x, y pairs, in pixels; pixel centres at .5), round at its ends.
typedef struct render_pen {
  uint32_t colour;
  float width;   // pixels
  float opacity; // 0 to 1
} render_pen;
void render_image_line(render_image *to, const float *points, int npoint, render_pen pen);
// The same picture in another size: averaged over areas, in linear light.
mien_result render_image_scale(const render_image *from, int width, int height, render_image *out,
                               mien_error *err);

// -- Text -----------------------------------------------------------------------------------------

// Our own stroke font, ASCII; other characters show as a box. `size` is the height of a capital
// letter in pixels. The text's baseline is at y, and x is its left end, middle or right end.
typedef enum render_align { RENDER_LEFT = 0, RENDER_MIDDLE = 1, RENDER_RIGHT = 2 } render_align;
typedef struct render_type {
  float size;
  uint32_t colour;
  render_align align;
  int bold;
  int upwards; // turned by 90 degrees, for the axis of a plot
} render_type;
void render_text(render_image *to, float x, float y, render_type type, const char *text);
float render_text_width(render_type type, const char *text); // pixels

// -- Colour maps ----------------------------------------------------------------------------------

typedef enum render_map {
  RENDER_MAP_HEAT = 0,  // dark violet, red, yellow: even steps in lightness, for amounts
  RENDER_MAP_SIGNED = 1 // blue, near white, red: for values around 0
} render_map;

// The colour at t, 0 to 1 (clamped), as 0xRRGGBB.
uint32_t render_map_colour(render_map map, float t);
void render_linear_colour(uint32_t colour, float linear[3]);

// A bar with numbers and a caption such as "stretch (%)", inside the rectangle; upright when the
// rectangle is taller than wide.
typedef struct render_legend {
  render_map map;
  double min, max;
  const char *label;
  uint32_t colour; // of the numbers
} render_legend;
void render_image_legend(render_image *to, render_rect rect, const render_legend *legend);

// -- Sheets: several images and their captions ----------------------------------------------------

typedef struct render_cell {
  const render_image *image; // borrowed for the call
  const char *label;         // or NULL
} render_cell;

typedef struct render_sheet {
  const char *title; // or NULL
  const render_cell *cells;
  int ncell;
  int ncolumn;                 // 0 = all in one row
  int cell_width, cell_height; // images are scaled down to fit; 0 = the largest image's size
  int gap;                     // pixels between cells, 0 = none, < 0 = 12
  uint32_t background, text;   // both 0 = dark on light
} render_sheet;
// Cell i is at (i % ncolumn, i / ncolumn), its label under it. Caller frees `out`.
mien_result render_sheet_draw(const render_sheet *sheet, render_image *out, mien_error *err);
// Where the image of cell i goes in that sheet, for callers that draw over it.
render_rect render_sheet_cell(const render_sheet *sheet, int i);

// -- Camera ---------------------------------------------------------------------------------------

typedef struct render_camera {
  float eye[3], at[3], up[3]; // m
  float field_of_view;        // degrees, from bottom to top
  float height;               // m, from bottom to top, of an orthographic view; 0 = perspective
} render_camera;

// Looks at the middle of a box and sees all of it. Angles in degrees: yaw 0 looks the face in the
// eyes, +90 sees it from its left side; a positive pitch looks down on it. zoom 1 fits the box,
// 2 shows it twice as large. aspect = width / height of the picture.
typedef struct render_angle {
  float yaw, pitch, zoom;
  float aspect;
  int orthographic;
} render_angle;
render_camera render_camera_frame(const float box_min[3], const float box_max[3],
                                  render_angle angle);

// -- Target ---------------------------------------------------------------------------------------

typedef struct render_target render_target;

typedef struct render_target_def {
  int width, height;    // of the picture, 1 to 8192                                  default 960
  int samples;          // per pixel in each direction, 1 to 4                        default 2
  uint32_t top, bottom; // the background, from the top to the bottom of the picture
  float vignette;       // how much darker its corners are, 0 to 1                    default 0.3
  int shadows;          // the key light throws shadows                               default 1
} render_target_def;
void render_target_def_init(render_target_def *def);
mien_result render_target_create(const render_target_def *def, render_target **out,
                                 mien_error *err);
// Free the meshes and solids of a target before the target.
void render_target_free(render_target *target);

// -- Mesh -----------------------------------------------------------------------------------------

typedef struct render_mesh render_mesh;

typedef struct render_mesh_def {
  mien_f32s positions; // width 3
  mien_i32s triangles; // counter-clockwise seen from outside
  mien_f32s colours;   // width 4, linear RGBA (A is not used), or none
  mien_f32s occlusion; // width 1, 1 = open sky, 0 = hidden (see render_occlusion), or none
  float crease_angle;  // degrees: sharper edges stay sharp; 0 = smooth everywhere
} render_mesh_def;
// Everything is copied. Caller frees with render_mesh_free.
mien_result render_mesh_create(render_target *target, const render_mesh_def *def, render_mesh **out,
                               mien_error *err);
// New positions, colours, occlusion or values (width 1, for colour maps) for every vertex.
mien_result render_mesh_move(render_mesh *mesh, mien_f32s positions, mien_error *err);
mien_result render_mesh_paint(render_mesh *mesh, mien_f32s colours, mien_f32s occlusion,
                              mien_error *err);
mien_result render_mesh_measure(render_mesh *mesh, mien_f32s values, mien_error *err);
void render_mesh_free(render_mesh *mesh);

// How much of the sky each vertex sees: out[positions.count], 1 = all of it. Rays longer than
// `reach` (m) count as free. Costs about a second for 30 000 vertices: do it once, at rest.
mien_result render_occlusion(mien_f32s positions, mien_i32s triangles, float reach, float *out,
                             mien_error *err);

// -- Solid: tetrahedra ----------------------------------------------------------------------------

typedef struct render_solid render_solid;

typedef struct render_solid_def {
  mien_f32s positions; // width 3
  mien_i32s tets;      // count = tetrahedra x 4
  mien_f32s colours;   // width 4, or none
} render_solid_def;
mien_result render_solid_create(render_target *target, const render_solid_def *def,
                                render_solid **out, mien_error *err);
mien_result render_solid_move(render_solid *solid, mien_f32s positions, mien_error *err);
void render_solid_free(render_solid *solid);

// Area in m^2 of the section of a solid with a plane (the polygons that a picture shows filled).
double render_solid_section(const render_solid *solid, const float plane[4]);

// -- Scene ----------------------------------------------------------------------------------------

typedef enum render_material {
  RENDER_CLAY = 0, // matte with a soft sheen; also the best for colour maps
  RENDER_SKIN,     // soft light that bleeds red into the shadows, a little oil
  RENDER_LIP,      // skin, wetter
  RENDER_EYE,      // very glossy
  RENDER_TEETH,    // glossy, slightly translucent
  RENDER_BONE,     // matte
  RENDER_FLESH,    // wet and reddish
  RENDER_FLAT      // no light at all: the exact colour
} render_material;

typedef struct render_item {
  const render_mesh *mesh;   // one of the two
  const render_solid *solid; //
  render_material material;  //                                                   default CLAY
  float colour[3];           // multiplies the mesh's colours                     default 0.6 grey
  float inside[3];           // of back faces                                     default dark
  float opacity;             // below 1, only the nearest surface shows through   default 1
  mien_rigid placement;      // item to world                                     default identity
  int clip;                  // use the plane                                     default 0
  float plane[4];            // world: kept where x*p[0]+y*p[1]+z*p[2]+p[3] >= 0
  float section[3];          // colour of a solid's section, times its colours    default flesh
  int edges;                 // thin lines: mesh edges; on a solid, the section's  default 0
  float edge_colour[3];
  int use_values; // colour by the values given to render_mesh_measure default 0
  render_map map;
  float values_min, values_max;
} render_item;
void render_item_init(render_item *item);

typedef struct render_scene {
  render_camera camera;
  const render_item *items;
  int nitem;
  float exposure; // 0 = 1
} render_scene;
// Draws the scene and gives the picture in *out: created when {0}, otherwise it must have the
// target's size and its pixels are replaced. The lights go with the camera.
mien_result render_scene_draw(render_target *target, const render_scene *scene, render_image *out,
                              mien_error *err);

// -- Video ----------------------------------------------------------------------------------------

typedef struct render_video render_video;

typedef struct render_video_def {
  int width, height;          // odd sizes lose a row or a column
  double frame_rate;          //                                                   default 24
  int quality;                // x264's crf: 0 best, 51 worst                      default 18
  int nframe;                 // how many will come, for progress; 0 = not known   default 0
  mien_progress_fn *progress; // after every frame; not 0 = stop                   default NULL
  void *user;
} render_video_def;
void render_video_def_init(render_video_def *def);
// Starts ffmpeg, which writes H.264 under a temporary name. MIEN_ERR_IO when it is not installed.
mien_result render_video_open(const char *path, const render_video_def *def, render_video **out,
                              mien_error *err);
mien_result render_video_add(render_video *video, const render_image *image, mien_error *err);
// Ends the file and gives it its name; frees the video whatever the result.
mien_result render_video_close(render_video *video, mien_error *err);
// Gives up: no file is left. NULL is fine.
void render_video_abandon(render_video *video);

#endif

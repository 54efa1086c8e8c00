// A rig, posed, as a picture: materials and colours by the kind of each part, uploaded once.
//
//   rig_view_create(target, rig, face, &view, err);
//   rig_view_opts opts;
//   rig_view_opts_init(&opts);
//   opts.camera = rig_view_camera(view, RIG_VIEW_HEAD, (render_angle){.yaw = 20, .zoom = 1});
//   for every frame: rig_view_draw(view, positions, &opts, &image, err);
#ifndef RENDER_RIG_VIEW_H
#define RENDER_RIG_VIEW_H

#include "render.h"

typedef struct rig_view rig_view;

// `face` may be NULL: then there is no flesh to show, and lips are coloured only when the rig has a
// map "region". rig, face and target must live as long as the view. Takes a second or two, most of
// it for soft shadows between parts. Caller frees with rig_view_free, before the target.
mien_result rig_view_create(render_target *target, const mien_rig_info *rig,
                            const mien_face_info *face, rig_view **out, mien_error *err);
// Without those shadows, in a tenth of the time: for thumbnails.
mien_result rig_view_create_plain(render_target *target, const mien_rig_info *rig, rig_view **out,
                                  mien_error *err);
void rig_view_free(rig_view *view);

// The subject that a camera looks at. Without landmarks or lips, the whole head.
typedef enum rig_view_subject {
  RIG_VIEW_HEAD = 0, // everything
  RIG_VIEW_FACE = 1, // brows to chin
  RIG_VIEW_MOUTH = 2
} rig_view_subject;
// angle.aspect 0 = the target's.
render_camera rig_view_camera(const rig_view *view, rig_view_subject subject, render_angle angle);

typedef struct rig_view_opts {
  render_camera camera; // field_of_view and height 0 = the whole head from the front
  mien_rigid head;      // head to world                                         default identity
  int clay;             // one grey for the skin instead of its colours          default 0
  int edges;            // draw the triangles of the skin                        default 0
  float skin_opacity;   // 0 = no skin, 1 = solid                                default 1
  unsigned hidden;      // parts not to draw: bit (1 << mien_part_kind)          default 0

  mien_f32s values; // one per rig vertex: shows a colour map on the skin        default none
  render_map map;
  float values_min, values_max;

  // Planes in the head's space: kept where x*p[0] + y*p[1] + z*p[2] + p[3] >= 0.
  int clip_skin;        // cut the skin away, and see what is under it           default 0
  float skin_plane[4];  //
  mien_f32s flesh;      // positions of the flesh: shows it (needs a face)       default none
  int clip_flesh;       // cut the flesh and every part but the skin open        default 0
  float flesh_plane[4]; //
  int flesh_edges;      // outlines of the cut tetrahedra                        default 1
  float exposure;       //                                                       default 1
} rig_view_opts;
void rig_view_opts_init(rig_view_opts *opts);

// `positions`: every vertex of the rig, in the head's space, as mien_rig_pose and mien_state_info
// give them. `out` as in render_scene_draw.
mien_result rig_view_draw(rig_view *view, mien_f32s positions, const rig_view_opts *opts,
                          render_image *out, mien_error *err);

#endif

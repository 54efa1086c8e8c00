// Inside of rig_view, for its files only.
#ifndef RENDER_RIG_PARTS_H
#define RENDER_RIG_PARTS_H

#include "gl.h"
#include "rig_view.h"

// The look of a part.
typedef struct rd_part_look {
  render_material material;
  float colour[3], inside[3];
  float crease_angle;
  float least_open; // occlusion never goes below: thin, translucent or wet things stay readable
} rd_part_look;
rd_part_look rd_look_of(mien_part_kind kind);

// Linear RGBA for every welded vertex: the rig's own colours, or chosen by part and region.
// Caller frees; NULL when memory ends.
float *rd_rig_colours(const mien_rig_info *rig, const mien_face_info *face);
// mien_region bits of every welded vertex, from the face or the map "region". Caller frees.
int32_t *rd_rig_regions(const mien_rig_info *rig, const mien_face_info *face);
// The same for flesh: pale where skin, red below, bone-coloured where it is held.
float *rd_flesh_colours(const mien_face_info *face);

typedef struct rd_view_part {
  mien_part_kind kind;
  rd_part_look look;
  int nvert;
  int32_t *source; // uploaded vertex -> rig vertex
  render_mesh *mesh;
} rd_view_part;

struct rig_view {
  render_target *target;
  const mien_rig_info *rig;
  const mien_face_info *face;
  int npart;
  rd_view_part *parts;
  render_solid *flesh;
  render_item *items;    // room for every part and the flesh
  float *scratch;        // (nvert x 4)
  float *colours;        // (nvert x 4)
  int32_t *regions;      // (nvert)
  float *open[2];        // occlusion at rest, and with the jaw open (or NULL)
  const mien_shape *jaw; // the jaw-open shape, or NULL
  float painted_jaw;     // opening the occlusion was last painted for
  bool is_plain;         // no occlusion
};

// -- Occlusion -----------------------------------------------------------------------------------

const mien_shape *rd_find_jaw_shape(const mien_rig_info *rig);
float rd_jaw_opening(const rig_view *view, mien_f32s positions); // 0 = closed, 1 = open
mien_result rd_bake_occlusion(rig_view *view, mien_error *err);
mien_result rd_paint_occlusion(rig_view *view, float opening, mien_error *err);

#endif

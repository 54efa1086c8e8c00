// Pictures of a rig in motion: one or more panels side by side, drawn from the same pose.
#ifndef MIEN_CLI_PICTURE_H
#define MIEN_CLI_PICTURE_H

#include "rig_view.h"

#include <stdbool.h>

typedef enum panel_kind {
  PANEL_SKIN,   // as it looks
  PANEL_CLAY,   // one grey
  PANEL_WIRE,   // grey with its triangles
  PANEL_CUT,    // cut open between the eyes: skin, flesh, bones
  PANEL_HEAT,   // a field in colours
  PANEL_MUSCLES // a colour for each muscle, where most of the flesh under the skin is its own
} panel_kind;

enum { PICTURE_PANELS = 6 };

typedef struct picture_panel {
  panel_kind kind;
  const char *label; // or NULL
  render_angle angle;
  bool reference; // draws the reference instead of the pose
} picture_panel;

typedef struct picture_def {
  const mien_rig *rig;
  const mien_face *face; // or NULL: no cut, no fields of the face
  picture_panel panels[PICTURE_PANELS];
  int npanel;
  int width, height; // of one panel, pixels
  rig_view_subject subject;
  bool plain;     // no soft shadows: quick
  bool with_head; // let the head's motion move the picture
  // PANEL_HEAT: "displacement" (mm from rest), "difference" (mm from the reference), "thickness"
  // (mm), "attachment", "jaw", or the name of any map of the rig; range min >= max means from the
  // data at rest
  const char *field;
  double field_min, field_max;
} picture_def;

typedef struct picture picture;
mien_result picture_create(const picture_def *def, picture **out, mien_error *err);
void picture_free(picture *p);

// The pose to draw: positions of the rig (head's space), of the flesh (none = at rest), the head.
typedef struct picture_pose {
  mien_f32s positions, flesh;
  mien_f32s reference; // another pose to compare with, or none
  mien_rigid head;
  const char *title; // over the panels, or NULL
} picture_pose;
// Caller frees `out`; it is drawn over again when it has the right size already.
mien_result picture_draw(picture *p, const picture_pose *pose, render_image *out, mien_error *err);
// "skin", "clay", "wire", "cut", "heat", "muscles"; false when the word is unknown
bool picture_panel_kind(const char *word, panel_kind *kind);

#endif

// Draws a tracker's landmarks and the fitted face over the picture.
#ifndef MIEN_LAB_OVERLAY_H
#define MIEN_LAB_OVERLAY_H

#include "render.h"

// The square around a face.
render_rect overlay_rect(const mien_points *points);
// That part of a picture, `side` pixels wide.
mien_result overlay_crop(const render_image *from, render_rect rect, int side, render_image *out,
                         mien_error *err);
// The same with the fitted points as a net (orange) and those seen (blue).
mien_result overlay_draw(const render_image *picture, const mien_points *points,
                         const mien_fit_info *fit, int side, render_image *out, mien_error *err);

#endif

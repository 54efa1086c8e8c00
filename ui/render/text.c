// Words on images.
#include "internal.h"

#include <stdlib.h>
#include <string.h>

// Bytes that continue a multi-byte character are not drawn: it shows as one box.
static bool is_continuation(char byte) {
  return ((unsigned char)byte & 0xC0u) == 0x80u;
}

float render_text_width(render_type type, const char *text) {
  float width = 0.0f;
  rd_glyph glyph;
  for (; *text; text++) {
    if (is_continuation(*text)) continue;
    rd_glyph_read((unsigned char)*text, &glyph);
    width += glyph.advance;
  }
  return width * type.size / RD_CAP;
}

void render_text(render_image *to, float x, float y, render_type type, const char *text) {
  float *pieces = RD_NEW(float, 4 * (strlen(text) * RD_MAX_PIECES + 1));
  if (!pieces) return;
  float scale = type.size / RD_CAP;
  float start = -render_text_width(type, text) * 0.5f * (float)type.align;
  int ncomponent = 0;
  rd_glyph glyph;
  for (; *text; text++) {
    if (is_continuation(*text)) continue;
    rd_glyph_read((unsigned char)*text, &glyph);
    for (int i = 0; i < 2 * glyph.ncomponent; i++) {
      const float *point = &glyph.piece[0][0] + 2 * (ptrdiff_t)i;
      float along = start + point[0] * scale, over = point[1] * scale;
      float *piece = pieces + 4 * (ptrdiff_t)ncomponent + 2 * (ptrdiff_t)i;
      piece[0] = type.upwards ? x - over : x + along;
      piece[1] = type.upwards ? y - along : y - over;
    }
    ncomponent += glyph.ncomponent;
    start += glyph.advance * scale;
  }
  float width = (type.bold ? 2.1f : 1.45f) * scale;
  rd_draw_pieces(to, pieces, ncomponent, (render_pen){type.colour, width, 1.0f});
  free(pieces);
}

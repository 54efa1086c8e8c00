// Our own stroke font, drawn by hand on a grid.
//
// A glyph is a width and strokes. A stroke is a row of points, two base-36 digits each (x, y); the
// next stroke follows a blank; a point after '~' is the control point of a parabola between its
// neighbours. The baseline is at y = 4, small letters reach d (13), capitals g (16).
#include "internal.h"

#define BASELINE 4
#define SIDE 1.7f // blank on either side of a glyph
#define CURVE_PIECES 7

typedef struct drawn_glyph {
  int width;
  const char *strokes;
} drawn_glyph;

static const drawn_glyph glyphs[] = {
    {2, ""},                                                        // space
    {0, "0g09 04"},                                                 // !
    {3, "0g0d 3g3d"},                                               // "
    {8, "3g14 7g54 1c8c 0878"},                                     // #
    {8, "8d~8g4g~0g0d~0a4a~8a87~8444~0407 4i42"},                   // $
    {10, "2g~0g0e~0c2c~4c4e~4g2g 88~6866~6484~a4a6~a888 8g24"},     // %
    {9, "942d~1g4g~7g6d~6b29~0807~0434~7489"},                      // &
    {0, "0g0d"},                                                    // '
    {3, "3h~0e0a~0633"},                                            // (
    {3, "0h~3e3a~3603"},                                            // )
    {6, "3f39 0e6a 6e0a"},                                          // *
    {8, "4d45 0989"},                                               // +
    {1, "1402"},                                                    // ,
    {5, "0959"},                                                    // -
    {0, "04"},                                                      // .
    {6, "6h02"},                                                    // slash
    {7, "3g4g~7g7c78~744434~04080c~0g3g"},                          // 0
    {7, "1d4g44"},                                                  // 1
    {7, "0d~0g3g4g~7g7d~7b590474"},                                 // 2
    {7, "0e~0g3g4g~7g7d~7a4a2a 4a~7a77~744434~0406"},               // 3
    {7, "5g0777 5g54"},                                             // 4
    {7, "6g0g0a~1b3b4b~7b7877~744434~0406"},                        // 5
    {7, "6f~5g4g3g~0g0c08~043444~747778~7b4b3b~0b08"},              // 6
    {7, "0g7g24"},                                                  // 7
    {7, "3a4a~7a7d~7g4g3g~0g0d~0a3a~0a07~043444~7477~7a4a"},        // 8
    {7, "15~243444~74787c~7g4g3g~0g0d0c~093949~797c"},              // 9
    {0, "0b 05"},                                                   // :
    {1, "1b 1402"},                                                 // ;
    {7, "7d0975"},                                                  // <
    {7, "0b7b 0777"},                                               // =
    {7, "0d7905"},                                                  // >
    {6, "0d~0g3g~6g6d~6b4a~3938 34"},                               // ?
    {12, "8c89~87a7~c7cb~cg6g~0g0a~0464a4 8a~8c6c~4c4a~4767~878a"}, // @
    {8, "044g84 1878"},                                             // A
    {8, "040g5g~8g8d~8a5a0a 5a~8a87~845404"},                       // B
    {8, "8d~8g4g~0g0c08~0444~8487"},                                // C
    {8, "040g4g~8g8c88~844404"},                                    // D
    {7, "7g0g0474 0a6a"},                                           // E
    {7, "7g0g04 0a6a"},                                             // F
    {8, "8d~8g4g~0g0c08~0444~84888a5a"},                            // G
    {8, "040g 848g 0a8a"},                                          // H
    {0, "040g"},                                                    // I
    {6, "6g67~6434~0407"},                                          // J
    {8, "040g 8g08 3b84"},                                          // K
    {7, "0g0474"},                                                  // L
    {10, "040g57aga4"},                                             // M
    {8, "040g848g"},                                                // N
    {8, "4g~0g0c08~0444~84888c~8g4g"},                              // O
    {8, "040g5g~8g8d~895909"},                                      // P
    {8, "4g~0g0c08~0444~84888c~8g4g 5793"},                         // Q
    {8, "040g5g~8g8d~895909 4984"},                                 // R
    {8, "8d~8g4g~0g0d~0a4a~8a87~8444~0407"},                        // S
    {8, "0g8g 4g44"},                                               // T
    {8, "0g08~0444~84888g"},                                        // U
    {8, "0g448g"},                                                  // V
    {12, "0g346e94cg"},                                             // W
    {8, "0g84 8g04"},                                               // X
    {8, "0g4a8g 4a44"},                                             // Y
    {8, "0g8g0484"},                                                // Z
    {3, "3h0h0333"},                                                // [
    {6, "0h62"},                                                    // backslash
    {3, "0h3h3303"},                                                // ]
    {6, "0c3g6c"},                                                  // ^
    {8, "0282"},                                                    // _
    {2, "0g2d"},                                                    // `
    {7, "7d74 7a~7d4d3d~0d0a07~043444~7477"},                       // a
    {7, "0g04 0a~0d3d4d~7d7a77~744434~0407"},                       // b
    {6, "6b~6d4d3d~0d0a07~043444~6466"},                            // c
    {7, "7g74 7a~7d4d3d~0d0a07~043444~7477"},                       // d
    {7, "09797a~7d4d3d~0d0a07~043444~6476"},                        // e
    {5, "5g4g~2g2d24 0d5d"},                                        // f
    {7, "7d73~704030~1001 7a~7d4d3d~0d0a07~043444~7477"},           // g
    {7, "0g04 0a~0d3d4d~7d7a74"},                                   // h
    {0, "0d04 0g"},                                                 // i
    {3, "3d33~301000 3g"},                                          // j
    {6, "0g04 6d08 2a64"},                                          // k
    {2, "0g06~0424"},                                               // l
    {10, "0d04 0a~0d2d3d~5d5a54 5a~5d7d8d~adaaa4"},                 // m
    {7, "0d04 0a~0d3d4d~7d7a74"},                                   // n
    {7, "3d4d~7d7a77~744434~04070a~0d3d"},                          // o
    {7, "0d00 0a~0d3d4d~7d7a77~744434~0407"},                       // p
    {7, "7d70 7a~7d4d3d~0d0a07~043444~7477"},                       // q
    {4, "0d04 0a~0d3d4d"},                                          // r
    {6, "6b~6d3d~0d0b~092948~6866~6434~0406"},                      // s
    {5, "2g27~244454 0d5d"},                                        // t
    {7, "0d07~043444~7477 7d74"},                                   // u
    {6, "0d346d"},                                                  // v
    {10, "0d245c84ad"},                                             // w
    {6, "0d64 6d04"},                                               // x
    {6, "0d34 6d3421~2000"},                                        // y
    {6, "0d6d0464"},                                                // z
    {4, "4h~2h2f2c~2a0a~2a2825~2343"},                              // {
    {0, "0h02"},                                                    // |
    {4, "0h~2h2f2c~2a4a~2a2825~2303"},                              // }
    {8, "08~2c49~668a"},                                            // ~
    {8, "040g8g8404"},                                              // anything else
};

static float grid_value(char digit) {
  return (float)(digit <= '9' ? digit - '0' : digit - 'a' + 10);
}

static void read_point(const char *at, float point[2]) {
  point[0] = grid_value(at[0]);
  point[1] = grid_value(at[1]) - BASELINE;
}

static void add_piece(rd_glyph *glyph, const float from[2], const float to[2]) {
  if (glyph->ncomponent == RD_MAX_PIECES) return;
  float *piece = glyph->piece[glyph->ncomponent++];
  piece[0] = from[0], piece[1] = from[1], piece[2] = to[0], piece[3] = to[1];
}

static void add_curve(rd_glyph *glyph, const float from[2], const float by[2], const float to[2]) {
  float last[2] = {from[0], from[1]};
  for (int i = 1; i <= CURVE_PIECES; i++) {
    float t = (float)i / CURVE_PIECES, a = (1 - t) * (1 - t), b = 2 * t * (1 - t), c = t * t;
    float point[2] = {a * from[0] + b * by[0] + c * to[0], a * from[1] + b * by[1] + c * to[1]};
    add_piece(glyph, last, point);
    last[0] = point[0], last[1] = point[1];
  }
}

void rd_glyph_read(int character, rd_glyph *glyph) {
  int nglyph = (int)(sizeof glyphs / sizeof *glyphs);
  int index = character >= ' ' && character <= '~' ? character - ' ' : nglyph - 1;
  glyph->advance = (float)glyphs[index].width + 2.0f * SIDE;
  glyph->ncomponent = 0;
  const char *at = glyphs[index].strokes;
  float last[2] = {0}, by[2], point[2];
  for (int nth = 0; *at; nth++) {
    if (*at == ' ') {
      nth = -1;
      at++;
    } else if (*at == '~') {
      read_point(at + 1, by);
      read_point(at + 3, point);
      add_curve(glyph, last, by, point);
      at += 5;
      last[0] = point[0], last[1] = point[1];
    } else {
      read_point(at, point);
      at += 2;
      bool is_dot = nth == 0 && (*at == ' ' || *at == 0);
      if (nth > 0 || is_dot) add_piece(glyph, is_dot ? point : last, point);
      last[0] = point[0], last[1] = point[1];
    }
  }
  for (int i = 0; i < glyph->ncomponent; i++) {
    glyph->piece[i][0] += SIDE;
    glyph->piece[i][2] += SIDE;
  }
}

// Tables of points. Right and left are the subject's.
#include "track/fit_points.h"

// Jaw (the face oval's closest), brows (upper edge), nose, eyes, outer and inner lips.
static const short mesh_of[MI_LANDMARKS] = {
    162, 234, 93,  58,  172, 136, 149, 148, 152, 377, 378, 365, 397, 288, 323, 454, 389,
    70,  63,  105, 66,  107, 336, 296, 334, 293, 300, 168, 197, 5,   4,   98,  97,  2,
    326, 327, 33,  160, 158, 133, 153, 144, 362, 385, 387, 263, 373, 380, 61,  39,  37,
    0,   267, 269, 291, 405, 314, 17,  84,  181, 78,  81,  13,  311, 308, 402, 14,  178};

static const short outline[] = {10,  338, 297, 332, 284, 251, 389, 356, 454, 323, 361, 288,
                                397, 365, 379, 378, 400, 377, 152, 148, 176, 149, 150, 136,
                                172, 58,  132, 93,  234, 127, 162, 21,  54,  103, 67,  109};
static const short brows[] = {70,  63,  105, 66,  107, 46,  53,  52,  65,  55,
                              336, 296, 334, 293, 300, 276, 283, 282, 295, 285};

// A run of mesh points along a lid or lip, with the landmarks that stand on some of them.
typedef struct ring {
  mi_place place;
  int npoint, nmark;
  short point[11];
  struct {
    short at, landmark;
  } mark[7];
} ring;

static const ring rings[] = {
    {MI_PLACE_LIP,
     11,
     5,
     {78, 191, 80, 81, 82, 13, 312, 311, 310, 415, 308},
     {{0, 60}, {3, 61}, {5, 62}, {7, 63}, {10, 64}}},
    {MI_PLACE_LIP,
     11,
     5,
     {78, 95, 88, 178, 87, 14, 317, 402, 318, 324, 308},
     {{0, 60}, {3, 67}, {5, 66}, {7, 65}, {10, 64}}},
    {MI_PLACE_LIP,
     11,
     7,
     {61, 185, 40, 39, 37, 0, 267, 269, 270, 409, 291},
     {{0, 48}, {3, 49}, {4, 50}, {5, 51}, {6, 52}, {7, 53}, {10, 54}}},
    {MI_PLACE_LIP,
     11,
     7,
     {61, 146, 91, 181, 84, 17, 314, 405, 321, 375, 291},
     {{0, 48}, {3, 59}, {4, 58}, {5, 57}, {6, 56}, {7, 55}, {10, 54}}},
    {MI_PLACE_LID,
     9,
     4,
     {33, 246, 161, 160, 159, 158, 157, 173, 133},
     {{0, 36}, {3, 37}, {5, 38}, {8, 39}}},
    {MI_PLACE_LID,
     9,
     4,
     {33, 7, 163, 144, 145, 153, 154, 155, 133},
     {{0, 36}, {3, 41}, {5, 40}, {8, 39}}},
    {MI_PLACE_LID,
     9,
     4,
     {263, 466, 388, 387, 386, 385, 384, 398, 362},
     {{0, 45}, {3, 44}, {5, 43}, {8, 42}}},
    {MI_PLACE_LID,
     9,
     4,
     {263, 249, 390, 373, 374, 380, 381, 382, 362},
     {{0, 45}, {3, 46}, {5, 47}, {8, 42}}},
};
enum { NRING = sizeof rings / sizeof *rings };

const mi_slit mi_slits[MI_SLITS] = {
    {37, 41, 160, 144, 0}, {38, 40, 158, 153, 0}, {44, 46, 387, 373, 1},  {43, 47, 385, 380, 1},
    {61, 67, 81, 178, -1}, {62, 66, 13, 14, -1},  {63, 65, 311, 402, -1},
};

const int mi_eye_corners[2][2] = {{33, 133}, {263, 362}};

int mi_mesh_of_landmark(int landmark) {
  return mesh_of[landmark];
}

static bool is_among(const short *list, int count, int point) {
  for (int i = 0; i < count; i++)
    if (list[i] == point) return true;
  return false;
}

mi_place mi_place_of(bool is_mesh, int point) {
  if (!is_mesh) {
    if (point < 17) return MI_PLACE_OUTLINE;
    if (point < 27) return MI_PLACE_BROW;
    if (point < 36) return MI_PLACE_SKIN;
    return point < 48 ? MI_PLACE_LID : MI_PLACE_LIP;
  }
  for (int r = 0; r < NRING; r++)
    if (is_among(rings[r].point, rings[r].npoint, point)) return rings[r].place;
  if (is_among(outline, sizeof outline / sizeof *outline, point)) return MI_PLACE_OUTLINE;
  if (is_among(brows, sizeof brows / sizeof *brows, point)) return MI_PLACE_BROW;
  return MI_PLACE_SKIN;
}

bool mi_ring_of(int point, int *a, int *b, double *share) {
  for (int r = 0; r < NRING; r++)
    for (int i = 0; i < rings[r].npoint; i++) {
      if (rings[r].point[i] != point) continue;
      int m = 0;
      while (m + 2 < rings[r].nmark && rings[r].mark[m + 1].at <= i) m++;
      int from = rings[r].mark[m].at, to = rings[r].mark[m + 1].at;
      *a = rings[r].mark[m].landmark;
      *b = rings[r].mark[m + 1].landmark;
      *share = (double)(i - from) / (to - from);
      return true;
    }
  return false;
}

#include "track/detect.h"

#include "track/landmark_crop.h"

#include <math.h>
#include <string.h>

// The network looks at 128 x 128 pixels through 896 anchors: two in each cell of a 16 x 16 grid,
// six in each of an 8 x 8 one. Each gives a box and six points (eyes, nose, mouth, ears) relative
// to its cell's centre, and a score.
enum { SIDE = 128, NANCHOR = 896, NVALUE = 16 };

typedef struct candidate {
  float score, x, y, width, height; // in parts of the square that holds the picture
  float eye[2][2];                  // the subject's right, then left
} candidate;

mien_result mi_detect_check(const mi_net *net, mien_error *err) {
  int size[3];
  mi_net_input_size(net, size);
  if (size[0] != SIDE || size[1] != SIDE || size[2] != 3 || mi_net_output_count(net) != 2 ||
      mi_net_output_size(net, 0) != NANCHOR * NVALUE || mi_net_output_size(net, 1) != NANCHOR)
    return mi_fail(err, MIEN_ERR_FORMAT, "this network is not the short-range face detector");
  return MIEN_OK;
}

static void anchor_centre(int i, float centre[2]) {
  int per_cell = i < 512 ? 2 : 6, grid = i < 512 ? 16 : 8;
  int cell = (i < 512 ? i : i - 512) / per_cell;
  centre[0] = ((float)(cell % grid) + 0.5f) / (float)grid;
  centre[1] = ((float)(cell / grid) + 0.5f) / (float)grid;
}

static float overlap(const candidate *a, const candidate *b) {
  float w = fminf(a->x + a->width / 2, b->x + b->width / 2) -
            fmaxf(a->x - a->width / 2, b->x - b->width / 2);
  float h = fminf(a->y + a->height / 2, b->y + b->height / 2) -
            fmaxf(a->y - a->height / 2, b->y - b->height / 2);
  if (w <= 0 || h <= 0) return 0;
  return w * h / (a->width * a->height + b->width * b->height - w * h);
}

static int find_candidates(const float *value, const float *logit, float least_score,
                           candidate *list) {
  int count = 0;
  for (int i = 0; i < NANCHOR; i++) {
    const float *v = value + NVALUE * i;
    float score = 1 / (1 + expf(-fminf(fmaxf(logit[i], -100), 100)));
    if (!(score >= least_score)) continue;
    float at[2];
    anchor_centre(i, at);
    candidate c = {score,       v[0] / SIDE + at[0], v[1] / SIDE + at[1],
                   v[2] / SIDE, v[3] / SIDE,         {{0}}};
    for (int e = 0; e < 2; e++)
      for (int k = 0; k < 2; k++) c.eye[e][k] = v[4 + 2 * e + k] / SIDE + at[k];
    if (c.width > 0 && c.height > 0) list[count++] = c;
  }
  return count;
}

// The surest candidate and all that overlap it, averaged by their scores; they leave the list.
static candidate take_surest(candidate *list, int *count) {
  int best = 0;
  for (int i = 1; i < *count; i++)
    if (list[i].score > list[best].score) best = i;
  candidate surest = list[best];
  float total = 0, sum[8] = {0};
  int left = 0;
  for (int i = 0; i < *count; i++) {
    const candidate *c = &list[i];
    if (i != best && overlap(c, &surest) <= 0.3f) {
      list[left++] = *c;
      continue;
    }
    const float v[8] = {c->x,         c->y,         c->width,     c->height,
                        c->eye[0][0], c->eye[0][1], c->eye[1][0], c->eye[1][1]};
    for (int k = 0; k < 8; k++) sum[k] += c->score * v[k];
    total += c->score;
  }
  *count = left;
  candidate mean = {
      surest.score,   sum[0] / total,
      sum[1] / total, sum[2] / total,
      sum[3] / total, {{sum[4] / total, sum[5] / total}, {sum[6] / total, sum[7] / total}}};
  return mean;
}

mi_detect_square mi_detect_whole(const mien_image *image) {
  int longer = image->width > image->height ? image->width : image->height;
  return (mi_detect_square){(float)image->width / 2, (float)image->height / 2, (float)longer};
}

mi_detect_square mi_detect_part(const mien_image *image, int part) {
  float side = mi_detect_whole(image).side / 3, width = (float)image->width;
  float height = (float)image->height, half = side / 2;
  // five by three places that overlap (three by five where the picture is upright)
  int nx = width < height ? 3 : 5, ny = MI_DETECT_PARTS / nx;
  float x = half + (float)(part % nx) / (float)(nx - 1) * (width - side);
  float y = half + (float)(part / nx) / (float)(ny - 1) * (height - side);
  return (mi_detect_square){width < side ? width / 2 : x, height < side ? height / 2 : y, side};
}

int mi_detect_faces(mi_net *net, const mien_image *image, mi_detect_square square,
                    float least_score, mi_face_box face[MI_DETECT_MOST]) {
  float x0 = square.x, y0 = square.y, side = square.side;
  mi_crop crop = mi_crop_square(x0, y0, side, 0, SIDE);
  crop.scale = 2.0f / 255;
  crop.offset = -1;
  crop.is_black_around = true;
  crop.most_samples = 4;
  mi_crop_sample(&crop, image, mi_net_input(net));
  mi_net_run(net);
  float value[NANCHOR * NVALUE], logit[NANCHOR];
  candidate list[NANCHOR];
  mi_net_output(net, 0, value);
  mi_net_output(net, 1, logit);
  int left = find_candidates(value, logit, least_score, list), count = 0;
  while (left > 0 && count < MI_DETECT_MOST) {
    candidate c = take_surest(list, &left);
    mi_face_box *f = &face[count++];
    f->x = x0 + (c.x - 0.5f) * side;
    f->y = y0 + (c.y - 0.5f) * side;
    f->side = 1.5f * side * fmaxf(c.width, c.height);
    f->turn = atan2f(c.eye[1][1] - c.eye[0][1], c.eye[1][0] - c.eye[0][0]);
    f->score = c.score;
  }
  return count;
}

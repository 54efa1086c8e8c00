#include "track/landmark.h"
#include "track/landmark_crop.h"
#include "track/landmark_refine.h"

#include <math.h>

enum { SIDE = 192, NSKIN = 468, NLIPS = 80, NEYE = 71, NIRIS = 5 };

struct mi_mesh {
  mi_arena arena;
  mi_net *detector, *mesh;
  int part; // of the picture, searched last
  float skin[3 * NSKIN], lips[2 * NLIPS], eye[2][2 * NEYE], iris[2][2 * NIRIS];
};

// Outputs of the network: skin, lips, the eye on the picture's left, the one on its right, their
// irises, and how much it looks like a face.
static const int output_size[] = {3 * NSKIN, 2 * NLIPS, 2 * NEYE, 2 * NEYE,
                                  2 * NIRIS, 2 * NIRIS, 1};
enum { NOUTPUT = sizeof output_size / sizeof *output_size };

static mien_result check_mesh(const mi_net *net, mien_error *err) {
  int size[3];
  mi_net_input_size(net, size);
  bool is_good =
      size[0] == SIDE && size[1] == SIDE && size[2] == 3 && mi_net_output_count(net) == NOUTPUT;
  for (int i = 0; is_good && i < NOUTPUT; i++)
    is_good = mi_net_output_size(net, i) == output_size[i];
  if (!is_good)
    return mi_fail(err, MIEN_ERR_FORMAT, "this network is not the face mesh with attention");
  return MIEN_OK;
}

mien_result mi_mesh_create(mi_bytes detector, mi_bytes mesh, const mien_host *host, mi_mesh **out,
                           mien_error *err) {
  mi_mesh *made = MI_CREATE(mi_mesh, host);
  if (!made) return mi_fail_memory(err);
  mien_result result = mi_net_read(detector.data, detector.size, host, &made->detector, err);
  if (result >= 0) result = mi_detect_check(made->detector, err);
  if (result >= 0) result = mi_net_read(mesh.data, mesh.size, host, &made->mesh, err);
  if (result >= 0) result = check_mesh(made->mesh, err);
  if (result < 0) {
    mi_mesh_free(made);
    return result;
  }
  *out = made;
  return MIEN_OK;
}

void mi_mesh_free(mi_mesh *mesh) {
  if (!mesh) return;
  mi_net_free(mesh->detector);
  mi_net_free(mesh->mesh);
  mi_arena_delete(mesh->arena);
}

// An orange and a logo score up to 0.59; faces, 0.6 and more.
static const float least_score = 0.6f, least_score_of_part = 0.65f;

// Detects in the whole picture; while no face is found, in one part of it per frame as well: a face
// far from the camera is found within half a second.
int mi_mesh_find(mi_mesh *mesh, const mien_image *image, mi_face_box face[MI_DETECT_MOST]) {
  int count = mi_detect_faces(mesh->detector, image, mi_detect_whole(image), least_score, face);
  if (count) return count;
  mesh->part = (mesh->part + 1) % MI_DETECT_PARTS;
  return mi_detect_faces(mesh->detector, image, mi_detect_part(image, mesh->part),
                         least_score_of_part, face);
}

// Deviation of a point, as a part of the square's side: points of the refined regions are surer,
// and no texture fixes the outline's points along the cheek.
enum { SURE, PLAIN, VAGUE };
static const float off_by[] = {0.004f, 0.007f, 0.014f};

static const int16_t outline[] = {10,  338, 297, 332, 284, 251, 389, 356, 454, 323, 361, 288,
                                  397, 365, 379, 378, 400, 377, 152, 148, 176, 149, 150, 136,
                                  172, 58,  132, 93,  234, 127, 162, 21,  54,  103, 67,  109};

static void set_sigmas(mien_points *points, float side) {
  for (int i = 0; i < points->count; i++)
    points->point[i].sigma = off_by[i < NSKIN ? PLAIN : SURE] * side;
  for (size_t i = 0; i < sizeof outline / sizeof *outline; i++)
    points->point[outline[i]].sigma = off_by[VAGUE] * side;
  for (int i = 0; i < NLIPS; i++) points->point[mi_refined_lips[i]].sigma = off_by[SURE] * side;
  for (int i = 0; i < NEYE; i++) {
    points->point[mi_refined_right_eye[i]].sigma = off_by[SURE] * side;
    points->point[mi_refined_left_eye[i]].sigma = off_by[SURE] * side;
  }
}

// The head as a ball about the middle between the ears: points on its far side are not seen.
static void set_visibility(mien_points *points) {
  const mien_point *ear = &points->point[234], *other = &points->point[454];
  float centre[3] = {(ear->x + other->x) / 2, (ear->y + other->y) / 2, (ear->z + other->z) / 2};
  for (int i = 0; i < points->count; i++) {
    mien_point *p = &points->point[i];
    float d[3] = {p->x - centre[0], p->y - centre[1], p->z - centre[2]};
    float length = sqrtf(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    float away = length > 0 ? d[2] / length : 0; // -1 towards the camera, 1 away from it
    float t = fminf(fmaxf((0.4f - away) / 0.4f, 0), 1);
    p->visibility = t * t * (3 - 2 * t);
  }
}

static void set_iris(mien_points *points, int side, int first) {
  const mien_point *centre = &points->point[first];
  float radius = 0;
  for (int i = 1; i < NIRIS; i++)
    radius +=
        hypotf(points->point[first + i].x - centre->x, points->point[first + i].y - centre->y);
  points->iris[side][0] = centre->x;
  points->iris[side][1] = centre->y;
  points->iris[side][2] = radius / (NIRIS - 1);
}

typedef struct placing {
  mi_crop crop;
  float scale; // pixels of the picture per pixel of the crop
} placing;

static void put(const placing *to, float u, float v, mien_point *point) {
  point->x = to->crop.a * u + to->crop.b * v + to->crop.c;
  point->y = to->crop.d * u + to->crop.e * v + to->crop.f;
}

static void put_eye(const placing *to, const mi_mesh *mesh, int side, const int16_t *index,
                    mien_points *points) {
  float depth = 0;
  for (int i = 0; i < NEYE; i++)
    put(to, mesh->eye[side][2 * i], mesh->eye[side][2 * i + 1], &points->point[index[i]]);
  for (int i = 0; i < MI_REFINED_RIM; i++) depth += points->point[index[i]].z / MI_REFINED_RIM;
  int first = NSKIN + NIRIS * side;
  for (int i = 0; i < NIRIS; i++) {
    put(to, mesh->iris[side][2 * i], mesh->iris[side][2 * i + 1], &points->point[first + i]);
    points->point[first + i].z = depth;
  }
  set_iris(points, side, first);
}

void mi_mesh_locate(mi_mesh *mesh, const mien_image *image, const mi_face_box *box,
                    mien_points *points) {
  placing to = {mi_crop_square(box->x, box->y, box->side, box->turn, SIDE), box->side / SIDE};
  mi_crop_sample(&to.crop, image, mi_net_input(mesh->mesh));
  mi_net_run(mesh->mesh);
  float logit;
  float *const output[NOUTPUT] = {mesh->skin,    mesh->lips,    mesh->eye[0], mesh->eye[1],
                                  mesh->iris[0], mesh->iris[1], &logit};
  for (int i = 0; i < NOUTPUT; i++) mi_net_output(mesh->mesh, i, output[i]);
  points->count = MIEN_POINTS_MESH;
  points->presence = 1 / (1 + expf(-logit));
  for (int i = 0; i < NSKIN; i++) {
    put(&to, mesh->skin[3 * i], mesh->skin[3 * i + 1], &points->point[i]);
    points->point[i].z = mesh->skin[3 * i + 2] * to.scale;
  }
  for (int i = 0; i < NLIPS; i++)
    put(&to, mesh->lips[2 * i], mesh->lips[2 * i + 1], &points->point[mi_refined_lips[i]]);
  put_eye(&to, mesh, 0, mi_refined_right_eye, points);
  put_eye(&to, mesh, 1, mi_refined_left_eye, points);
  set_sigmas(points, box->side);
  set_visibility(points);
}

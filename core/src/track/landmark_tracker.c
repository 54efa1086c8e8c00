#include "track/landmark_tracker.h"

#include <math.h>

struct mien_tracker {
  mi_arena arena;
  mi_mesh *mesh; // or
  mi_ert_seer ert;
  mi_seer seer;
  mi_follow follow;
};

void(mien_tracker_def_init)(mien_tracker_def *def, size_t struct_size) {
  mi_struct_init(def, struct_size, &(mien_tracker_def){.near_x = 0.5f, .near_y = 0.5f},
                 sizeof *def);
}

static int find_with_mesh(void *self, const mien_image *image, mi_face_box face[MI_DETECT_MOST]) {
  return mi_mesh_find(((mien_tracker *)self)->mesh, image, face);
}

static void locate_with_mesh(void *self, const mien_image *image, const mi_face_box *box,
                             mien_points *points) {
  mi_mesh_locate(((mien_tracker *)self)->mesh, image, box, points);
}

static int find_with_ert(void *self, const mien_image *image, mi_face_box face[MI_DETECT_MOST]) {
  return mi_ert_seer_find(&((mien_tracker *)self)->ert, image, face);
}

static void locate_with_ert(void *self, const mien_image *image, const mi_face_box *box,
                            mien_points *points) {
  mi_ert_seer_locate(&((mien_tracker *)self)->ert, image, box, points);
}

mien_result mi_tracker_create(const mien_tracker_def *def, mien_tracker_kind kind,
                              const mi_tracker_files *files, const mien_host *host,
                              mien_tracker **out, mien_error *err) {
  mien_tracker *t = MI_CREATE(mien_tracker, host);
  if (!t) return mi_fail_memory(err);
  t->follow.is_chosen = def->is_chosen != 0;
  t->follow.near_x = def->near_x;
  t->follow.near_y = def->near_y;
  mien_result result;
  if (kind == MIEN_TRACKER_MESH) {
    result = mi_mesh_create(files->detector, files->mesh, host, &t->mesh, err);
    t->seer = (mi_seer){t, find_with_mesh, locate_with_mesh, mi_region_mesh, 0.015f};
  } else {
    result = mi_ert_read(files->ert.data, files->ert.size, host, &t->ert.ert, err);
    t->ert.find = def->find;
    t->ert.find_user = def->find_user;
    t->seer = (mi_seer){t, find_with_ert, locate_with_ert, mi_region_ert, 0.03f};
  }
  if (result < 0) {
    mien_tracker_free(t);
    return result;
  }
  *out = t;
  return MIEN_OK;
}

static mien_result check_image(const mien_image *image, mien_error *err) {
  enum { LEAST = 16, MOST = 16384 };
  if (!image->pixels) return mi_fail(err, MIEN_ERR_ARGUMENT, "the picture has no pixels");
  if (image->width < LEAST || image->height < LEAST || image->width > MOST || image->height > MOST)
    return mi_fail(err, MIEN_ERR_ARGUMENT, "a picture of %d x %d is not one we can look at",
                   image->width, image->height);
  int n = image->nchannel;
  if (n != 1 && n != 3 && n != 4)
    return mi_fail(err, MIEN_ERR_ARGUMENT, "a picture has 1, 3 or 4 channels, not %d", n);
  if (image->stride && image->stride < image->width * n)
    return mi_fail(err, MIEN_ERR_ARGUMENT, "rows of %d bytes do not hold %d pixels", image->stride,
                   image->width);
  if (!isfinite(image->time))
    return mi_fail(err, MIEN_ERR_NOT_FINITE, "the time of a picture is not a number");
  return MIEN_OK;
}

mien_result mien_tracker_see(mien_tracker *tracker, const mien_image *image, mien_points *points,
                             mien_error *err) {
  mi_error_clear(err);
  MI_USUAL_FLOATS;
  if (!tracker || !image || !points)
    return mi_fail(err, MIEN_ERR_ARGUMENT,
                   "there is no tracker, no picture, or nowhere to put points");
  mien_result result = check_image(image, err);
  if (result < 0) return result;
  mi_follow_face(&tracker->follow, &tracker->seer, image, points);
  return MIEN_OK;
}

void mien_tracker_free(mien_tracker *tracker) {
  if (!tracker) return;
  mi_mesh_free(tracker->mesh);
  mi_ert_free(tracker->ert.ert);
  mi_arena_delete(tracker->arena);
}

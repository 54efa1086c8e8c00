// Remarks on a rig for its user, and the hash that identifies it.
#include "rig/build.h"

#include "math/vec.h"
#include "mesh/mesh.h"

#include <stdio.h>
#include <string.h>

static uint64_t hash_shape(const mien_shape *shape) {
  uint64_t hash = mi_hash(1, shape->indices.data, (size_t)shape->indices.count * sizeof(int32_t));
  return mi_hash(hash, shape->deltas.data, 3 * (size_t)shape->deltas.count * sizeof(float));
}

typedef struct hash_ctx {
  const mien_shape *shapes;
  uint64_t *hashes;
} hash_ctx;

static void hash_shapes(void *user, int begin, int end) {
  const hash_ctx *h = user;
  for (int s = begin; s < end; s++) h->hashes[s] = hash_shape(h->shapes + s);
}

typedef struct still_shapes {
  int count;
  char names[160];
} still_shapes;

static void add_still(still_shapes *still, const char *name) {
  enum { MOST = 3 };
  size_t used = strlen(still->names);
  char *to = still->names + used;
  if (still->count < MOST)
    snprintf(to, sizeof still->names - used, "%s'%.40s'", used ? ", " : "", name);
  if (still->count == MOST) snprintf(to, sizeof still->names - used, ", ...");
  still->count++;
}

// The first shape before `s` that does the same, -1 = none.
static int find_same(const mi_rig_build *b, const uint64_t *hashes, int s) {
  for (int r = 0; r < s && b->rig->info.shapes[s].indices.count; r++)
    if (hashes[r] == hashes[s]) return r;
  return -1;
}

// One sentence for all, because rigs have hundreds.
static bool describe_shapes(mi_rig_build *b, uint64_t *hashes) {
  const mien_shape *shapes = b->rig->info.shapes;
  hash_ctx h = {shapes, hashes};
  still_shapes still = {0, ""};
  int nsame = 0, first = -1;
  mi_parallel(b->rig->host.threads, b->rig->info.nshape, 1, hash_shapes, &h);
  for (int s = 0; s < b->rig->info.nshape; s++) {
    if (!shapes[s].indices.count) add_still(&still, shapes[s].name);
    if (find_same(b, hashes, s) < 0) continue;
    if (!nsame++) first = s;
  }
  mi_remarks *remarks = &b->rig->remarks;
  if (still.count == 1 && !mi_remark(remarks, "shape %s moves nothing", still.names)) return false;
  if (still.count > 1 &&
      !mi_remark(remarks, "%d shapes move nothing: %s", still.count, still.names))
    return false;
  if (!nsame) return true;
  char more[60] = "";
  if (nsame > 1) snprintf(more, sizeof more, "; so are %d more as others", nsame - 1);
  return mi_remark(remarks, "shapes '%.60s' and '%.60s' are the same%s",
                   shapes[find_same(b, hashes, first)].name, shapes[first].name, more);
}

// An area below a millionth of the squared mean edge length is as good as none.
static bool describe_triangles(mi_rig_build *b) {
  const mien_rig_info *info = &b->rig->info;
  int ndegenerate = 0;
  double total = 0, *area = MI_PUSH_RAW(&b->scratch, double, info->ntri);
  if (!area) return false;
  for (int t = 0; t < info->ntri; t++) {
    area[t] = mi_triangle_area(b->rig->positions, b->rig->triangles + 3 * (size_t)t);
    total += area[t];
  }
  double tiny = 1e-6 * total / (info->ntri ? info->ntri : 1);
  for (int t = 0; t < info->ntri; t++) ndegenerate += area[t] <= tiny;
  return !ndegenerate || mi_remark(&b->rig->remarks, "%d of %d triangles have next to no area",
                                   ndegenerate, info->ntri);
}

static bool describe_size(mi_rig_build *b) {
  const mien_rig_info *info = &b->rig->info;
  double height = info->box_max[1] - info->box_min[1];
  if (b->face_height > 0 || (height > 0.02 && height < 3)) return true; // a face's size is known
  return mi_remark(&b->rig->remarks,
                   "the rig is %.4g m tall; if that is wrong its unit is, too (metres_per_unit)",
                   height);
}

mien_result mi_rig_describe(mi_rig_build *b) {
  mien_rig *rig = b->rig;
  const mien_rig_info *info = &rig->info;
  uint64_t *hashes = MI_PUSH(&b->scratch, uint64_t, info->nshape);
  if (!hashes || !describe_shapes(b, hashes) || !describe_triangles(b) || !describe_size(b))
    return mi_fail_memory(b->err);
  rig->hash = mi_hash(2, rig->positions, 3 * (size_t)info->nvert * sizeof(float));
  rig->hash = mi_hash(rig->hash, rig->triangles, 3 * (size_t)info->ntri * sizeof(int32_t));
  rig->hash = mi_hash(rig->hash, hashes, (size_t)info->nshape * sizeof *hashes);
  return MIEN_OK;
}

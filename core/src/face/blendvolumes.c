#include "face/blendvolumes.h"

#include "face/blendvolume.h"
#include "math/vec.h"
#include "mesh/untangle.h"

#include <string.h>

typedef struct maker {
  mi_face_build *b;
  mi_blendvolume_def def;
  mi_blendvolume *shapes; // (nshape)
  int first;              // shape of this batch
} maker;

static void find_range(void *task, int begin, int end) {
  maker *m = task;
  for (int s = m->first + begin; s < m->first + end; s++)
    m->shapes[s].is_out_of_memory = !mi_blendvolume_find(&m->def, s, m->shapes + s);
}

static mien_result join(maker *m) {
  mien_face *face = m->b->face;
  mi_blendvolumes *volumes = &face->blendvolumes;
  int nshape = face->rig->info.nshape, total = 0;
  for (int s = 0; s < nshape; s++) {
    total += m->shapes[s].nvert;
    volumes->nmended += m->shapes[s].nvert > 0;
    volumes->ninverted += m->shapes[s].ninverted;
  }
  volumes->first = MI_PUSH(&face->arena, int32_t, nshape + 1);
  volumes->vert = MI_PUSH(&face->arena, int32_t, total);
  volumes->delta = MI_PUSH(&face->arena, float, 3 * (size_t)total);
  if (!volumes->first || !volumes->vert || !volumes->delta) return mi_fail_memory(m->b->err);
  volumes->nshape = nshape;
  for (int s = 0, at = 0; s < nshape; s++) {
    const mi_blendvolume *from = m->shapes + s;
    if (from->nvert) {
      memcpy(volumes->vert + at, from->vert, (size_t)from->nvert * sizeof *from->vert);
      memcpy(volumes->delta + 3 * (size_t)at, from->delta,
             3 * (size_t)from->nvert * sizeof *from->delta);
    }
    volumes->first[s + 1] = at += from->nvert;
  }
  return MIEN_OK;
}

// Where no position of the inner vertices removes the inversion, the artist's skin folds over
// itself. These tetrahedra are removed, whole prisms at a time; neighbours hold the skin triangle.
static void leave_out(maker *m, const unsigned char *left) {
  mien_face *face = m->b->face;
  int size = face->is_prisms ? 3 : 1, kept = 0;
  for (int t = 0; t + size <= face->info.ntet; t += size) {
    bool out = false;
    for (int k = 0; k < size; k++) out |= left[t + k];
    face->blendvolumes.nleft_out += out ? size : 0;
    if (out) continue;
    memmove(face->tets + 4 * (size_t)kept, face->tets + 4 * (size_t)t,
            4 * (size_t)size * sizeof *face->tets);
    kept += size;
  }
  face->info.ntet = kept;
  face->info.nleft_out += face->is_prisms ? face->blendvolumes.nleft_out / 3 : 0;
}

// One sentence for all shapes: an artist who sees five reads none.
static bool remark_left(const maker *m, int nfold, int worst, mi_vec3 where) {
  mien_face *face = m->b->face;
  const char *name = face->rig->info.shapes[worst].name;
  double x = 100 * where.x, y = 100 * where.y, z = 100 * where.z;
  if (nfold == 1)
    return mi_remark(&face->remarks,
                     "the shape '%.60s' folds the skin over itself near (%.1f, %.1f, %.1f) cm: no "
                     "flesh there",
                     name, x, y, z);
  return mi_remark(&face->remarks,
                   "%d shapes fold the skin over itself, most of all '%.60s', near (%.1f, %.1f, "
                   "%.1f) cm: no flesh there",
                   nfold, name, x, y, z);
}

static mien_result report_left(maker *m) {
  mien_face *face = m->b->face;
  int nshape = face->rig->info.nshape, ntet = face->info.ntet, nfold = 0, worst = 0;
  unsigned char *left = MI_PUSH(&m->b->scratch, unsigned char, ntet);
  if (!left) return mi_fail_memory(m->b->err);
  for (int s = 0; s < nshape; s++) {
    const mi_blendvolume *shape = m->shapes + s;
    nfold += shape->nleft > 0;
    if (shape->nleft > m->shapes[worst].nleft) worst = s;
    for (int t = 0; shape->nleft && t < ntet; t++) left[t] |= shape->left[t];
  }
  if (!nfold) return MIEN_OK;
  const mi_blendvolume *shape = m->shapes + worst;
  mi_vec3 where = {0, 0, 0};
  for (int t = 0; t < ntet; t++) {
    const float *at = face->rest + 3 * (size_t)face->tets[4 * (size_t)t];
    if (shape->left[t]) where = mi_add_scaled(where, 1.0 / shape->nleft, mi_vec3_load(at));
  }
  if (!remark_left(m, nfold, worst, where)) return mi_fail_memory(m->b->err);
  leave_out(m, left);
  return MIEN_OK;
}

static bool find_stored(maker *m) {
  const mien_face *face = m->b->face;
  if (!m->b->def->use_stored || !face->is_prisms ||
      mi_stored_hash(face->rig, "blendvolumes_hash") != face->blendvolumes.inputs_hash)
    return true;
  m->def.stored = MI_PUSH(&m->b->scratch, const mien_map *, face->rig->info.nshape);
  for (int k = 0; m->def.stored && k < face->rig->info.nmap; k++) {
    const mien_map *map = face->rig->info.maps + k;
    static const char prefix[] = "blendvolume:";
    if (strncmp(map->name, prefix, sizeof prefix - 1) || map->width != 3) continue;
    int shape = mi_rig_find_shape(face->rig, map->name + sizeof prefix - 1);
    if (shape >= 0) m->def.stored[shape] = map;
  }
  return m->def.stored != NULL;
}

// Thickness painted for single shapes; 0 where unpainted or invalid.
static mien_result read_thickness(maker *m) {
  mi_face_build *b = m->b;
  const mien_face *face = b->face;
  mi_painted painted;
  mien_result result = mi_paint_find(b, "thickness", &painted);
  const float **thickness = MI_PUSH(&b->scratch, const float *, face->rig->info.nshape);
  float *nothing = MI_PUSH(&b->scratch, float, face->skin.nvert);
  if (result == MIEN_OK && (!thickness || !nothing)) result = mi_fail_memory(b->err);
  for (int s = 0; result == MIEN_OK && s < face->rig->info.nshape; s++) {
    if (!painted.shape[s]) continue;
    float *values = MI_PUSH(&b->scratch, float, face->skin.nvert);
    if (!values) return mi_fail_memory(b->err);
    result = mi_paint_read(b, painted.shape[s], face->skin.size, nothing, values);
    thickness[s] = values;
  }
  m->def.thickness = thickness;
  return result;
}

static uint64_t hash_inputs(const maker *m) {
  const mien_face *face = m->b->face;
  size_t nvert = (size_t)face->info.nvert, ntet = (size_t)face->info.ntet;
  uint64_t hash = mi_hash(face->rig->hash, face->rest, 3 * nvert * sizeof(float));
  hash = mi_hash(hash, face->tets, 4 * ntet * sizeof(int32_t));
  hash = mi_hash(hash, face->bone_share, nvert * sizeof(float));
  hash = mi_hash(hash, face->jaw, nvert * sizeof(float));
  for (int s = 0; s < face->rig->info.nshape; s++)
    if (m->def.thickness[s])
      hash = mi_hash(hash, m->def.thickness[s], (size_t)face->skin.nvert * sizeof(float));
  return hash;
}

uint64_t mi_blendvolumes_hash(const mi_blendvolumes *volumes, uint64_t seed) {
  if (!volumes->nshape) return seed;
  size_t count = (size_t)volumes->first[volumes->nshape];
  seed = mi_hash(seed, volumes->first, ((size_t)volumes->nshape + 1) * sizeof(int32_t));
  seed = mi_hash(seed, volumes->vert, count * sizeof(int32_t));
  return mi_hash(seed, volumes->delta, 3 * count * sizeof(float));
}

// Works in batches: between two of them the host hears of the progress and may cancel.
static mien_result find_all(maker *m) {
  enum { BATCH = 8 };
  const mien_face *face = m->b->face;
  int nshape = face->rig->info.nshape;
  mien_result result = MIEN_OK;
  for (m->first = 0; m->first < nshape && result == MIEN_OK; m->first += BATCH) {
    int count = nshape - m->first < BATCH ? nshape - m->first : BATCH;
    mi_parallel(face->host.threads, count, 1, find_range, m);
    for (int s = m->first; s < m->first + count; s++)
      if (m->shapes[s].is_out_of_memory) result = mi_fail_memory(m->b->err);
    if (!mi_progress(&face->host, "blendvolumes", (m->first + count) / (double)nshape))
      result = mi_fail(m->b->err, MIEN_ERR_CANCELLED, "stopped by the host");
  }
  return result;
}

mien_result mi_blendvolumes_build(mi_face_build *b) {
  mien_face *face = b->face;
  double start = mi_clock();
  int nshape = face->rig->info.nshape, ntet = face->info.ntet;
  double *inverse = MI_PUSH(&b->scratch, double, 9 * (size_t)ntet);
  maker m = {.b = b,
             .def = {.b = b, .inverse = inverse},
             .shapes = MI_PUSH(&b->scratch, mi_blendvolume, nshape)};
  if (!inverse || !m.shapes) return mi_fail_memory(b->err);
  mien_result result = read_thickness(&m);
  if (result != MIEN_OK) return result;
  face->blendvolumes.inputs_hash = hash_inputs(&m);
  if (!find_stored(&m)) return mi_fail_memory(b->err);
  for (int t = 0; t < ntet; t++)
    mi_untangle_inverse(face->rest, face->tets + 4 * (size_t)t, inverse + 9 * (size_t)t);
  result = find_all(&m);
  if (result == MIEN_OK) result = report_left(&m);
  if (result == MIEN_OK) result = join(&m);
  for (int s = 0; s < nshape; s++) mi_arena_free(&m.shapes[s].arena);
  if (result == MIEN_OK && face->blendvolumes.nleft_out) result = mi_flesh_find_vertex_tets(b);
  face->info.nmended = face->blendvolumes.nmended;
  face->info.nmended_tets = face->blendvolumes.ninverted;
  face->info.seconds_shapes = mi_clock() - start;
  return result;
}

void mi_blendvolumes_add(const mi_blendvolumes *volumes, const float *weights, float *posed) {
  for (int s = 0; s < volumes->nshape; s++) {
    float w = weights[s];
    if (w == 0) continue;
    for (int p = volumes->first[s]; p < volumes->first[s + 1]; p++)
      for (int k = 0; k < 3; k++)
        posed[3 * (size_t)volumes->vert[p] + (size_t)k] +=
            w * volumes->delta[3 * (size_t)p + (size_t)k];
  }
}

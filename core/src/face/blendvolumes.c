#include "face/face.h"

#include "face/carry.h"
#include "mesh/untangle.h"

#include <string.h>

// Less than this share of its volume and a tetrahedron is mended; more than that and it is done.
static const double TOO_LITTLE = 0.02, ENOUGH = 0.05;
static const float MOST_THICKER = 4; // times, or as much thinner, by a shape's thickness
enum { NREACH = 3 };
static const int REACH[NREACH] = {2, 4, 7}; // rings of tetrahedra around what is bad

// One shape: what came of it.
typedef struct mended {
  mi_arena arena; // of this shape alone: shapes are worked on by several threads
  int nvert;
  int32_t *vert;
  float *delta;
  int ninverted, nleft;
  unsigned char *left; // tetrahedra that stay inverted, or NULL                 (ntet)
  bool is_out_of_memory;
} mended;

typedef struct maker {
  mi_face_build *b;
  double *inverse;         // of the rest edges                                      (ntet x 9)
  mi_painted thickness;    // for single shapes
  mended *shapes;          // (nshape)
  int first;               // shape of this batch
  const mien_map **stored; // blendvolumes kept in the rig's file, NULL = there are none   (nshape)
} maker;

// Scratch of one shape.
typedef struct work {
  const maker *m;
  mended *out;
  float *posed;        // as carried, then mended                                   (nvert x 3)
  float *carried;      //                                                           (nvert x 3)
  unsigned char *near; // ring + 1 of a vertex, 0 = beyond reach                  (nvert)
  int32_t *local;      // number in the patch, -1 = not in it                       (nvert)
} work;

static double volume_share(const maker *m, const float *x, int t) {
  const mien_face *face = m->b->face;
  const int32_t *tet = face->tets + 4 * (size_t)t;
  const double *inverse = m->inverse + 9 * (size_t)t;
  double e[9], rest, now;
  const float *o = x + 3 * (size_t)tet[0];
  for (int c = 0; c < 3; c++)
    for (int k = 0; k < 3; k++) e[3 * c + k] = (double)x[3 * (size_t)tet[c + 1] + (size_t)k] - o[k];
#define DET(a)                                                                                     \
  ((a)[0] * ((a)[4] * (a)[8] - (a)[5] * (a)[7]) - (a)[1] * ((a)[3] * (a)[8] - (a)[5] * (a)[6]) +   \
   (a)[2] * ((a)[3] * (a)[7] - (a)[4] * (a)[6]))
  rest = DET(inverse);
  now = DET(e);
#undef DET
  return now * rest;
}

// Vertices within `reach` rings of what is bad; returns how many tetrahedra are bad.
static int mark_near(work *w, int reach, double least) {
  const mien_face *face = w->m->b->face;
  int nbad = 0;
  memset(w->near, 0, (size_t)face->info.nvert);
  for (int t = 0; t < face->info.ntet; t++) {
    if (volume_share(w->m, w->posed, t) > least) continue;
    nbad++;
    for (int c = 0; c < 4; c++) w->near[face->tets[4 * (size_t)t + (size_t)c]] = 1;
  }
  for (int ring = 1; nbad && ring < reach; ring++)
    for (int i = 0; i < face->info.nvert; i++) {
      if (w->near[i] != ring) continue;
      for (int k = face->star_first[i]; k < face->star_first[i + 1]; k++)
        for (int c = 0; c < 4; c++) {
          unsigned char *at = w->near + face->tets[4 * (size_t)face->star_tet[k] + (size_t)c];
          if (!*at) *at = (unsigned char)(ring + 1);
        }
    }
  return nbad;
}

// The patch of vertices that may move and all tetrahedra at them, numbered from 0.
static bool make_patch(work *w, mi_untangle *u, int32_t **verts, int *nvert, mi_arena *scratch) {
  const mien_face *face = w->m->b->face;
  int32_t *list = *verts = MI_PUSH(scratch, int32_t, face->info.nvert);
  unsigned char *taken = MI_PUSH(scratch, unsigned char, face->info.ntet);
  if (!list || !taken) return false;
  int count = 0, ntet = 0;
  for (int i = 0; i < face->info.nvert; i++) {
    w->local[i] = -1;
    if (i < face->skin.nvert || !w->near[i]) continue;
    w->local[i] = count;
    list[count++] = i;
  }
  u->nfree = count;
  for (int v = 0; v < u->nfree; v++)
    for (int k = face->star_first[list[v]]; k < face->star_first[list[v] + 1]; k++) {
      ntet += !taken[face->star_tet[k]];
      taken[face->star_tet[k]] = 1;
    }
  int32_t *tets = MI_PUSH(scratch, int32_t, 4 * (size_t)ntet);
  double *inverse = MI_PUSH(scratch, double, 9 * (size_t)ntet);
  if (!tets || !inverse) return false;
  for (int t = 0; t < face->info.ntet; t++) {
    if (!taken[t]) continue;
    memcpy(inverse + 9 * (size_t)u->ntet, w->m->inverse + 9 * (size_t)t, 9 * sizeof *inverse);
    for (int c = 0; c < 4; c++) {
      int i = face->tets[4 * (size_t)t + (size_t)c];
      if (w->local[i] < 0) {
        w->local[i] = count;
        list[count++] = i;
      }
      tets[4 * (size_t)u->ntet + (size_t)c] = w->local[i];
    }
    u->ntet++;
  }
  u->tets = tets;
  u->inverse = inverse;
  *nvert = count;
  return true;
}

static bool untangle(work *w, mi_arena *scratch) {
  mi_untangle u = {.enough = ENOUGH, .rounds = 12, .steps = 60};
  mi_untangle_info info;
  int32_t *verts;
  int nvert;
  if (!make_patch(w, &u, &verts, &nvert, scratch)) return false;
  u.x = MI_PUSH(scratch, double, 3 * (size_t)nvert);
  double *memory = MI_PUSH(scratch, double, mi_untangle_memory(u.nfree, nvert));
  if (!u.x || !memory) return false;
  for (int i = 0; i < 3 * nvert; i++) u.x[i] = w->posed[3 * (size_t)verts[i / 3] + (size_t)(i % 3)];
  mi_untangle_solve(&u, nvert, memory, &info);
  for (int i = 0; i < 3 * u.nfree; i++)
    w->posed[3 * (size_t)verts[i / 3] + (size_t)(i % 3)] = (float)u.x[i];
  return true;
}

static bool keep_changes(work *w) {
  const mien_face *face = w->m->b->face;
  mended *out = w->out;
  int count = 0;
  for (int pass = 0; pass < 2; pass++) {
    for (int i = face->skin.nvert; i < face->info.nvert; i++) {
      const float *a = w->posed + 3 * (size_t)i, *b = w->carried + 3 * (size_t)i;
      if (a[0] == b[0] && a[1] == b[1] && a[2] == b[2]) continue;
      if (pass) {
        out->vert[out->nvert] = i;
        for (int k = 0; k < 3; k++) out->delta[3 * (size_t)out->nvert + (size_t)k] = a[k] - b[k];
        out->nvert++;
      }
      count += !pass;
    }
    if (pass) return true;
    out->vert = MI_PUSH(&out->arena, int32_t, count);
    out->delta = MI_PUSH(&out->arena, float, 3 * (size_t)count);
    if (!out->vert || !out->delta) return false;
  }
  return true;
}

// A blendvolume kept in the rig file as a map of what lies under the skin vertices.
static bool take_stored(work *w, const mien_map *map) {
  const mien_face *face = w->m->b->face;
  mended *out = w->out;
  int nskin = face->skin.nvert;
  out->vert = MI_PUSH(&out->arena, int32_t, nskin);
  out->delta = MI_PUSH(&out->arena, float, 3 * (size_t)nskin);
  if (!out->vert || !out->delta) return false;
  for (int i = 0; map && i < nskin; i++) {
    const float *d = mi_f32s_at(&map->values, 3, face->skin.vert[i]);
    if (d[0] == 0 && d[1] == 0 && d[2] == 0) continue;
    memcpy(out->delta + 3 * (size_t)out->nvert, d, 3 * sizeof *d);
    out->vert[out->nvert++] = nskin + i;
  }
  return true;
}

static bool count_left(work *w) {
  const mien_face *face = w->m->b->face;
  // what steps will make of it, to the bit
  memcpy(w->posed, w->carried, 3 * (size_t)face->info.nvert * sizeof *w->posed);
  for (int p = 0; p < w->out->nvert; p++)
    for (int k = 0; k < 3; k++)
      w->posed[3 * (size_t)w->out->vert[p] + (size_t)k] += w->out->delta[3 * (size_t)p + (size_t)k];
  for (int t = 0; t < face->info.ntet; t++) {
    if (volume_share(w->m, w->posed, t) > 0) continue;
    if (!w->out->left) w->out->left = MI_PUSH(&w->out->arena, unsigned char, face->info.ntet);
    if (!w->out->left) return false;
    w->out->left[t] = 1;
    w->out->nleft++;
  }
  return true;
}

// Thickness painted for a shape: what lies under a skin vertex comes closer to it, or goes deeper.
static void thicken(work *w, const mien_map *map) {
  const mien_face *face = w->m->b->face;
  for (int i = face->skin.nvert; i < face->info.nvert; i++) {
    int skin = face->carrier[i];
    float painted = *mi_f32s_at(&map->values, 1, face->skin.vert[skin]);
    if (!(painted > 0)) continue;
    float share = fminf(MOST_THICKER, fmaxf(1 / MOST_THICKER, painted / face->thickness[skin]));
    for (int k = 0; k < 3; k++) {
      float top = w->posed[3 * (size_t)skin + (size_t)k];
      float *deep = w->posed + 3 * (size_t)i + k;
      *deep = top + share * (*deep - top);
    }
  }
}

static bool mend_shape(const maker *m, int s) {
  const mien_face *face = m->b->face;
  mended *out = m->shapes + s;
  mi_arena_init(&out->arena, &face->host);
  mi_arena scratch;
  mi_arena_init(&scratch, &face->host);
  size_t nvert = (size_t)face->info.nvert;
  work w = {m,
            out,
            MI_PUSH(&scratch, float, 3 * nvert),
            MI_PUSH(&scratch, float, 3 * nvert),
            MI_PUSH(&scratch, unsigned char, nvert),
            MI_PUSH(&scratch, int32_t, nvert)};
  float *rig = MI_PUSH(&scratch, float, 3 * (size_t)face->rig->info.nvert);
  float *weights = MI_PUSH(&scratch, float, face->rig->info.nshape);
  bool done = w.posed && w.carried && w.near && w.local && rig && weights;
  if (done) {
    weights[s] = 1;
    mi_rig_pose(face->rig, weights, face->rig->info.nshape, rig);
    mi_bone_motion jaw = mi_bone_hinge(face, weights);
    mi_carry(face, rig, &jaw, 1, w.carried);
    memcpy(w.posed, w.carried, 3 * nvert * sizeof *w.posed);
    for (int t = 0; t < face->info.ntet; t++) out->ninverted += !(volume_share(m, w.posed, t) > 0);
  }
  bool is_stored = m->stored != NULL;
  if (done && !is_stored && m->thickness.shape[s]) thicken(&w, m->thickness.shape[s]);
  for (int k = 0; done && !is_stored && k < NREACH && mark_near(&w, REACH[k], k ? 0 : TOO_LITTLE);
       k++) {
    mi_arena patch;
    mi_arena_init(&patch, &face->host);
    done = untangle(&w, &patch);
    mi_arena_free(&patch);
  }
  if (done) done = is_stored ? take_stored(&w, m->stored[s]) : keep_changes(&w);
  done = done && count_left(&w);
  mi_arena_free(&scratch);
  return done;
}

static void mend_range(void *task, int begin, int end) {
  maker *m = task;
  for (int s = m->first + begin; s < m->first + end; s++)
    m->shapes[s].is_out_of_memory = !mend_shape(m, s);
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
    const mended *from = m->shapes + s;
    if (from->nvert) {
      memcpy(volumes->vert + at, from->vert, (size_t)from->nvert * sizeof *from->vert);
      memcpy(volumes->delta + 3 * (size_t)at, from->delta,
             3 * (size_t)from->nvert * sizeof *from->delta);
    }
    volumes->first[s + 1] = at += from->nvert;
  }
  return MIEN_OK;
}

// Where no place of the inside helps, the artist's skin folds over itself. That flesh is left out:
// a prism of three tetrahedra with its skin triangle, which neighbours go on holding.
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

static mien_result report_left(maker *m) {
  mien_face *face = m->b->face;
  int nshape = face->rig->info.nshape, ntet = face->info.ntet, nleft = 0;
  unsigned char *left = MI_PUSH(&m->b->scratch, unsigned char, ntet);
  if (!left) return mi_fail_memory(m->b->err);
  for (int s = 0; s < nshape; s++) {
    const mended *shape = m->shapes + s;
    mi_vec3 where = {0, 0, 0};
    for (int t = 0; shape->nleft && t < ntet; t++) {
      if (!shape->left[t]) continue;
      const float *at = face->rest + 3 * (size_t)face->tets[4 * (size_t)t];
      where = mi_add_scaled(where, 1.0 / shape->nleft, mi_vec3_load(at));
      nleft += !left[t];
      left[t] = 1;
    }
    if (shape->nleft &&
        !mi_remark(&face->remarks,
                   "the shape '%.60s' folds the skin over itself near (%.1f, %.1f, %.1f) cm: %d "
                   "tetrahedra cannot follow it and are left out",
                   face->rig->info.shapes[s].name, 100 * where.x, 100 * where.y, 100 * where.z,
                   shape->nleft))
      return mi_fail_memory(m->b->err);
  }
  if (nleft) leave_out(m, left);
  return MIEN_OK;
}

static bool find_stored(maker *m) {
  const mien_face *face = m->b->face;
  if (!m->b->def->use_stored || !face->is_prisms ||
      mi_stored_hash(face->rig, "blendvolumes_hash") != face->blendvolumes.inputs_hash)
    return true;
  m->stored = MI_PUSH(&m->b->scratch, const mien_map *, face->rig->info.nshape);
  for (int k = 0; m->stored && k < face->rig->info.nmap; k++) {
    const mien_map *map = face->rig->info.maps + k;
    static const char prefix[] = "blendvolume:";
    if (strncmp(map->name, prefix, sizeof prefix - 1) || map->width != 3) continue;
    int shape = mi_rig_find_shape(face->rig, map->name + sizeof prefix - 1);
    if (shape >= 0) m->stored[shape] = map;
  }
  return m->stored != NULL;
}

static uint64_t hash_inputs(const maker *m) {
  const mien_face *face = m->b->face;
  size_t nvert = (size_t)face->info.nvert, ntet = (size_t)face->info.ntet;
  uint64_t hash = mi_hash(face->rig->hash, face->rest, 3 * nvert * sizeof(float));
  hash = mi_hash(hash, face->tets, 4 * ntet * sizeof(int32_t));
  hash = mi_hash(hash, face->bone_share, nvert * sizeof(float));
  hash = mi_hash(hash, face->jaw, nvert * sizeof(float));
  for (int s = 0; s < face->rig->info.nshape; s++) {
    const mien_map *map = m->thickness.shape[s];
    for (int i = 0; map && i < face->skin.nvert; i++)
      hash = mi_hash(hash, mi_f32s_at(&map->values, 1, face->skin.vert[i]), sizeof(float));
  }
  return hash;
}

uint64_t mi_blendvolumes_hash(const mi_blendvolumes *volumes, uint64_t seed) {
  if (!volumes->nshape) return seed;
  size_t count = (size_t)volumes->first[volumes->nshape];
  seed = mi_hash(seed, volumes->first, ((size_t)volumes->nshape + 1) * sizeof(int32_t));
  seed = mi_hash(seed, volumes->vert, count * sizeof(int32_t));
  return mi_hash(seed, volumes->delta, 3 * count * sizeof(float));
}

mien_result mi_blendvolumes_build(mi_face_build *b) {
  mien_face *face = b->face;
  double start = mi_clock();
  int nshape = face->rig->info.nshape, ntet = face->info.ntet;
  maker m = {.b = b,
             .inverse = MI_PUSH(&b->scratch, double, 9 * (size_t)ntet),
             .shapes = MI_PUSH(&b->scratch, mended, nshape)};
  if (!m.inverse || !m.shapes) return mi_fail_memory(b->err);
  mien_result result = mi_paint_find(b, "thickness", &m.thickness);
  if (result != MIEN_OK) return result;
  face->blendvolumes.inputs_hash = hash_inputs(&m);
  if (!find_stored(&m)) return mi_fail_memory(b->err);
  for (int t = 0; t < ntet; t++)
    mi_untangle_inverse(face->rest, face->tets + 4 * (size_t)t, m.inverse + 9 * (size_t)t);
  enum { BATCH = 8 };
  for (m.first = 0; m.first < nshape && result == MIEN_OK; m.first += BATCH) {
    int count = nshape - m.first < BATCH ? nshape - m.first : BATCH;
    mi_parallel(face->host.threads, count, 1, mend_range, &m);
    for (int s = m.first; s < m.first + count; s++)
      if (m.shapes[s].is_out_of_memory) result = mi_fail_memory(b->err);
    if (!mi_progress(&face->host, "blendvolumes", (m.first + count) / (double)nshape))
      result = mi_fail(b->err, MIEN_ERR_ARGUMENT, "stopped by the host");
  }
  if (result == MIEN_OK) result = report_left(&m);
  if (result == MIEN_OK) result = join(&m);
  for (int s = 0; s < nshape; s++) mi_arena_free(&m.shapes[s].arena);
  if (result == MIEN_OK && face->blendvolumes.nleft_out) result = mi_flesh_find_stars(b);
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

// KHR_draco_mesh_compression: meshes packed by Draco. Their accessors say type and count alone;
// what Draco unpacks becomes their elements. Draco's order of vertices is the mesh's: every reader
// of the file sees it. Draco works in a child, once for a file, and what comes back is bytes.
#include "base/child.h"
#include "io/glb.h"

#include <draco_adapter.h>
#include <string.h>

static const char *const EXTENSION = "KHR_draco_mesh_compression";
enum { CORNERS = -1 };
// Draco takes up to four bytes for each that comes out, measured on meshes of half a million
// points.
static const size_t WORK = 8, FREE_MEMORY = (size_t)256 << 20;

typedef struct want { // elements of an accessor
  int index;          // of the accessor
  mi_accessor accessor;
  json_int_t id; // Draco's attribute, or CORNERS
  const char *name;
  size_t at, size; // where in the answer
} want;

typedef struct piece { // a primitive
  int view, first, nwant;
  mi_bytes bytes;
} piece;

typedef struct answer { // the child's; its bytes follow
  mien_result code;
  size_t unfolded;
  char text[200];
} answer;

typedef struct unpacking {
  mi_glb *glb;
  piece *piece;
  want *want;
  int npiece, nwant;
  size_t size; // of the answer
  size_t most; // that may be unfolded
  answer *answer;
} unpacking;

// -- What is wanted -------------------------------------------------------------------------------

// Room in the answer for an accessor's elements; primitives may share accessors.
static mien_result add_want(unpacking *u, int index, json_int_t id, const char *name) {
  mi_glb *glb = u->glb;
  want *w = u->want + u->nwant;
  if (glb->decoded[index].data) return MIEN_OK;
  *w = (want){.index = index, .id = id, .name = name, .at = u->size};
  mien_result result = mi_glb_accessor(glb, index, &w->accessor);
  if (result < 0) return result;
  size_t each = (size_t)mi_glb_component_size(w->accessor.component) * (size_t)w->accessor.width;
  w->size = each * (size_t)w->accessor.count;
  void *memory = mi_glb_push(glb, (size_t)w->accessor.count, each);
  if (!memory) return glb->err->code;
  glb->decoded[index] = (mi_bytes){memory, w->size};
  u->size += (w->size + 63) & ~(size_t)63;
  u->nwant++;
  return MIEN_OK;
}

static mien_result want_corners(unpacking *u, const json_t *primitive) {
  int index;
  mien_result result = mi_glb_index(u->glb, primitive, "indices", u->glb->accessors, &index);
  if (result < 0) return result;
  if (index < 0)
    return mi_fail(u->glb->err, MIEN_ERR_FORMAT,
                   "the file is damaged: a Draco mesh has no indices");
  return add_want(u, index, CORNERS, "indices");
}

static mien_result want_attribute(unpacking *u, const json_t *primitive, const char *name,
                                  const json_t *id) {
  int index;
  const json_t *attributes = json_object_get(primitive, "attributes");
  mien_result result = mi_glb_index(u->glb, attributes, name, u->glb->accessors, &index);
  if (result < 0 || index < 0) return result; // what the primitive does not name is not used
  json_int_t number = json_is_integer(id) ? json_integer_value(id) : INT64_MAX;
  return add_want(u, index, number < 0 ? INT64_MAX : number, name);
}

static mien_result want_piece(unpacking *u, const json_t *primitive, const json_t *packed) {
  mi_glb *glb = u->glb;
  piece *p = u->piece + u->npiece++;
  size_t stride;
  *p = (piece){.first = u->nwant};
  mien_result result = mi_glb_index(glb, packed, "bufferView", glb->views, &p->view);
  if (result >= 0 && p->view < 0)
    result = mi_fail(glb->err, MIEN_ERR_FORMAT, "the file is damaged: a Draco mesh has no bytes");
  if (result >= 0) result = mi_glb_view(glb, p->view, &p->bytes, &stride);
  if (result >= 0) result = want_corners(u, primitive);
  json_t *list = json_object_get(packed, "attributes");
  for (void *at = json_object_iter(list); at && result >= 0; at = json_object_iter_next(list, at))
    result = want_attribute(u, primitive, json_object_iter_key(at), json_object_iter_value(at));
  p->nwant = u->nwant - p->first;
  return result;
}

// -- In the child ---------------------------------------------------------------------------------

static void say(answer *a, mien_result code, const char *format, ...) {
  a->code = code;
  va_list args;
  va_start(args, format);
  vsnprintf(a->text, sizeof a->text, format, args);
  va_end(args);
}

static bool take(const unpacking *u, const want *w, const mien_draco *draco) {
  answer *a = u->answer;
  bool is_corners = w->id == CORNERS;
  void *to = (char *)a + w->at;
  int count = is_corners ? 3 * mien_draco_triangles(draco) : mien_draco_vertices(draco);
  int width = w->accessor.width, component = w->accessor.component;
  if (count != w->accessor.count) {
    say(a, MIEN_ERR_FORMAT, "accessor %d has %d elements, its Draco mesh %d", w->index,
        w->accessor.count, count);
    return false;
  }
  bool good = is_corners ? width == 1 && mien_draco_corners(draco, component, to)
                         : w->id <= INT32_MAX &&
                               mien_draco_attribute(draco, (unsigned)w->id, component, width, to);
  if (!good && is_corners)
    say(a, MIEN_ERR_FORMAT, "accessor %d cannot hold the corners of its Draco mesh", w->index);
  else if (!good)
    say(a, MIEN_ERR_FORMAT, "the Draco mesh has no %.40s as accessor %d says it", w->name,
        w->index);
  return good;
}

static int unpack(void *given) {
  const unpacking *u = given;
  answer *a = u->answer;
  for (int k = 0; k < u->npiece && a->code >= 0; k++) {
    const piece *p = u->piece + k;
    char why[160];
    size_t unfolded; // a view may be named by many primitives, and costs as much each time
    mien_draco *draco =
        mien_draco_open(p->bytes.data, p->bytes.size, u->most - a->unfolded, &unfolded, why);
    bool is_much = unfolded > u->most - a->unfolded;
    a->unfolded = is_much ? u->most + 1 : a->unfolded + unfolded;
    if (is_much) return 0;
    if (!draco) say(a, MIEN_ERR_FORMAT, "Draco cannot unpack buffer view %d: %.120s", p->view, why);
    for (int w = p->first; draco && w < p->first + p->nwant; w++)
      if (!take(u, u->want + w, draco)) break;
    mien_draco_close(draco);
  }
  return 0;
}

// -- What came back -------------------------------------------------------------------------------

static mien_result judge(unpacking *u, mi_child_result ended) {
  mi_glb *glb = u->glb;
  answer a = *u->answer;
  size_t limit = glb->host->memory_limit;
  a.text[sizeof a.text - 1] = 0;
  if (ended.end == MI_CHILD_NOT_BEGUN) return mi_fail_memory(glb->err);
  if (ended.end != MI_CHILD_DONE)
    return mi_fail(glb->err, MIEN_ERR_FORMAT, "the file is damaged or hostile: Draco %s",
                   ended.end == MI_CHILD_CRASHED ? "crashed on it" : "came to no end with it");
  if (limit && a.unfolded > limit) return mi_fail_memory(glb->err);
  if (!mi_glb_charge(glb, a.unfolded, 1)) return glb->err->code;
  if (a.code < 0) return mi_fail(glb->err, MIEN_ERR_FORMAT, "the file is damaged: %s", a.text);
  for (int k = 0; k < u->nwant; k++) {
    const want *w = u->want + k;
    // our own memory, which is const to the readers of the file
    memcpy((void *)glb->decoded[w->index].data, (const char *)u->answer + w->at, w->size);
  }
  return MIEN_OK;
}

static mien_result run(unpacking *u) {
  size_t limit = u->glb->host->memory_limit;
  u->most = limit && limit < u->glb->budget ? limit : u->glb->budget;
  u->answer = mi_child_share(u->size);
  if (!u->answer) return mi_fail_memory(u->glb->err);
  mi_child_limits limits = mi_child_limits_for(u->most / WORK);
  limits.memory = FREE_MEMORY + WORK * u->most;
  limits.is_alone = true;
  mien_result result = judge(u, mi_child_run(unpack, u, &limits));
  mi_child_unshare(u->answer, u->size);
  return result;
}

static const json_t *packed_in(const json_t *primitive) {
  return json_object_get(json_object_get(primitive, "extensions"), EXTENSION);
}

mien_result mi_glb_unpack_meshes(mi_glb *glb) {
  unpacking u = {.glb = glb, .size = (sizeof(answer) + 63) & ~(size_t)63};
  size_t npiece = 0, nwant = 0, m, p;
  const json_t *mesh, *primitive;
  json_array_foreach(glb->meshes, m, mesh)
      json_array_foreach(json_object_get(mesh, "primitives"), p, primitive) {
    if (!packed_in(primitive)) continue;
    npiece++;
    nwant += 1 + json_object_size(json_object_get(packed_in(primitive), "attributes"));
  }
  if (!npiece) return MIEN_OK;
  glb->decoded = mi_glb_push(glb, (size_t)mi_glb_length(glb->accessors), sizeof *glb->decoded);
  u.piece = glb->decoded ? mi_glb_push(glb, npiece, sizeof *u.piece) : NULL;
  u.want = u.piece ? mi_glb_push(glb, nwant, sizeof *u.want) : NULL;
  if (!u.want) return glb->err->code;
  mien_result result = MIEN_OK;
  json_array_foreach(glb->meshes, m, mesh) json_array_foreach(
      json_object_get(mesh, "primitives"), p, primitive) if (result >= 0 && packed_in(primitive))
      result = want_piece(&u, primitive, packed_in(primitive));
  return result < 0 ? result : run(&u);
}

#include "base/number.h"
#include "io/obj.h"

#include <string.h>

typedef struct parser {
  const char *at, *end; // of the line
  const char *next;     // the line after it
  const char *file_end;
  const char *what;
  int line;
  int group;
  mi_obj *obj;
  mi_arena *arena;
  mien_error *err;
} parser;

static bool is_blank(char c) {
  return c == ' ' || c == '\t';
}

static bool next_line(parser *p) {
  if (p->next >= p->file_end) return false;
  p->at = p->next;
  const char *end = memchr(p->at, '\n', (size_t)(p->file_end - p->at));
  p->end = end ? end : p->file_end;
  p->next = end ? end + 1 : p->file_end;
  if (p->end > p->at && p->end[-1] == '\r') p->end--;
  while (p->at < p->end && is_blank(*p->at)) p->at++;
  p->line++;
  return true;
}

// True when the line starts with the word; then stands behind it.
static bool skip_word(parser *p, const char *word) {
  size_t length = strlen(word);
  if ((size_t)(p->end - p->at) <= length || memcmp(p->at, word, length) != 0) return false;
  if (!is_blank(p->at[length])) return false;
  p->at += length;
  while (p->at < p->end && is_blank(*p->at)) p->at++;
  return true;
}

static mien_result damaged(const parser *p, const char *why) {
  return mi_fail(p->err, MIEN_ERR_FORMAT, "%.120s, line %d: %s", p->what, p->line, why);
}

static parser start(const mi_obj_text *text) {
  const char *bytes = text->bytes;
  return (parser){.next = bytes, .file_end = bytes + text->size, .what = text->what, .group = -1};
}

// How much there can be of everything: arrays are made once, bounded by the size of the file.
static mien_result reserve(parser *p, const mi_obj_text *text, bool with_faces) {
  size_t nvert = 0, nuv = 0, nface = 0, ncorner = 0;
  parser count = start(text);
  while (next_line(&count)) {
    nvert += skip_word(&count, "v");
    nuv += skip_word(&count, "vt");
    if (!with_faces || !skip_word(&count, "f")) continue;
    nface++;
    for (const char *at = count.at; at < count.end; at++)
      ncorner += !is_blank(*at) && (at == count.at || is_blank(at[-1]));
  }
  if (nvert > INT32_MAX / 16 || nuv > INT32_MAX / 16 || ncorner > INT32_MAX / 16)
    return mi_fail(p->err, MIEN_ERR_FORMAT, "%.120s is too large", p->what);
  mi_obj *obj = p->obj;
  if (!with_faces) nuv = 0;
  obj->positions = MI_PUSH(p->arena, float, 3 * nvert);
  obj->uvs = MI_PUSH(p->arena, float, 2 * nuv);
  obj->corner_vert = MI_PUSH(p->arena, int32_t, ncorner);
  obj->corner_uv = MI_PUSH(p->arena, int32_t, ncorner);
  obj->face_size = MI_PUSH(p->arena, int32_t, nface);
  obj->face_group = MI_PUSH(p->arena, int32_t, nface);
  bool is_good = obj->positions && obj->uvs && obj->corner_vert && obj->corner_uv &&
                 obj->face_size && obj->face_group;
  return is_good ? MIEN_OK : mi_fail_memory(p->err);
}

static mien_result read_floats(parser *p, int count, float *out) {
  for (int k = 0; k < count; k++) {
    double value;
    const char *after = mi_parse_double(p->at, p->end, &value);
    if (!after || (after < p->end && !is_blank(*after))) return damaged(p, "a number is missing");
    out[k] = (float)value;
    p->at = after;
    while (p->at < p->end && is_blank(*p->at)) p->at++;
  }
  return MIEN_OK;
}

// A number that counts from 1, or backwards from the last one read.
static mien_result read_number(parser *p, int so_far, int32_t *out) {
  int64_t value;
  const char *after = mi_parse_int(p->at, p->end, &value);
  if (!after || value == 0 || value > INT32_MAX || value < -(int64_t)so_far)
    return damaged(p, "a face names a vertex that does not exist");
  *out = (int32_t)(value > 0 ? value - 1 : so_far + value);
  p->at = after;
  return MIEN_OK;
}

// "v", "v/vt", "v//vn" or "v/vt/vn"
static mien_result read_corner(parser *p, mi_obj *obj, int at) {
  mien_result result = read_number(p, obj->nvert, &obj->corner_vert[at]);
  if (result < 0) return result;
  obj->corner_uv[at] = -1;
  if (p->at < p->end && *p->at == '/') {
    p->at++;
    if (p->at < p->end && *p->at != '/' && !is_blank(*p->at))
      result = read_number(p, obj->nuv, &obj->corner_uv[at]);
  }
  while (p->at < p->end && !is_blank(*p->at)) p->at++; // the normal
  while (p->at < p->end && is_blank(*p->at)) p->at++;
  return result;
}

static mien_result read_face(parser *p) {
  mi_obj *obj = p->obj;
  int size = 0;
  while (p->at < p->end) {
    mien_result result = read_corner(p, obj, obj->ncorner + size);
    if (result < 0) return result;
    size++;
  }
  if (size < 3) return damaged(p, "a face has fewer than three corners");
  obj->face_group[obj->nface] = p->group;
  obj->face_size[obj->nface++] = size;
  obj->ncorner += size;
  return MIEN_OK;
}

static mien_result read_group(parser *p) {
  size_t length = (size_t)(p->end - p->at);
  char *name = MI_PUSH(p->arena, char, length + 1);
  if (!name) return mi_fail_memory(p->err);
  memcpy(name, p->at, length);
  p->group = mi_name_add(&p->obj->groups, name);
  return p->group < 0 ? mi_fail_memory(p->err) : MIEN_OK;
}

// Faces may name vertices that come later in the file, so this waits for its end.
static mien_result check_corners(const parser *p) {
  const mi_obj *obj = p->obj;
  for (int i = 0; i < obj->ncorner; i++)
    if (obj->corner_vert[i] >= obj->nvert || obj->corner_uv[i] >= obj->nuv)
      return mi_fail(p->err, MIEN_ERR_FORMAT,
                     "%.120s: a face names vertex %d or uv %d; there are %d and %d", p->what,
                     obj->corner_vert[i] + 1, obj->corner_uv[i] + 1, obj->nvert, obj->nuv);
  return MIEN_OK;
}

mien_result mi_obj_parse(const mi_obj_text *text, bool with_faces, mi_arena *arena, mi_obj *out,
                         mien_error *err) {
  *out = (mi_obj){.groups = {.arena = arena}};
  parser p = start(text);
  p.obj = out;
  p.arena = arena;
  p.err = err;
  mien_result result = reserve(&p, text, with_faces);
  while (result >= 0 && next_line(&p)) {
    if (skip_word(&p, "v")) {
      result = read_floats(&p, 3, out->positions + 3 * (size_t)out->nvert);
      out->nvert += result >= 0;
    } else if (with_faces && skip_word(&p, "vt")) {
      result = read_floats(&p, 2, out->uvs + 2 * (size_t)out->nuv);
      out->nuv += result >= 0;
    } else if (with_faces && skip_word(&p, "f")) {
      result = read_face(&p);
    } else if (with_faces && (skip_word(&p, "o") || skip_word(&p, "g"))) {
      result = read_group(&p);
    }
  }
  if (result < 0) return result;
  if (out->nvert == 0) return mi_fail(err, MIEN_ERR_FORMAT, "%.150s holds no vertices", text->what);
  if (with_faces && out->nface == 0)
    return mi_fail(err, MIEN_ERR_FORMAT, "%.150s holds no faces", text->what);
  return check_corners(&p);
}

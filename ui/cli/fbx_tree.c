#include "fbx_tree.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { MOST_DEPTH = 32, HEADER = 27 };
// An array that says it is deflated grows by no more than zlib can pack.
static const size_t MOST_GROWTH = 1100;

void *fbx_push(fbx_tree *tree, size_t count, size_t size) {
  if (tree->nblock == tree->capacity) {
    int capacity = tree->capacity ? 2 * tree->capacity : 64;
    void **more = realloc(tree->block, (size_t)capacity * sizeof *more);
    if (!more) {
      tree->is_out_of_memory = true;
      return NULL;
    }
    tree->block = more;
    tree->capacity = capacity;
  }
  void *memory = calloc(count ? count : 1, size);
  if (!memory) tree->is_out_of_memory = true;
  if (memory) tree->block[tree->nblock++] = memory;
  return memory;
}

void fbx_tree_free(fbx_tree *tree) {
  for (int i = 0; i < tree->nblock; i++) free(tree->block[i]);
  free(tree->block);
  *tree = (fbx_tree){0};
}

// -- Binary ---------------------------------------------------------------------------------------

typedef struct reader {
  fbx_tree *tree;
  size_t at, end;
  bool is_wide; // numbers of a node's head have eight bytes
  bool is_bad;
} reader;

static const char *take(reader *r, size_t size) {
  if (r->is_bad || size > r->end - r->at) {
    r->is_bad = true;
    return NULL;
  }
  r->at += size;
  return r->tree->bytes + r->at - size;
}

static uint64_t take_head(reader *r) {
  uint64_t wide = 0;
  uint32_t narrow = 0;
  const char *from = take(r, r->is_wide ? 8 : 4);
  if (from && r->is_wide) memcpy(&wide, from, 8);
  if (from && !r->is_wide) memcpy(&narrow, from, 4);
  return r->is_wide ? wide : narrow;
}

static uint32_t take_u32(reader *r) {
  uint32_t value = 0;
  const char *from = take(r, 4);
  if (from) memcpy(&value, from, 4);
  return value;
}

#define NUMBER(type)                                                                               \
  {                                                                                                \
    type number;                                                                                   \
    const char *from = take(r, sizeof number);                                                     \
    if (!from) return;                                                                             \
    memcpy(&number, from, sizeof number);                                                          \
    out->number = (double)number;                                                                  \
    out->whole = out->number > -9e18 && out->number < 9e18 ? (int64_t)number : 0;                  \
    break;                                                                                         \
  }

static void take_array(reader *r, char type, fbx_value *out) {
  *out = (fbx_value){.kind = '[', .type = type, .count = take_u32(r)};
  out->is_deflated = take_u32(r) == 1;
  out->size = take_u32(r);
  out->bytes = take(r, out->size);
}

static void take_value(reader *r, fbx_value *out) {
  const char *type = take(r, 1);
  if (!type) return;
  *out = (fbx_value){.kind = 'n'};
  switch (*type) {
  case 'Y':
    NUMBER(int16_t)
  case 'C':
  case 'B':
    NUMBER(int8_t)
  case 'I':
    NUMBER(int32_t)
  case 'F':
    NUMBER(float)
  case 'D':
    NUMBER(double)
  case 'L':
    NUMBER(int64_t)
  case 'S':
  case 'R':
    out->kind = 's';
    out->size = take_u32(r);
    out->bytes = take(r, out->size);
    break;
  case 'f':
  case 'd':
  case 'l':
  case 'i':
  case 'b':
  case 'c':
    take_array(r, *type, out);
    break;
  default:
    r->is_bad = true;
  }
}

// One node, NULL at the end of a list.
static fbx_node *take_node(reader *r, int depth) {
  uint64_t end = take_head(r), nvalue = take_head(r);
  take_head(r); // bytes of the values
  const char *length = take(r, 1);
  if (r->is_bad || !end) return NULL;
  fbx_node *node = fbx_push(r->tree, 1, sizeof *node);
  if (!node || end > r->end || end < r->at || nvalue > end - r->at || depth > MOST_DEPTH) {
    r->is_bad = true;
    return NULL;
  }
  size_t outside = r->end;
  r->end = (size_t)end; // of its name, too
  node->name_size = (unsigned char)*length;
  node->name = take(r, node->name_size);
  node->value = fbx_push(r->tree, (size_t)nvalue, sizeof *node->value);
  for (uint64_t i = 0; node->value && i < nvalue && !r->is_bad; i++, node->nvalue++)
    take_value(r, node->value + i);
  fbx_node **last = &node->child;
  while (!r->is_bad && r->at < end && (*last = take_node(r, depth + 1))) last = &(*last)->next;
  r->at = (size_t)end;
  r->end = outside;
  return r->is_bad || !node->value ? NULL : node;
}

static bool read_binary(fbx_tree *tree) {
  uint32_t version;
  memcpy(&version, tree->bytes + 23, sizeof version);
  if (version < 7000 || version >= 9000) return false;
  reader r = {.tree = tree, .at = HEADER, .end = tree->size, .is_wide = version >= 7500};
  fbx_node **last = &tree->top;
  while ((*last = take_node(&r, 0))) last = &(*last)->next;
  return !r.is_bad && !tree->is_out_of_memory && tree->top;
}

bool fbx_tree_read(const char *bytes, size_t size, fbx_tree *tree) {
  *tree = (fbx_tree){.bytes = bytes, .size = size};
  bool is_binary = size > HEADER && !memcmp(bytes, "Kaydara FBX Binary", 18);
  return is_binary ? read_binary(tree) : fbx_text_read(tree);
}

// -- Looking --------------------------------------------------------------------------------------

bool fbx_is(const fbx_node *node, const char *name) {
  return node->name_size == strlen(name) && !memcmp(node->name, name, node->name_size);
}

const fbx_node *fbx_find(const fbx_node *list, const char *name) {
  while (list && !fbx_is(list, name)) list = list->next;
  return list;
}

int64_t fbx_whole(const fbx_node *node, int value) {
  bool is_there = node && value < node->nvalue && node->value[value].kind == 'n';
  return is_there ? node->value[value].whole : 0;
}

const char *fbx_text(fbx_tree *tree, const fbx_node *node, int value) {
  if (!node || value >= node->nvalue || node->value[value].kind != 's') return "";
  const char *from = node->value[value].bytes;
  size_t size = node->value[value].size;
  const char *end = memchr(from, 0, size);
  if (end) size = (size_t)(end - from);
  for (size_t i = 0; !end && i + 1 < size; i++)
    if (from[i] == ':' && from[i + 1] == ':') {
      from += i + 2;
      size -= i + 2;
      break;
    }
  char *text = fbx_push(tree, size + 1, 1);
  if (text) memcpy(text, from, size);
  return text ? text : "";
}

// -- Arrays ---------------------------------------------------------------------------------------

static size_t size_of(char type) {
  return type == 'd' || type == 'l' ? 8 : type == 'f' || type == 'i' ? 4 : 1;
}

static const fbx_value *first_array(const fbx_node *node) {
  for (int i = 0; node && i < node->nvalue; i++)
    if (node->value[i].kind == '[') return node->value + i;
  return NULL;
}

static const char *inflate_array(fbx_tree *tree, const fbx_value *array) {
  size_t size = array->count * size_of(array->type);
  if (!array->is_deflated) return size <= array->size ? array->bytes : NULL;
  if (size / MOST_GROWTH > array->size) return NULL;
  Bytef *to = fbx_push(tree, size, 1);
  uLongf got = (uLongf)size;
  bool done = to && uncompress(to, &got, (const Bytef *)array->bytes, (uLong)array->size) == Z_OK;
  return done && got == size ? (const char *)to : NULL;
}

static double number_at(const char *from, char type, size_t i) {
  double d;
  float f;
  int64_t l;
  int32_t n;
  switch (type) {
  case 'd':
    memcpy(&d, from + 8 * i, 8);
    return d;
  case 'f':
    memcpy(&f, from + 4 * i, 4);
    return f;
  case 'l':
    memcpy(&l, from + 8 * i, 8);
    return (double)l;
  case 'i':
    memcpy(&n, from + 4 * i, 4);
    return n;
  default:
    return from[i];
  }
}

// Numbers between commas; the text ends at a brace, which stops strtod.
static bool read_numbers(const fbx_value *array, double *to) {
  const char *at = array->bytes;
  for (uint32_t i = 0; i < array->count; i++) {
    char *end;
    to[i] = strtod(at, &end);
    if (end == at || end > array->bytes + array->size) return false;
    at = end;
    while (at < array->bytes + array->size && strchr(", \t\r\n", *at)) at++;
  }
  return true;
}

double *fbx_doubles(fbx_tree *tree, const fbx_node *node, size_t *count) {
  const fbx_value *array = first_array(node);
  *count = 0;
  // a number of a text takes two characters at least
  if (!array || (array->type == 't' && array->count / 2 > array->size)) return NULL;
  const char *from = array->type == 't' ? array->bytes : inflate_array(tree, array);
  double *to = from ? fbx_push(tree, array->count, sizeof *to) : NULL;
  if (!to || (array->type == 't' && !read_numbers(array, to))) return NULL;
  for (uint32_t i = 0; array->type != 't' && i < array->count; i++)
    to[i] = number_at(from, array->type, i);
  *count = array->count;
  return to;
}

int32_t *fbx_wholes(fbx_tree *tree, const fbx_node *node, size_t *count) {
  const double *from = fbx_doubles(tree, node, count);
  int32_t *to = from ? fbx_push(tree, *count, sizeof *to) : NULL;
  for (size_t i = 0; to && i < *count; i++)
    to[i] = from[i] >= INT32_MIN && from[i] <= INT32_MAX ? (int32_t)from[i] : 0;
  if (!to) *count = 0;
  return to;
}

// FBX as text: "Name: value, value {", children, "}"; "; " begins a comment. Arrays are "*12 {"
// with their numbers behind "a:".
#include "fbx_tree.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_DEPTH = 32, MOST_VALUES = 64 };

typedef struct reader {
  fbx_tree *tree;
  const char *at, *end;
  bool is_bad;
} reader;

static void skip(reader *r) {
  while (r->at < r->end) {
    if (*r->at == ';')
      while (r->at < r->end && *r->at != '\n') r->at++;
    else if (isspace((unsigned char)*r->at))
      r->at++;
    else
      return;
  }
}

static bool is_next(reader *r, char c) {
  skip(r);
  return r->at < r->end && *r->at == c;
}

static bool take(reader *r, char c) {
  if (!is_next(r, c)) return false;
  r->at++;
  return true;
}

static void take_text(reader *r, fbx_value *out) {
  const char *from = ++r->at, *end = memchr(from, '"', (size_t)(r->end - from));
  r->is_bad |= !end;
  if (!end) return;
  *out = (fbx_value){.kind = 's', .bytes = from, .size = (size_t)(end - from)};
  r->at = end + 1;
}

// After "*": the count, and the numbers up to the brace.
static void take_array(reader *r, fbx_value *out) {
  unsigned long count = strtoul(r->at + 1, NULL, 10);
  const char *open = memchr(r->at, '{', (size_t)(r->end - r->at));
  const char *from = open ? memchr(open, ':', (size_t)(r->end - open)) : NULL;
  const char *end = from ? memchr(from, '}', (size_t)(r->end - from)) : NULL;
  r->is_bad |= !end || count > INT32_MAX;
  if (r->is_bad) return;
  *out = (fbx_value){.kind = '[',
                     .type = 't',
                     .bytes = from + 1,
                     .size = (size_t)(end - from - 1),
                     .count = (uint32_t)count};
  r->at = end + 1;
}

// A number, or a word such as T or Y.
static void take_word(reader *r, fbx_value *out) {
  char word[64];
  size_t size = 0;
  const char *from = r->at;
  while (r->at < r->end && !strchr(",{}\"\n\r\t ", *r->at)) r->at++;
  size = (size_t)(r->at - from);
  r->is_bad |= !size;
  if (size >= sizeof word) size = sizeof word - 1;
  memcpy(word, from, size);
  word[size] = 0;
  *out = (fbx_value){.kind = 'n', .number = strtod(word, NULL), .whole = strtoll(word, NULL, 10)};
}

static void skip_blanks(reader *r) {
  while (r->at < r->end && (*r->at == ' ' || *r->at == '\t')) r->at++;
}

static int take_values(reader *r, fbx_value values[MOST_VALUES]) {
  int count = 0;
  while (!r->is_bad && count < MOST_VALUES) {
    // a value stands on the line of its name, or after a comma
    skip_blanks(r);
    if (r->at >= r->end || strchr("\r\n{}", *r->at)) return count;
    if (*r->at == '"')
      take_text(r, values + count++);
    else if (*r->at == '*')
      take_array(r, values + count++);
    else if (*r->at != ',') // "Content: ," with the text of a picture on the next lines
      take_word(r, values + count++);
    skip_blanks(r);
    if (r->at < r->end && *r->at == ',') {
      r->at++;
      skip(r);
    }
  }
  // more numbers than any node that is looked at has
  while (r->at < r->end && !strchr("\n{}", *r->at)) r->at++;
  return count;
}

static fbx_node *take_node(reader *r, int depth) {
  skip(r);
  if (r->at >= r->end || *r->at == '}') return NULL;
  const char *name = r->at, *colon = memchr(name, ':', (size_t)(r->end - name));
  fbx_node *node = fbx_push(r->tree, 1, sizeof *node);
  r->is_bad |= !colon || !node || depth > MOST_DEPTH;
  if (r->is_bad) return NULL;
  node->name = name;
  node->name_size = (size_t)(colon - name);
  r->at = colon + 1;
  fbx_value values[MOST_VALUES];
  node->nvalue = take_values(r, values);
  node->value = fbx_push(r->tree, (size_t)node->nvalue, sizeof *values);
  if (!node->value) return NULL;
  memcpy(node->value, values, (size_t)node->nvalue * sizeof *values);
  if (!take(r, '{')) return node;
  fbx_node **last = &node->child;
  while (!r->is_bad && (*last = take_node(r, depth + 1))) last = &(*last)->next;
  r->is_bad |= !take(r, '}');
  return r->is_bad ? NULL : node;
}

bool fbx_text_read(fbx_tree *tree) {
  reader r = {tree, tree->bytes, tree->bytes + tree->size, false};
  fbx_node **last = &tree->top;
  while ((*last = take_node(&r, 0))) last = &(*last)->next;
  skip(&r);
  return !r.is_bad && !tree->is_out_of_memory && r.at == r.end && fbx_find(tree->top, "Objects");
}

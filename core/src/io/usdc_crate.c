// The tables of a crate file: tokens, strings, fields, sets of fields, paths, specs.
#include "io/usdc_crate.h"

#include <string.h>

enum { NSECTION = 6, ATTRIBUTE = 1, PRIM = 6, PSEUDO_ROOT = 7, HEAD_SIZE = 88 };

static const uint32_t END_OF_SET = UINT32_MAX;

typedef struct section {
  char name[16];
  int64_t start, size;
} section;

static int add_spec(mi_crate *crate, const char *name, bool is_attribute) {
  int token = name ? mi_crate_token(crate, name) : 0;
  if (!mi_crate_grow(crate, &crate->spec, crate->nspec, &crate->spec_capacity, sizeof *crate->spec))
    return 0;
  crate->spec[crate->nspec] =
      (mi_crate_spec){.name = token, .parent = crate->prim, .is_attribute = is_attribute};
  return crate->nspec++;
}

void mi_crate_begin(mi_crate *crate, mi_file *file, mi_arena *arena, mien_error *err) {
  static const char head[HEAD_SIZE] = {0}; // written at the end
  *crate = (mi_crate){.file = file, .arena = arena, .err = err, .prim = -1};
  mi_crate_put(crate, head, sizeof head);
  mi_crate_token(crate, ""); // attributes are told by the sign of their token: none may be 0
  crate->prim = crate->last = add_spec(crate, NULL, false);
}

void mi_crate_field(mi_crate *crate, const char *name, uint64_t value) {
  mi_crate_table *tokens = &crate->field_token;
  int token = mi_crate_token(crate, name), n = tokens->count;
  if (crate->has_failed ||
      !mi_crate_grow(crate, &crate->field_value, n, &crate->nvalue_capacity,
                     sizeof *crate->field_value) ||
      !mi_crate_grow(crate, &tokens->data, n, &tokens->capacity, sizeof *tokens->data))
    return;
  mi_crate_spec *spec = &crate->spec[crate->last];
  if (!mi_crate_grow(crate, &spec->field, spec->nfield, &spec->capacity, sizeof *spec->field))
    return;
  tokens->data[n] = (uint32_t)token;
  crate->field_value[n] = value;
  tokens->count++;
  spec->field[spec->nfield++] = n;
}

void mi_crate_prim(mi_crate *crate, const char *name, const char *type) {
  crate->prim = crate->last = add_spec(crate, name, false);
  mi_crate_field(crate, "specifier", mi_crate_small(MI_CRATE_SPECIFIER, 0)); // def
  mi_crate_field(crate, "typeName", mi_crate_token_value(crate, type));
}

// Lists the children of a prim by name: all of them come after it.
static void list_children(mi_crate *crate, int prim, bool is_attribute, const char *field) {
  const char **names = MI_PUSH(crate->arena, const char *, crate->nspec - prim);
  int count = 0;
  if (!names) {
    mi_fail_memory(crate->err);
    mi_crate_fail(crate);
    return;
  }
  for (int s = prim + 1; s < crate->nspec; s++)
    if (crate->spec[s].parent == prim && crate->spec[s].is_attribute == is_attribute)
      names[count++] = crate->token[crate->spec[s].name];
  if (!count) return;
  crate->last = prim;
  mi_crate_field(crate, field, mi_crate_tokens(crate, names, count, false));
}

void mi_crate_end(mi_crate *crate) {
  if (crate->has_failed) return;
  int prim = crate->prim;
  list_children(crate, prim, false, "primChildren");
  list_children(crate, prim, true, "properties");
  if (crate->has_failed) return;
  crate->prim = crate->last = crate->spec[prim].parent;
}

static void add_attribute(mi_crate *crate, const char *name, const char *type, bool is_uniform) {
  crate->last = add_spec(crate, name, true);
  mi_crate_field(crate, "typeName", mi_crate_token_value(crate, type));
  if (is_uniform) mi_crate_field(crate, "variability", mi_crate_small(MI_CRATE_VARIABILITY, 1));
}

void mi_crate_attribute(mi_crate *crate, const char *name, const char *type, uint64_t value) {
  add_attribute(crate, name, type, false);
  mi_crate_field(crate, "default", value);
}

void mi_crate_uniform(mi_crate *crate, const char *name, const char *type, uint64_t value) {
  add_attribute(crate, name, type, true);
  mi_crate_field(crate, "default", value);
}

void mi_crate_custom(mi_crate *crate, const char *name, const char *type, uint64_t value) {
  mi_crate_uniform(crate, name, type, value);
  mi_crate_field(crate, "custom", mi_crate_small(MI_CRATE_BOOL, 1));
}

void mi_crate_sampled(mi_crate *crate, const char *name, const char *type, uint64_t samples) {
  add_attribute(crate, name, type, false);
  mi_crate_field(crate, "timeSamples", samples);
}

// -- Tables ---------------------------------------------------------------------------------------

// A block that LZ4 unpacks to these bytes: one run of literals. The byte before it says that there
// is one block only.
static void put_block(mi_crate *crate, const unsigned char *bytes, size_t size) {
  size_t rest = size >= 15 ? size - 15 : 0;
  uint64_t packed = 2 + (size >= 15 ? rest / 255 + 1 : 0) + size;
  mi_crate_put(crate, &packed, sizeof packed);
  const unsigned char start[2] = {0, (unsigned char)((size < 15 ? size : 15) << 4)};
  mi_crate_put(crate, start, 2);
  if (size >= 15) {
    static const unsigned char full = 255;
    for (; rest >= 255; rest -= 255) mi_crate_put(crate, &full, 1);
    const unsigned char last = (unsigned char)rest;
    mi_crate_put(crate, &last, 1);
  }
  mi_crate_put(crate, bytes, size);
}

// Whole numbers as differences, each after a code of two bits that says how wide it is: here always
// 4 bytes (3).
static void put_numbers(mi_crate *crate, const uint32_t *numbers, int count) {
  size_t ncode = ((size_t)count * 2 + 7) / 8, size = 4 + ncode + 4 * (size_t)count;
  unsigned char *bytes = MI_PUSH(crate->arena, unsigned char, size);
  if (!bytes) {
    mi_fail_memory(crate->err);
    mi_crate_fail(crate);
    return;
  }
  uint32_t before = 0;
  for (int i = 0; i < count; i++) {
    uint32_t step = numbers[i] - before;
    before = numbers[i];
    bytes[4 + i / 4] |= (unsigned char)(3u << (2 * (i % 4)));
    memcpy(bytes + 4 + ncode + 4 * (size_t)i, &step, sizeof step);
  }
  put_block(crate, bytes, size);
}

static void put_count(mi_crate *crate, int count) {
  uint64_t n = (uint64_t)count;
  mi_crate_put(crate, &n, sizeof n);
}

static void put_tokens(mi_crate *crate) {
  size_t size = 0, at = 0;
  for (int t = 0; t < crate->ntoken; t++) size += strlen(crate->token[t]) + 1;
  unsigned char *bytes = MI_PUSH(crate->arena, unsigned char, size);
  if (!bytes) {
    mi_fail_memory(crate->err);
    mi_crate_fail(crate);
    return;
  }
  for (int t = 0; t < crate->ntoken; t++) {
    size_t length = strlen(crate->token[t]) + 1;
    memcpy(bytes + at, crate->token[t], length);
    at += length;
  }
  put_count(crate, crate->ntoken);
  put_count(crate, (int)size);
  put_block(crate, bytes, size);
}

static void put_fields(mi_crate *crate) {
  int n = crate->field_token.count;
  put_count(crate, n);
  put_numbers(crate, crate->field_token.data, n);
  put_block(crate, (const unsigned char *)crate->field_value,
            (size_t)n * sizeof *crate->field_value);
}

static void put_sets(mi_crate *crate, uint32_t *numbers) {
  int n = 0;
  for (int s = 0; s < crate->nspec; s++) {
    for (int i = 0; i < crate->spec[s].nfield; i++)
      numbers[n++] = (uint32_t)crate->spec[s].field[i];
    numbers[n++] = END_OF_SET;
  }
  put_count(crate, n);
  put_numbers(crate, numbers, n);
}

// Specs are in the order of the tree. A jump of 0: the next path is a sibling, -1: a child and no
// sibling follows, -2: neither; above 0: the next one is a child and the sibling is so far away.
static uint32_t find_jump(const mi_crate *crate, int s) {
  bool has_child = s + 1 < crate->nspec && crate->spec[s + 1].parent == s;
  int sibling = s + 1;
  while (sibling < crate->nspec && (s == 0 || crate->spec[sibling].parent != crate->spec[s].parent))
    sibling++;
  bool has_sibling = sibling < crate->nspec;
  int jump = has_child ? (has_sibling ? sibling - s : -1) : has_sibling ? 0 : -2;
  return (uint32_t)jump;
}

static void put_paths(mi_crate *crate, uint32_t *numbers) {
  int n = crate->nspec;
  put_count(crate, n);
  put_count(crate, n);
  for (int s = 0; s < n; s++) numbers[s] = (uint32_t)s;
  put_numbers(crate, numbers, n);
  for (int s = 0; s < n; s++)
    numbers[s] =
        (uint32_t)(crate->spec[s].is_attribute ? -crate->spec[s].name : crate->spec[s].name);
  put_numbers(crate, numbers, n);
  for (int s = 0; s < n; s++) numbers[s] = find_jump(crate, s);
  put_numbers(crate, numbers, n);
}

static void put_specs(mi_crate *crate, uint32_t *numbers) {
  int n = crate->nspec;
  put_count(crate, n);
  for (int s = 0; s < n; s++) numbers[s] = (uint32_t)s;
  put_numbers(crate, numbers, n);
  for (int s = 0, at = 0; s < n; s++) {
    numbers[s] = (uint32_t)at;
    at += crate->spec[s].nfield + 1;
  }
  put_numbers(crate, numbers, n);
  for (int s = 0; s < n; s++)
    numbers[s] = s == 0 ? PSEUDO_ROOT : crate->spec[s].is_attribute ? ATTRIBUTE : PRIM;
  put_numbers(crate, numbers, n);
}

static void put_strings(mi_crate *crate) {
  put_count(crate, crate->strings.count);
  mi_crate_put(crate, crate->strings.data, (size_t)crate->strings.count * sizeof(uint32_t));
}

static void put_head(mi_crate *crate, int64_t contents) {
  unsigned char head[HEAD_SIZE] = "PXR-USDC";
  head[9] = 7; // version 0.7.0
  memcpy(head + 16, &contents, sizeof contents);
  mi_file_patch(crate->file, 0, head, sizeof head);
}

mien_result mi_crate_finish(mi_crate *crate) {
  if (!crate->has_failed) list_children(crate, 0, false, "primChildren");
  int most = crate->nspec + crate->field_token.count + 8;
  uint32_t *numbers = MI_PUSH(crate->arena, uint32_t, most);
  if (!numbers) mi_fail_memory(crate->err);
  if (crate->has_failed || !numbers) return MIEN_ERR_MEMORY;
  section sections[NSECTION] = {{.name = "TOKENS"},    {.name = "STRINGS"}, {.name = "FIELDS"},
                                {.name = "FIELDSETS"}, {.name = "PATHS"},   {.name = "SPECS"}};
  for (int i = 0; i < NSECTION; i++) {
    sections[i].start = (int64_t)crate->at;
    if (i == 0) put_tokens(crate);
    if (i == 1) put_strings(crate);
    if (i == 2) put_fields(crate);
    if (i == 3) put_sets(crate, numbers);
    if (i == 4) put_paths(crate, numbers);
    if (i == 5) put_specs(crate, numbers);
    sections[i].size = (int64_t)crate->at - sections[i].start;
  }
  int64_t contents = (int64_t)crate->at;
  put_count(crate, NSECTION);
  mi_crate_put(crate, sections, sizeof sections);
  put_head(crate, contents);
  if (crate->has_failed) return MIEN_ERR_MEMORY;
  return mi_file_check(crate->file, crate->err);
}

// open_memstream and strndup
#define _GNU_SOURCE
#include "dae_morphs.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A piece of the text.
typedef struct span {
  const char *at;
  size_t size;
} span;

typedef struct controller {
  span id, source; // the source is a geometry or another controller
  span body;
  bool is_morph;
} controller;

typedef struct document {
  const char *text;
  controller *controller;
  int ncontroller;
} document;

// Whether "<name" starts here, as a whole word.
static bool is_tag(const char *at, const char *end, const char *name) {
  size_t length = strlen(name);
  if ((size_t)(end - at) <= length + 1 || strncmp(at + 1, name, length) != 0) return false;
  char after = at[1 + length];
  return isspace((unsigned char)after) || after == '/' || after == '>';
}

// The next such tag before `end`; NULL when there is none.
static const char *find_tag(const char *from, const char *end, const char *name) {
  for (const char *at = from; (at = memchr(at, '<', (size_t)(end - at))); at++)
    if (is_tag(at, end, name)) return at;
  return NULL;
}

static span attribute(const char *tag, const char *end, const char *name) {
  const char *close = memchr(tag, '>', (size_t)(end - tag));
  size_t length = strlen(name);
  for (const char *at = tag; close && (at = memmem(at, (size_t)(close - at), name, length)); at++) {
    const char *quote = at + length;
    while (quote < close && isspace((unsigned char)*quote)) quote++;
    if (*quote != '=' || !isspace((unsigned char)at[-1])) continue;
    do quote++;
    while (quote < close && isspace((unsigned char)*quote));
    const char *last = memchr(quote + 1, *quote, (size_t)(close - quote));
    if (last) return (span){quote + 1, (size_t)(last - quote - 1)};
  }
  return (span){"", 0};
}

// Finds the element that a "#reference" points at.
static span reference(const char *tag, const char *end, const char *name) {
  span s = attribute(tag, end, name);
  if (s.size && *s.at == '#') s = (span){s.at + 1, s.size - 1};
  return s;
}

static bool same(span a, span b) {
  return a.size && a.size == b.size && !memcmp(a.at, b.at, a.size);
}

static const char *end_of(const char *text) {
  return text + strlen(text);
}

bool dae_has_morphs(const char *text) {
  return find_tag(text, end_of(text), "morph") != NULL;
}

static bool read_controllers(document *d) {
  const char *end = end_of(d->text), *at = d->text;
  int count = 0;
  while ((at = find_tag(at, end, "controller"))) at++, count++;
  d->controller = calloc((size_t)count + 1, sizeof *d->controller);
  if (!d->controller) return false;
  for (at = d->text; (at = find_tag(at, end, "controller")); at++) {
    const char *close = strstr(at, "</controller>");
    if (!close) break;
    const char *morph = find_tag(at, close, "morph"), *skin = find_tag(at, close, "skin");
    const char *kind = morph ? morph : skin;
    if (!kind) continue;
    d->controller[d->ncontroller++] = (controller){.id = attribute(at, close, "id"),
                                                   .source = reference(kind, close, "source"),
                                                   .body = {at, (size_t)(close - at)},
                                                   .is_morph = morph != NULL};
  }
  return true;
}

// The geometry at the end of a chain of controllers (a skin on a morph, or the other way round).
static span geometry_of(const document *d, span id) {
  for (int links = 0; links <= d->ncontroller; links++) {
    int i = 0;
    while (i < d->ncontroller && !same(d->controller[i].id, id)) i++;
    if (i == d->ncontroller) return id;
    id = d->controller[i].source;
  }
  return id;
}

static span name_of_geometry(const document *d, span id) {
  const char *end = end_of(d->text);
  for (const char *at = d->text; (at = find_tag(at, end, "geometry")); at++) {
    if (!same(attribute(at, end, "id"), id)) continue;
    span name = attribute(at, end, "name");
    return name.size ? name : id;
  }
  return id;
}

// The ids listed in the controller's IDREF_array or Name_array.
static span target_list(const controller *c) {
  const char *end = c->body.at + c->body.size;
  const char *tag = find_tag(c->body.at, end, "IDREF_array");
  if (!tag) tag = find_tag(c->body.at, end, "Name_array");
  const char *from = tag ? memchr(tag, '>', (size_t)(end - tag)) : NULL;
  const char *to = from ? memchr(from, '<', (size_t)(end - from)) : NULL;
  return to ? (span){from + 1, (size_t)(to - from - 1)} : (span){"", 0};
}

static span next_word(span *list) {
  while (list->size && isspace((unsigned char)*list->at)) list->at++, list->size--;
  span word = {list->at, 0};
  while (list->size && !isspace((unsigned char)*list->at)) list->at++, list->size--, word.size++;
  return word;
}

static bool add_targets(const document *d, const controller *c, dae_morphs *out) {
  span list = target_list(c), word, rest = list;
  int count = 0;
  while (next_word(&rest).size) count++;
  dae_target *more = realloc(out->target, (size_t)(out->ntarget + count + 1) * sizeof *out->target);
  if (!more) return false;
  out->target = more;
  span base = geometry_of(d, c->source);
  const char *end = c->body.at + c->body.size;
  span method = attribute(find_tag(c->body.at, end, "morph"), end, "method");
  while ((word = next_word(&list)).size) {
    span name = name_of_geometry(d, word);
    dae_target *t = out->target + out->ntarget++;
    *t = (dae_target){.base = strndup(base.at, base.size),
                      .mesh = strndup(word.at, word.size),
                      .name = strndup(name.at, name.size),
                      .is_relative = same(method, (span){"RELATIVE", 8})};
    if (!t->base || !t->mesh || !t->name) return false;
  }
  return true;
}

static void print_span(FILE *to, const char *from, const char *end) {
  fwrite(from, 1, (size_t)(end - from), to);
}

static void print_target_nodes(FILE *to, const dae_morphs *morphs) {
  for (int i = 0; i < morphs->ntarget; i++)
    fprintf(to,
            "<node id=\"" DAE_TARGET_NODE "%d\" name=\"" DAE_TARGET_NODE
            "%d\"><instance_geometry url=\"#%s\"/></node>\n",
            i, i, morphs->target[i].mesh);
}

// Copies the text: controllers left out, their instances turned into instances of geometry.
static void print_text(const document *d, const dae_morphs *morphs, FILE *to) {
  const char *end = end_of(d->text), *copied = d->text;
  bool is_first_scene = true;
  for (const char *at = d->text; (at = memchr(at, '<', (size_t)(end - at))); at++) {
    const char *stop = NULL;
    if (is_tag(at, end, "library_controllers") && (stop = strstr(at, "</library_controllers>"))) {
      print_span(to, copied, at);
      copied = stop + strlen("</library_controllers>");
    } else if (is_tag(at, end, "instance_controller") && (stop = strchr(at, '>'))) {
      span geometry = geometry_of(d, reference(at, end, "url"));
      print_span(to, copied, at);
      fprintf(to, "<instance_geometry url=\"#%.*s\"%s", (int)geometry.size, geometry.at,
              stop[-1] == '/' ? "/" : "");
      copied = stop;
    } else if (!strncmp(at, "</instance_controller>", 22)) {
      print_span(to, copied, at);
      fputs("</instance_geometry>", to);
      copied = at + 22;
    } else if (is_first_scene && !strncmp(at, "</visual_scene>", 15)) {
      print_span(to, copied, at);
      print_target_nodes(to, morphs);
      copied = at;
      is_first_scene = false;
    }
    if (copied > at) at = copied - 1;
  }
  print_span(to, copied, end);
}

bool dae_morphs_read(const char *text, dae_morphs *out) {
  *out = (dae_morphs){0};
  document d = {.text = text};
  bool done = read_controllers(&d);
  for (int i = 0; done && i < d.ncontroller; i++)
    if (d.controller[i].is_morph) done = add_targets(&d, d.controller + i, out);
  FILE *to = done ? open_memstream(&out->text, &out->size) : NULL;
  if (to) print_text(&d, out, to);
  done = to && !ferror(to);
  if (to && fclose(to)) done = false;
  free(d.controller);
  return done;
}

void dae_morphs_free(dae_morphs *morphs) {
  for (int i = 0; i < morphs->ntarget; i++) {
    free(morphs->target[i].base);
    free(morphs->target[i].mesh);
    free(morphs->target[i].name);
  }
  free(morphs->target);
  free(morphs->text);
  *morphs = (dae_morphs){0};
}

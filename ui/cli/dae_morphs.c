// open_memstream and strndup
#define _GNU_SOURCE
#include "dae_morphs.h"

#include "dae_text.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct controller {
  dae_span id, source; // the source is a geometry or another controller
  dae_span body;
  bool is_morph;
} controller;

typedef struct document {
  const char *text;
  controller *controller;
  int ncontroller;
} document;

static const char *end_of(const char *text) {
  return text + strlen(text);
}

bool dae_has_morphs(const char *text) {
  return dae_find_tag(text, end_of(text), "morph") != NULL;
}

static bool read_controllers(document *d) {
  const char *end = end_of(d->text), *at = d->text;
  int count = 0;
  while ((at = dae_find_tag(at, end, "controller"))) at++, count++;
  d->controller = calloc((size_t)count + 1, sizeof *d->controller);
  if (!d->controller) return false;
  for (at = d->text; (at = dae_find_tag(at, end, "controller")); at++) {
    const char *close = strstr(at, "</controller>");
    if (!close) break;
    const char *morph = dae_find_tag(at, close, "morph"), *skin = dae_find_tag(at, close, "skin");
    const char *kind = morph ? morph : skin;
    if (!kind) continue;
    d->controller[d->ncontroller++] = (controller){.id = dae_attribute(at, close, "id"),
                                                   .source = dae_reference(kind, close, "source"),
                                                   .body = {at, (size_t)(close - at)},
                                                   .is_morph = morph != NULL};
  }
  return true;
}

// The geometry at the end of a chain of controllers (a skin on a morph, or the other way round).
static dae_span geometry_of(const document *d, dae_span id) {
  for (int links = 0; links <= d->ncontroller; links++) {
    int i = 0;
    while (i < d->ncontroller && !dae_same(d->controller[i].id, id)) i++;
    if (i == d->ncontroller) return id;
    id = d->controller[i].source;
  }
  return id;
}

static dae_span name_of_geometry(const document *d, dae_span id) {
  const char *end = end_of(d->text);
  for (const char *at = d->text; (at = dae_find_tag(at, end, "geometry")); at++) {
    if (!dae_same(dae_attribute(at, end, "id"), id)) continue;
    dae_span name = dae_attribute(at, end, "name");
    return name.size ? name : id;
  }
  return id;
}

// The ids listed in the controller's IDREF_array or Name_array.
static dae_span target_list(const controller *c) {
  const char *end = c->body.at + c->body.size;
  const char *tag = dae_find_tag(c->body.at, end, "IDREF_array");
  return dae_content(tag ? tag : dae_find_tag(c->body.at, end, "Name_array"), end);
}

static dae_span next_word(dae_span *list) {
  while (list->size && isspace((unsigned char)*list->at)) list->at++, list->size--;
  dae_span word = {list->at, 0};
  while (list->size && !isspace((unsigned char)*list->at)) list->at++, list->size--, word.size++;
  return word;
}

static bool add_targets(const document *d, const controller *c, dae_morphs *out) {
  dae_span list = target_list(c), word, rest = list;
  int count = 0;
  while (next_word(&rest).size) count++;
  dae_target *more = realloc(out->target, (size_t)(out->ntarget + count + 1) * sizeof *out->target);
  if (!more) return false;
  out->target = more;
  dae_span base = geometry_of(d, c->source);
  const char *end = c->body.at + c->body.size;
  dae_span method = dae_attribute(dae_find_tag(c->body.at, end, "morph"), end, "method");
  while ((word = next_word(&list)).size) {
    dae_span name = name_of_geometry(d, word);
    dae_target *t = out->target + out->ntarget++;
    *t = (dae_target){.base = strndup(base.at, base.size),
                      .mesh = strndup(word.at, word.size),
                      .name = strndup(name.at, name.size),
                      .is_relative = dae_same(method, (dae_span){"RELATIVE", 8})};
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
    if (dae_is_tag(at, end, "library_controllers") &&
        (stop = strstr(at, "</library_controllers>"))) {
      print_span(to, copied, at);
      copied = stop + strlen("</library_controllers>");
    } else if (dae_is_tag(at, end, "instance_controller") && (stop = strchr(at, '>'))) {
      dae_span geometry = geometry_of(d, dae_reference(at, end, "url"));
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

// memmem
#define _GNU_SOURCE
#include "dae_meshes.h"

#include "dae_text.h"

#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

// -- Lists of numbers -----------------------------------------------------------------------------

// Behind the blanks; false at the end of the span.
static bool is_more(dae_span *list) {
  while (list->size && isspace((unsigned char)*list->at)) list->at++, list->size--;
  return list->size > 0;
}

// The text has an end behind every span, so that strtol and strtod stop.
static bool pass(dae_span *list, const char *end) {
  if (end == list->at || (size_t)(end - list->at) > list->size) return false;
  list->size -= (size_t)(end - list->at);
  list->at = end;
  return true;
}

static bool next_whole(dae_span *list, int32_t *value) {
  char *end;
  if (!is_more(list)) return false;
  long read = strtol(list->at, &end, 10);
  *value = read >= 0 && read < INT32_MAX ? (int32_t)read : -1;
  return pass(list, end);
}

// Programs of some countries write "0,5".
static bool next_double(dae_span *list, double *value) {
  char word[64];
  size_t size = 0;
  if (!is_more(list)) return false;
  for (; size < list->size && size + 1 < sizeof word && !isspace((unsigned char)list->at[size]);
       size++)
    word[size] = list->at[size];
  word[size] = 0;
  char *comma = strchr(word, ','), *end;
  if (comma) *comma = '.';
  *value = strtod(word, &end);
  return *end == 0 && pass(list, list->at + size);
}

// Room doubles whenever it is used up.
static bool push(int32_t **list, size_t *count, int32_t value) {
  enum { FIRST = 1024 };
  bool is_full = *count < FIRST ? !*count : !(*count & (*count - 1));
  if (is_full) {
    int32_t *more = realloc(*list, (*count ? 2 * *count : FIRST) * sizeof *more);
    if (!more) return false;
    *list = more;
  }
  (*list)[(*count)++] = value;
  return true;
}

// -- Points ---------------------------------------------------------------------------------------

static const char *source_of(dae_span body, dae_span id) {
  const char *end = body.at + body.size;
  for (const char *at = body.at; (at = dae_find_tag(at, end, "source")); at++)
    if (dae_same(dae_attribute(at, end, "id"), id)) return at;
  return NULL;
}

// The source that <vertices> calls their places.
static const char *find_places(dae_span body) {
  const char *end = body.at + body.size, *at = dae_find_tag(body.at, end, "vertices");
  while (at && (at = dae_find_tag(at + 1, end, "input")))
    if (dae_same(dae_attribute(at, end, "semantic"), (dae_span){"POSITION", 8}))
      return source_of(body, dae_reference(at, end, "source"));
  return NULL;
}

static bool read_points(dae_span body, file_mesh *mesh) {
  const char *end = body.at + body.size, *source = find_places(body);
  const char *array = source ? dae_find_tag(source, end, "float_array") : NULL;
  const char *accessor = array ? dae_find_tag(array, end, "accessor") : NULL;
  dae_span width = accessor ? dae_attribute(accessor, end, "stride") : (dae_span){"", 0};
  if (!array || (width.size && !dae_same(width, (dae_span){"3", 1}))) return false;
  dae_span list = dae_content(array, end);
  size_t most = list.size / 2 + 1, count = 0; // a digit and a blank each
  mesh->point = malloc(most * sizeof *mesh->point);
  while (mesh->point && count < most && next_double(&list, mesh->point + count)) count++;
  mesh->npoint = count / 3;
  return mesh->point && mesh->npoint && mesh->npoint < INT_MAX / 3;
}

// -- Polygons -------------------------------------------------------------------------------------

typedef struct polygons {
  file_mesh *mesh;
  dae_span sizes; // what is left of <vcount>
  int32_t size;   // of every polygon; 0 = as the sizes say; -1 = each <p> is one
  int32_t group;
  int32_t offset, stride; // of the vertex among the numbers of a corner
} polygons;

static void read_inputs(dae_span list, polygons *p) {
  const char *end = list.at + list.size;
  p->offset = -1;
  for (const char *at = list.at; (at = dae_find_tag(at, end, "input")); at++) {
    dae_span text = dae_attribute(at, end, "offset");
    int32_t offset = 0;
    next_whole(&text, &offset);
    if (offset >= p->stride) p->stride = offset + 1;
    if (dae_same(dae_attribute(at, end, "semantic"), (dae_span){"VERTEX", 6})) p->offset = offset;
  }
}

static bool end_polygon(polygons *p, int32_t size) {
  size_t nmaterial = p->mesh->npolygon;
  return push(&p->mesh->size, &p->mesh->npolygon, size) &&
         push(&p->mesh->material, &nmaterial, p->group);
}

static int32_t next_size(polygons *p) {
  int32_t size = p->size;
  if (!size && !next_whole(&p->sizes, &size)) return -1;
  return size;
}

static bool read_corners(polygons *p, dae_span list) {
  int32_t value, wanted = next_size(p), size = 0;
  for (int32_t k = 0; next_whole(&list, &value); k = k + 1 < p->stride ? k + 1 : 0) {
    if (k != p->offset) continue;
    if (value < 0 || (size_t)value >= p->mesh->npoint) return false;
    if (!push(&p->mesh->corner, &p->mesh->ncorner, value)) return false;
    if (++size != wanted) continue;
    if (!end_polygon(p, size)) return false;
    wanted = next_size(p);
    size = 0;
  }
  return p->size < 0 && size ? end_polygon(p, size) : !size && !list.size;
}

// A list of polygons: the place of its end tag, NULL when it is damaged. Lines and points are in no
// such list.
static const char *read_list(file_mesh *mesh, const char *tag, const char *end, int32_t group) {
  static const struct {
    const char *name, *close;
    int32_t size;
  } kinds[] = {{"triangles", "</triangles>", 3},
               {"polylist", "</polylist>", 0},
               {"polygons", "</polygons>", -1}};
  int kind = 0;
  while (!dae_is_tag(tag, end, kinds[kind].name)) kind++;
  const char *first = memchr(tag, '>', (size_t)(end - tag));
  if (first && first[-1] == '/') return first;
  const char *close =
      memmem(tag, (size_t)(end - tag), kinds[kind].close, strlen(kinds[kind].close));
  if (!close) return NULL;
  polygons p = {.mesh = mesh, .size = kinds[kind].size, .group = group};
  read_inputs((dae_span){tag, (size_t)(close - tag)}, &p);
  p.sizes = dae_content(dae_find_tag(tag, close, "vcount"), close);
  if (p.offset < 0) return NULL;
  for (const char *at = tag; (at = dae_find_tag(at, close, "p")); at++)
    if (!read_corners(&p, dae_content(at, close))) return NULL;
  return close;
}

static bool is_list(const char *at, const char *end) {
  return dae_is_tag(at, end, "triangles") || dae_is_tag(at, end, "polylist") ||
         dae_is_tag(at, end, "polygons");
}

static bool is_strip(const char *at, const char *end) {
  return dae_is_tag(at, end, "tristrips") || dae_is_tag(at, end, "trifans");
}

static bool read_polygons(dae_span body, file_mesh *mesh) {
  const char *end = body.at + body.size;
  int32_t group = 0;
  for (const char *at = body.at; (at = memchr(at, '<', (size_t)(end - at))); at++) {
    if (is_strip(at, end)) return false;
    if (is_list(at, end) && !(at = read_list(mesh, at, end, group++))) return false;
  }
  return mesh->npolygon > 0;
}

// -- Files ----------------------------------------------------------------------------------------

static void free_mesh(file_mesh *mesh) {
  free(mesh->point);
  free(mesh->corner);
  free(mesh->size);
  free(mesh->material);
  *mesh = (file_mesh){0};
}

void dae_meshes_read(const char *text, dae_meshes *out) {
  const char *end = text + strlen(text);
  size_t count = 0;
  *out = (dae_meshes){0};
  for (const char *at = text; (at = dae_find_tag(at, end, "geometry")); at++) count++;
  out->mesh = calloc(count + 1, sizeof *out->mesh);
  for (const char *at = text; out->mesh && (at = dae_find_tag(at, end, "geometry"));) {
    const char *close = strstr(at, "</geometry>");
    if (!close) return;
    dae_span body = {at, (size_t)(close - at)};
    file_mesh *mesh = out->mesh + out->nmesh;
    if (read_points(body, mesh) && read_polygons(body, mesh))
      out->nmesh++;
    else
      free_mesh(mesh);
    at = close;
  }
}

void dae_meshes_free(dae_meshes *meshes) {
  for (int m = 0; m < meshes->nmesh; m++) free_mesh(meshes->mesh + m);
  free(meshes->mesh);
  *meshes = (dae_meshes){0};
}

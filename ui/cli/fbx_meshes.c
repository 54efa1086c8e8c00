#include "fbx_meshes.h"

#include <stdlib.h>
#include <string.h>

typedef enum object_kind { MESH, SHAPE, DEFORMER, CHANNEL, NKIND } object_kind;

typedef struct object {
  int64_t id;
  object_kind kind;
  const fbx_node *node;
  int reader; // a channel was read for the mesh of this number, from 1
} object;

// "child" serves "parent", both as objects.
typedef struct link {
  int child, parent;
} link;

typedef struct survey {
  fbx_meshes *out;
  object *object; // sorted by id
  link *link;     // in the file's order
  int nobject, nlink;
} survey;

static bool kind_of(fbx_tree *tree, const fbx_node *node, object_kind *kind) {
  static const struct {
    const char *node, *class;
    object_kind kind;
  } known[] = {{"Geometry", "Mesh", MESH},
               {"Geometry", "Shape", SHAPE},
               {"Deformer", "BlendShape", DEFORMER},
               {"Deformer", "BlendShapeChannel", CHANNEL}};
  const char *class = fbx_text(tree, node, 2);
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (fbx_is(node, known[i].node) && !strcmp(class, known[i].class)) {
      *kind = known[i].kind;
      return true;
    }
  return false;
}

static int by_id(const void *a, const void *b) {
  const object *x = a, *y = b;
  return (x->id > y->id) - (x->id < y->id);
}

static int find_object(const survey *s, int64_t id) {
  const object key = {.id = id};
  const object *found =
      s->nobject ? bsearch(&key, s->object, (size_t)s->nobject, sizeof key, by_id) : NULL;
  return found ? (int)(found - s->object) : -1;
}

static size_t count_nodes(const fbx_node *list) {
  size_t count = 0;
  for (; list; list = list->next) count++;
  return count;
}

static bool list_objects(survey *s) {
  fbx_tree *tree = &s->out->tree;
  const fbx_node *objects = fbx_find(tree->top, "Objects");
  const fbx_node *links = fbx_find(tree->top, "Connections");
  if (!objects) return false;
  s->object = fbx_push(tree, count_nodes(objects->child), sizeof *s->object);
  s->link = fbx_push(tree, links ? count_nodes(links->child) : 0, sizeof *s->link);
  if (!s->object || !s->link) return false;
  for (const fbx_node *node = objects->child; node; node = node->next) {
    object_kind kind;
    if (!kind_of(tree, node, &kind)) continue;
    s->object[s->nobject++] = (object){fbx_whole(node, 0), kind, node, 0};
  }
  qsort(s->object, (size_t)s->nobject, sizeof *s->object, by_id);
  for (const fbx_node *node = links ? links->child : NULL; node; node = node->next) {
    link found = {find_object(s, fbx_whole(node, 1)), find_object(s, fbx_whole(node, 2))};
    if (found.child >= 0 && found.parent >= 0) s->link[s->nlink++] = found;
  }
  return true;
}

// -- Shapes ---------------------------------------------------------------------------------------

static void read_shape(survey *s, const file_mesh *mesh, const object *from, file_shape *shape) {
  fbx_tree *tree = &s->out->tree;
  size_t ndelta;
  const fbx_node *index = fbx_find(from->node->child, "Indexes");
  const fbx_node *delta = fbx_find(from->node->child, "Vertices");
  shape->name = fbx_text(tree, from->node, 1);
  shape->index = fbx_wholes(tree, index, &shape->nmoved);
  shape->delta = fbx_doubles(tree, delta, &ndelta);
  bool is_good = ndelta >= 3 * shape->nmoved;
  for (size_t k = 0; is_good && k < shape->nmoved; k++)
    is_good = shape->index[k] >= 0 && (size_t)shape->index[k] < mesh->npoint;
  if (!is_good) shape->nmoved = 0;
}

static int by_place(const void *a, const void *b) {
  const file_shape *x = a, *y = b;
  return (x->at > y->at) - (x->at < y->at);
}

// Targets of a channel; their full weights stand in the order in which they are linked.
static void read_channel(survey *s, file_mesh *mesh, int channel, int number) {
  fbx_tree *tree = &s->out->tree;
  size_t nfull;
  const double *full =
      fbx_doubles(tree, fbx_find(s->object[channel].node->child, "FullWeights"), &nfull);
  file_shape *first = mesh->shape + mesh->nshape;
  int count = 0;
  for (int i = 0; i < s->nlink; i++) {
    const link *l = s->link + i;
    if (l->parent != channel || s->object[l->child].kind != SHAPE) continue;
    file_shape *shape = first + count;
    *shape = (file_shape){.channel = number, .number = mesh->nshape + count, .at = 1};
    if ((size_t)count < nfull && full[count] > 0) shape->at = full[count] / 100;
    read_shape(s, mesh, s->object + l->child, shape);
    count++;
  }
  qsort(first, (size_t)count, sizeof *first, by_place);
  // a single target is the channel's end, whatever weight it states
  if (count == 1) first->at = 1;
  mesh->nshape += count;
}

// Channels of a deformer. Each counts once, however often it is linked: so a mesh has no more
// shapes than there are links.
static void read_deformer(survey *s, file_mesh *mesh, int deformer, int *number) {
  for (int i = 0; i < s->nlink; i++) {
    object *channel = s->object + s->link[i].child;
    if (s->link[i].parent != deformer || channel->kind != CHANNEL) continue;
    if (channel->reader == s->out->nmesh + 1) continue;
    channel->reader = s->out->nmesh + 1;
    read_channel(s, mesh, s->link[i].child, (*number)++);
  }
}

static void read_shapes(survey *s, file_mesh *mesh, int which) {
  int number = 0;
  mesh->shape = fbx_push(&s->out->tree, (size_t)s->nlink, sizeof *mesh->shape);
  for (int i = 0; mesh->shape && i < s->nlink; i++)
    if (s->link[i].parent == which && s->object[s->link[i].child].kind == DEFORMER)
      read_deformer(s, mesh, s->link[i].child, &number);
}

// -- Meshes ---------------------------------------------------------------------------------------

// The last corner of a polygon is written as -1 - its number.
static bool read_polygons(survey *s, const object *from, file_mesh *mesh) {
  fbx_tree *tree = &s->out->tree;
  mesh->corner =
      fbx_wholes(tree, fbx_find(from->node->child, "PolygonVertexIndex"), &mesh->ncorner);
  mesh->size = fbx_push(tree, mesh->ncorner, sizeof *mesh->size);
  if (!mesh->corner || !mesh->size) return false;
  int size = 0;
  for (size_t i = 0; i < mesh->ncorner; i++) {
    bool is_last = mesh->corner[i] < 0;
    if (is_last) mesh->corner[i] = -1 - mesh->corner[i];
    if ((size_t)mesh->corner[i] >= mesh->npoint) return false;
    size++;
    if (!is_last) continue;
    mesh->size[mesh->npolygon++] = size;
    size = 0;
  }
  return size == 0;
}

static void read_materials(survey *s, const object *from, file_mesh *mesh) {
  fbx_tree *tree = &s->out->tree;
  size_t count;
  const fbx_node *layer = fbx_find(from->node->child, "LayerElementMaterial");
  const int32_t *given =
      fbx_wholes(tree, fbx_find(layer ? layer->child : NULL, "Materials"), &count);
  mesh->material = fbx_push(tree, mesh->npolygon, sizeof *mesh->material);
  for (size_t p = 0; mesh->material && given && count == mesh->npolygon && p < count; p++)
    mesh->material[p] = given[p];
}

static void read_mesh(survey *s, int which) {
  const object *from = s->object + which;
  size_t count;
  file_mesh *mesh = s->out->mesh + s->out->nmesh;
  mesh->point = fbx_doubles(&s->out->tree, fbx_find(from->node->child, "Vertices"), &count);
  mesh->npoint = count / 3;
  if (!mesh->npoint || !read_polygons(s, from, mesh)) {
    *mesh = (file_mesh){0};
    return;
  }
  read_materials(s, from, mesh);
  read_shapes(s, mesh, which);
  s->out->nmesh++;
}

void fbx_meshes_read(const char *bytes, size_t size, fbx_meshes *out) {
  survey s = {.out = out};
  *out = (fbx_meshes){0};
  if (fbx_tree_read(bytes, size, &out->tree) && list_objects(&s))
    out->mesh = fbx_push(&out->tree, (size_t)s.nobject, sizeof *out->mesh);
  for (int i = 0; out->mesh && i < s.nobject; i++)
    if (s.object[i].kind == MESH) read_mesh(&s, i);
  if (out->tree.is_out_of_memory) out->nmesh = 0;
}

void fbx_meshes_free(fbx_meshes *meshes) {
  fbx_tree_free(&meshes->tree);
  *meshes = (fbx_meshes){0};
}

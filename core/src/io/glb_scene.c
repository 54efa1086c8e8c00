// Nodes: the hierarchy and its world transforms.
#include "io/glb.h"
#include "io/name_table.h"

#include <stdio.h>

enum { MOST_TARGETS = 10000, MOST_NAME = 400 };

mien_result mi_glb_read_trs(mi_glb *glb, const json_t *node, double t[3], double q[4],
                            double s[3]) {
  for (int i = 0; i < 3; i++) t[i] = 0, s[i] = 1, q[i] = 0;
  q[3] = 1;
  mien_result result = mi_glb_numbers(glb, node, "translation", 3, t);
  if (result >= 0) result = mi_glb_numbers(glb, node, "rotation", 4, q);
  if (result >= 0) result = mi_glb_numbers(glb, node, "scale", 3, s);
  if (result < 0) return result;
  double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  if (!(length > 1e-12) || !isfinite(length)) {
    q[0] = q[1] = q[2] = 0;
    q[3] = 1;
  } else if (length != 1) {
    for (int i = 0; i < 4; i++) q[i] /= length;
  }
  return MIEN_OK;
}

static mien_result read_local(mi_glb *glb, const json_t *node, mi_affine *out) {
  double column[16], t[3], q[4], s[3];
  if (json_object_get(node, "matrix")) {
    mien_result result = mi_glb_numbers(glb, node, "matrix", 16, column);
    if (result < 0) return result;
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 4; j++) out->m[i][j] = column[4 * j + i];
    return MIEN_OK;
  }
  mien_result result = mi_glb_read_trs(glb, node, t, q, s);
  if (result >= 0) *out = mi_affine_from_trs(t, q, s);
  return result;
}

// A list of node numbers ("children", a scene's "nodes") onto the stack, last first. Every node may
// be met once, so neither a cycle nor any depth of nesting needs more than nnode entries.
static mien_result push_nodes(mi_glb *glb, mi_glb_scene *scene, const json_t *list, int parent,
                              int *stack, int *nstack) {
  for (int i = mi_glb_length(list) - 1; i >= 0; i--) {
    const json_t *value = json_array_get(list, (size_t)i);
    json_int_t child = json_is_integer(value) ? json_integer_value(value) : -1;
    if (child < 0 || child >= scene->nnode)
      return mi_fail(glb->err, MIEN_ERR_FORMAT, "the file is damaged: node %lld does not exist",
                     (long long)child);
    mi_glb_node *node = &scene->node[child];
    if (node->is_reached)
      return mi_fail(glb->err, MIEN_ERR_FORMAT,
                     "the file is damaged: node %lld hangs under two nodes, or under itself",
                     (long long)child);
    node->is_reached = true;
    node->parent = parent;
    stack[(*nstack)++] = (int)child;
  }
  return MIEN_OK;
}

// Files without a scene: every node without a parent.
static mien_result push_roots(mi_glb *glb, mi_glb_scene *scene, int *stack, int *nstack) {
  bool *is_child = mi_glb_push(glb, (size_t)scene->nnode, sizeof *is_child);
  if (!is_child) return glb->err->code;
  for (int n = 0; n < scene->nnode; n++) {
    const json_t *children = json_object_get(scene->node[n].json, "children");
    for (int i = 0; i < mi_glb_length(children); i++) {
      json_int_t child = json_integer_value(json_array_get(children, (size_t)i));
      if (child >= 0 && child < scene->nnode) is_child[child] = true;
    }
  }
  for (int n = scene->nnode - 1; n >= 0; n--) {
    if (is_child[n]) continue;
    scene->node[n].is_reached = true;
    scene->node[n].parent = -1;
    stack[(*nstack)++] = n;
  }
  return MIEN_OK;
}

mien_result mi_glb_read_scene(mi_glb *glb, mi_glb_scene *scene) {
  *scene = (mi_glb_scene){.nnode = mi_glb_length(glb->nodes)};
  scene->node = mi_glb_push(glb, (size_t)scene->nnode, sizeof *scene->node);
  scene->order = mi_glb_push(glb, (size_t)scene->nnode, sizeof *scene->order);
  int *stack = mi_glb_push(glb, (size_t)scene->nnode, sizeof *stack), nstack = 0, which;
  if (!scene->node || !scene->order || !stack) return glb->err->code;
  for (int n = 0; n < scene->nnode; n++)
    scene->node[n].json = json_array_get(glb->nodes, (size_t)n);

  const json_t *scenes = json_object_get(glb->root, "scenes");
  mien_result result = mi_glb_index(glb, glb->root, "scene", scenes, &which);
  if (result < 0) return result;
  if (mi_glb_length(scenes)) {
    const json_t *json = json_array_get(scenes, (size_t)(which < 0 ? 0 : which));
    scene->name = mi_glb_name(json);
    result = push_nodes(glb, scene, json_object_get(json, "nodes"), -1, stack, &nstack);
  } else {
    result = push_roots(glb, scene, stack, &nstack);
  }
  while (result >= 0 && nstack) {
    int n = stack[--nstack];
    mi_glb_node *node = &scene->node[n];
    scene->order[scene->norder++] = n;
    result = read_local(glb, node->json, &node->local);
    if (result < 0) break;
    node->world = node->local;
    if (node->parent >= 0)
      node->world = mi_affine_multiply(&scene->node[node->parent].world, &node->local);
    result = push_nodes(glb, scene, json_object_get(node->json, "children"), n, stack, &nstack);
  }
  return result;
}

// A name of its own for every target: "smile" again is "smile_2". NULL with an error; names made to
// be taken already count like what the file unfolds to.
static const char *name_target(mi_glb *glb, mi_name_table *seen, const char *given, int i) {
  char text[MOST_NAME + 16];
  bool is_given = given && given[0];
  if (is_given) snprintf(text, sizeof text, "%.*s", MOST_NAME, given);
  if (!is_given) snprintf(text, sizeof text, "target_%d", i);
  for (int again = 2; mi_name_find(seen, text) >= 0; again = mi_next_number(again, i)) {
    if (!mi_glb_charge(glb, 1, sizeof text)) return NULL;
    snprintf(text, sizeof text, "%.*s_%d", MOST_NAME, is_given ? given : "target", again);
  }
  int number = mi_name_add(seen, text);
  if (number < 0) mi_fail_memory(glb->err);
  return number < 0 ? NULL : seen->name[number];
}

// Blender's first exporters named the accessors.
static const char *name_of_accessor(const mi_glb *glb, const json_t *primitive, int target) {
  const json_t *targets = json_object_get(primitive, "targets");
  const json_t *index = json_object_get(json_array_get(targets, (size_t)target), "POSITION");
  json_int_t which = json_is_integer(index) ? json_integer_value(index) : -1;
  return which < 0 ? NULL : mi_glb_name(json_array_get(glb->accessors, (size_t)which));
}

const char **mi_glb_target_names(mi_glb *glb, const json_t *mesh, int *ntarget) {
  const json_t *primitives = json_object_get(mesh, "primitives"), *names;
  names = json_object_get(json_object_get(mesh, "extras"), "targetNames");
  int count = 0;
  for (int i = 0; i < mi_glb_length(primitives); i++) {
    const json_t *primitive = json_array_get(primitives, (size_t)i);
    if (!names) // where VRM 0.x has them
      names = json_object_get(json_object_get(primitive, "extras"), "targetNames");
    int n = mi_glb_length(json_object_get(primitive, "targets"));
    if (n > count) count = n;
  }
  if (count > MOST_TARGETS) {
    mi_fail(glb->err, MIEN_ERR_FORMAT, "a mesh has %d morph targets; mien reads up to %d", count,
            MOST_TARGETS);
    return NULL;
  }
  const char **out = mi_glb_push(glb, (size_t)count, sizeof *out);
  mi_name_table seen = {.arena = &glb->arena};
  for (int i = 0; out && i < count; i++) {
    const char *given = names ? json_string_value(json_array_get(names, (size_t)i))
                              : name_of_accessor(glb, json_array_get(primitives, 0), i);
    out[i] = name_target(glb, &seen, given, i);
    if (!out[i]) return NULL;
  }
  *ntarget = count;
  return out;
}

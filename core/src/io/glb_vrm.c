// Expressions of VRM files as shapes: each is a sum of morph targets of some meshes.
//   0.x  extensions.VRM.blendShapeMaster.blendShapeGroups: binds of a mesh, weights in percent
//   1.0  extensions.VRMC_vrm.expressions.preset and .custom: binds of a node
#include "io/glb_rig.h"

typedef struct expressions {
  mi_glb_rig *r;
  mien_shape *shape; // the rig's and the expressions
  int nshape, ntarget, capacity;
  double *sum; // of the expression being made                                       (nvert x 3)
} expressions;

// Looking for a name among all, or at all vertices, is counted like what the file unfolds to.
static bool charge(const expressions *e, int count, int size) {
  return mi_glb_charge(e->r->glb, (size_t)count, (size_t)size);
}

static const mien_shape *find_shape(const expressions *e, const char *name) {
  for (int s = 0; s < e->nshape; s++)
    if (!strcmp(e->shape[s].name, name)) return &e->shape[s];
  return NULL;
}

// Adds a target of one mesh, wherever parts show that mesh.
static mien_result add_bind(expressions *e, const json_t *mesh, int64_t target, double weight) {
  int n = 0;
  const char **names = mi_glb_target_names(e->r->glb, mesh, &n);
  if (!names || !charge(e, e->nshape, sizeof *e->shape)) return e->r->glb->err->code;
  const mien_shape *shape = target >= 0 && target < n ? find_shape(e, names[target]) : NULL;
  if (shape && !charge(e, shape->deltas.count, e->r->npart)) return e->r->glb->err->code;
  for (int i = 0; shape && i < shape->deltas.count; i++) {
    int vert = shape->indices.data ? shape->indices.data[i] : i;
    bool is_mine = false;
    for (int p = 0; p < e->r->npart && !is_mine; p++) {
      const mi_glb_part *part = &e->r->part[p];
      is_mine = part->mesh == mesh && vert >= part->first_vertex &&
                vert < part->first_vertex + part->nvert;
    }
    const float *delta = shape->deltas.data + (size_t)i * (size_t)shape->deltas.stride;
    for (int k = 0; is_mine && k < 3; k++)
      e->sum[3 * (size_t)vert + (size_t)k] += weight * (double)delta[k];
  }
  return MIEN_OK;
}

// The sum becomes a shape of that name. An expression that moves nothing (a look, a colour) becomes
// none.
static mien_result end_expression(expressions *e, const char *name) {
  int count = 0;
  if (!charge(e, e->r->nvert, sizeof *e->sum)) return e->r->glb->err->code;
  for (int v = 0; v < e->r->nvert; v++) {
    const double *d = e->sum + 3 * (size_t)v;
    count += d[0] != 0 || d[1] != 0 || d[2] != 0;
  }
  if (!count || e->nshape == e->capacity) return MIEN_OK;
  int32_t *index = mi_glb_push(e->r->glb, (size_t)count, sizeof *index);
  float *delta = index ? mi_glb_push(e->r->glb, 3 * (size_t)count, sizeof *delta) : NULL;
  if (!delta) return e->r->glb->err->code;
  for (int v = 0, at = 0; v < e->r->nvert; v++) {
    double *d = e->sum + 3 * (size_t)v;
    if (d[0] == 0 && d[1] == 0 && d[2] == 0) continue;
    index[at] = v;
    for (int k = 0; k < 3; k++) {
      delta[3 * (size_t)at + (size_t)k] = (float)d[k];
      d[k] = 0;
    }
    at++;
  }
  e->shape[e->nshape++] = (mien_shape){name, {index, count}, {delta, count, 3}};
  return MIEN_OK;
}

static mien_result read_group(expressions *e, const json_t *group) { // 0.x
  const char *name = mi_glb_name(group);
  if (!charge(e, e->nshape, sizeof *e->shape)) return e->r->glb->err->code;
  if (!name) name = json_string_value(json_object_get(group, "presetName"));
  if (!name || !*name || find_shape(e, name)) return MIEN_OK;
  const json_t *binds = json_object_get(group, "binds");
  for (int i = 0; i < mi_glb_length(binds); i++) {
    const json_t *bind = json_array_get(binds, (size_t)i);
    int mesh;
    int64_t target;
    mien_result result = mi_glb_index(e->r->glb, bind, "mesh", e->r->glb->meshes, &mesh);
    if (result >= 0) result = mi_glb_whole(e->r->glb, bind, "index", -1, &target);
    if (result >= 0 && mesh >= 0)
      result = add_bind(e, json_array_get(e->r->glb->meshes, (size_t)mesh), target,
                        0.01 * json_number_value(json_object_get(bind, "weight")));
    if (result < 0) return result;
  }
  return end_expression(e, name);
}

static mien_result read_expression(expressions *e, const char *name, const json_t *expression) {
  const json_t *binds = json_object_get(expression, "morphTargetBinds");
  if (!charge(e, e->nshape, sizeof *e->shape)) return e->r->glb->err->code;
  if (find_shape(e, name)) return MIEN_OK;
  for (int i = 0; i < mi_glb_length(binds); i++) {
    const json_t *bind = json_array_get(binds, (size_t)i);
    int node, mesh = -1;
    int64_t target;
    mi_glb *glb = e->r->glb;
    mien_result result = mi_glb_index(glb, bind, "node", glb->nodes, &node);
    if (result >= 0) result = mi_glb_whole(glb, bind, "index", -1, &target);
    if (result >= 0 && node >= 0)
      result =
          mi_glb_index(glb, json_array_get(glb->nodes, (size_t)node), "mesh", glb->meshes, &mesh);
    if (result >= 0 && mesh >= 0)
      result = add_bind(e, json_array_get(glb->meshes, (size_t)mesh), target,
                        json_number_value(json_object_get(bind, "weight")));
    if (result < 0) return result;
  }
  return end_expression(e, name);
}

static mien_result read_all(expressions *e, const json_t *groups, const json_t *const sets[2]) {
  mien_result result = MIEN_OK;
  for (int i = 0; i < mi_glb_length(groups) && result >= 0; i++)
    result = read_group(e, json_array_get(groups, (size_t)i));
  for (int s = 0; s < 2; s++)
    for (void *at = json_object_iter((json_t *)sets[s]); at && result >= 0;
         at = json_object_iter_next((json_t *)sets[s], at))
      result = read_expression(e, json_object_iter_key(at), json_object_iter_value(at));
  return result;
}

mien_result mi_glb_read_expressions(mi_glb_rig *r) {
  const json_t *all = json_object_get(r->glb->root, "extensions");
  const json_t *groups = json_object_get(
      json_object_get(json_object_get(all, "VRM"), "blendShapeMaster"), "blendShapeGroups");
  const json_t *list = json_object_get(json_object_get(all, "VRMC_vrm"), "expressions");
  const json_t *const sets[2] = {json_object_get(list, "preset"), json_object_get(list, "custom")};
  int most =
      mi_glb_length(groups) + (int)json_object_size(sets[0]) + (int)json_object_size(sets[1]);
  if (!most || !r->def.nshape) return MIEN_OK;
  expressions e = {.r = r, .nshape = r->def.nshape, .capacity = r->def.nshape + most};
  e.shape = mi_glb_push(r->glb, (size_t)e.capacity, sizeof *e.shape);
  e.sum = e.shape ? mi_glb_push(r->glb, 3 * (size_t)r->nvert, sizeof *e.sum) : NULL;
  if (!e.sum) return r->glb->err->code;
  memcpy(e.shape, r->def.shapes, (size_t)r->def.nshape * sizeof *e.shape);
  mien_result result = read_all(&e, groups, sets);
  if (result < 0) return result;
  int nnew = e.nshape - r->def.nshape;
  r->def.shapes = e.shape;
  r->def.nshape = e.nshape;
  if (nnew && !mi_remark(&r->glb->remarks,
                         "%d expressions of the VRM file are shapes beside its "
                         "morph targets",
                         nnew))
    return mi_fail_memory(r->glb->err);
  return MIEN_OK;
}

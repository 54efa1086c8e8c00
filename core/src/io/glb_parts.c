// Which parts, chunks of vertices and primitives the scene's meshes make.
#include "io/glb_rig.h"

enum { POINTS = 0, LINES = 1, TRIANGLES = 4, STRIP = 5, FAN = 6, LOOK_BACK = 16 };

// The place a skinned mesh is bound in: a joint's transform after its inverse bind matrix is the
// same for every joint in that pose, and stands in for the node's own, which glTF says to ignore.
static mien_result find_bind_transform(mi_glb_rig *r, int skin, mi_affine *world) {
  mi_glb *glb = r->glb;
  const json_t *skins = json_object_get(glb->root, "skins");
  const json_t *json = json_array_get(skins, (size_t)skin);
  const json_t *first = json_array_get(json_object_get(json, "joints"), 0);
  json_int_t joint = json_is_integer(first) ? json_integer_value(first) : -1;
  if (!r->is_skinned &&
      !mi_remark(&glb->remarks,
                 "skinned meshes are read as they were bound, without the skeleton's "
                 "pose: the face deforms before the skin"))
    return mi_fail_memory(glb->err);
  r->is_skinned = true;
  if (joint < 0 || joint >= r->scene.nnode || !r->scene.node[joint].is_reached) return MIEN_OK;
  int index;
  mi_accessor accessor;
  mien_f32s matrix;
  mien_result result = mi_glb_index(glb, json, "inverseBindMatrices", glb->accessors, &index);
  if (result < 0) return result;
  *world = r->scene.node[joint].world;
  if (index < 0) return MIEN_OK;
  result = mi_glb_accessor(glb, index, &accessor);
  if (result >= 0) result = mi_glb_floats(glb, &accessor, &matrix);
  if (result < 0) return result;
  if (accessor.width != 16 || accessor.count < 1)
    return mi_fail(glb->err, MIEN_ERR_FORMAT, "the file is damaged: skin %d has no bind matrices",
                   skin);
  mi_affine inverse_bind;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 4; j++) inverse_bind.m[i][j] = (double)matrix.data[4 * j + i];
  *world = mi_affine_multiply(world, &inverse_bind);
  return MIEN_OK;
}

static bool is_same(const json_t *a, const json_t *b) {
  return a == b || json_equal(a, b);
}

// Values in a piece of JSON: what it takes to compare it.
static size_t weigh(const json_t *json) {
  size_t sum = 1;
  for (size_t i = 0; i < json_array_size(json); i++) sum += weigh(json_array_get(json, i));
  json_t *object = (json_t *)json; // iterating does not change it
  for (void *at = json_object_iter(object); at; at = json_object_iter_next(object, at))
    sum += weigh(json_object_iter_value(at));
  return sum;
}

// The vertices of a primitive: a chunk of the part that uses the same arrays, or a new one.
static mien_result find_chunk(mi_glb_rig *r, const json_t *primitive, int part, int *out) {
  mi_glb *glb = r->glb;
  mi_glb_chunk chunk = {.part = part,
                        .attributes = json_object_get(primitive, "attributes"),
                        .targets = json_object_get(primitive, "targets"),
                        .material = json_object_get(primitive, "material")};
  // a mesh that many nodes show is compared again for each
  if (!mi_glb_charge(glb, weigh(primitive), LOOK_BACK)) return glb->err->code;
  for (int c = r->nchunk - 1; c >= 0 && c >= r->nchunk - LOOK_BACK; c--) {
    const mi_glb_chunk *other = &r->chunk[c];
    if (other->part != part) break;
    *out = c;
    if (is_same(chunk.attributes, other->attributes) && is_same(chunk.targets, other->targets) &&
        is_same(chunk.material, other->material))
      return MIEN_OK;
  }
  int index;
  mien_result result = mi_glb_index(glb, chunk.attributes, "POSITION", glb->accessors, &index);
  if (result < 0) return result;
  const char *name = mi_glb_name(r->part[part].node);
  if (index >= 0) result = mi_glb_accessor(glb, index, &chunk.position);
  if (result < 0) return result;
  if (index < 0 || chunk.position.width != 3 || (!chunk.position.data && !chunk.position.nsparse))
    return mi_fail(glb->err, MIEN_ERR_FORMAT, "the mesh \"%.80s\" has no positions",
                   name ? name : "without a name");
  chunk.nvert = chunk.nkept = chunk.position.count;
  chunk.first = r->nvert;
  // our own files have one primitive per part
  if (!r->ignore_borrowed && mi_glb_length(json_object_get(r->part[part].mesh, "primitives")) == 1)
    chunk.nkept -= mi_glb_count_borrowed(r->part[part].node);
  if (chunk.nkept < 0) chunk.nkept = chunk.nvert;
  if (chunk.nvert > INT32_MAX / 16 - r->nvert)
    return mi_fail(glb->err, MIEN_ERR_FORMAT, "the file has too many vertices");
  r->nvert += chunk.nkept;
  *out = r->nchunk;
  r->chunk[r->nchunk++] = chunk;
  return MIEN_OK;
}

static mien_result add_primitive(mi_glb_rig *r, const json_t *json, int part, bool *is_skipped) {
  mi_glb *glb = r->glb;
  mi_glb_primitive primitive;
  int64_t mode;
  mi_accessor indices;
  mien_result result = mi_glb_whole(glb, json, "mode", TRIANGLES, &mode);
  if (result >= 0) result = mi_glb_index(glb, json, "indices", glb->accessors, &primitive.indices);
  if (result < 0) return result;
  if (mode > FAN)
    return mi_fail(glb->err, MIEN_ERR_FORMAT, "the file is damaged: mode %lld", (long long)mode);
  *is_skipped = mode < TRIANGLES;
  if (*is_skipped) return MIEN_OK;
  result = find_chunk(r, json, part, &primitive.chunk);
  if (result >= 0 && primitive.indices >= 0)
    result = mi_glb_accessor(glb, primitive.indices, &indices);
  if (result < 0) return result;
  int n = primitive.indices >= 0 ? indices.count : r->chunk[primitive.chunk].nvert;
  int ntri = mode == TRIANGLES ? n / 3 : n > 2 ? n - 2 : 0;
  if (ntri > INT32_MAX / 16 - r->ncorner / 3)
    return mi_fail(glb->err, MIEN_ERR_FORMAT, "the file has too many triangles");
  primitive.mode = (int)mode;
  primitive.ncorner = 3 * ntri;
  r->ncorner += primitive.ncorner;
  r->primitive[r->nprimitive++] = primitive;
  return MIEN_OK;
}

static mien_result add_part(mi_glb_rig *r, const mi_glb_node *node, int mesh, int skin) {
  mi_glb *glb = r->glb;
  int p = r->npart, nchunk = r->nchunk, nprimitive = r->nprimitive;
  mi_glb_part *part = &r->part[p];
  *part = (mi_glb_part){.node = node->json,
                        .mesh = json_array_get(glb->meshes, (size_t)mesh),
                        .world = node->world,
                        .first_vertex = r->nvert,
                        .first_corner = r->ncorner};
  mien_result result = MIEN_OK;
  if (skin >= 0) result = find_bind_transform(r, skin, &part->world);
  part->is_moved = !mi_affine_is_identity(&part->world);
  part->is_mirrored = mi_affine_determinant(&part->world) < 0;
  const json_t *primitives = json_object_get(part->mesh, "primitives");
  int nskipped = 0;
  for (int i = 0; result >= 0 && i < mi_glb_length(primitives); i++) {
    bool is_skipped = false;
    result = add_primitive(r, json_array_get(primitives, (size_t)i), p, &is_skipped);
    nskipped += is_skipped;
  }
  if (result < 0) return result;
  const char *name = mi_glb_name(part->node);
  if (nskipped && !mi_remark(&glb->remarks, "%d sets of points or lines in \"%.80s\" are left out",
                             nskipped, name ? name : "a mesh"))
    return mi_fail_memory(glb->err);
  part->nvert = r->nvert - part->first_vertex;
  part->ncorner = r->ncorner - part->first_corner;
  if (part->nvert > 0) {
    r->npart++;
  } else { // an empty part is skipped: the next one takes its number
    r->nchunk = nchunk;
    r->nprimitive = nprimitive;
    r->ncorner = part->first_corner;
  }
  return MIEN_OK;
}

static mien_result reserve(mi_glb_rig *r) {
  size_t nmesh = 0, nprimitive = 0;
  for (int k = 0; k < r->scene.norder; k++) {
    int mesh;
    const json_t *node = r->scene.node[r->scene.order[k]].json;
    mien_result result = mi_glb_index(r->glb, node, "mesh", r->glb->meshes, &mesh);
    if (result < 0) return result;
    if (mesh < 0) continue;
    const json_t *json = json_array_get(r->glb->meshes, (size_t)mesh);
    nprimitive += (size_t)mi_glb_length(json_object_get(json, "primitives"));
    nmesh++;
  }
  r->part = mi_glb_push(r->glb, nmesh + 1, sizeof *r->part);
  r->chunk = r->part ? mi_glb_push(r->glb, nprimitive, sizeof *r->chunk) : NULL;
  r->primitive = r->chunk ? mi_glb_push(r->glb, nprimitive, sizeof *r->primitive) : NULL;
  return r->primitive ? MIEN_OK : r->glb->err->code;
}

static mien_result gather(mi_glb_rig *r) {
  mi_glb *glb = r->glb;
  const json_t *skins = json_object_get(glb->root, "skins");
  r->npart = r->nchunk = r->nprimitive = r->nvert = r->ncorner = 0;
  mien_result result = reserve(r);
  for (int k = 0; result >= 0 && k < r->scene.norder; k++) {
    const mi_glb_node *node = &r->scene.node[r->scene.order[k]];
    int mesh, skin;
    result = mi_glb_index(glb, node->json, "mesh", glb->meshes, &mesh);
    if (result >= 0) result = mi_glb_index(glb, node->json, "skin", skins, &skin);
    if (result >= 0 && mesh >= 0) result = add_part(r, node, mesh, skin);
  }
  if (result < 0) return result;
  if (r->npart == 0 || r->ncorner == 0)
    return mi_fail(glb->err, MIEN_ERR_FORMAT, "the file's scene holds no triangles");
  return MIEN_OK;
}

mien_result mi_glb_gather_parts(mi_glb_rig *r) {
  bool is_good;
  int nremark = r->glb->remarks.count;
  mien_result result = gather(r);
  if (result >= 0) result = mi_glb_find_borrowed(r, &is_good);
  if (result < 0 || is_good) return result;
  r->glb->remarks.count = nremark; // they will be said again
  if (!mi_remark(&r->glb->remarks, "the parts were changed since mien wrote the file: they are no "
                                   "longer joined where they meet"))
    return mi_fail_memory(r->glb->err);
  r->ignore_borrowed = true;
  return gather(r);
}

// Where a skeleton turns the head: the joint that is the head's, by its name or by what a VRM file
// says of it.
#include "io/glb_rig.h"
#include "rig/joint_name.h"

// The node of the head bone of a VRM file, -1 = it has none.
static int find_vrm_head(const mi_glb *glb) {
  const json_t *all = json_object_get(glb->root, "extensions");
  const json_t *bones =
      json_object_get(json_object_get(json_object_get(all, "VRMC_vrm"), "humanoid"), "humanBones");
  const json_t *node = json_object_get(json_object_get(bones, "head"), "node");
  if (json_is_integer(node)) return (int)json_integer_value(node);
  bones = json_object_get(json_object_get(json_object_get(all, "VRM"), "humanoid"), "humanBones");
  for (int i = 0; i < mi_glb_length(bones); i++) {
    const json_t *bone = json_array_get(bones, (size_t)i);
    const char *name = json_string_value(json_object_get(bone, "bone"));
    node = json_object_get(bone, "node");
    if (name && !strcmp(name, "head") && json_is_integer(node))
      return (int)json_integer_value(node);
  }
  return -1;
}

// The place of a joint as the mesh was bound.
static mien_result place_joint(mi_glb_rig *r, const mi_glb_part *part, const json_t *skin,
                               int which, int node, double out[3]) {
  mi_glb *glb = r->glb;
  int index;
  mi_affine bind, back;
  mien_result result = mi_glb_index(glb, skin, "inverseBindMatrices", glb->accessors, &index);
  if (result < 0) return result;
  back = r->scene.node[node].world;
  if (index >= 0) {
    mi_accessor accessor;
    mien_f32s matrix = {0};
    result = mi_glb_accessor(glb, index, &accessor);
    if (result >= 0) result = mi_glb_floats(glb, &accessor, &matrix);
    if (result < 0 || accessor.width != 16 || accessor.count <= which) return result;
    const float *m = matrix.data + (size_t)which * (size_t)(matrix.stride ? matrix.stride : 16);
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 4; j++) bind.m[i][j] = (double)m[4 * j + i];
    if (!mi_affine_invert(&bind, &back)) return MIEN_OK;
    back = mi_affine_multiply(&part->world, &back);
  }
  for (int k = 0; k < 3; k++) out[k] = back.m[k][3];
  r->def.has_pivot = 2;
  return MIEN_OK;
}

mien_result mi_glb_find_neck(mi_glb_rig *r) {
  const json_t *skins = json_object_get(r->glb->root, "skins");
  int vrm = find_vrm_head(r->glb), best = 0;
  if (r->def.has_pivot) return MIEN_OK;
  bool *is_known = mi_glb_push(r->glb, (size_t)mi_glb_length(skins), sizeof *is_known);
  if (!is_known) return r->glb->err->code;
  for (int p = 0; p < r->npart; p++) {
    int index;
    mien_result result = mi_glb_index(r->glb, r->part[p].node, "skin", skins, &index);
    if (result < 0) return result;
    if (index < 0 || is_known[index]) continue; // a skin of many parts
    is_known[index] = true;
    const json_t *skin = json_array_get(skins, (size_t)index);
    const json_t *joints = json_object_get(skin, "joints");
    for (int i = 0; i < mi_glb_length(joints); i++) {
      const json_t *joint = json_array_get(joints, (size_t)i);
      json_int_t node = json_is_integer(joint) ? json_integer_value(joint) : -1;
      if (node < 0 || node >= r->scene.nnode) continue;
      int rank = node == vrm ? 4 : mi_joint_rank(mi_glb_name(r->scene.node[node].json));
      if (rank <= best) continue;
      best = rank;
      result = place_joint(r, &r->part[p], skin, i, (int)node, r->def.pivot);
      if (result < 0) return result;
    }
  }
  return MIEN_OK;
}

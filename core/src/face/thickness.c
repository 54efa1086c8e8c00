// How thick the flesh may be: painted or uniform, but never through the skin of the other side (a
// lip, an ear, a lid) nor into bone, and changing gently from vertex to vertex. The paper lowered
// thickness by hand in such places (Barrielle & Stoiber, end of 4.1); here rays find them.
#include "face/face.h"

#include "math/vec.h"

#include <string.h>

// Flesh may fill these shares of the free distance: less than half where two sides share it.
static const double OPPOSITE_SHARE = 0.42, BONE_SHARE = 0.9, SLOPE = 0.6;
// Flesh keeps at least this share of the wanted thickness: a sharp ridge is thin, but not empty.
static const double LEAST_SHARE = 0.05;

mien_result mi_thickness_want(mi_face_build *b) {
  const mi_skin *skin = &b->face->skin;
  float *wanted = b->face->thickness = MI_PUSH(&b->face->arena, float, skin->nvert);
  b->limit = MI_PUSH(&b->scratch, float, skin->nvert);
  if (!wanted || !b->limit) return mi_fail_memory(b->err);
  b->uniform = b->def->thickness > 0 ? b->def->thickness : 0.027 * skin->size;
  int m = mi_rig_find_map(b->face->rig, "thickness"), nbad = 0;
  const mien_map *map = m < 0 ? NULL : b->face->rig->info.maps + m;
  for (int i = 0; i < skin->nvert; i++) {
    float painted = map && map->width == 1 ? map->values.data[skin->vert[i]] : 0;
    nbad += painted < 0 || painted > skin->size;
    wanted[i] = painted > 0 ? fminf(painted, skin->size) : (float)b->uniform;
  }
  if (nbad && !mi_remark(&b->face->remarks,
                         "the thickness painted at %d vertices is negative or larger than the face "
                         "and was ignored there",
                         nbad))
    return mi_fail_memory(b->err);
  return MIEN_OK;
}

// All bones as one triangle list over rig vertices.
static mi_bvh *build_bones(mi_face_build *b) {
  const mien_rig *rig = b->face->rig;
  int32_t *tri = MI_PUSH(&b->scratch, int32_t, 3 * (size_t)rig->info.ntri);
  int ntri = 0;
  for (int p = 0; tri && p < rig->info.npart; p++) {
    const mien_part *part = rig->info.parts + p;
    if (part->kind != MIEN_PART_SKULL && part->kind != MIEN_PART_JAW) continue;
    memcpy(tri + 3 * (size_t)ntri, rig->triangles + 3 * (size_t)part->first_triangle,
           3 * (size_t)part->ntri * sizeof *tri);
    ntri += part->ntri;
  }
  return tri ? mi_bvh_build(ntri, tri, rig->positions, &b->scratch) : NULL;
}

typedef struct probe {
  mi_face_build *b;
  const mi_bvh *skin, *bones;
} probe;

// Rays: one straight inwards and a ring of them 25 degrees around it.
static int ray_fan(mi_vec3 thickness_vector, double fan[7][3]) {
  mi_vec3 side = fabs(thickness_vector.x) < 0.7 ? (mi_vec3){1, 0, 0} : (mi_vec3){0, 1, 0};
  mi_vec3 u = mi_unit(mi_cross(thickness_vector, side)), v = mi_cross(thickness_vector, u);
  for (int k = 0; k < 7; k++) {
    double tilt = k ? 0.436 : 0, turn = k * 1.0471975511965976;
    mi_vec3 ray = mi_scale(cos(tilt), thickness_vector);
    ray = mi_add_scaled(ray, sin(tilt) * cos(turn), u);
    ray = mi_add_scaled(ray, sin(tilt) * sin(turn), v);
    fan[k][0] = ray.x, fan[k][1] = ray.y, fan[k][2] = ray.z;
  }
  return 7;
}

static void probe_range(void *task, int begin, int end) {
  probe *p = task;
  const mi_skin *skin = &p->b->face->skin;
  for (int i = begin; i < end; i++) {
    const float *at = skin->position + 3 * (size_t)i;
    double origin[3] = {at[0], at[1], at[2]}, fan[7][3], limit = p->b->face->thickness[i];
    mi_vec3 thickness_vector = mi_scale(-1, mi_vec3_load(skin->normal + 3 * (size_t)i));
    int nray = mi_length(thickness_vector) > 0 ? ray_fan(thickness_vector, fan) : 0;
    for (int k = 0; k < nray; k++) {
      mi_hit out = mi_bvh_ray(p->skin, origin, fan[k], limit / OPPOSITE_SHARE, i);
      if (out.tri >= 0 && out.from_behind) limit = fmin(limit, OPPOSITE_SHARE * out.distance);
      if (k) continue;
      mi_hit bone = mi_bvh_ray(p->bones, origin, fan[k], limit / BONE_SHARE, -1);
      if (bone.tri >= 0) limit = fmin(limit, BONE_SHARE * bone.distance);
    }
    p->b->limit[i] = (float)fmax(limit, LEAST_SHARE * p->b->face->thickness[i]);
  }
}

mien_result mi_thickness_limit(mi_face_build *b) {
  const mi_skin *skin = &b->face->skin;
  probe p = {b, mi_bvh_build(skin->ntri, skin->tri, skin->position, &b->scratch), build_bones(b)};
  float *start = MI_PUSH(&b->scratch, float, skin->nvert);
  if (!p.skin || !p.bones || !start) return mi_fail_memory(b->err);
  mi_parallel(b->face->host.threads, skin->nvert, 256, probe_range, &p);
  // limit_i = min over j of limit_j + SLOPE * way from j to i: steps become ramps
  for (int i = 0; i < skin->nvert; i++) start[i] = (float)(b->limit[i] / SLOPE);
  if (!mi_geodesic(&skin->topo, skin->position, start, INFINITY, &b->scratch, b->limit, NULL))
    return mi_fail_memory(b->err);
  for (int i = 0; i < skin->nvert; i++)
    b->limit[i] = fminf(b->face->thickness[i], (float)(b->limit[i] * SLOPE));
  return MIEN_OK;
}

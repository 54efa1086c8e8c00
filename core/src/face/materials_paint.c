// Painted materials, for the neutral and for single shapes. A map of a shape is named
// "stiffness:mouthSmileLeft"; hosts whose attribute names have no colon write "stiffness__SHAPE".
// The shape's name may be spelled in any common way, and glTF's capitals are fine.
#include "face/face.h"

#include <string.h>

// The part of a map's name after "property:"; NULL when the map is another property's, "" when it
// is the neutral's.
static const char *shape_of(const char *map, const char *property) {
  size_t length = strlen(property);
  if (strncmp(map, property, length)) return NULL;
  if (!map[length]) return map + length;
  if (map[length] == ':') return map + length + 1;
  if (map[length] == '_' && map[length + 1] == '_') return map + length + 2;
  return NULL;
}

mien_result mi_paint_find(mi_face_build *b, const char *property, mi_painted *painted) {
  const mien_rig *rig = b->face->rig;
  *painted = (mi_painted){.shape = MI_PUSH(&b->scratch, const mien_map *, rig->info.nshape)};
  if (!painted->shape) return mi_fail_memory(b->err);
  bool said = true;
  for (int m = 0; m < rig->info.nmap && said; m++) {
    const mien_map *map = rig->info.maps + m;
    const char *name = shape_of(map->name, property);
    if (!name) continue;
    int shape = name[0] ? mi_rig_find_shape(rig, name) : -1;
    if (map->width != 1)
      said = mi_remark(&b->face->remarks, "the map '%.60s' has %d numbers a vertex and was ignored",
                       map->name, map->width);
    else if (!name[0])
      painted->neutral = map;
    else if (shape < 0)
      said =
          mi_remark(&b->face->remarks,
                    "the map '%.60s' is painted for a shape that the rig does not have", map->name);
    else {
      painted->nshape_painted += !painted->shape[shape];
      painted->shape[shape] = map;
    }
  }
  return said ? MIEN_OK : mi_fail_memory(b->err);
}

mien_result mi_paint_read(mi_face_build *b, const mien_map *map, float most, const float *otherwise,
                          float *values) {
  const mi_skin *skin = &b->face->skin;
  int nbad = 0, npainted = 0;
  for (int i = 0; i < skin->nvert; i++) {
    float painted = *mi_f32s_at(&map->values, 1, skin->vert[i]);
    bool is_bad = painted < 0 || painted > most;
    nbad += is_bad;
    npainted += painted > 0 && !is_bad;
    values[i] = painted > 0 && !is_bad ? painted : otherwise[i];
  }
  bool said = true;
  if (nbad)
    said = mi_remark(&b->face->remarks,
                     "the map '%.60s' is below 0 or above %g at %d vertices and was ignored there",
                     map->name, (double)most, nbad);
  else if (!npainted)
    said = mi_remark(&b->face->remarks,
                     "the map '%.60s' is 0 on all of the skin, which means that nothing is painted",
                     map->name);
  return said ? MIEN_OK : mi_fail_memory(b->err);
}

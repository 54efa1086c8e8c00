// The skin: which triangles of a rig are simulated.
//
// Artists model teeth into the head, or sew the mouth's socket to it under another name, so parts
// alone do not tell. We look at connected pieces: a piece belongs to the skin when it touches a
// part marked as skin and is the part's main piece, measured by the area the shapes move.
#include "rig/regions.h"

#include "math/vec.h"

#include <string.h>

// a piece that moves less than this share of a part's main piece is something else
static const double MAIN_SHARE = 0.4;

// A head with its neck reaches so far from the middle of the face, as a share of the face's height.
static const double HEAD_REACH = 1.5;
// A motion of less than this share of the largest is rounding, which files hold for hands and feet,
// too.
static const double NO_MOTION = 1e-3;

typedef struct choice {
  const mien_rig *rig;
  mi_topology topo;
  mi_arena scratch;
  int ncomponent;
  int32_t *piece;  // of a vertex, -1 = in no triangle                               (rig nvert)
  float *motion;   // m, the most that any shape gives a vertex                      (rig nvert)
  double *moved;   // area x motion of a piece                                       (ncomponent)
  double *area;    // m^2                                                            (ncomponent)
  bool *is_chosen; //                                                                (ncomponent)
  bool *is_far;    // body below the neck; NULL = not looked for yet                 (rig nvert)
} choice;

static double triangle_motion(const choice *c, const int32_t *tri) {
  return (c->motion[tri[0]] + c->motion[tri[1]] + c->motion[tri[2]]) / 3.0;
}

static bool measure_pieces(choice *c) {
  const mien_rig *rig = c->rig;
  int nvert = rig->info.nvert, ntri = rig->info.ntri;
  c->piece = MI_PUSH(&c->scratch, int32_t, nvert);
  c->motion = MI_PUSH(&c->scratch, float, nvert);
  if (!c->piece || !c->motion ||
      !mi_topology_build(nvert, ntri, rig->triangles, &c->scratch, &c->topo))
    return false;
  c->ncomponent = mi_topology_components(&c->topo, &c->scratch, c->piece);
  if (c->ncomponent < 0) return false;
  c->moved = MI_PUSH(&c->scratch, double, c->ncomponent);
  c->area = MI_PUSH(&c->scratch, double, c->ncomponent);
  c->is_chosen = MI_PUSH(&c->scratch, bool, c->ncomponent);
  if (!c->moved || !c->area || !c->is_chosen) return false;
  mi_rig_motion(rig, c->motion);
  for (int t = 0; t < ntri; t++) {
    const int32_t *tri = rig->triangles + 3 * (size_t)t;
    double area = mi_triangle_area(rig->positions, tri);
    c->area[c->piece[tri[0]]] += area;
    c->moved[c->piece[tri[0]]] += area * triangle_motion(c, tri);
  }
  return true;
}

// The pieces of one marked part that count: moved about as much as the main one, or, in a part that
// no shape moves, about as large.
static bool choose_from_part(choice *c, const mien_part *part) {
  double *moved = MI_PUSH(&c->scratch, double, c->ncomponent);
  double *area = MI_PUSH(&c->scratch, double, c->ncomponent);
  if (!moved || !area) return false;
  double most_moved = 0, most_area = 0;
  for (int t = part->first_triangle; t < part->first_triangle + part->ntri; t++) {
    const int32_t *tri = c->rig->triangles + 3 * (size_t)t;
    int piece = c->piece[tri[0]];
    double size = mi_triangle_area(c->rig->positions, tri);
    area[piece] += size;
    moved[piece] += size * triangle_motion(c, tri);
    if (moved[piece] > most_moved) most_moved = moved[piece];
    if (area[piece] > most_area) most_area = area[piece];
  }
  for (int t = part->first_triangle; t < part->first_triangle + part->ntri; t++) {
    int piece = c->piece[c->rig->triangles[3 * (size_t)t]];
    bool is_main = most_moved > 0 ? moved[piece] >= MAIN_SHARE * most_moved
                                  : area[piece] >= MAIN_SHARE * most_area;
    if (is_main) c->is_chosen[piece] = true;
  }
  return true;
}

static bool can_be_skin(mien_part_kind kind) {
  return kind == MIEN_PART_AUTO;
}

// No part is marked: the piece of an undecided part that the shapes move most, or the largest.
static int choose_most_moved(choice *c) {
  int best = -1;
  for (int p = 0; p < c->rig->info.npart; p++) {
    const mien_part *part = c->rig->info.parts + p;
    if (!can_be_skin(part->kind)) continue;
    for (int t = part->first_triangle; t < part->first_triangle + part->ntri; t++) {
      int piece = c->piece[c->rig->triangles[3 * (size_t)t]];
      bool wins = best < 0 || c->moved[piece] > c->moved[best] ||
                  (c->moved[piece] == c->moved[best] && c->area[piece] > c->area[best]);
      if (wins) best = piece;
    }
  }
  if (best >= 0) c->is_chosen[best] = true;
  return best;
}

static bool remark_most_moved(const choice *c, int best, const mi_skin *skin, mi_remarks *remarks) {
  if (c->ncomponent == 1) return true;
  const char *why = c->moved[best] > 0 ? "which the shapes move most" : "which is the largest";
  return mi_remark(remarks,
                   "no part is marked as skin: of %d connected pieces the one of %d vertices, %s, "
                   "is taken",
                   c->ncomponent, skin->nvert, why);
}

// Remarks which triangles a marked part lost and which other parts gave.
static bool remark_parts(const choice *c, const mi_skin *skin, mi_remarks *remarks) {
  for (int p = 0; p < c->rig->info.npart; p++) {
    const mien_part *part = c->rig->info.parts + p;
    int ninside = 0, noutside = 0;
    for (int i = part->first_vertex; i < part->first_vertex + part->nvert; i++) {
      ninside += skin->of_rig[i] >= 0;
      noutside += skin->of_rig[i] < 0;
    }
    bool is_skin = part->kind == MIEN_PART_SKIN;
    if (is_skin && noutside &&
        !mi_remark(
            remarks,
            "part '%s': %d vertices in separate pieces (teeth, a separate mouth bag, ...) or "
            "in no triangle are not simulated; they follow their shapes",
            part->name, noutside))
      return false;
    if (!is_skin && part->kind != MIEN_PART_AUTO && ninside &&
        !mi_remark(remarks, "part '%s' is sewn to the skin and simulated with it (%d vertices)",
                   part->name, ninside))
      return false;
  }
  return true;
}

// -- The chosen pieces as a mesh ----------------------------------------------------------------

static bool gather_vertices(const choice *c, mi_arena *arena, mi_skin *skin) {
  int nvert = c->rig->info.nvert;
  skin->of_rig = MI_PUSH(arena, int32_t, nvert);
  if (!skin->of_rig) return false;
  for (int i = 0; i < nvert; i++) {
    bool is_skin = c->piece[i] >= 0 && c->is_chosen[c->piece[i]] && !(c->is_far && c->is_far[i]);
    skin->of_rig[i] = is_skin ? skin->nvert++ : -1;
  }
  skin->vert = MI_PUSH(arena, int32_t, skin->nvert);
  skin->position = MI_PUSH(arena, float, 3 * (size_t)skin->nvert);
  skin->normal = MI_PUSH(arena, float, 3 * (size_t)skin->nvert);
  if (!skin->vert || !skin->position || !skin->normal) return false;
  for (int i = 0; i < nvert; i++) {
    int to = skin->of_rig[i];
    if (to < 0) continue;
    skin->vert[to] = i;
    memcpy(skin->position + 3 * (size_t)to, c->rig->positions + 3 * (size_t)i, 3 * sizeof(float));
  }
  return true;
}

bool mi_skin_has(const mi_skin *skin, const mien_rig *rig, int triangle) {
  const int32_t *tri = rig->triangles + 3 * (size_t)triangle;
  return skin->of_rig[tri[0]] >= 0 && skin->of_rig[tri[1]] >= 0 && skin->of_rig[tri[2]] >= 0 &&
         !(rig->is_back && rig->is_back[triangle]);
}

static bool gather_triangles(const choice *c, mi_arena *arena, mi_skin *skin) {
  const int32_t *tri = c->rig->triangles;
  for (int t = 0; t < c->rig->info.ntri; t++) skin->ntri += mi_skin_has(skin, c->rig, t);
  skin->tri = MI_PUSH(arena, int32_t, 3 * (size_t)skin->ntri);
  if (!skin->tri) return false;
  int32_t *to = skin->tri;
  for (int t = 0; t < c->rig->info.ntri; t++) {
    if (!mi_skin_has(skin, c->rig, t)) continue;
    for (int k = 0; k < 3; k++) *to++ = skin->of_rig[tri[3 * (size_t)t + k]];
  }
  return true;
}

// The standard deviation, up and down and sideways, of the skin's area; with `enough` > 0 only of
// what shapes move, vertices that move that far counting full.
static double spread(const choice *c, const mi_skin *skin, double enough) {
  double weight = 0, sum[2] = {0, 0}, square[2] = {0, 0};
  for (int k = 0; k < 3 * skin->ntri; k++) {
    int i = skin->tri[k];
    double share = mi_triangle_area(skin->position, skin->tri + 3 * (size_t)(k / 3));
    if (enough > 0) share *= fmin(1, c->motion[skin->vert[i]] / enough);
    for (int axis = 0; axis < 2; axis++) {
      double at = skin->position[3 * (size_t)i + axis];
      sum[axis] += share * at;
      square[axis] += share * at * at;
    }
    weight += share;
  }
  if (!(weight > 0)) return 0;
  double variance = 0;
  for (int k = 0; k < 2; k++)
    variance += square[k] / weight - (sum[k] / weight) * (sum[k] / weight);
  return sqrt(fmax(0, variance));
}

// Chin to hairline, 0.18 m on an adult. Chin to nasion is five eighths of it; without landmarks we
// go by how far the moving skin and the head as a whole spread, neither of which is far off alone:
// a bust must not count in full, nor shapes that act on little skin. The factors were set on heads
// of known size, where the answers differ by 15 % at most.
static double face_height(const choice *c, const mi_skin *skin) {
  const int32_t *landmark = c->rig->info.landmarks.data;
  int chin = landmark && landmark[8] >= 0 ? skin->of_rig[landmark[8]] : -1;
  int nasion = landmark && landmark[27] >= 0 ? skin->of_rig[landmark[27]] : -1;
  if (chin >= 0 && nasion >= 0 && chin != nasion)
    return 1.6 * mi_distance(mi_vec3_load(skin->position + 3 * (size_t)chin),
                             mi_vec3_load(skin->position + 3 * (size_t)nasion));
  double most = 0, whole = spread(c, skin, 0);
  for (int i = 0; i < skin->nvert; i++) most = fmax(most, c->motion[skin->vert[i]]);
  if (!(most > 0)) return 1.9 * whole;
  double moving = spread(c, skin, 0.2 * most);
  return 2.35 * sqrt(moving * fmin(fmax(whole, moving), 1.6 * moving));
}

static bool gather(const choice *c, mi_arena *arena, mi_skin *skin) {
  return gather_vertices(c, arena, skin) && gather_triangles(c, arena, skin) &&
         mi_topology_build(skin->nvert, skin->ntri, skin->tri, arena, &skin->topo);
}

static bool remark_cut(mi_remarks *remarks, int nfar) {
  return !nfar ||
         mi_remark(
             remarks,
             "%d vertices of a body below the neck get no flesh: no shape moves them and they "
             "are far from the face",
             nfar);
}

static bool remark_given_cut(const choice *c, mi_remarks *remarks) {
  int nfar = 0;
  for (int i = 0; i < c->rig->info.nvert; i++)
    nfar += c->is_far[i] && c->piece[i] >= 0 && c->is_chosen[c->piece[i]];
  return remark_cut(remarks, nfar);
}

// A body in one piece with its head: skin farther from the moving face than the size of a head gets
// no flesh. Muscles move it, not the head's shaking.
static bool cut_body(choice *c, mi_arena *arena, mi_skin *skin, mi_remarks *remarks) {
  if (c->is_far) return remark_given_cut(c, remarks);
  mi_vec3 middle = {0, 0, 0};
  double weight = 0, size = skin->size, most = 0;
  int nfar = 0;
  for (int i = 0; i < skin->nvert; i++) {
    double motion = c->motion[skin->vert[i]];
    middle = mi_add_scaled(middle, motion, mi_vec3_load(skin->position + 3 * (size_t)i));
    weight += motion;
    most = fmax(most, motion);
  }
  bool *is_far = MI_PUSH(&c->scratch, bool, c->rig->info.nvert);
  if (!is_far || !(weight > 0)) return is_far != NULL;
  middle = mi_scale(1 / weight, middle);
  for (int i = 0; i < skin->nvert; i++) {
    int vert = skin->vert[i];
    double away = mi_distance(mi_vec3_load(skin->position + 3 * (size_t)i), middle);
    is_far[vert] = away > HEAD_REACH * size && c->motion[vert] <= NO_MOTION * most;
    nfar += is_far[vert];
  }
  if (!nfar) return true;
  c->is_far = is_far;
  *skin = (mi_skin){0};
  if (!gather(c, arena, skin)) return false;
  skin->size = (float)size;
  return remark_cut(remarks, nfar);
}

static mien_result build(choice *c, mi_arena *arena, mi_skin *skin, mi_remarks *remarks,
                         mien_error *err) {
  if (!measure_pieces(c)) return mi_fail_memory(err);
  int nmarked = 0, best = -1;
  for (int p = 0; p < c->rig->info.npart; p++) {
    if (c->rig->info.parts[p].kind != MIEN_PART_SKIN) continue;
    nmarked++;
    if (!choose_from_part(c, c->rig->info.parts + p)) return mi_fail_memory(err);
  }
  if (!nmarked) best = choose_most_moved(c);
  if (!nmarked && best < 0)
    return mi_fail(err, MIEN_ERR_ARGUMENT,
                   "no part of '%s' can be the skin: all %d are teeth, eyes, bones or marked as "
                   "other; mark one as skin",
                   c->rig->info.name, c->rig->info.npart);
  if (!gather(c, arena, skin)) return mi_fail_memory(err);
  if (!skin->ntri)
    return mi_fail(err, MIEN_ERR_ARGUMENT, "the skin of '%s' has no triangles", c->rig->info.name);
  skin->size = (float)face_height(c, skin);
  if (!cut_body(c, arena, skin, remarks)) return mi_fail_memory(err);
  mi_vertex_normals(&skin->topo, skin->position, skin->normal);
  bool said = nmarked ? remark_parts(c, skin, remarks) : remark_most_moved(c, best, skin, remarks);
  return said ? MIEN_OK : mi_fail_memory(err);
}

mien_result mi_skin_build(const mien_rig *rig, mi_arena *arena, mi_skin *skin, mi_remarks *remarks,
                          mien_error *err) {
  *skin = (mi_skin){0};
  if (!rig->info.ntri)
    return mi_fail(err, MIEN_ERR_ARGUMENT, "the rig '%s' has no triangles", rig->info.name);
  choice c = {.rig = rig, .is_far = rig->is_cut};
  mi_arena_init(&c.scratch, &rig->host);
  mien_result result = build(&c, arena, skin, remarks, err);
  mi_arena_free(&c.scratch);
  return result;
}

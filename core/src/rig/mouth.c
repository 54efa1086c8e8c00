// The mouth: of all places where skin faces skin, the one that opening the jaw parts. The slit
// between its lips runs where the gap is narrowest and, as far as lips touch, at the front.
#include "mesh/mesh.h"
#include "rig/finding.h"

#include <string.h>

static const double SEEN_ENOUGH = 0.3; // share of the views that makes a vertex part of the front
static const double FAR_COST = 8;      // mm, of a vertex that faces no other skin
static const double HINT_SLACK = 2;    // mm, a landmark may lie this far beside the slit
static const double HINT_REACH = 6;    // mm, search radius for the slit around landmarks
static const double CORNER_SLACK = 5;  // mm, or this far inside a corner

enum { RIGHT_CORNER = 60, LEFT_CORNER = 64, NINNER = 5 };
static const int INNER[2][NINNER] = {{60, 61, 62, 63, 64}, {60, 67, 66, 65, 64}};

typedef struct hunt {
  mi_finding *f;
  mi_facing facing;
  int32_t *root;  // union-find over vertices that face something                     (nvert)
  bool *is_mouth; // in the chosen cluster                                            (nvert)
  float *seen;    // 0-1                                                              (nvert)
  float *hidden;  // m, along the surface from the visible skin                       (nvert)
  bool has_hints;
  double largest_gap, narrowest; // mm, between the lips and from corner to corner
} hunt;

// -- Clusters of facing skin ----------------------------------------------------------------------

static int find_root(int32_t *root, int i) {
  while (root[i] != i) i = root[i] = root[root[i]];
  return i;
}

static void join(int32_t *root, int a, int b) {
  a = find_root(root, a);
  b = find_root(root, b);
  if (a < b)
    root[b] = a;
  else
    root[a] = b;
}

static void cluster(hunt *h) {
  const mi_topology *topo = &h->f->skin->topo;
  const int32_t *partner = h->facing.partner;
  for (int i = 0; i < topo->nvert; i++) h->root[i] = i;
  for (int i = 0; i < topo->nvert; i++) {
    if (partner[i] < 0) continue;
    if (partner[partner[i]] >= 0) join(h->root, i, partner[i]);
    for (int k = topo->nbr_first[i]; k < topo->nbr_first[i + 1]; k++)
      if (partner[topo->nbr[k]] >= 0) join(h->root, i, topo->nbr[k]);
  }
}

// Area times parting of each cluster. Without a jaw-open shape lids part, too: then a cluster
// counts less the further it lies off the middle.
static bool score_clusters(hunt *h, double *score) {
  mi_finding *f = h->f;
  int nvert = f->skin->nvert;
  double middle = 0, total = 0, least = f->out->jaw_shape >= 0 ? 0.1 * f->open_most : f->mm;
  double *side = MI_PUSH(&f->scratch, double, nvert), *weight = MI_PUSH(&f->scratch, double, nvert);
  if (!side || !weight) return false;
  for (int i = 0; i < nvert; i++) {
    middle += f->area[i] * mi_skin_at(f, i).x;
    total += f->area[i];
  }
  middle = total > 0 ? middle / total : 0;
  for (int i = 0; i < nvert; i++) {
    if (h->facing.partner[i] < 0 || h->facing.parting[i] < least) continue;
    double amount = f->area[i] * h->facing.parting[i];
    int root = find_root(h->root, i);
    weight[root] += amount;
    side[root] += amount * (mi_skin_at(f, i).x - middle);
  }
  for (int i = 0; i < nvert; i++) {
    double off = weight[i] > 0 ? fabs(side[i] / weight[i]) / (15 * f->mm) : 0;
    score[i] = weight[i] / (1 + (f->out->jaw_shape >= 0 ? 0 : off * off));
  }
  return true;
}

// -- Landmarks ------------------------------------------------------------------------------------

static bool has_inner_landmarks(const mi_finding *f) {
  for (int k = RIGHT_CORNER; k < 68; k++)
    if (f->landmark[k] < 0) return false;
  return f->landmark[RIGHT_CORNER] != f->landmark[LEFT_CORNER];
}

static double distance_to_segment(mi_vec3 x, mi_vec3 a, mi_vec3 b) {
  mi_vec3 along = mi_sub(b, a);
  double square = mi_dot(along, along);
  double t = square > 0 ? mi_dot(mi_sub(x, a), along) / square : 0;
  t = t < 0 ? 0 : t > 1 ? 1 : t;
  return mi_distance(x, mi_add_scaled(a, t, along));
}

static double distance_to_hint(const mi_finding *f, int lip, int i) {
  double nearest = INFINITY;
  for (int k = 0; k + 1 < NINNER; k++)
    nearest = fmin(nearest,
                   distance_to_segment(mi_skin_at(f, i), mi_skin_at(f, f->landmark[INNER[lip][k]]),
                                       mi_skin_at(f, f->landmark[INNER[lip][k + 1]])));
  return nearest;
}

// -- The mouth's cluster --------------------------------------------------------------------------

static bool is_hinted(const mi_finding *f, int i) {
  return fmin(distance_to_hint(f, 0, i), distance_to_hint(f, 1, i)) < HINT_REACH * f->mm;
}

// Painted lips are the mouth. Otherwise the mouth is the skin that the shapes part or, without such
// shapes, the facing skin around the landmarks.
static bool choose_cluster(hunt *h, bool *found) {
  const mi_finding *f = h->f;
  const int both = MIEN_REGION_LIP_UPPER | MIEN_REGION_LIP_LOWER;
  bool by_paint = (f->painted_any & both) == both;
  int nvert = f->skin->nvert, best = 0;
  double *score = MI_PUSH(&h->f->scratch, double, nvert);
  h->root = MI_PUSH(&h->f->scratch, int32_t, nvert);
  h->is_mouth = MI_PUSH(&h->f->scratch, bool, nvert);
  if (!score || !h->root || !h->is_mouth) return false;
  cluster(h);
  if (!score_clusters(h, score)) return false;
  for (int i = 1; i < nvert; i++)
    if (score[i] > score[best]) best = i;
  bool by_parting = score[best] > 0;
  *found = false;
  for (int i = 0; i < nvert; i++) {
    if (h->facing.partner[i] < 0) continue;
    h->is_mouth[i] =
        by_paint || (by_parting ? find_root(h->root, i) == best : h->has_hints && is_hinted(f, i));
    *found |= h->is_mouth[i];
  }
  return true;
}

// -- Where the slit is likely ---------------------------------------------------------------------

static bool measure_hidden(hunt *h) {
  mi_finding *f = h->f;
  int nvert = f->skin->nvert;
  mi_box box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
  for (int i = 0; i < nvert; i++)
    if (h->is_mouth[i]) mi_box_include(&box, mi_skin_at(f, i), 8 * f->mm);
  for (int k = RIGHT_CORNER; h->has_hints && k < 68; k++)
    mi_box_include(&box, mi_skin_at(f, f->landmark[k]), 8 * f->mm);
  h->seen = MI_PUSH(&f->scratch, float, nvert);
  h->hidden = MI_PUSH(&f->scratch, float, nvert);
  float *start = MI_PUSH(&f->scratch, float, nvert);
  if (!h->seen || !h->hidden || !start || !mi_find_seen(f, &box, h->seen)) return false;
  for (int i = 0; i < nvert; i++) start[i] = h->seen[i] > SEEN_ENOUGH ? 0 : INFINITY;
  return mi_geodesic(&f->skin->topo, f->skin->position, start, 30 * f->mm, &f->scratch, h->hidden,
                     NULL);
}

// > 0: upper lip, < 0: lower lip. With the jaw open the upper lip lies above the lower; where the
// two hardly part the normals tell.
static double upperness(const hunt *h, int u) {
  const mi_finding *f = h->f;
  int v = h->facing.partner[u];
  int painted = f->painted[u] & (MIEN_REGION_LIP_UPPER | MIEN_REGION_LIP_LOWER);
  if (painted == MIEN_REGION_LIP_UPPER) return 1;
  if (painted == MIEN_REGION_LIP_LOWER) return -1;
  double rest = mi_skin_at(f, u).y - mi_skin_at(f, v).y;
  double open = (double)f->open[3 * (size_t)u + 1] - f->open[3 * (size_t)v + 1];
  double turned = mi_skin_normal(f, v).y - mi_skin_normal(f, u).y;
  return (rest + open) / (3 * f->mm) + 0.5 * turned;
}

// True when a vertex is far from this lip's landmarks, or nearer to the other lip's.
static double hint_cost(const mi_finding *f, int lip, int i) {
  double own = distance_to_hint(f, lip, i), other = distance_to_hint(f, 1 - lip, i);
  return fmax(0, own - HINT_SLACK * f->mm) + 4 * fmax(0, own - other);
}

static void set_costs(const hunt *h, int i, float cost[2]) {
  const mi_finding *f = h->f;
  double base = FAR_COST * f->mm;
  if (h->is_mouth[i])
    base = fmin(base, h->facing.gap[i] + fmin(h->hidden[i], 2 * FAR_COST * f->mm));
  else
    base += fmin(h->hidden[i], 2 * FAR_COST * f->mm);
  double upper = h->is_mouth[i] ? upperness(h, i) : 0;
  for (int lip = 0; lip < 2; lip++) {
    double wrong = lip == 0 ? -upper : upper, hint = 0;
    if (h->has_hints) hint = hint_cost(f, lip, i);
    cost[lip] = (float)(base + hint + (wrong > 0 ? 2 * FAR_COST * f->mm * fmin(1, 2 * wrong) : 0));
  }
}

// A slit may use the cluster, the surroundings of hints, and vertices within a few edges of both.
static bool mark_near(hunt *h, mi_mouth *mouth) {
  mi_finding *f = h->f;
  const mi_topology *topo = &f->skin->topo;
  bool *before = MI_PUSH(&f->scratch, bool, topo->nvert);
  if (!before) return false;
  for (int i = 0; i < topo->nvert; i++) {
    mouth->is_near[i] = h->is_mouth[i] || (h->has_hints && is_hinted(f, i));
  }
  for (int ring = 0; ring < 3; ring++) {
    memcpy(before, mouth->is_near, (size_t)topo->nvert * sizeof *before);
    for (int e = 0; e < topo->nedge; e++) {
      int a = topo->edge[2 * e], b = topo->edge[2 * e + 1];
      if (before[a]) mouth->is_near[b] = true;
      if (before[b]) mouth->is_near[a] = true;
    }
  }
  return true;
}

// Finds the places where the lips of the chosen cluster part, from side to side.
static double middle_of_mouth(const hunt *h) {
  double sum = 0, total = 0;
  for (int i = 0; i < h->f->skin->nvert; i++) {
    if (!h->is_mouth[i]) continue;
    double weight = h->f->area[i] * (fmax(h->facing.parting[i], 0) + 0.01 * h->f->mm);
    sum += weight * mi_skin_at(h->f, i).x;
    total += weight;
  }
  return total > 0 ? sum / total : 0;
}

// A corner lies furthest to the side and back of all narrow places of the mouth. One behind the
// lips counts as far out as the visible skin before it is at least: on coarse lips the narrow
// places that have vertices may lie a little behind. A landmark narrows the search, and is the
// result when no such place is found.
static void find_corners(const hunt *h, mi_mouth *mouth) {
  static const int HINT[2] = {RIGHT_CORNER, LEFT_CORNER};
  static const double BACK = 0.5; // a step back counts as half a step to the side
  const mi_finding *f = h->f;
  double middle = middle_of_mouth(h), furthest[2] = {-INFINITY, -INFINITY};
  for (int side = 0; side < 2; side++)
    mouth->corner[side] = h->has_hints ? f->landmark[HINT[side]] : -1;
  for (int i = 0; i < f->skin->nvert; i++) {
    if (!h->is_mouth[i] || h->facing.gap[i] > 5 * f->mm) continue;
    mi_vec3 x = mi_skin_at(f, i);
    for (int side = 0; side < 2; side++) {
      double out = (side == 0 ? middle - x.x : x.x - middle) - BACK * x.z;
      out -= sqrt(1 + BACK * BACK) * h->hidden[i];
      bool is_off = h->has_hints &&
                    mi_distance(x, mi_skin_at(f, f->landmark[HINT[side]])) > CORNER_SLACK * f->mm;
      if (is_off || out <= furthest[side]) continue;
      furthest[side] = out;
      mouth->corner[side] = i;
    }
  }
}

// Fills the slit and returns NULL, or returns why there is none.
static const char *trace(hunt *h, mi_mouth *mouth, bool *has_memory) {
  mi_finding *f = h->f;
  find_corners(h, mouth);
  if (mouth->corner[0] < 0 || mouth->corner[1] < 0 || mouth->corner[0] == mouth->corner[1])
    return "its corners cannot be told";
  mi_vec3 across = mi_sub(mi_skin_at(f, mouth->corner[1]), mi_skin_at(f, mouth->corner[0]));
  if (mi_length(across) < h->narrowest * f->mm || across.x < 0)
    return "what the jaw parts is too small to be a mouth";
  for (int i = 0; i < f->skin->nvert; i++) {
    float cost[2];
    if (!mouth->is_near[i]) continue;
    set_costs(h, i, cost);
    mouth->cost[0][i] = cost[0];
    mouth->cost[1][i] = cost[1];
  }
  *has_memory = mi_trace_slit(f, mouth);
  f->out->has_mouth = f->out->nslit > 0;
  return f->out->has_mouth ? NULL : "upper and lower lip cannot be told apart";
}

static const char *hunt_mouth(hunt *h, bool *has_memory) {
  mi_finding *f = h->f;
  mi_mouth mouth = {.is_near = MI_PUSH(&f->scratch, bool, f->skin->nvert)};
  bool found = false;
  for (int lip = 0; lip < 2; lip++) mouth.cost[lip] = MI_PUSH(&f->scratch, float, f->skin->nvert);
  h->has_hints = has_inner_landmarks(f);
  *has_memory = mouth.is_near && mouth.cost[0] && mouth.cost[1] &&
                mi_find_facing(f, h->largest_gap * f->mm, &h->facing) && choose_cluster(h, &found);
  if (!*has_memory) return NULL;
  if (!found && !h->has_hints)
    return !f->rig->info.nshape     ? "the rig has no shapes that part the lips"
           : f->out->jaw_shape >= 0 ? "nowhere do the shapes part skin that lies face to face "
                                      "(lips welded into one have "
                                      "no slit: cut them apart)"
                                    : "nowhere do the shapes part skin that lies face to face";
  *has_memory = measure_hidden(h) && mark_near(h, &mouth);
  return *has_memory ? trace(h, &mouth, has_memory) : NULL;
}

// Lips nearly closed first; then a mouth that is modelled open; then a very small one. False when
// memory ends; *why is NULL when there is a slit.
static bool hunt_all(mi_finding *f, const char **why) {
  static const double GAP[] = {7, 16, 7}, NARROWEST[] = {20, 20, 8}; // mm
  for (int k = 0; k < 3; k++) {
    hunt h = {.f = f, .largest_gap = GAP[k], .narrowest = NARROWEST[k]};
    bool has_memory = true;
    *why = hunt_mouth(&h, &has_memory);
    if (!has_memory) return false;
    if (!*why) return true;
  }
  return true;
}

bool mi_find_mouth(mi_finding *f) {
  if (!(f->mm > 0)) return mi_remark(f->remarks, "no mouth: the skin has no extent");
  const char *why = NULL;
  if (!hunt_all(f, &why)) return false;
  if (why && f->opened > 0) { // what crosses may be something else: welded lips, a fold
    f->skin = f->neutral;
    f->opened = 0;
    if (!hunt_all(f, &why)) return false;
  }
  if (!why) return true;
  return mi_remark(f->remarks,
                   "no mouth found: %s; paint both lips in the map 'region' or give the landmarks "
                   "60 to 67 of the inner lips",
                   why);
}

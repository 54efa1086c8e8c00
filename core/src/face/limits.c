// Planes between skin and what is rigid, the nearest first. A plane stands for all rigid triangles
// that it keeps from the skin's by at least half of their distance: so it is never nearer to the
// skin than half of the way to what it stands for, and two or three do where bone is round.
#include "face/face.h"

#include "math/vec.h"
#include "mesh/distance.h"

#include <math.h>
#include <string.h>

// Share of the face's size that skin moves at most. Rigid parts farther away need no plane.
static const double REACH = 0.12;
// A plane stays away from the rigid triangle by at least this share of the two triangles' distance.
static const double SHARE = 0.5;
// Skin never uses this share of the room in front of a plane.
static const double KEEP = 0.1;
enum { MOST_PLANES = 16 }; // of a triangle; the farthest rigid ones are left out

typedef struct rigid_tri {
  int32_t vert[3]; // of the rig
  mi_vec3 at[3], middle;
  double radius;
  bool is_jaw;
} rigid_tri;

typedef struct near_tri { // a rigid triangle within reach of the skin's
  int tri;
  double distance; // m, about
} near_tri;

typedef struct found { // a limit of a skin vertex
  int32_t vert;
  mi_limit limit;
} found;

typedef struct finding {
  const mien_face *face;
  mi_arena scratch;
  double reach, cell; // m
  int nrigid;
  rigid_tri *rigid;
  mi_vec3 low; // cells, by the middles of rigid triangles
  int side[3];
  int32_t *first, *member; // compressed rows
  int nnear;
  near_tri *near;
  int nfound, room;
  found *found;
} finding;

// -- Rigid triangles ------------------------------------------------------------------------------

static bool is_jaw(mien_part_kind kind) {
  return kind == MIEN_PART_JAW || kind == MIEN_PART_TEETH_LOWER;
}

static bool is_rigid(mien_part_kind kind) {
  return kind >= MIEN_PART_SKULL && kind <= MIEN_PART_EYE_RIGHT;
}

static rigid_tri rigid_of(const mien_rig_info *rig, const int32_t *vert, bool is_jaw) {
  rigid_tri r = {.is_jaw = is_jaw};
  for (int c = 0; c < 3; c++) {
    r.vert[c] = vert[c];
    r.at[c] = mi_vec3_load(rig->positions.data + 3 * (size_t)vert[c]);
    r.middle = mi_add_scaled(r.middle, 1.0 / 3, r.at[c]);
  }
  for (int c = 0; c < 3; c++) r.radius = fmax(r.radius, mi_distance(r.at[c], r.middle));
  return r;
}

static bool gather(finding *f) {
  const mien_rig_info *rig = &f->face->rig->info;
  const uint8_t *kind = f->face->regions.kind;
  int most = 0;
  for (int t = 0; t < rig->ntri; t++) most += is_rigid(kind[rig->triangles.data[3 * (size_t)t]]);
  f->rigid = MI_PUSH(&f->scratch, rigid_tri, most);
  f->near = MI_PUSH(&f->scratch, near_tri, most);
  if (!f->rigid || !f->near) return false;
  for (int t = 0; t < rig->ntri; t++) {
    const int32_t *tri = rig->triangles.data + 3 * (size_t)t;
    if (is_rigid(kind[tri[0]])) f->rigid[f->nrigid++] = rigid_of(rig, tri, is_jaw(kind[tri[0]]));
  }
  return true;
}

// -- Cells ----------------------------------------------------------------------------------------

static void cell_of(const finding *f, mi_vec3 at, int cell[3]) {
  const double off[3] = {at.x - f->low.x, at.y - f->low.y, at.z - f->low.z};
  for (int k = 0; k < 3; k++) {
    double number = floor(off[k] / f->cell);
    cell[k] = (int)fmin(fmax(number, -2), f->side[k] + 1);
  }
}

static int row_of(const finding *f, const int cell[3]) {
  return (cell[2] * f->side[1] + cell[1]) * f->side[0] + cell[0];
}

static bool sort_into_cells(finding *f) {
  mi_vec3 high = {-INFINITY, -INFINITY, -INFINITY};
  int cell[3];
  f->low = (mi_vec3){INFINITY, INFINITY, INFINITY};
  for (int k = 0; k < f->nrigid; k++) {
    mi_vec3 at = f->rigid[k].middle;
    f->low = (mi_vec3){fmin(f->low.x, at.x), fmin(f->low.y, at.y), fmin(f->low.z, at.z)};
    high = (mi_vec3){fmax(high.x, at.x), fmax(high.y, at.y), fmax(high.z, at.z)};
  }
  for (int k = 0; k < 3; k++) f->side[k] = 1 << 9;
  cell_of(f, high, cell);
  int count = 1;
  for (int k = 0; k < 3; k++) count *= f->side[k] = cell[k] + 1;
  f->first = MI_PUSH(&f->scratch, int32_t, (size_t)count + 2);
  f->member = MI_PUSH(&f->scratch, int32_t, f->nrigid);
  if (!f->first || !f->member) return false;
  for (int k = 0; k < f->nrigid; k++) {
    cell_of(f, f->rigid[k].middle, cell);
    f->first[row_of(f, cell) + 2]++;
  }
  for (int k = 0; k < count; k++) f->first[k + 2] += f->first[k + 1];
  for (int k = 0; k < f->nrigid; k++) {
    cell_of(f, f->rigid[k].middle, cell);
    f->member[f->first[row_of(f, cell) + 1]++] = k;
  }
  return true;
}

// -- Around a triangle of skin --------------------------------------------------------------------

typedef struct skin_tri {
  const int32_t *vert;
  mi_vec3 at[3], place[6], middle; // corners; those and the edges' middles
  double radius;
} skin_tri;

static skin_tri skin_of(const mien_face *face, int t) {
  skin_tri s = {.vert = face->skin.tri + 3 * (size_t)t};
  for (int c = 0; c < 3; c++) s.at[c] = mi_vec3_load(face->skin.position + 3 * (size_t)s.vert[c]);
  for (int c = 0; c < 3; c++) {
    s.place[c] = s.at[c];
    s.place[3 + c] = mi_scale(0.5, mi_add(s.at[c], s.at[(c + 1) % 3]));
    s.middle = mi_add_scaled(s.middle, 1.0 / 3, s.at[c]);
  }
  for (int c = 0; c < 3; c++) s.radius = fmax(s.radius, mi_distance(s.at[c], s.middle));
  return s;
}

// Distance from a rigid triangle's middle to six sample points of the skin's triangle; where the
// triangle is far away, to its middle alone.
static double about(const skin_tri *s, const rigid_tri *r, double reach) {
  mi_vec3 off = mi_sub(s->middle, r->middle);
  double least2 = mi_dot(off, off), far = reach + s->radius;
  if (least2 > far * far) return INFINITY;
  for (int k = 0; k < 6 && least2 < 16 * s->radius * s->radius; k++) {
    off = mi_sub(s->place[k], r->middle);
    least2 = fmin(least2, mi_dot(off, off));
  }
  return sqrt(least2);
}

static void look_around(finding *f, const skin_tri *s) {
  int low[3], high[3], cell[3];
  mi_vec3 one = {1, 1, 1};
  cell_of(f, mi_add_scaled(s->middle, -s->radius - f->reach, one), low);
  cell_of(f, mi_add_scaled(s->middle, s->radius + f->reach, one), high);
  for (int k = 0; k < 3; k++) {
    low[k] = low[k] < 0 ? 0 : low[k];
    high[k] = high[k] < f->side[k] ? high[k] : f->side[k] - 1;
  }
  f->nnear = 0;
  for (cell[2] = low[2]; cell[2] <= high[2]; cell[2]++)
    for (cell[1] = low[1]; cell[1] <= high[1]; cell[1]++)
      for (cell[0] = low[0]; cell[0] <= high[0]; cell[0]++) {
        int row = row_of(f, cell);
        for (int k = f->first[row]; k < f->first[row + 1]; k++) {
          double distance = about(s, f->rigid + f->member[k], f->reach);
          if (distance < f->reach) f->near[f->nnear++] = (near_tri){f->member[k], distance};
        }
      }
}

// Vector from the closest point of the rigid triangle to that of the skin's; zero when they touch.
static mi_vec3 way_between(const skin_tri *s, const rigid_tri *r) {
  mi_vec3 best = {0, 0, 0};
  double least2 = INFINITY;
  for (int k = 0; k < 15; k++) {
    int i = k % 3, j = k / 3 % 3;
    const mi_vec3 *a = s->at, *b = r->at;
    mi_vec3 p[4] = {a[i], a[(i + 1) % 3], b[j], b[(j + 1) % 3]};
    if (k >= 9)
      memcpy(p,
             (mi_vec3[]){(k < 12 ? a : b)[i], (k < 12 ? b : a)[0], (k < 12 ? b : a)[1],
                         (k < 12 ? b : a)[2]},
             sizeof p);
    double x[12];
    for (int c = 0; c < 4; c++) x[3 * c] = p[c].x, x[3 * c + 1] = p[c].y, x[3 * c + 2] = p[c].z;
    mi_closest closest = k < 9 ? mi_closest_edge_edge(x) : mi_closest_vertex_triangle(x);
    if (closest.d2 >= least2) continue;
    least2 = closest.d2;
    best = mi_scale(k < 12 ? 1 : -1, (mi_vec3){closest.r[0], closest.r[1], closest.r[2]});
  }
  return best;
}

static double lowest_of(const mi_vec3 at[3], mi_vec3 normal) {
  return fmin(mi_dot(normal, at[0]), fmin(mi_dot(normal, at[1]), mi_dot(normal, at[2])));
}

// Distance that the plane keeps between the rigid triangle and the skin's, or 0 when it separates
// them poorly. `top`: the corner nearest to the plane.
static double gap_of(const near_tri *n, const rigid_tri *r, mi_vec3 normal, double low, int *top) {
  if (low - mi_dot(normal, r->middle) < SHARE * n->distance) return 0;
  double high = -INFINITY;
  for (int c = 0; c < 3; c++) {
    double height = mi_dot(normal, r->at[c]);
    if (height > high) high = height, *top = c;
  }
  return low > high ? low - high : 0;
}

// Marks the rigid triangles that the plane separates well, and `seed`: they need no other plane.
// Returns the room in front of it.
static double stand_for(finding *f, const skin_tri *s, int seed, mi_limit *limit) {
  mi_vec3 normal = mi_vec3_load(limit->normal);
  bool is_jaw = f->rigid[f->near[seed].tri].is_jaw;
  double low = lowest_of(s->at, normal), room = INFINITY;
  int nleft = 0;
  for (int k = 0; k < f->nnear; k++) {
    near_tri n = f->near[k];
    const rigid_tri *r = f->rigid + n.tri;
    int top = 0;
    double gap = r->is_jaw == is_jaw ? gap_of(&n, r, normal, low, &top) : 0;
    if (!(gap > 0) && k != seed) f->near[nleft++] = n;
    if (!(gap > 0) || gap >= room) continue;
    room = gap;
    limit->on = is_jaw ? r->vert[top] : -1;
    limit->height = (float)(low - (1 - KEEP) * gap);
    limit->keep = (float)(KEEP * gap);
  }
  f->nnear = nleft;
  return room;
}

static int find_nearest(const finding *f) {
  int nearest = 0;
  for (int k = 1; k < f->nnear; k++)
    if (f->near[k].distance < f->near[nearest].distance) nearest = k;
  return nearest;
}

static int find_planes(finding *f, const skin_tri *s, mi_limit planes[MOST_PLANES]) {
  int count = 0;
  look_around(f, s);
  while (count < MOST_PLANES && f->nnear) {
    int seed = find_nearest(f);
    mi_limit limit = {.on = -1};
    mi_vec3 way = way_between(s, f->rigid + f->near[seed].tri);
    if (!(mi_length(way) > 1e-6 * f->reach))
      return 0; // the side on which skin belongs is undefined
    mi_vec3_store(limit.normal, mi_unit(way));
    if (stand_for(f, s, seed, &limit) < f->reach) planes[count++] = limit;
  }
  return count;
}

// -- Limits of vertices ---------------------------------------------------------------------------

static bool add(finding *f, int vert, const mi_limit *limit) {
  if (f->nfound == f->room) {
    int room = 2 * f->room + 4096;
    found *more = MI_PUSH_RAW(&f->scratch, found, room);
    if (!more) return false;
    if (f->nfound) memcpy(more, f->found, (size_t)f->nfound * sizeof *more);
    f->found = more;
    f->room = room;
  }
  f->found[f->nfound++] = (found){vert, *limit};
  return true;
}

// Skin that can touch collides pair by pair; its triangles that reach beyond it get limits, too.
// Passive skin swings by its own length, far from where a plane of the neutral is valid.
static bool has_limits(const mien_face *face, const int32_t *tri) {
  const int32_t *bits = face->regions.bits;
  if ((bits[tri[0]] | bits[tri[1]] | bits[tri[2]]) & MIEN_REGION_PASSIVE) return false;
  return !(bits[tri[0]] & bits[tri[1]] & bits[tri[2]] & MIEN_REGION_CONTACT);
}

static bool find_all(finding *f) {
  const mien_face *face = f->face;
  for (int t = 0; t < face->skin.ntri; t++) {
    skin_tri s = skin_of(face, t);
    mi_limit planes[MOST_PLANES];
    int count = has_limits(face, s.vert) ? find_planes(f, &s, planes) : 0;
    for (int k = 0; k < 3 * count; k++) {
      const mi_limit *limit = planes + k / 3;
      double above = mi_dot(mi_vec3_load(limit->normal), s.at[k % 3]) - (double)limit->height;
      if (above < f->reach && !add(f, s.vert[k % 3], limit)) return false;
    }
  }
  return true;
}

static bool sort_by_vertex(const finding *f, mi_arena *arena, mi_limits *out) {
  out->nskin = f->face->skin.nvert;
  out->first = MI_PUSH(arena, int32_t, (size_t)out->nskin + 2);
  out->limit = MI_PUSH(arena, mi_limit, f->nfound);
  if (!out->first || !out->limit) return false;
  for (int k = 0; k < f->nfound; k++) out->first[f->found[k].vert + 2]++;
  for (int i = 0; i < out->nskin; i++) out->first[i + 2] += out->first[i + 1];
  for (int k = 0; k < f->nfound; k++)
    out->limit[out->first[f->found[k].vert + 1]++] = f->found[k].limit;
  return true;
}

// A pose that moves a vertex by less than its room leaves it before all of its planes.
static bool find_rooms(const mien_face *face, mi_arena *arena, mi_limits *out) {
  out->room = MI_PUSH(arena, float, out->nskin);
  for (int i = 0; out->room && i < out->nskin; i++) {
    double least = INFINITY;
    for (int k = out->first[i]; k < out->first[i + 1]; k++) {
      const mi_limit *limit = out->limit + k;
      double above = mi_dot(mi_vec3_load(limit->normal), mi_vec3_load(face->rest + 3 * (size_t)i));
      least = fmin(least, limit->on >= 0 ? 0 : above - (double)limit->height);
    }
    out->room[i] = (float)fmax(0, least);
  }
  return out->room;
}

// Three vertices of the jaw, far from each other and not in line.
static void find_frame(const finding *f, int32_t frame[3]) {
  mi_vec3 at[3] = {{0, 0, 0}};
  frame[0] = -1;
  for (int n = 0; n < 3; n++) {
    double most = -1;
    mi_vec3 best = {0, 0, 0};
    for (int k = 0; k < 3 * f->nrigid; k++) {
      const rigid_tri *r = f->rigid + k / 3;
      mi_vec3 p = r->at[k % 3], off = mi_sub(p, at[0]);
      double far = n < 2 ? mi_length(off) : mi_length(mi_cross(off, mi_sub(at[1], at[0])));
      if (!r->is_jaw || far <= most) continue;
      most = far, best = p, frame[n] = r->vert[k % 3];
    }
    at[n] = best;
  }
}

mien_result mi_limits_build(mi_face_build *b) {
  mien_face *face = b->face;
  double reach = REACH * (double)face->skin.size;
  finding f = {.face = face, .reach = reach, .cell = reach / 3};
  mi_arena_init(&f.scratch, &face->host);
  bool is_made = gather(&f);
  if (is_made && f.nrigid) is_made = sort_into_cells(&f) && find_all(&f);
  is_made = is_made && sort_by_vertex(&f, &face->arena, &face->limits) &&
            find_rooms(face, &face->arena, &face->limits);
  find_frame(&f, face->limits.frame);
  mi_arena_free(&f.scratch);
  return is_made ? MIEN_OK : mi_fail_memory(b->err);
}

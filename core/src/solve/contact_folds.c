// Folds: skin that crosses in the neutral the artist made (corners of a mouth, most often). There
// it is left alone; where the artist's pose presses, it is parted like all other skin, and does not
// cross again.
#include "solve/contacts.h"

#include "math/vec.h"

// Of the stride; a gap below that is lost to rounding.
static const double ROOM = 1e-4;

void mi_contacts_open_folds(mi_contacts *c, const float *position) {
  mi_surface_open_folds(c->surface, position, ROOM * c->stride);
}

typedef struct fold {
  mi_contacts *contacts;
  mi_vec3 corner[3], normal; // of a triangle, as it looks outwards
  int tri;
} fold;

static mi_vec3 at(const mi_contacts *c, int vert) {
  return mi_vec3_load(c->safe + 3 * (size_t)vert);
}

// The end of an edge that is behind the triangle has to come out where the edge goes in.
static void add_end(const fold *f, int outer, int inner) {
  mi_contacts *c = f->contacts;
  mi_vec3 p = at(c, outer), q = at(c, inner);
  double above = mi_dot(f->normal, mi_sub(p, f->corner[0]));
  double below = mi_dot(f->normal, mi_sub(q, f->corner[0]));
  if (!(above > 0) || !(below < 0) || c->active.count == c->active.capacity) return;
  mi_vec3 in = mi_add_scaled(p, above / (above - below), mi_sub(q, p));
  mi_contact made = {.vert = {inner}, .coef = {1}, .support = 15, .distance = below};
  mi_vec3 way = mi_cross(mi_sub(f->corner[1], f->corner[0]), mi_sub(f->corner[2], f->corner[0]));
  double whole = mi_dot(way, way);
  for (int k = 0; k < 3; k++) {
    mi_vec3 a = mi_sub(f->corner[(k + 1) % 3], in), b = mi_sub(f->corner[(k + 2) % 3], in);
    double share = mi_dot(way, mi_cross(a, b)) / whole;
    if (!(share >= 0)) return; // it passes beside
    made.vert[1 + k] = c->surface->tri[3 * (size_t)f->tri + (size_t)k];
    made.coef[1 + k] = -share;
  }
  made.normal[0] = f->normal.x, made.normal[1] = f->normal.y, made.normal[2] = f->normal.z;
  c->active.contact[c->active.count++] = made;
}

static void add_ends(mi_contacts *c, int tri, int other) {
  fold f = {.contacts = c, .tri = tri};
  const int32_t *mine = c->surface->tri + 3 * (size_t)tri,
                *edge = c->surface->tri + 3 * (size_t)other;
  for (int k = 0; k < 3; k++) f.corner[k] = at(c, mine[k]);
  mi_vec3 way = mi_cross(mi_sub(f.corner[1], f.corner[0]), mi_sub(f.corner[2], f.corner[0]));
  double length = mi_length(way);
  if (!(length > 0)) return;
  f.normal = mi_scale(1 / length, way);
  for (int k = 0; k < 3; k++) {
    add_end(&f, edge[k], edge[(k + 1) % 3]);
    add_end(&f, edge[(k + 1) % 3], edge[k]);
  }
}

// Both sides are skin that the artist's pose presses.
static bool is_pressed(const mi_contacts *c, const int32_t *a, const int32_t *b) {
  for (int k = 0; k < 3; k++)
    if (a[k] >= c->nsoft || b[k] >= c->nsoft) return false;
  return c->is_posed_across[c->piece[a[0]]] && c->is_posed_across[c->piece[b[0]]];
}

static void add_fold(void *task, int a, int b) {
  mi_contacts *c = task;
  if (!is_pressed(c, c->surface->tri + 3 * (size_t)a, c->surface->tri + 3 * (size_t)b)) return;
  add_ends(c, a, b);
  add_ends(c, b, a);
}

void mi_contacts_add_folds(mi_contacts *c) {
  if (mi_surface_nfold(c->surface)) mi_contacts_visit(c, c->safe, add_fold, c);
}

typedef struct looking {
  const mi_contacts *contacts;
  bool found;
} looking;

static void look_at_fold(void *task, int a, int b) {
  looking *l = task;
  const int32_t *tri = l->contacts->surface->tri;
  l->found |= is_pressed(l->contacts, tri + 3 * (size_t)a, tri + 3 * (size_t)b);
}

bool mi_contacts_is_folded(mien_state *state) {
  mi_contacts *c = state->contacts;
  looking l = {c, false};
  if (!mi_surface_nfold(c->surface)) return false;
  if (!mi_contacts_is_pose_free(state)) mi_contacts_visit(c, c->safe, look_at_fold, &l);
  return l.found;
}

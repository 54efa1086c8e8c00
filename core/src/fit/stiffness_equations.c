#include "fit/stiffness.h"
#include "fit/stiffness_parts.h"

#include "energy/laws.h"
#include "face/carry.h"

#include <math.h>
#include <string.h>

static bool pose_shapes(mi_equations *q) {
  mien_face *face = q->face;
  size_t size = 3 * (size_t)q->nvert;
  float *weights = MI_PUSH(&q->scratch, float, q->nshape);
  float *rig = MI_PUSH(&q->scratch, float, 3 * (size_t)face->rig->info.nvert);
  q->posed = MI_PUSH(&q->scratch, float, (size_t)q->nshape *size);
  q->bones = MI_PUSH(&q->scratch, float, (size_t)q->nshape *size);
  if (!weights || !rig || !q->posed || !q->bones) return false;
  for (int k = 0; k < q->nshape; k++) {
    float *posed = q->posed + (size_t)k * size, *bones = q->bones + (size_t)k * size;
    weights[k] = 1;
    mi_bone_motion jaw = mi_bone_hinge(face, weights);
    mi_rig_pose(face->rig, weights, q->nshape, rig);
    mi_carry(face, rig, &jaw, face->host.threads, posed);
    mi_blendvolumes_add(&face->blendvolumes, weights, posed);
    for (int i = 0; i < q->nvert; i++) {
      mi_vec3 rest = mi_vec3_load(face->rest + 3 * (size_t)i);
      if (!jaw.is_none && face->jaw[i] > 0)
        rest = mi_add_scaled(rest, face->jaw[i], mi_bone_move(&jaw, rest));
      mi_vec3_store(bones + 3 * (size_t)i, rest);
    }
    weights[k] = 0;
  }
  return true;
}

// -- what each tetrahedron does in each shape -----------------------------------------------------

static bool is_deformed(const mi_equations *q, int k, int t, double x[12]) {
  const int32_t *tet = q->face->tets + 4 * (size_t)t;
  const float *posed = q->posed + 3 * (size_t)q->nvert * (size_t)k;
  double largest = 0, size = 0;
  for (int c = 0; c < 4; c++)
    for (int a = 0; a < 3; a++) {
      x[3 * c + a] = (double)posed[3 * (size_t)tet[c] + (size_t)a];
      double rest = (double)q->face->rest[3 * (size_t)tet[c] + (size_t)a];
      double rest0 = (double)q->face->rest[3 * (size_t)tet[0] + (size_t)a];
      largest = fmax(largest, fabs(x[3 * c + a] - x[a] - (rest - rest0)));
      size = fmax(size, fabs(rest - rest0));
    }
  return largest > 1e-3 * size;
}

static bool find_lowrank(mi_equations *q) {
  const mien_face *face = q->face;
  int ntet = face->info.ntet;
  q->slot = MI_PUSH(&q->scratch, int64_t, (size_t)q->nshape * (size_t)ntet);
  if (!q->slot) return false;
  int64_t nslot = 0;
  double x[12], rest[12], g[12];
  for (int k = 0; k < q->nshape; k++)
    for (int t = 0; t < ntet; t++)
      q->slot[(size_t)k * (size_t)ntet + (size_t)t] = is_deformed(q, k, t, x) ? nslot++ : -1;
  q->pulls = MI_PUSH(&q->scratch, float, 24 * (size_t)nslot);
  if (!q->pulls) return false;
  for (int t = 0; t < ntet; t++) {
    mi_stencil strain, volume;
    for (int e = 0; e < 12; e++)
      rest[e] =
          (double)
              face->rest[3 * (size_t)face->tets[4 * (size_t)t + (size_t)(e / 3)] + (size_t)(e % 3)];
    double size = mi_tet_volume(rest);
    if (!mi_strain_set_up(&strain, rest, face->stiffness * size, NULL) ||
        !mi_volume_set_up(&volume, rest, face->volume_stiffness * size, 1, 1))
      continue;
    for (int k = 0; k < q->nshape; k++) {
      int64_t slot = q->slot[(size_t)k * (size_t)ntet + (size_t)t];
      if (slot < 0) continue;
      is_deformed(q, k, t, x);
      float *to = q->pulls + 24 * (size_t)slot;
      mi_law_strain.gradient(&strain, x, g);
      for (int e = 0; e < 12; e++) to[e] = (float)g[e];
      mi_law_volume.gradient(&volume, x, g);
      for (int e = 0; e < 12; e++) to[12 + e] = (float)g[e];
    }
  }
  return true;
}

// Equations are the vertices that some deformed tetrahedron or displaced spring acts on.
static bool number_rows(mi_equations *q) {
  const mien_face *face = q->face;
  int ntet = face->info.ntet;
  q->row_of = MI_PUSH(&q->scratch, int32_t, (size_t)q->nshape * (size_t)q->nvert);
  if (!q->row_of) return false;
  for (int k = 0; k < q->nshape; k++) {
    int32_t *row = q->row_of + (size_t)k * (size_t)q->nvert;
    for (int i = 0; i < q->nvert; i++) row[i] = -1;
    for (int t = 0; t < ntet; t++)
      for (int c = 0; c < 4 && q->slot[(size_t)k * (size_t)ntet + (size_t)t] >= 0; c++)
        row[face->tets[4 * (size_t)t + (size_t)c]] = 0;
    for (int i = 0; i < q->nvert; i++)
      if (row[i] == 0) row[i] = q->nrow++;
  }
  return true;
}

// tetrahedra around each skin vertex, those of the flesh it carries with it
static bool find_tets(mi_equations *q) {
  const mien_face *face = q->face;
  int32_t *at = q->around = MI_PUSH(&q->scratch, int32_t, q->nskin + 2);
  q->tet = MI_PUSH(&q->scratch, int32_t, 4 * (size_t)face->info.ntet);
  if (!at || !q->tet) return false;
  for (int pass = 0; pass < 2; pass++) {
    for (int t = 0; t < face->info.ntet; t++)
      for (int c = 0; c < 4; c++) { // a tetrahedron counts once with each of its carriers
        int v = face->carrier[face->tets[4 * (size_t)t + (size_t)c]];
        bool is_seen = false;
        for (int e = 0; e < c; e++)
          is_seen |= face->carrier[face->tets[4 * (size_t)t + (size_t)e]] == v;
        if (is_seen) continue;
        if (pass) q->tet[at[v + 1]] = t;
        at[v + (pass ? 1 : 2)]++;
      }
    if (!pass)
      for (int v = 0; v < q->nskin; v++) at[v + 2] += at[v + 1];
  }
  return true;
}

// -- columns --------------------------------------------------------------------------------------

static bool reserve(mi_equations *q, mi_columns *c, int64_t more) {
  if (c->count + more <= c->capacity) return true;
  int64_t capacity = 2 * c->capacity + more;
  int32_t *row = MI_PUSH(&q->scratch, int32_t, (size_t)capacity);
  float *value = MI_PUSH(&q->scratch, float, (size_t)capacity);
  if (!row || !value) return false;
  if (c->count) {
    memcpy(row, c->row, (size_t)c->count * sizeof *row);
    memcpy(value, c->value, (size_t)c->count * sizeof *value);
  }
  c->row = row;
  c->value = value;
  c->capacity = capacity;
  return true;
}

static int add_at(mi_columns *c, int n, int i, const float by[3], float share) {
  if (!c->mark[i]) {
    c->mark[i] = 1;
    c->seen[n++] = i;
    memset(c->sum + 3 * (size_t)i, 0, 3 * sizeof *c->sum);
  }
  for (int a = 0; a < 3; a++) c->sum[3 * (size_t)i + (size_t)a] += share * by[a];
  return n;
}

// Sums the force that strain (0) or volume (1) around skin vertex v exerts in shape k.
static int sum_tets(const mi_equations *q, mi_columns *c, int v, int k, int which) {
  const mien_face *face = q->face;
  int n = 0;
  for (int e = q->around[v]; e < q->around[v + 1]; e++) {
    int64_t slot = q->slot[(size_t)k * (size_t)face->info.ntet + (size_t)q->tet[e]];
    const int32_t *tet = face->tets + 4 * (size_t)q->tet[e];
    if (slot < 0) continue;
    float share = 0;
    for (int p = 0; p < 4; p++) share += face->carrier[tet[p]] == v ? 0.25f : 0;
    for (int p = 0; p < 4; p++)
      n = add_at(c, n, tet[p], q->pulls + 24 * (size_t)slot + 12 * which + 3 * p, share);
  }
  return n;
}

// Adds the springs of all vertices that v carries.
static int sum_springs(const mi_equations *q, mi_columns *c, int v, int k,
                       const float *attach_stiffness) {
  int n = 0;
  size_t at = 3 * (size_t)q->nvert * (size_t)k;
  const int32_t *row = q->row_of + (size_t)k * (size_t)q->nvert;
  for (int e = q->around[v]; e < q->around[v + 1]; e++)
    for (int p = 0; p < 4; p++) {
      int i = q->face->tets[4 * (size_t)q->tet[e] + (size_t)p];
      float off[3];
      if (q->face->carrier[i] != v || attach_stiffness[i] == 0 || row[i] < 0 || c->mark[i])
        continue;
      for (size_t a = 0; a < 3; a++)
        off[a] = q->posed[at + 3 * (size_t)i + a] - q->bones[at + 3 * (size_t)i + a];
      n = add_at(c, n, i, off, attach_stiffness[i]);
    }
  return n;
}

// Adds the muscle forces of shape k: they act where flesh is attached, along the shape's motion and
// proportional to the mass that hangs there.
static int sum_forces(const mi_equations *q, mi_columns *c, int k, const float *attach_stiffness) {
  int n = 0;
  for (int i = 0; i < q->nvert; i++) {
    size_t at = 3 * ((size_t)k * (size_t)q->nvert + (size_t)i);
    float by[3];
    if (attach_stiffness[i] == 0 || q->row_of[at / 3] < 0) continue;
    for (size_t a = 0; a < 3; a++) by[a] = q->posed[at + a] - q->bones[at + a];
    n = add_at(c, n, i, by, -(float)mi_fit_hung_mass(q->face, i));
  }
  return n;
}

// Adds the gathered values of shape k's vertices to the column.
static bool keep(mi_equations *q, mi_columns *c, int k, int n) {
  if (!reserve(q, c, 3 * n)) return false;
  for (int e = 0; e < n; e++) {
    int i = c->seen[e];
    c->mark[i] = 0;
    for (int a = 0; a < 3; a++) {
      c->row[c->count] = 3 * q->row_of[(size_t)k * (size_t)q->nvert + (size_t)i] + a;
      c->value[c->count++] = q->ease[i] * c->sum[3 * (size_t)i + (size_t)a];
    }
  }
  return true;
}

// Columns: strain of every skin vertex, volume of every one, springs of every one, forces of every
// shape.
static bool build_columns(mi_equations *q, const float *attach_stiffness, mi_columns *c) {
  *c = (mi_columns){.first = MI_PUSH(&q->scratch, int64_t, q->ncol + 1),
                    .sum = MI_PUSH(&q->scratch, float, 3 * (size_t)q->nvert),
                    .seen = MI_PUSH(&q->scratch, int32_t, q->nvert),
                    .mark = MI_PUSH(&q->scratch, unsigned char, q->nvert)};
  if (!c->first || !c->sum || !c->seen || !c->mark) return false;
  for (int j = 0; j < 3 * q->nskin; j++) {
    int which = j / q->nskin, v = j % q->nskin;
    for (int k = 0; k < q->nshape; k++) {
      int n = which < 2 ? sum_tets(q, c, v, k, which) : sum_springs(q, c, v, k, attach_stiffness);
      if (!keep(q, c, k, n)) return false;
    }
    c->first[j + 1] = c->count;
  }
  for (int k = 0; k < q->nshape; k++) {
    if (!keep(q, c, k, sum_forces(q, c, k, attach_stiffness))) return false;
    c->first[3 * q->nskin + k + 1] = c->count;
  }
  return true;
}

double mi_equations_norm(const float *values, int count) {
  double sum = 0;
  for (int e = 0; e < count; e++) sum += (double)values[e] * (double)values[e];
  return sqrt(sum);
}

bool mi_equations_forces(mi_equations *q, const mi_columns *c, double *w) {
  float *left = MI_PUSH(&q->scratch, float, 3 * (size_t)q->nrow);
  if (!left) return false;
  for (int j = 0; j < 3 * q->nskin; j++)
    for (int64_t e = c->first[j]; e < c->first[j + 1]; e++)
      left[c->row[e]] += (float)w[j] * c->value[e];
  for (int j = 3 * q->nskin; j < q->ncol; j++) {
    double along = 0, own = 0;
    for (int64_t e = c->first[j]; e < c->first[j + 1]; e++) {
      along -= (double)c->value[e] * (double)left[c->row[e]];
      own += (double)c->value[e] * (double)c->value[e];
    }
    w[j] = own > 0 ? fmax(0, along / own) : 0;
  }
  return true;
}

double mi_equations_push(const mi_equations *q, const mi_columns *c, const double *w) {
  double sum = 0;
  for (int j = 3 * q->nskin; j < q->ncol; j++)
    for (int64_t e = c->first[j]; e < c->first[j + 1]; e++)
      sum += pow(w[j] * (double)c->value[e], 2);
  return sqrt(sum);
}

bool mi_equations_build(mi_equations *q, const float *attach_stiffness, mi_columns *c) {
  return pose_shapes(q) && find_lowrank(q) && number_rows(q) && find_tets(q) &&
         build_columns(q, attach_stiffness, c);
}

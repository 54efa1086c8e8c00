// Makes every prism sound: thinner where the skin bends too sharply for its thickness, and turned
// where the way inwards leaves through a neighbouring triangle.
//
// Over a triangle with unit normal n the prism's volume goes to area * height * (-n . direction) as
// it gets thin, so a vertex whose direction points inwards of all its triangles can always be saved
// by thinning; where it does not, the direction is turned towards the one that sees them all. A
// triangle without area, or around a vertex folded so far that no such direction exists, gets no
// flesh and is counted.
#include "face/face.h"

#include "math/vec.h"

enum { ROUNDS = 80 };
static const double SHRINK = 0.85, GOOD_COSINE = 0.5, THINNEST = 0.01;

typedef struct thinner {
  mi_face_build *b;
  mi_vec3 *normal;       // unit, of each skin triangle
  mi_vec3 *visible;      // the inward direction that sees all triangles of a vertex
  unsigned char *turned; // `visible` is known
} thinner;

static double worst_cosine(const thinner *t, int i, mi_vec3 thickness_vector, int *worst) {
  const mi_topology *topo = &t->b->face->skin.topo;
  double least = 2;
  for (int k = topo->vert_first[i]; k < topo->vert_first[i + 1]; k++) {
    int tri = topo->vert_tri[k];
    if (!t->b->kept[tri]) continue;
    double cosine = -mi_dot(t->normal[tri], thickness_vector);
    if (cosine < least) {
      least = cosine;
      *worst = tri;
    }
  }
  return least;
}

// Finds the unit vector whose smallest cosine to the normals is largest, by steps towards the
// worst triangle.
static mi_vec3 find_visible(const thinner *t, int i) {
  mi_vec3 way = mi_scale(-1, mi_vec3_load(t->b->face->skin.normal + 3 * (size_t)i)), best = way;
  double best_cosine = -2;
  for (int round = 0; round < 200; round++) {
    int worst = -1;
    double cosine = worst_cosine(t, i, way, &worst);
    if (worst < 0) break;
    if (cosine > best_cosine) {
      best_cosine = cosine;
      best = way;
    }
    way = mi_unit(mi_add_scaled(way, -1.0 / (round + 2), t->normal[worst]));
  }
  return best;
}

static void set_up_normals(thinner *t) {
  const mi_skin *skin = &t->b->face->skin;
  double total = 0;
  for (int k = 0; k < skin->ntri; k++)
    total += mi_triangle_area(skin->position, skin->tri + 3 * (size_t)k);
  double tiny = 1e-6 * total / (skin->ntri ? skin->ntri : 1);
  for (int k = 0; k < skin->ntri; k++) {
    double n[3];
    mi_triangle_normal(skin->position, skin->tri + 3 * (size_t)k, n);
    t->normal[k] = mi_unit((mi_vec3){n[0], n[1], n[2]});
    t->b->kept[k] = mi_triangle_area(skin->position, skin->tri + 3 * (size_t)k) > tiny;
  }
}

// Turns a vertex's direction when a better one is known, and thins it if its prisms need that.
static void uninvert_vertex(thinner *t, int i, bool shrink) {
  float *thickness_vector = t->b->face->thickness_vector + 3 * (size_t)i;
  mi_vec3 way = mi_unit(mi_vec3_load(thickness_vector));
  double length = mi_length(mi_vec3_load(thickness_vector));
  int worst;
  if (worst_cosine(t, i, way, &worst) < GOOD_COSINE) {
    if (!t->turned[i]) t->visible[i] = find_visible(t, i);
    t->turned[i] = 1;
    way = mi_unit(mi_add(way, t->visible[i]));
  }
  if (shrink && length > THINNEST * t->b->face->thickness[i]) length *= SHRINK;
  mi_vec3_store(thickness_vector, mi_scale(length, way));
}

static bool is_sound(const thinner *t, int tri) {
  double quality[3];
  mi_prism_quality(&t->b->face->skin, t->b->face->thickness_vector, tri, quality);
  double least = t->b->def->min_quality;
  return quality[0] >= least && quality[1] >= least && quality[2] >= least;
}

enum { TURN = 1, THIN = 2 };

// A prism with one thick and one thin corner is unsound however thin it is: thick corners go first.
static void mark_corners(const thinner *t, int tri, unsigned char *marked) {
  const int32_t *corner = t->b->face->skin.tri + 3 * (size_t)tri;
  double length[3], longest = 0;
  for (int c = 0; c < 3; c++) {
    length[c] = mi_length(mi_vec3_load(t->b->face->thickness_vector + 3 * (size_t)corner[c]));
    longest = fmax(longest, length[c]);
  }
  for (int c = 0; c < 3; c++) marked[corner[c]] |= TURN | (length[c] >= 0.5 * longest ? THIN : 0);
}

// One pass over all prisms. Vertices change after the pass, so that the order does not matter.
static int uninvert_round(thinner *t, unsigned char *marked) {
  const mi_skin *skin = &t->b->face->skin;
  int nbad = 0;
  for (int k = 0; k < skin->ntri; k++) {
    if (!t->b->kept[k] || is_sound(t, k)) continue;
    nbad++;
    mark_corners(t, k, marked);
  }
  for (int i = 0; i < skin->nvert; i++) {
    if (marked[i]) uninvert_vertex(t, i, marked[i] & THIN);
    marked[i] = 0;
  }
  return nbad;
}

static mien_result count_results(thinner *t) {
  mien_face *face = t->b->face;
  const mi_skin *skin = &face->skin;
  for (int k = 0; k < skin->ntri; k++) face->info.nleft_out += !t->b->kept[k];
  for (int i = 0; i < skin->nvert; i++)
    face->info.nthinned += mi_length(mi_vec3_load(face->thickness_vector + 3 * (size_t)i)) <
                           0.95 * t->b->face->thickness[i];
  if (face->info.nleft_out &&
      !mi_remark(&face->remarks,
                 "%d of %d skin triangles have no area or are folded onto themselves; they get no "
                 "flesh",
                 face->info.nleft_out, skin->ntri))
    return mi_fail_memory(t->b->err);
  return MIEN_OK;
}

mien_result mi_hypodermis_thin(mi_face_build *b) {
  const mi_skin *skin = &b->face->skin;
  thinner t = {b, MI_PUSH(&b->scratch, mi_vec3, skin->ntri),
               MI_PUSH(&b->scratch, mi_vec3, skin->nvert),
               MI_PUSH(&b->scratch, unsigned char, skin->nvert)};
  unsigned char *marked = MI_PUSH(&b->scratch, unsigned char, skin->nvert);
  b->kept = MI_PUSH(&b->scratch, unsigned char, skin->ntri);
  if (!t.normal || !t.visible || !t.turned || !marked || !b->kept) return mi_fail_memory(b->err);
  set_up_normals(&t);
  for (int round = 0; round < ROUNDS && uninvert_round(&t, marked); round++)
    if (!mi_progress(&b->face->host, "thinning", (double)round / ROUNDS))
      return mi_fail(b->err, MIEN_ERR_CANCELLED, "stopped by the host");
  // Prisms that are still unsound are removed; their neighbours stay as they are.
  for (int k = 0; k < skin->ntri; k++) b->kept[k] = b->kept[k] && is_sound(&t, k);
  return count_results(&t);
}

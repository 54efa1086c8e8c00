// From rig to face, step by step.
#include "face/face.h"

#include "base/params.h"

#include <math.h>

void(mien_face_def_init)(mien_face_def *def, size_t struct_size) {
  mien_face_def defaults = {0};
  mi_params_defaults(MIEN_PARAM_FACE, &defaults);
  mi_struct_init(def, struct_size, &defaults, sizeof defaults);
}

static mien_result check(const mien_face_def *def, mien_error *err) {
  mien_result result = mi_params_check(MIEN_PARAM_FACE, def, err);
  if (result < 0) return result;
  if (def->flesh == MIEN_FLESH_VOLUME && !def->tetrahedralise)
    return mi_fail(err, MIEN_ERR_OPTIONS,
                   "volumetric flesh needs a tetrahedraliser (build with MIEN_TETGEN)");
  return MIEN_OK;
}

static mien_result build_regions(mi_face_build *b) {
  mien_face *face = b->face;
  double start = mi_clock();
  mien_result result = mi_skin_build(face->rig, &face->arena, &face->skin, &face->remarks, b->err);
  if (result >= 0)
    result = mi_regions_find(face->rig, &face->skin, &face->arena, &face->regions, &face->remarks,
                             b->err);
  face->info.seconds_regions = mi_clock() - start;
  return result;
}

static mien_result build_hypodermis(mi_face_build *b) {
  mien_face *face = b->face;
  double start = mi_clock();
  face->thickness_vector = MI_PUSH(&face->arena, float, 3 * (size_t)face->skin.nvert);
  if (!face->thickness_vector) return mi_fail_memory(b->err);
  mien_result result = mi_thickness_want(b);
  if (result == MIEN_OK && !mi_face_take_stored(b)) {
    result = mi_thickness_limit(b);
    if (result == MIEN_OK) result = mi_hypodermis_find(b);
  }
  if (result == MIEN_OK) result = mi_hypodermis_thin(b);
  if (result == MIEN_OK) face->inputs_hash = mi_face_inputs_hash(b);
  face->info.seconds_hypodermis = mi_clock() - start;
  return result;
}

// Checks that the coarser rig's skin has exactly the vertices kept from the artist's skin.
static mien_result check_embedding(mi_face_build *b) {
  const mien_face *face = b->face;
  const mi_embedding *embedding = &face->embedding;
  bool same = !embedding->render_skin || face->skin.nvert == embedding->nskin;
  for (int i = 0; same && embedding->render_skin && i < face->skin.nvert; i++)
    same = embedding->source[face->skin.vert[i]] == embedding->skin[i];
  return same ? MIEN_OK
              : mi_fail(b->err, MIEN_ERR_MISMATCH,
                        "the skin of the coarser rig is not that of the artist's; simulate at more "
                        "vertices, or mark the skin as a part of its own");
}

// Flesh of a gram, or of a horse, means that the file's unit is wrong. Where the shapes show how
// large the face is the rig has given this remark already.
static mien_result check_mass(mi_face_build *b) {
  static const double LIGHT = 0.03, HEAVY = 30; // kg; an adult's face has some 0.8
  const mien_face_info *info = &b->face->info;
  if (!info->has_mouth || (info->mass >= LIGHT && info->mass <= HEAVY)) return MIEN_OK;
  bool said = mi_remark(&b->face->remarks,
                        "the flesh weighs %.2g g, an adult's some 800: is the unit right?",
                        1000 * info->mass);
  return said ? MIEN_OK : mi_fail_memory(b->err);
}

static mien_result build(mi_face_build *b) {
  mien_face *face = b->face;
  mien_result result = build_regions(b);
  if (result >= 0) result = check_embedding(b);
  if (result >= 0) result = build_hypodermis(b);
  double start = mi_clock();
  if (result == MIEN_OK)
    result = b->def->flesh == MIEN_FLESH_VOLUME ? mi_volume_build(b) : mi_prisms_build(b);
  if (result == MIEN_OK) result = mi_flesh_find_vertex_tets(b);
  if (result == MIEN_OK && b->def->blendvolumes) result = mi_blendvolumes_build(b);
  if (result == MIEN_OK) result = mi_materials_build(b);
  if (result == MIEN_OK) result = mi_flesh_finish(b);
  if (result == MIEN_OK) result = check_mass(b);
  if (result == MIEN_OK) result = mi_support_find(b);
  if (result == MIEN_OK) result = mi_colliders_build(b);
  if (result == MIEN_OK) result = mi_contact_surface_build(b);
  if (result == MIEN_OK && b->face->contact.nsoft) result = mi_limits_build(b);
  if (result == MIEN_OK) result = mi_neutral_check(b);
  if (result == MIEN_OK) result = mi_muscles_build(b);
  face->info.seconds_tets = mi_clock() - start;
  if (result != MIEN_OK) return result;
  face->stiffness = b->def->stiffness;
  face->volume_stiffness = b->def->volume_stiffness;
  face->attachment_rate = b->def->attachment_rate;
  face->info.remarks = face->remarks.text;
  face->info.nremark = face->remarks.count;
  return face->remarks.count ? MIEN_REMARK : MIEN_OK;
}

// The artist's rig, or a coarser one to simulate: as asked, or as the rig's file says.
static mien_result choose_rig(mi_face_build *b, const mien_rig *rig) {
  mien_face *face = b->face;
  double start = mi_clock();
  mien_rig *coarse = NULL;
  mien_result result = MIEN_OK;
  face->simulate_at = b->def->simulate_at ? b->def->simulate_at : mi_stored_count(rig);
  if (face->simulate_at > 0)
    result = mi_embedding_create(rig, face->simulate_at, &face->host, &face->arena, &coarse,
                                 &face->embedding, b->err);
  face->rig = coarse ? coarse : mi_rig_share(rig);
  face->info.seconds_embedding = mi_clock() - start;
  return result;
}

mien_result mi_face_create(const mien_rig *rig, const mien_face_def *given_def,
                           const mien_host *given, mien_face **out, mien_error *err) {
  mien_host host;
  mien_face_def def;
  mien_face_def_init(&def);
  mien_result result = mi_host_resolve(given, &host, err);
  if (result == MIEN_OK && given_def) {
    result = check(given_def, err);
    def = *given_def;
  }
  if (result != MIEN_OK) return result;
  mi_arena arena;
  mi_arena_init(&arena, &host);
  mien_face *face = MI_PUSH(&arena, mien_face, 1);
  mi_face_shared *shared = face ? MI_PUSH(&arena, mi_face_shared, 1) : NULL;
  if (!shared) {
    mi_arena_free(&arena);
    return mi_fail_memory(err);
  }
  pthread_mutex_init(&shared->lock, NULL);
  face->shared = shared;
  face->arena = arena;
  face->host = host;
  face->remarks.arena = &face->arena;
  atomic_init(&face->nuser, 1);
  mi_face_build b = {.def = &def, .face = face, .err = err};
  mi_arena_init(&b.scratch, &host);
  result = choose_rig(&b, rig);
  if (result == MIEN_OK) result = build(&b);
  mi_arena_free(&b.scratch);
  if (result < 0) {
    mi_face_release(face);
    return result;
  }
  *out = face;
  return result;
}

mien_face *mi_face_share(const mien_face *face) {
  mien_face *shared = (mien_face *)face; // the count is the one field that may change
  atomic_fetch_add(&shared->nuser, 1);
  return shared;
}

void mi_face_release(const mien_face *face) {
  if (!face) return;
  mien_face *shared = (mien_face *)face;
  if (atomic_fetch_sub(&shared->nuser, 1) > 1) return;
  if (shared->shared->system) shared->shared->free_system(shared->shared->system);
  pthread_mutex_destroy(&shared->shared->lock);
  mi_rig_release(shared->rig);
  mi_rig_release(shared->embedding.render_skin);
  mi_arena_delete(shared->arena);
}

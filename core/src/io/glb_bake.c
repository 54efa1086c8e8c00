// The rig's own file with a bake in it. Everything that is in the file stays as it is, and so do
// the bytes of its buffers; what is new comes after them: morph targets that add to the artist's
// shapes what physics does, and an animation that plays both.
#include "io/glb_bake.h"

#include "io/name_table.h"
#include "io/target_fit.h"
#include "rig/rig.h"

#include <stdio.h>

// Node of the file; -1 when it is none.
static int node_index(const mi_glb_bake_ctx *b, int part) {
  const json_t *node = b->r.part[part].node;
  for (int n = 0; n < b->r.scene.nnode; n++)
    if (b->r.scene.node[n].json == node) return n;
  return -1;
}

// Collects the residual of the artist's shapes, in metres, for every vertex of the part in the
// file.
static mien_result collect_offsets(mi_glb_bake_ctx *b, const mi_glb_bake_mesh *mesh,
                                   mi_target_fit *fit) {
  const mi_frames *frames = b->frames;
  const mien_rig_info *rig = &frames->rig->info;
  for (int f = 0; f < frames->nframe; f++) {
    const float *frame = mi_frames_get(frames, f, b->w.err);
    if (!frame) return MIEN_ERR_IO;
    const float *weights = b->played ? b->played + (size_t)f * (size_t)rig->nshape : NULL;
    mi_rig_pose(frames->rig, weights, weights ? rig->nshape : 0, b->pose);
    float *to = fit->offset + 3 * (size_t)f * (size_t)mesh->nvert;
    for (int i = 0; i < mesh->nvert; i++) {
      const float *at = frame + 3 * (size_t)mesh->render[i];
      const float *pose = b->pose + 3 * (size_t)rig->render_map.data[mesh->render[i]];
      for (int k = 0; k < 3; k++) to[3 * (size_t)i + (size_t)k] = at[k] - pose[k];
    }
  }
  return MIEN_OK;
}

// The vertices of a part in the file, chunk after chunk, as render vertices.
static mien_result list_vertices(mi_glb_bake_ctx *b, int part, mi_glb_bake_mesh *mesh) {
  *mesh = (mi_glb_bake_mesh){.part = part};
  for (int c = 0; c < b->r.nchunk; c++)
    if (b->r.chunk[c].part == part) mesh->nvert += b->r.chunk[c].nvert;
  mesh->render = mi_glb_take(&b->w, (size_t)mesh->nvert, sizeof *mesh->render);
  mesh->first = mi_glb_take(&b->w, (size_t)b->r.nchunk + 1, sizeof *mesh->first);
  if (!mesh->render || !mesh->first) return mi_fail_memory(b->w.err);
  for (int c = 0, at = 0; c < b->r.nchunk; c++) {
    const mi_glb_chunk *chunk = &b->r.chunk[c];
    if (chunk->part != part) continue;
    mesh->first[c] = at;
    for (int i = 0; i < chunk->nvert; i++)
      mesh->render[at++] = i < chunk->nkept ? chunk->first + i : chunk->borrowed[i - chunk->nkept];
  }
  return MIEN_OK;
}

// Targets go into the mesh's own space.
static void turn_targets(const mi_glb_bake_ctx *b, int part, mi_target_fit *fit) {
  double space[12];
  mi_glb_own_space(&b->r.part[part], b->frames->rig->info.part_spaces + 12 * (size_t)part, space);
  for (int t = 0; t < fit->ntarget; t++)
    for (int i = 0; i < fit->npoint; i++) {
      float *d = fit->target[t] + 3 * (size_t)i;
      const double from[3] = {(double)d[0], (double)d[1], (double)d[2]};
      for (int k = 0; k < 3; k++) {
        const double *row = space + 4 * k;
        d[k] = (float)(row[0] * from[0] + row[1] * from[1] + row[2] * from[2]);
      }
    }
}

static mien_result bake_part(mi_glb_bake_ctx *b, int part) {
  mi_glb_bake_mesh mesh;
  mien_result result = list_vertices(b, part, &mesh);
  if (result < 0) return result;
  mi_target_fit fit = {
      .npoint = mesh.nvert, .nframe = b->frames->nframe, .tolerance = b->frames->def->tolerance};
  size_t count = 3 * (size_t)fit.npoint * (size_t)fit.nframe;
  fit.offset = mi_glb_take(&b->w, count, sizeof *fit.offset);
  if (!fit.offset) return mi_fail_memory(b->w.err);
  result = collect_offsets(b, &mesh, &fit);
  if (result >= 0) result = mi_target_fit_run(&fit, &b->w.arena, b->w.err);
  if (result < 0) return result;
  turn_targets(b, part, &fit);
  mesh.node = node_index(b, part);
  mi_glb_bake_targets(b, &mesh, &fit);
  mi_glb_bake_weights(b, &mesh, &fit);
  b->frames->info->ntarget += fit.ntarget;
  if (fit.error > b->frames->info->error) b->frames->info->error = fit.error;
  return b->w.is_out_of_memory ? mi_fail_memory(b->w.err) : MIEN_OK;
}

// -- The file -------------------------------------------------------------------------------------

static json_t *array_of(mi_glb_writer *w, const char *key) {
  json_t *array = json_object_get(w->root, key);
  if (json_is_array(array)) return array;
  array = json_array();
  mi_glb_set(w, w->root, key, array);
  return array;
}

// The file's first buffer comes first in the binary chunk, wherever it was.
void mi_glb_keep_buffer(mi_glb_writer *w, const mi_glb *glb) {
  json_t *buffers = array_of(w, "buffers");
  if (!glb->nbuffer) mi_glb_append(w, buffers, json_object());
  if (glb->nbuffer) mi_glb_add_bytes(w, glb->buffer[0].data, glb->buffer[0].size);
  json_object_del(json_array_get(buffers, 0), "uri");
  w->views = array_of(w, "bufferViews");
  w->accessors = array_of(w, "accessors");
}

void mi_glb_end_buffer(mi_glb_writer *w) {
  json_t *first = json_array_get(json_object_get(w->root, "buffers"), 0);
  mi_glb_set(w, first, "byteLength", json_integer((json_int_t)w->bin_size));
}

mien_result mi_glb_open_source(const mien_rig *rig, mi_arena *arena, mi_glb *glb, mi_glb_rig *r,
                               mien_error *err) {
  unsigned char *bytes;
  size_t size;
  mien_result result = mi_file_read(rig->source, arena, &bytes, &size, err);
  if (result >= 0 && size && bytes[0] == '{')
    result = mi_gltf_embed(rig->source, arena, &bytes, &size, err);
  if (result >= 0) result = mi_glb_open(glb, bytes, size, &rig->host, err);
  if (result < 0) return result;
  *r = (mi_glb_rig){.glb = glb};
  result = mi_glb_read_scene(glb, &r->scene);
  if (result >= 0) result = mi_glb_gather_parts(r);
  bool is_same = result >= 0 && r->npart == rig->info.npart && r->nvert == rig->info.nrender;
  for (int p = 0; is_same && p < r->npart; p++)
    is_same = r->part[p].first_vertex == rig->info.part_render.data[p];
  if (result >= 0 && !is_same)
    result = mi_fail(err, MIEN_ERR_MISMATCH, "'%.200s' was changed since it was read", rig->source);
  if (result < 0) mi_glb_close(glb);
  return result;
}

// Shapes that no mesh of the file has as a morph target (expressions of VRM files are sums of them)
// do not play from their weights: what they do goes into the new targets.
static mien_result drop_others(mi_glb_bake_ctx *b) {
  const mien_rig_info *rig = &b->frames->rig->info;
  size_t count = (size_t)b->frames->nframe * (size_t)rig->nshape;
  mi_name_table played = {.arena = &b->w.arena};
  for (int p = 0; p < b->r.npart; p++) {
    int n = 0;
    const char **names = mi_glb_target_names(b->r.glb, b->r.part[p].mesh, &n);
    if (!names) return b->w.err->code;
    for (int t = 0; t < n; t++)
      if (mi_name_add(&played, names[t]) < 0) return mi_fail_memory(b->w.err);
  }
  b->played = mi_glb_take(&b->w, count, sizeof *b->played);
  if (!b->played) return mi_fail_memory(b->w.err);
  for (size_t i = 0; i < count; i++) {
    const char *name = rig->shapes[i % (size_t)rig->nshape].name;
    b->played[i] = mi_name_find(&played, name) >= 0 ? b->weights[i] : 0;
  }
  return MIEN_OK;
}

static mien_result sample_take(mi_glb_bake_ctx *b) {
  const mi_frames *frames = b->frames;
  size_t nshape = (size_t)frames->rig->info.nshape;
  b->pose = mi_glb_take(&b->w, 3 * (size_t)frames->rig->info.nvert, sizeof *b->pose);
  if (!b->pose) return mi_fail_memory(b->w.err);
  if (!frames->def->take) return MIEN_OK;
  if ((size_t)frames->def->take->info.nchannel != nshape)
    return mi_fail(b->w.err, MIEN_ERR_MISMATCH, "the take is not bound to the rig");
  b->weights = mi_glb_take(&b->w, (size_t)frames->nframe * nshape, sizeof *b->weights);
  if (!b->weights) return mi_fail_memory(b->w.err);
  for (int f = 0; f < frames->nframe; f++)
    mi_take_sample(frames->def->take, frames->def->take_time + f / frames->def->frame_rate,
                   b->weights + (size_t)f * nshape, NULL);
  return drop_others(b);
}

static mien_result bake(mi_glb_bake_ctx *b, const mi_glb *glb) {
  mi_glb_keep_buffer(&b->w, glb);
  mi_glb_take_images(&b->w, b->frames->rig->source);
  mien_result result = sample_take(b);
  if (result < 0) return result;
  mi_glb_bake_begin(b);
  for (int p = 0; p < b->r.npart && result >= 0; p++) result = bake_part(b, p);
  if (result >= 0) mi_glb_bake_end(b);
  mi_glb_end_buffer(&b->w);
  return result;
}

mien_result mi_glb_bake(const mi_frames *frames, mi_file *file, mien_error *err) {
  mi_glb glb;
  mi_glb_bake_ctx b = {.frames = frames, .w = {.rig = &frames->rig->info, .err = err}};
  frames->info->is_in_rig = 1;
  frames->info->ntarget = 0;
  frames->info->error = 0;
  mi_arena_init(&b.w.arena, frames->host);
  mien_result result = mi_glb_open_source(frames->rig, &b.w.arena, &glb, &b.r, err);
  if (result >= 0) {
    b.w.root = glb.root;
    result = bake(&b, &glb);
    if (result >= 0) result = mi_glb_put(&b.w, file);
    mi_glb_close(&glb);
  }
  mi_arena_free(&b.w.arena);
  return result;
}

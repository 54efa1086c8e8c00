// Morph targets and weights of a bake, added to meshes, nodes and animations of a file.
#include "io/glb_bake.h"

#include "rig/rig.h"

#include <stdio.h>

static int count_targets(const json_t *mesh) {
  const json_t *primitives = json_object_get(mesh, "primitives");
  int most = 0;
  for (int i = 0; i < mi_glb_length(primitives); i++) {
    int n = mi_glb_length(json_object_get(json_array_get(primitives, (size_t)i), "targets"));
    most = n > most ? n : most;
  }
  return most;
}

void mi_glb_bake_begin(mi_glb_bake_ctx *b) {
  mi_glb_writer *w = &b->w;
  int nframe = b->frames->nframe;
  float *times = mi_glb_take(w, (size_t)nframe, sizeof *times);
  if (!times) return;
  for (int f = 0; f < nframe; f++) times[f] = (float)(f / b->frames->def->frame_rate);
  mi_glb_array array = {.view = mi_glb_add_view(w, times, (size_t)nframe * sizeof *times, 0),
                        .component = MI_GLB_FLOAT,
                        .count = nframe,
                        .width = 1,
                        .low = &times[0],
                        .high = &times[nframe ? nframe - 1 : 0]};
  b->times = mi_glb_add_accessor(w, &array);
  b->animation = mi_glb_keep(w, json_pack("{s:s, s:[], s:[], s:{s:{s:s, s:f}}}", "name", "mien",
                                          "channels", "samplers", "extras", "mien", "space",
                                          b->frames->def->in_world ? "world" : "head", "tolerance",
                                          b->frames->def->tolerance));
}

static json_t *mesh_of(const mi_glb_bake_ctx *b, int node, int *index) {
  const json_t *json = b->r.scene.node[node].json;
  *index = (int)json_integer_value(json_object_get(json, "mesh"));
  return json_array_get(b->r.glb->meshes, (size_t)*index);
}

// A mesh that another part shows, too, gets targets of its own.
static json_t *own_mesh(mi_glb_bake_ctx *b, const mi_glb_bake_mesh *mesh) {
  int index, nuser = 0;
  json_t *json = mesh_of(b, mesh->node, &index);
  for (int p = 0; p < b->r.npart; p++) nuser += b->r.part[p].mesh == b->r.part[mesh->part].mesh;
  if (nuser < 2) return json;
  json = mi_glb_keep(&b->w, json_deep_copy(json));
  mi_glb_append(&b->w, (json_t *)b->r.glb->meshes, json);
  mi_glb_set(&b->w, (json_t *)b->r.part[mesh->part].node, "mesh",
             json_integer(mi_glb_length(b->r.glb->meshes) - 1));
  b->r.part[mesh->part].mesh = json;
  return json;
}

static int add_target(mi_glb_bake_ctx *b, const float *delta, int nvert) {
  mi_glb_moved moved = {.vert = mi_glb_take(&b->w, (size_t)nvert, sizeof *moved.vert),
                        .delta = mi_glb_take(&b->w, 3 * (size_t)nvert, sizeof *moved.delta)};
  if (!moved.vert || !moved.delta) return 0;
  for (int i = 0; i < nvert; i++) {
    const float *d = delta + 3 * (size_t)i;
    if (d[0] == 0 && d[1] == 0 && d[2] == 0) continue;
    memcpy(moved.delta + 3 * (size_t)moved.count, d, 3 * sizeof *d);
    moved.vert[moved.count++] = (uint32_t)i;
  }
  return mi_glb_add_moved(&b->w, &moved, nvert);
}

// Points and lines have no chunk: they stay where they are.
static void extend_primitive(mi_glb_bake_ctx *b, const mi_glb_bake_mesh *mesh, json_t *primitive,
                             int chunk, int nold, const mi_target_fit *fit) {
  json_t *targets = json_object_get(primitive, "targets");
  if (!targets) {
    targets = json_array();
    mi_glb_set(&b->w, primitive, "targets", targets);
  }
  const json_t *position = json_object_get(json_object_get(primitive, "attributes"), "POSITION");
  const json_t *accessor = json_array_get(b->w.accessors, (size_t)json_integer_value(position));
  int count = (int)json_integer_value(json_object_get(accessor, "count"));
  mi_glb_array zeros = {.view = -1, .component = MI_GLB_FLOAT, .count = count, .width = 3};
  for (int t = mi_glb_length(targets); t < nold + fit->ntarget; t++) {
    int index = chunk >= 0 && t >= nold
                    ? add_target(b, fit->target[t - nold] + 3 * (size_t)mesh->first[chunk], count)
                    : mi_glb_add_accessor(&b->w, &zeros);
    mi_glb_append(&b->w, targets, json_pack("{s:i}", "POSITION", index));
  }
}

// Primitives that use the same arrays share their targets, too.
static void extend_primitives(mi_glb_bake_ctx *b, const mi_glb_bake_mesh *mesh, json_t *json,
                              int nold, const mi_target_fit *fit) {
  enum { TRIANGLES = 4 };
  json_t *primitives = json_object_get(json, "primitives");
  json_t **done = mi_glb_take(&b->w, (size_t)b->r.nchunk, sizeof *done);
  int next = 0; // the first of this part
  while (next < b->r.nprimitive && b->r.chunk[b->r.primitive[next].chunk].part != mesh->part)
    next++;
  for (int i = 0; done && i < mi_glb_length(primitives); i++) {
    json_t *primitive = json_array_get(primitives, (size_t)i);
    const json_t *mode = json_object_get(primitive, "mode");
    bool is_skipped = mode && json_integer_value(mode) < TRIANGLES;
    int chunk = is_skipped ? -1 : b->r.primitive[next++].chunk;
    if (chunk >= 0 && done[chunk])
      mi_glb_set(&b->w, primitive, "targets", json_deep_copy(done[chunk]));
    else
      extend_primitive(b, mesh, primitive, chunk, nold, fit);
    if (chunk >= 0) done[chunk] = json_object_get(primitive, "targets");
  }
}

// The names that targets have already, wherever the file has them, and those of the new ones.
static void extend_names(mi_glb_bake_ctx *b, json_t *mesh, const char *const *known, int nold,
                         int nnew) {
  mi_glb_writer *w = &b->w;
  json_t *extras = json_object_get(mesh, "extras");
  if (!json_is_object(extras)) {
    extras = json_object();
    mi_glb_set(w, mesh, "extras", extras);
  }
  json_t *names = json_object_get(extras, "targetNames");
  if (!json_is_array(names)) {
    names = json_array();
    mi_glb_set(w, extras, "targetNames", names);
  }
  char name[32];
  int number = 1; // after those of an earlier bake
  for (int t = mi_glb_length(names); t < nold; t++) mi_glb_append(w, names, json_string(known[t]));
  for (int t = 0; t < mi_glb_length(names); t++) {
    const char *text = json_string_value(json_array_get(names, (size_t)t));
    int has = 0;
    if (text && sscanf(text, "mien_%d", &has) == 1 && has >= number) number = has + 1;
  }
  for (int t = 0; t < nnew; t++, number++) {
    snprintf(name, sizeof name, "mien_%02d", number);
    mi_glb_append(w, names, json_string(name));
  }
}

static void extend_weights(mi_glb_bake_ctx *b, json_t *owner, int ntarget) {
  json_t *weights = json_object_get(owner, "weights");
  for (int t = mi_glb_length(weights); weights && t < ntarget; t++)
    mi_glb_append(&b->w, weights, json_real(0));
}

void mi_glb_bake_targets(mi_glb_bake_ctx *b, mi_glb_bake_mesh *mesh, const mi_target_fit *fit) {
  if (!fit->ntarget) return;
  json_t *json = own_mesh(b, mesh);
  int nold, index;
  const char **known = mi_glb_target_names(b->r.glb, json, &nold);
  if (!known) {
    b->w.is_out_of_memory = true;
    return;
  }
  extend_primitives(b, mesh, json, nold, fit);
  extend_names(b, json, known, nold, fit->ntarget);
  extend_weights(b, json, nold + fit->ntarget);
  mesh_of(b, mesh->node, &index);
  for (int n = 0; n < b->r.scene.nnode; n++) {
    const json_t *node = b->r.scene.node[n].json, *used = json_object_get(node, "mesh");
    if (used && json_integer_value(used) == index)
      extend_weights(b, (json_t *)node, nold + fit->ntarget);
  }
}

void mi_glb_bake_weights(mi_glb_bake_ctx *b, const mi_glb_bake_mesh *mesh,
                         const mi_target_fit *fit) {
  mi_glb_writer *w = &b->w;
  const mien_rig *rig = b->frames->rig;
  int index, ntarget = count_targets(mesh_of(b, mesh->node, &index)), nframe = b->frames->nframe;
  int nold = ntarget - fit->ntarget, n;
  if (!ntarget) return;
  float *values = mi_glb_take(w, (size_t)nframe * (size_t)ntarget, sizeof *values);
  const char **names =
      mi_glb_target_names(b->r.glb, json_array_get(b->r.glb->meshes, (size_t)index), &n);
  if (!values || !names) {
    w->is_out_of_memory = true;
    return;
  }
  for (int t = 0; t < ntarget; t++) {
    int shape = -1;
    for (int s = 0; t < nold && s < rig->info.nshape && shape < 0; s++)
      if (!strcmp(rig->info.shapes[s].name, names[t])) shape = s;
    for (int f = 0; f < nframe; f++) {
      float *to = values + (size_t)f * (size_t)ntarget + (size_t)t;
      if (t >= nold) *to = fit->weight[(size_t)f * (size_t)nframe + (size_t)(t - nold)];
      if (shape >= 0 && b->weights)
        *to = b->weights[(size_t)f * (size_t)rig->info.nshape + (size_t)shape];
    }
  }
  json_t *samplers = json_object_get(b->animation, "samplers");
  int output = mi_glb_add_floats(w, values, nframe * ntarget, 1, 0);
  mi_glb_append(w, json_object_get(b->animation, "channels"),
                json_pack("{s:i, s:{s:i, s:s}}", "sampler", mi_glb_length(samplers), "target",
                          "node", mesh->node, "path", "weights"));
  mi_glb_append(
      w, samplers,
      json_pack("{s:i, s:s, s:i}", "input", b->times, "interpolation", "LINEAR", "output", output));
}

// -- Animations that the file has
// -- Animations that the file has -----------------------------------------------------------------

// Values of `nold` weights a key become values of `ntarget`.
static void pad_sampler(mi_glb_bake_ctx *b, json_t *sampler, int ntarget) {
  const json_t *json = json_object_get(sampler, "output");
  int times = (int)json_integer_value(json_object_get(sampler, "input"));
  mi_accessor output, input;
  mien_f32s values;
  if (!json || mi_glb_accessor(b->r.glb, (int)json_integer_value(json), &output) < 0 ||
      mi_glb_accessor(b->r.glb, times, &input) < 0 || input.count < 1 ||
      mi_glb_floats(b->r.glb, &output, &values) < 0)
    return; // damaged before: left as it is
  const char *way = json_string_value(json_object_get(sampler, "interpolation"));
  int nrow = input.count * (way && !strcmp(way, "CUBICSPLINE") ? 3 : 1);
  int nold = values.count / nrow;
  if (nold >= ntarget || nold * nrow != values.count || output.width != 1) return;
  float *to = mi_glb_take(&b->w, (size_t)nrow * (size_t)ntarget, sizeof *to);
  for (int i = 0; to && i < values.count; i++)
    to[(size_t)(i / nold) * (size_t)ntarget + (size_t)(i % nold)] = *mi_f32s_at(&values, 1, i);
  if (to)
    mi_glb_set(&b->w, sampler, "output",
               json_integer(mi_glb_add_floats(&b->w, to, nrow * ntarget, 1, 0)));
}

static void pad_animation(mi_glb_bake_ctx *b, const json_t *animation) {
  const json_t *channels = json_object_get(animation, "channels");
  const json_t *samplers = json_object_get(animation, "samplers");
  for (int i = 0; i < mi_glb_length(channels); i++) {
    const json_t *channel = json_array_get(channels, (size_t)i);
    const json_t *target = json_object_get(channel, "target");
    const char *path = json_string_value(json_object_get(target, "path"));
    const json_t *node = json_array_get(
        b->r.glb->nodes, (size_t)json_integer_value(json_object_get(target, "node")));
    const json_t *mesh = json_object_get(node, "mesh");
    if (!path || strcmp(path, "weights") || !mesh) continue;
    int ntarget = count_targets(json_array_get(b->r.glb->meshes, (size_t)json_integer_value(mesh)));
    json_t *sampler =
        json_array_get(samplers, (size_t)json_integer_value(json_object_get(channel, "sampler")));
    if (sampler) pad_sampler(b, sampler, ntarget);
  }
}

void mi_glb_bake_end(mi_glb_bake_ctx *b) {
  json_t *animations = json_object_get(b->w.root, "animations");
  for (int i = 0; i < mi_glb_length(animations); i++)
    pad_animation(b, json_array_get(animations, (size_t)i));
  bool has_channels = mi_glb_length(json_object_get(b->animation, "channels")) > 0;
  if (has_channels && !animations) {
    animations = json_array();
    mi_glb_set(&b->w, b->w.root, "animations", animations);
  }
  if (has_channels)
    mi_glb_append(&b->w, animations, b->animation);
  else
    json_decref(b->animation);
}

// Alembic: for every part a transform with a PolyMesh below it, points sampled frame by frame.
#include "io/cache.h"
#include "io/ogawa.h"

#include "rig/rig.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { COMPOUND = 0, SCALAR = 1, ARRAY = 2 };
enum { BOOL = 0, UINT8 = 1, INT32 = 6, FLOAT32 = 10, FLOAT64 = 11 }; // plain old data of Alembic
enum { LIBRARY_VERSION = 10800 }; // the Alembic whose layout this is

typedef struct property {
  const char *name, *meta;
  int kind, pod, extent;
  bool is_timed;    // sampled at the frames; else once
  bool is_constant; // the one sample stands for all
  int nsample;
} property;

// Properties that a compound holds, and what says which they are.
typedef struct compound {
  mi_ogawa_group group;
  mi_ogawa_bytes headers;
} compound;

typedef struct archive {
  mi_ogawa ogawa;
  const mi_frames *frames;
  mi_usd_stage stage; // names, times and bounds serve as well here
} archive;

static void append_u32(archive *a, mi_ogawa_bytes *to, uint32_t value) {
  mi_ogawa_append(&a->ogawa, to, &value, sizeof value);
}

// Lengths and counts take four bytes each (size hint 2); names and meta data follow in full.
static void add_property(archive *a, compound *to, const property *p, uint64_t group) {
  uint32_t info = (uint32_t)p->kind | 2u << 2 | 0xffu << 20;
  if (p->kind != COMPOUND) {
    info |= (uint32_t)p->pod << 4 | (uint32_t)p->extent << 12 | 0x400; // always of one size
    info |= p->is_timed ? 0x100 : 0;
    info |= p->is_constant || p->nsample == 1 ? 0x800 : 0;
  }
  mi_ogawa_bytes *headers = &to->headers;
  append_u32(a, headers, info);
  if (p->kind != COMPOUND) append_u32(a, headers, (uint32_t)p->nsample);
  if (p->kind != COMPOUND && p->is_timed) append_u32(a, headers, 1);
  append_u32(a, headers, (uint32_t)strlen(p->name));
  mi_ogawa_append(&a->ogawa, headers, p->name, strlen(p->name));
  append_u32(a, headers, (uint32_t)strlen(p->meta));
  mi_ogawa_append(&a->ogawa, headers, p->meta, strlen(p->meta));
  mi_ogawa_add(&a->ogawa, &to->group, group);
}

static uint64_t end_compound(archive *a, compound *c) {
  if (c->headers.size)
    mi_ogawa_add(&a->ogawa, &c->group, mi_ogawa_data(&a->ogawa, c->headers.data, c->headers.size));
  return mi_ogawa_end_group(&a->ogawa, &c->group);
}

// A sample of an array is its values and its dimensions, which go without saying.
static void add_sample(archive *a, mi_ogawa_group *group, const property *p, const void *values,
                       size_t size) {
  mi_ogawa_add(&a->ogawa, group, mi_ogawa_sample(&a->ogawa, values, size));
  if (p->kind == ARRAY) mi_ogawa_add(&a->ogawa, group, mi_ogawa_no_data);
}

static void add_constant(archive *a, compound *to, property p, const void *values, size_t size) {
  mi_ogawa_group group = {0};
  p.is_constant = true;
  p.nsample = p.is_timed ? a->frames->nframe : 1;
  add_sample(a, &group, &p, values, size);
  add_property(a, to, &p, mi_ogawa_end_group(&a->ogawa, &group));
}

// -- Objects --------------------------------------------------------------------------------------

typedef struct object {
  mi_ogawa_group group; // properties, then children
  mi_ogawa_bytes headers;
} object;

static void add_child(archive *a, object *to, const char *name, const char *meta, uint64_t group) {
  static const unsigned char in_full = 0xff; // the meta data is not one of a table's
  append_u32(a, &to->headers, (uint32_t)strlen(name));
  mi_ogawa_append(&a->ogawa, &to->headers, name, strlen(name));
  mi_ogawa_append(&a->ogawa, &to->headers, &in_full, 1);
  append_u32(a, &to->headers, (uint32_t)strlen(meta));
  mi_ogawa_append(&a->ogawa, &to->headers, meta, strlen(meta));
  mi_ogawa_add(&a->ogawa, &to->group, group);
}

// Two hashes end an object's headers. They tell equal objects apart from others; where it lies in
// the file tells as much.
static uint64_t end_object(archive *a, object *o) {
  const uint64_t hashes[4] = {a->ogawa.at, 1, a->ogawa.at, 2};
  mi_ogawa_append(&a->ogawa, &o->headers, hashes, sizeof hashes);
  mi_ogawa_add(&a->ogawa, &o->group, mi_ogawa_data(&a->ogawa, o->headers.data, o->headers.size));
  return mi_ogawa_end_group(&a->ogawa, &o->group);
}

// -- A mesh ---------------------------------------------------------------------------------------

// Triangles turn the other way round in Alembic.
static void add_topology(archive *a, const mi_part_mesh *mesh, compound *geom) {
  size_t n = (size_t)mesh->ncorner;
  int32_t *corner = MI_PUSH(a->ogawa.arena, int32_t, n),
          *size = MI_PUSH(a->ogawa.arena, int32_t, n);
  if (!corner || !size) {
    a->ogawa.has_failed = true;
    return;
  }
  for (size_t i = 0; i < n; i++) corner[i] = mesh->corner[i - i % 3 + 2 - i % 3];
  for (size_t i = 0; i < n / 3; i++) size[i] = 3;
  add_constant(a, geom, (property){".faceIndices", "", ARRAY, INT32, 1, .is_timed = true}, corner,
               n * sizeof *corner);
  add_constant(a, geom, (property){".faceCounts", "", ARRAY, INT32, 1, .is_timed = true}, size,
               n / 3 * sizeof *size);
}

static void add_uvs(archive *a, const mi_part_mesh *mesh, compound *geom) {
  if (!mesh->uvs) return;
  bool is_split = mesh->nuv != mesh->npoint;
  float *uvs = MI_PUSH(a->ogawa.arena, float, 2 * (size_t)mesh->nuv);
  if (!uvs) {
    a->ogawa.has_failed = true;
    return;
  }
  for (size_t i = 0; i < (size_t)mesh->nuv; i++) {
    size_t from = is_split ? i - i % 3 + 2 - i % 3 : i;
    memcpy(uvs + 2 * i, mesh->uvs + 2 * from, 2 * sizeof *uvs);
  }
  const char *meta = is_split ? "arrayExtent=1;geoScope=fvr;interpretation=vector;isGeomParam=true;"
                                "podExtent=2;podName=float32_t"
                              : "arrayExtent=1;geoScope=vtx;interpretation=vector;isGeomParam=true;"
                                "podExtent=2;podName=float32_t";
  add_constant(a, geom, (property){"uv", meta, ARRAY, FLOAT32, 2, .is_timed = true}, uvs,
               2 * (size_t)mesh->nuv * sizeof *uvs);
}

static void find_box(const float *points, int npoint, double box[6]) {
  for (int i = 0; i < 3 * npoint; i++) {
    int k = i % 3;
    if (i < 3 || (double)points[i] < box[k]) box[k] = (double)points[i];
    if (i < 3 || (double)points[i] > box[3 + k]) box[3 + k] = (double)points[i];
  }
}

static mien_result add_points(archive *a, const mi_part_mesh *mesh, compound *geom) {
  const mi_frames *frames = a->frames;
  property box = {".selfBnds", "interpretation=box", SCALAR, FLOAT64, 6, true,
                  false,       frames->nframe};
  property place = {
      "P", "geoScope=vtx;interpretation=point", ARRAY, FLOAT32, 3, true, false, frames->nframe};
  mi_ogawa_group boxes = {0}, places = {0};
  float *points = MI_PUSH(a->ogawa.arena, float, 3 * (size_t)mesh->npoint);
  if (!points) return mi_fail_memory(a->ogawa.err);
  for (int f = 0; f < frames->nframe; f++) {
    double bounds[6] = {0};
    const float *frame = mi_frames_get(frames, f, a->ogawa.err);
    if (!frame) return MIEN_ERR_IO;
    mi_part_mesh_gather(mesh, frame, points);
    find_box(points, mesh->npoint, bounds);
    add_sample(a, &boxes, &box, bounds, sizeof bounds);
    add_sample(a, &places, &place, points, 3 * (size_t)mesh->npoint * sizeof *points);
    mien_result result = mi_file_check(a->ogawa.file, a->ogawa.err);
    if (result < 0) return result;
  }
  add_property(a, geom, &box, mi_ogawa_end_group(&a->ogawa, &boxes));
  add_property(a, geom, &place, mi_ogawa_end_group(&a->ogawa, &places));
  return MIEN_OK;
}

static mien_result add_mesh(archive *a, const mi_part_mesh *mesh, object *parent) {
  static const char schema[] = "schema=AbcGeom_PolyMesh_v1;schemaBaseType=AbcGeom_GeomBase_v1";
  static const char title[] = "schema=AbcGeom_PolyMesh_v1;schemaBaseType=AbcGeom_GeomBase_v1;"
                              "schemaObjTitle=AbcGeom_PolyMesh_v1:.geom";
  compound geom = {0}, all = {0};
  object shape = {0};
  mien_result result = add_points(a, mesh, &geom);
  if (result < 0) return result;
  add_topology(a, mesh, &geom);
  add_uvs(a, mesh, &geom);
  uint64_t group = end_compound(a, &geom);
  add_property(a, &all, &(property){.name = ".geom", .meta = schema, .kind = COMPOUND}, group);
  mi_ogawa_add(&a->ogawa, &shape.group, end_compound(a, &all));
  add_child(a, parent, "mesh", title, end_object(a, &shape));
  return MIEN_OK;
}

// Where the mesh stands: one matrix, rows as columns of ours.
static uint64_t add_place(archive *a, const mi_part_mesh *mesh) {
  static const unsigned char yes = 1, matrix = 3 << 4;
  double rows[16] = {0};
  for (int j = 0; j < 4; j++)
    for (int i = 0; i < 3; i++) rows[4 * j + i] = mesh->world[4 * i + j];
  rows[15] = 1;
  compound xform = {0}, all = {0};
  add_constant(a, &xform, (property){".inherits", "", SCALAR, BOOL, 1, .is_timed = false}, &yes, 1);
  add_constant(a, &xform, (property){".ops", "", SCALAR, UINT8, 1, .is_timed = false}, &matrix, 1);
  add_constant(a, &xform, (property){".vals", "", SCALAR, FLOAT64, 16, .is_timed = false}, rows,
               sizeof rows);
  add_constant(a, &xform,
               (property){"isNotConstantIdentity", "", SCALAR, BOOL, 1, .is_timed = false}, &yes,
               1);
  uint64_t group = end_compound(a, &xform);
  add_property(a, &all,
               &(property){.name = ".xform", .meta = "schema=AbcGeom_Xform_v3", .kind = COMPOUND},
               group);
  return end_compound(a, &all);
}

static mien_result add_part(archive *a, int m, object *top) {
  static const char title[] = "schema=AbcGeom_Xform_v3;schemaObjTitle=AbcGeom_Xform_v3:.xform";
  object node = {0};
  mi_ogawa_add(&a->ogawa, &node.group, add_place(a, &a->stage.mesh[m]));
  mien_result result = add_mesh(a, &a->stage.mesh[m], &node);
  if (result >= 0) add_child(a, top, a->stage.names[m], title, end_object(a, &node));
  return result;
}

// -- The archive ----------------------------------------------------------------------------------

// Two ways to sample: once, and every frame.
static void add_times(archive *a, mi_ogawa_group *root) {
  mi_ogawa_bytes bytes = {0};
  const double steps[2] = {1, 1 / a->stage.rate}, starts[2] = {0, a->stage.start / a->stage.rate};
  for (int i = 0; i < 2; i++) {
    append_u32(a, &bytes, i ? (uint32_t)a->frames->nframe : 1);
    mi_ogawa_append(&a->ogawa, &bytes, &steps[i], sizeof steps[i]);
    append_u32(a, &bytes, 1);
    mi_ogawa_append(&a->ogawa, &bytes, &starts[i], sizeof starts[i]);
  }
  mi_ogawa_add(&a->ogawa, root, mi_ogawa_data(&a->ogawa, bytes.data, bytes.size));
}

mien_result mi_abc_write(const mi_frames *frames, mi_file *file, mien_error *err) {
  archive a = {.frames = frames};
  object top = {0};
  mi_ogawa_group root = {0};
  const int32_t versions[2] = {0, LIBRARY_VERSION};
  mien_result result = mi_usd_stage_make(frames, &a.stage, err);
  if (result < 0) return result;
  mi_ogawa_begin(&a.ogawa, file, frames->arena, err);
  mi_ogawa_add(&a.ogawa, &top.group, 0); // no properties of its own
  for (int m = 0; m < a.stage.nmesh && result >= 0; m++) result = add_part(&a, m, &top);
  if (result < 0) return result;
  char meta[256];
  int length = snprintf(meta, sizeof meta, "_ai_Application=mien;_ai_Description=%s;mien_space=%s",
                        a.stage.doc, a.stage.space);
  for (int i = 0; i < 2; i++)
    mi_ogawa_add(&a.ogawa, &root, mi_ogawa_data(&a.ogawa, &versions[i], sizeof versions[i]));
  mi_ogawa_add(&a.ogawa, &root, end_object(&a, &top));
  mi_ogawa_add(&a.ogawa, &root, mi_ogawa_data(&a.ogawa, meta, (size_t)length));
  add_times(&a, &root);
  mi_ogawa_add(&a.ogawa, &root, mi_ogawa_no_data); // no table of meta data
  return mi_ogawa_finish(&a.ogawa, &root);
}

#include "import_assimp.h"

#include "dae_meshes.h"
#include "fbx_meshes.h"
#include "import_scene.h"

#include <assimp/cimport.h>
#include <assimp/config.h>
#include <assimp/postprocess.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char *ending_of(const char *path) {
  const char *slash = strrchr(path, '/'), *dot = strrchr(path, '.');
  return dot && (!slash || dot > slash) ? dot : "";
}

// The whole of a text file, NULL with the reason in errno.
static char *read_text(const char *path, size_t *length) {
  FILE *file = fopen(path, "rb");
  if (!file) return NULL;
  char *text = NULL;
  size_t size = 0, room = 0, got = 1;
  while (got) {
    if (size + 1 >= room) {
      room = room ? 2 * room : 1 << 16;
      char *more = realloc(text, room);
      if (!more) break;
      text = more;
    }
    got = fread(text + size, 1, room - size - 1, file);
    size += got;
  }
  bool failed = got || ferror(file);
  fclose(file);
  if (failed) {
    free(text);
    return NULL;
  }
  text[size] = 0;
  *length = size;
  return text;
}

static bool is_readable(const char *path) {
  FILE *file = fopen(path, "rb");
  if (file) fclose(file);
  return file != NULL;
}

// Parts of a file that are read beside Assimp: positions of vertices, and morph controllers.
typedef struct import_source {
  char *text; // the FBX file; its meshes point into it
  fbx_meshes fbx;
  dae_meshes dae;
  dae_morphs morphs;
} import_source;

static void read_source(const char *path, import_source *source) {
  const char *ending = ending_of(path);
  size_t size;
  bool is_fbx = !strcasecmp(ending, ".fbx"), is_dae = !strcasecmp(ending, ".dae");
  source->text = is_fbx || is_dae ? read_text(path, &size) : NULL;
  if (source->text && is_fbx) fbx_meshes_read(source->text, size, &source->fbx);
  if (source->text && is_dae) dae_meshes_read(source->text, &source->dae);
}

static void free_source(import_source *source) {
  fbx_meshes_free(&source->fbx);
  dae_meshes_free(&source->dae);
  dae_morphs_free(&source->morphs);
  free(source->text);
}

// Reads the file as it is: polygons, every vertex, no opinion about materials or normals, and no
// mesh made up where a skeleton is all there is.
static const struct aiScene *open_scene(const char *path, import_source *source) {
  bool is_dae = !strcasecmp(ending_of(path), ".dae");
  bool has_morphs = is_dae && source->text && dae_has_morphs(source->text);
  dae_morphs *morphs = &source->morphs;
  if (has_morphs && (!dae_morphs_read(source->text, morphs) || morphs->size > UINT32_MAX))
    return NULL;
  struct aiPropertyStore *how = aiCreatePropertyStore();
  if (!how) return NULL;
  aiSetImportPropertyInteger(how, AI_CONFIG_IMPORT_NO_SKELETON_MESHES, 1);
  const struct aiScene *scene =
      has_morphs ? aiImportFileFromMemoryWithProperties(morphs->text, (unsigned)morphs->size, 0,
                                                        "dae", how)
                 : aiImportFileExWithProperties(path, 0, NULL, how);
  aiReleasePropertyStore(how);
  return scene;
}

static int report_open(const char *path) {
  const char *ending = ending_of(path), *reason = aiGetErrorString();
  if (!*ending || aiIsExtensionSupported(ending) != AI_TRUE)
    return cli_fail("%s: files of this kind cannot be imported; .fbx, .dae, .glb, .gltf, .obj and "
                    "folders of .obj files can",
                    path);
  return cli_fail("%s: %s", path, reason && *reason ? reason : "the file could not be read");
}

// From the rig's definition back to each mesh's own numbers. NULL when memory ended.
static double *part_spaces(import_reader *r) {
  double *spaces = import_push(r, 12 * (size_t)r->npart, sizeof *spaces);
  for (int i = 0; spaces && i < r->npiece; i++)
    import_invert((const double(*)[4])r->piece[i].to_world, spaces + 12 * (size_t)r->piece[i].part);
  return spaces;
}

static mien_result make_rig(import_reader *r, const import_job *job, const char *extras,
                            mien_rig **rig, mien_error *err) {
  mien_rig_def def;
  mien_rig_def_init(&def);
  mien_shape *shapes = import_push(r, (size_t)r->nshape, sizeof *shapes);
  if (!shapes) return err->code = MIEN_ERR_MEMORY;
  for (int s = 0; s < r->nshape; s++)
    shapes[s] = (mien_shape){.name = r->shape[s].name,
                             .indices = {r->shape[s].index, r->shape[s].nmoved},
                             .deltas = {r->shape[s].delta, r->shape[s].nmoved, 3}};
  const char *slash = strrchr(r->path, '/'), *name = slash ? slash + 1 : r->path;
  def.name = import_text(r, name, strlen(name) - strlen(ending_of(name)));
  def.metres_per_unit = r->metres_per_unit;
  def.source_unit = r->source_unit;
  def.positions = (mien_f32s){r->position, r->nvert, 3};
  if (r->uv) def.uvs = (mien_f32s){r->uv, r->nvert, 2};
  if (r->colour) def.colours = (mien_f32s){r->colour, r->nvert, 4};
  def.faces = (mien_i32s){r->corner, r->ncorner};
  def.face_sizes = (mien_i32s){r->corners_of, r->nface};
  def.parts = r->part;
  def.npart = r->npart;
  def.shapes = shapes;
  def.nshape = r->nshape;
  def.file_vertices = (mien_i32s){r->number, r->nvert};
  def.part_spaces = part_spaces(r);
  def.extras = extras;
  def.remarks = (const char *const *)r->note;
  def.nremark = r->nnote;
  def.up = job->opts->up;
  def.facing = job->opts->facing;
  def.find_unit = !r->is_unit_stated;
  def.face_part = job->opts->face_part;
  def.has_pivot = job->opts->has_pivot;
  memcpy(def.pivot, job->opts->pivot, sizeof def.pivot);
  if (!def.has_pivot && import_neck(r, def.pivot)) def.has_pivot = 2;
  return mien_rig_create(&def, job->host, rig, err);
}

static int convert(import_reader *r, const import_job *job, mien_rig **rig, mien_take **take) {
  mien_error err = {.code = MIEN_OK};
  import_axes(r);
  import_pieces(r);
  import_order(r);
  if (!r->npiece && !r->is_out_of_memory) return cli_fail("%s: the file has no mesh", job->path);
  import_find_shapes(r);
  if (!r->is_out_of_memory) import_join(r);
  if (!r->is_out_of_memory) import_mesh(r);
  if (!r->is_out_of_memory) import_fill_shapes(r);
  if (!r->is_out_of_memory) import_unit(r, job->opts->unit);
  if (!r->is_out_of_memory) *take = import_take(r, job->host);
  if (r->is_out_of_memory) return cli_fail("%s: there is not enough memory", job->path);
  char *extras = import_fbx_inbetweens(r);
  mien_result result = make_rig(r, job, extras, rig, &err);
  free(extras);
  if (result >= 0) return CLI_DONE;
  mien_take_free(*take);
  *take = NULL;
  return cli_report(&err, job->path);
}

int import_file(const import_job *job, mien_rig **rig, mien_take **take) {
  *rig = NULL;
  *take = NULL;
  if (!is_readable(job->path)) return cli_fail("%s: %s", job->path, strerror(errno));
  import_source source = {0};
  read_source(job->path, &source);
  const struct aiScene *scene = open_scene(job->path, &source);
  int code;
  if (scene && scene->mRootNode) {
    bool is_fbx = source.fbx.nmesh > 0;
    import_reader r = {.scene = scene,
                       .path = job->path,
                       .dae = source.morphs.ntarget ? &source.morphs : NULL,
                       .file_mesh = is_fbx ? source.fbx.mesh : source.dae.mesh,
                       .nfile_mesh = is_fbx ? source.fbx.nmesh : source.dae.nmesh,
                       .is_numbered = source.text != NULL};
    code = convert(&r, job, rig, take);
    import_reader_free(&r);
  } else {
    code = report_open(job->path);
  }
  if (scene) aiReleaseImport(scene);
  free_source(&source);
  return code;
}

bool import_is_built(void) {
  return true;
}

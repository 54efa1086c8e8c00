#include "muscle_meshes.h"

#include <stdlib.h>

static int fill(muscle_meshes *m, const char *path, mien_face_def *def) {
  const mien_rig_info *info = mien_rig_get_info(m->rig);
  mien_part whole = {.name = info->name, .nvert = info->nvert, .ntri = info->triangles.count / 3};
  int count = info->npart ? info->npart : 1;
  m->meshes = calloc((size_t)count, sizeof *m->meshes);
  m->triangles = calloc((size_t)info->triangles.count + 1, sizeof *m->triangles);
  if (!m->meshes || !m->triangles) return cli_fail("out of memory");
  for (int k = 0; k < count; k++) {
    const mien_part *part = info->npart ? info->parts + k : &whole;
    int32_t *corner = m->triangles + 3 * (size_t)part->first_triangle;
    for (int c = 0; c < 3 * part->ntri; c++) {
      corner[c] = info->triangles.data[3 * (size_t)part->first_triangle + (size_t)c];
      corner[c] -= part->first_vertex;
      if (corner[c] < 0 || corner[c] >= part->nvert)
        return cli_fail("%s: the mesh '%s' shares vertices with another one", path, part->name);
    }
    const float *at = info->positions.data + 3 * (size_t)part->first_vertex;
    m->meshes[k] = (mien_muscle_mesh){part->name, {at, part->nvert, 3}, {corner, 3 * part->ntri}};
  }
  def->muscle_meshes = m->meshes;
  def->nmuscle_mesh = count;
  return CLI_DONE;
}

int muscle_meshes_open(muscle_meshes *m, const cli_args *args, mien_face_def *def) {
  const char *path = cli_value(args, "muscle-meshes", NULL);
  mien_rig_opts opts;
  mien_host host;
  mien_error err;
  *m = (muscle_meshes){NULL, NULL, NULL};
  if (!path)
    return cli_given(args, "muscle-unit")
               ? cli_usage("'--muscle-unit' is the unit of '--muscle-meshes'")
               : CLI_DONE;
  mien_rig_opts_init(&opts);
  opts.up = MIEN_AXIS_Y;
  opts.facing = MIEN_AXIS_Z;
  opts.unit = 1;
  if (!cli_unit(args, "muscle-unit", &opts.unit)) return CLI_USAGE;
  cli_host(args, &host);
  if (mien_rig_import(path, &opts, &host, &m->rig, &err) < 0) return cli_report(&err, path);
  return fill(m, path, def);
}

void muscle_meshes_close(muscle_meshes *m) {
  mien_rig_free(m->rig);
  free(m->meshes);
  free(m->triangles);
}

// compare_rigs A B [colours]: 0 when both files hold the same rig up to the order of vertices: the
// same parts, every vertex at the same place with the same uv, every shape with the same motion.
#include <mien/mien.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const float tolerance = 2e-6F; // m; FBX goes through degrees and centimetres

typedef struct posed {
  mien_rig *rig;
  const mien_rig_info *info;
  float *weights, *pose;
} posed;

static int complain(const char *what, const char *name) {
  fprintf(stderr, "compare_rigs: %s (%s)\n", what, name);
  return 1;
}

static int load(const char *path, posed *p) {
  mien_error err;
  if (mien_rig_load(path, NULL, &p->rig, &err) < 0) return complain(err.text, path);
  p->info = mien_rig_get_info(p->rig);
  p->weights = calloc((size_t)p->info->nshape + 1, sizeof *p->weights);
  p->pose = calloc(3 * (size_t)p->info->nvert, sizeof *p->pose);
  return !p->weights || !p->pose;
}

static void let_go(posed *p) {
  mien_rig_free(p->rig);
  free(p->weights);
  free(p->pose);
}

static float distance(const float *a, const float *b, int count) {
  float sum = 0;
  for (int k = 0; k < count; k++) sum += (a[k] - b[k]) * (a[k] - b[k]);
  return sqrtf(sum);
}

// The vertex of a part at a place of the rest pose, -1 when none is there.
static int find_vertex(const mien_rig_info *info, const mien_part *part, const float *place) {
  for (int i = part->first_vertex; i < part->first_vertex + part->nvert; i++)
    if (distance(info->positions.data + 3 * (size_t)i, place, 3) < tolerance) return i;
  return -1;
}

static int find_part(const mien_rig_info *info, const char *name) {
  for (int p = 0; p < info->npart; p++)
    if (!strcmp(info->parts[p].name, name)) return p;
  return -1;
}

static int compare_poses(const posed *a, const posed *b, const char *shape) {
  for (int p = 0; p < a->info->npart; p++) {
    const mien_part *part = a->info->parts + p;
    int other = find_part(b->info, part->name);
    if (other < 0 || b->info->parts[other].nvert != part->nvert ||
        b->info->parts[other].ntri != part->ntri || b->info->parts[other].kind != part->kind)
      return complain("a part is missing or different", part->name);
    for (int i = part->first_vertex; i < part->first_vertex + part->nvert; i++) {
      const float *rest = a->info->positions.data + 3 * (size_t)i;
      int j = find_vertex(b->info, b->info->parts + other, rest);
      if (j < 0) return complain("a vertex is at another place", part->name);
      if (distance(a->pose + 3 * (size_t)i, b->pose + 3 * (size_t)j, 3) > 2 * tolerance)
        return complain("a shape moves a vertex elsewhere", shape);
    }
  }
  return 0;
}

static int compare_shapes(posed *a, posed *b) {
  if (a->info->nshape != b->info->nshape) return complain("the number of shapes differs", "");
  for (int s = 0; s < a->info->nshape; s++) {
    const char *name = a->info->shapes[s].name;
    int other = mien_rig_find_shape(b->rig, name);
    if (other < 0 || strcmp(b->info->shapes[other].name, name) != 0)
      return complain("a shape is missing", name);
    a->weights[s] = b->weights[other] = 1;
    if (mien_rig_pose(a->rig, a->weights, a->info->nshape, a->pose, NULL) < 0 ||
        mien_rig_pose(b->rig, b->weights, b->info->nshape, b->pose, NULL) < 0)
      return complain("a shape cannot be posed", name);
    a->weights[s] = b->weights[other] = 0;
    if (compare_poses(a, b, name)) return 1;
  }
  return 0;
}

// Values of render vertices, by the place of the vertex they belong to; there are no seams.
static int compare_rows(const posed *a, const posed *b, const mien_f32s *x, const mien_f32s *y,
                        int width) {
  if (!x->data || !y->data) return complain("uvs or colours are missing", "");
  int xs = x->stride ? x->stride : width, ys = y->stride ? y->stride : width;
  for (int i = 0; i < a->info->nrender; i++) {
    const float *place = a->info->positions.data + 3 * (size_t)a->info->render_map.data[i];
    for (int j = 0; j < b->info->nrender; j++) {
      const float *there = b->info->positions.data + 3 * (size_t)b->info->render_map.data[j];
      if (distance(place, there, 3) > tolerance) continue;
      if (distance(x->data + (size_t)i * (size_t)xs, y->data + (size_t)j * (size_t)ys, width) >
          0.004F)
        return complain("a uv or a colour differs", "");
    }
  }
  return 0;
}

int main(int argc, char **argv) {
  posed a = {0}, b = {0};
  if (argc < 3) return complain("usage", "compare_rigs A B [colours]");
  int failed = load(argv[1], &a) || load(argv[2], &b) || compare_shapes(&a, &b) ||
               compare_rows(&a, &b, &a.info->uvs, &b.info->uvs, 2);
  if (!failed && argc > 3) failed = compare_rows(&a, &b, &a.info->colours, &b.info->colours, 3);
  let_go(&a);
  let_go(&b);
  return failed;
}

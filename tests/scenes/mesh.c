#include "scenes/scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static scene_mesh reserve(int nvert, int ntri) {
  return (scene_mesh){calloc(3 * (size_t)nvert, sizeof(float)),
                      calloc(3 * (size_t)ntri, sizeof(int32_t)), nvert, ntri};
}

static void put(scene_mesh *mesh, int i, double x, double y, double z) {
  mesh->position[3 * i] = (float)x;
  mesh->position[3 * i + 1] = (float)y;
  mesh->position[3 * i + 2] = (float)z;
}

static void add(scene_mesh *mesh, int *ntri, int a, int b, int c) {
  int32_t *tri = mesh->tri + 3 * (*ntri)++;
  tri[0] = a, tri[1] = b, tri[2] = c;
}

scene_mesh scene_grid(int nx, int ny, double size) {
  scene_mesh mesh = reserve((nx + 1) * (ny + 1), 2 * nx * ny);
  int ntri = 0;
  for (int j = 0; j <= ny; j++)
    for (int i = 0; i <= nx; i++)
      put(&mesh, j * (nx + 1) + i, size * i / nx - size / 2, size * j / ny - size / 2, 0);
  for (int j = 0; j < ny; j++)
    for (int i = 0; i < nx; i++) {
      int a = j * (nx + 1) + i, b = a + 1, c = a + nx + 1, d = c + 1;
      add(&mesh, &ntri, a, b, d);
      add(&mesh, &ntri, a, d, c);
    }
  return mesh;
}

scene_mesh scene_sphere(int rings, int sectors, double radius) {
  const double pi = 3.14159265358979323846;
  scene_mesh mesh = reserve((rings - 1) * sectors + 2, 2 * (rings - 1) * sectors);
  int north = mesh.nvert - 2, south = mesh.nvert - 1, ntri = 0;
  put(&mesh, north, 0, radius, 0);
  put(&mesh, south, 0, -radius, 0);
  for (int j = 1; j < rings; j++)
    for (int i = 0; i < sectors; i++) {
      double polar = pi * j / rings, turn = 2 * pi * i / sectors;
      put(&mesh, (j - 1) * sectors + i, radius * sin(polar) * sin(turn), radius * cos(polar),
          radius * sin(polar) * cos(turn));
    }
  for (int i = 0; i < sectors; i++) {
    int next = (i + 1) % sectors, last = (rings - 2) * sectors;
    add(&mesh, &ntri, north, i, next);
    add(&mesh, &ntri, south, last + next, last + i);
    for (int j = 0; j + 2 < rings; j++) {
      int a = j * sectors + i, b = j * sectors + next;
      add(&mesh, &ntri, a, a + sectors, b + sectors);
      add(&mesh, &ntri, a, b + sectors, b);
    }
  }
  return mesh;
}

scene_mesh scene_box(double x, double y, double z) {
  static const int32_t faces[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6},
                                       {0, 1, 4}, {1, 5, 4}, {2, 6, 3}, {3, 6, 7},
                                       {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
  scene_mesh mesh = reserve(8, 12);
  for (int i = 0; i < 8; i++)
    put(&mesh, i, i & 1 ? x / 2 : -x / 2, i & 2 ? y / 2 : -y / 2, i & 4 ? z / 2 : -z / 2);
  memcpy(mesh.tri, faces, sizeof faces);
  return mesh;
}

scene_mesh scene_join(const scene_mesh *a, const scene_mesh *b) {
  scene_mesh mesh = reserve(a->nvert + b->nvert, a->ntri + b->ntri);
  memcpy(mesh.position, a->position, 3 * (size_t)a->nvert * sizeof(float));
  memcpy(mesh.position + 3 * a->nvert, b->position, 3 * (size_t)b->nvert * sizeof(float));
  memcpy(mesh.tri, a->tri, 3 * (size_t)a->ntri * sizeof(int32_t));
  for (int k = 0; k < 3 * b->ntri; k++) mesh.tri[3 * a->ntri + k] = b->tri[k] + a->nvert;
  return mesh;
}

void scene_flip(scene_mesh *mesh) {
  for (int t = 0; t < mesh->ntri; t++) {
    int32_t kept = mesh->tri[3 * t];
    mesh->tri[3 * t] = mesh->tri[3 * t + 1];
    mesh->tri[3 * t + 1] = kept;
  }
}

void scene_mesh_free(scene_mesh *mesh) {
  free(mesh->position);
  free(mesh->tri);
  *mesh = (scene_mesh){0};
}

mien_rig_def scene_rig_def(const scene_mesh *mesh) {
  mien_rig_def def;
  mien_rig_def_init(&def);
  def.name = "scene";
  def.positions = (mien_f32s){mesh->position, mesh->nvert, 3};
  def.faces = (mien_i32s){mesh->tri, 3 * mesh->ntri};
  return def;
}

mien_rig *scene_rig(const scene_mesh *mesh) {
  mien_rig_def def = scene_rig_def(mesh);
  mien_rig *rig = NULL;
  mien_error err;
  if (mien_rig_create(&def, NULL, &rig, &err) < 0) fail_msg("%s", err.text);
  return rig;
}

#include "blocks.h"

#include <math.h>
#include <stdlib.h>

static const double BAR_LENGTH = 0.2, BAR_WIDTH = 0.04, CUBE_SIZE = 0.1, SHEET_SIZE = 0.2; // m

typedef struct box_grid {
  double size[3]; // m
  int cells[3];
} box_grid;

// -- Surfaces -------------------------------------------------------------------------------------

static int is_outside(const box_grid *grid, const int at[3]) {
  for (int k = 0; k < 3; k++) {
    if (at[k] == 0 || at[k] == grid->cells[k]) return 1;
  }
  return 0;
}

static int node_index(const box_grid *grid, const int at[3]) {
  return (at[0] * (grid->cells[1] + 1) + at[1]) * (grid->cells[2] + 1) + at[2];
}

static void add_nodes(mesh_builder *mesh, const box_grid *grid, int *node) {
  int at[3];
  for (at[0] = 0; at[0] <= grid->cells[0]; at[0]++) {
    for (at[1] = 0; at[1] <= grid->cells[1]; at[1]++) {
      for (at[2] = 0; at[2] <= grid->cells[2]; at[2]++) {
        if (!is_outside(grid, at)) continue;
        float p[3];
        for (int k = 0; k < 3; k++)
          p[k] = (float)(grid->size[k] * ((double)at[k] / grid->cells[k] - 0.5));
        node[node_index(grid, at)] = mesh_builder_vertex(mesh, p[0], p[1], p[2]);
      }
    }
  }
}

// The two faces across `axis`.
static void add_faces(mesh_builder *mesh, const box_grid *grid, const int *node, int axis) {
  const int u = (axis + 1) % 3, v = (axis + 2) % 3;
  for (int side = 0; side < 2; side++) {
    for (int i = 0; i < grid->cells[u]; i++) {
      for (int j = 0; j < grid->cells[v]; j++) {
        int corner[4], at[3];
        at[axis] = side * grid->cells[axis];
        for (int k = 0; k < 4; k++) {
          at[u] = i + (k == 1 || k == 2);
          at[v] = j + (k >= 2);
          corner[k] = node[node_index(grid, at)];
        }
        if (side == 1)
          mesh_builder_quad(mesh, corner[0], corner[1], corner[2], corner[3]);
        else
          mesh_builder_quad(mesh, corner[0], corner[3], corner[2], corner[1]);
      }
    }
  }
}

static void add_box(mesh_builder *mesh, const box_grid *grid) {
  size_t count = 1;
  for (int k = 0; k < 3; k++) count *= (size_t)grid->cells[k] + 1;
  int *node = malloc(count * sizeof *node);
  if (!node) {
    mesh->failed = 1;
    return;
  }
  add_nodes(mesh, grid, node);
  for (int axis = 0; axis < 3 && !mesh->failed; axis++) add_faces(mesh, grid, node, axis);
  free(node);
}

static void add_sheet(mesh_builder *mesh, int cells) {
  for (int j = 0; j <= cells; j++) {
    for (int i = 0; i <= cells; i++) {
      double x = SHEET_SIZE * ((double)i / cells - 0.5), y = SHEET_SIZE * ((double)j / cells - 0.5);
      mesh_builder_vertex(mesh, (float)x, (float)y, 0.0f);
    }
  }
  for (int j = 0; j < cells && !mesh->failed; j++) {
    for (int i = 0; i < cells; i++) {
      int a = j * (cells + 1) + i;
      mesh_builder_quad(mesh, a, a + 1, a + cells + 2, a + cells + 1);
    }
  }
}

// -- Shapes and maps ------------------------------------------------------------------------------

typedef void deformation(const float at[3], float to[3]);

// The axis becomes a quarter circle of the same length that starts at the held end.
static void bend(const float at[3], float to[3]) {
  double quarter = 0.5 * acos(-1.0), radius = BAR_LENGTH / quarter;
  double angle = (at[0] + 0.5 * BAR_LENGTH) / radius;
  to[0] = (float)(-0.5 * BAR_LENGTH + (radius - at[1]) * sin(angle));
  to[1] = (float)(radius - (radius - at[1]) * cos(angle));
  to[2] = at[2];
}

static void stretch(const float at[3], float to[3]) {
  const double longer = 1.5, thinner = 1.0 / sqrt(longer);
  to[0] = (float)(-0.5 * BAR_LENGTH + longer * (at[0] + 0.5 * BAR_LENGTH));
  to[1] = (float)(thinner * at[1]);
  to[2] = (float)(thinner * at[2]);
}

static void squash(const float at[3], float to[3]) {
  const double lower = 0.6, wider = 1.0 / sqrt(lower);
  to[0] = (float)(wider * at[0]);
  to[1] = (float)(-0.5 * CUBE_SIZE + lower * (at[1] + 0.5 * CUBE_SIZE));
  to[2] = (float)(wider * at[2]);
}

// Two waves from side to side, none at the held edge.
static void wave(const float at[3], float to[3]) {
  double below = 0.5 - at[1] / SHEET_SIZE;
  to[0] = at[0];
  to[1] = at[1];
  to[2] = (float)(0.02 * below * sin(4.0 * acos(-1.0) * at[0] / SHEET_SIZE));
}

static void add_shape(rig_store *store, const char *name, deformation *deform) {
  const mesh_builder *mesh = &store->mesh;
  float(*delta)[3] = malloc((size_t)mesh->nvert * sizeof *delta);
  if (!delta) {
    store->failed = 1;
    return;
  }
  for (int v = 0; v < mesh->nvert; v++) {
    deform(mesh->position[v], delta[v]);
    for (int k = 0; k < 3; k++) delta[v][k] -= mesh->position[v][k];
  }
  rig_store_shape(store, name, delta);
  free(delta);
}

// Holds the vertices whose coordinate `axis` is at `bound`; axis -1 holds nothing.
static void add_attachment(rig_store *store, int axis, double bound) {
  const mesh_builder *mesh = &store->mesh;
  float *held = calloc((size_t)mesh->nvert, sizeof *held);
  if (!held) {
    store->failed = 1;
    return;
  }
  for (int v = 0; v < mesh->nvert && axis >= 0; v++)
    held[v] = fabs(mesh->position[v][axis] - bound) < 1e-6 ? 1.0f : 0.0f;
  rig_store_map(store, "attachment", held);
  free(held);
}

// -- Rigs -----------------------------------------------------------------------------------------

static int finish(block_rig *out, const char *name) {
  if (rig_store_define(&out->store, name) == 0) return 0;
  rig_store_free(&out->store);
  return -1;
}

int block_bar_create(block_rig *out, int cells) {
  rig_store_init(&out->store);
  if (cells < 1) return -1;
  add_box(&out->store.mesh,
          &(box_grid){{BAR_LENGTH, BAR_WIDTH, BAR_WIDTH}, {5 * cells, cells, cells}});
  if (!out->store.mesh.failed) {
    rig_store_part(&out->store, "bar", MIEN_PART_SKIN);
    add_shape(&out->store, "bend", bend);
    add_shape(&out->store, "stretch", stretch);
    add_attachment(&out->store, 0, -0.5 * BAR_LENGTH);
  }
  return finish(out, "bar");
}

int block_cube_create(block_rig *out, int cells) {
  rig_store_init(&out->store);
  if (cells < 1) return -1;
  add_box(&out->store.mesh, &(box_grid){{CUBE_SIZE, CUBE_SIZE, CUBE_SIZE}, {cells, cells, cells}});
  if (!out->store.mesh.failed) {
    rig_store_part(&out->store, "cube", MIEN_PART_SKIN);
    add_shape(&out->store, "squash", squash);
    add_attachment(&out->store, -1, 0.0);
  }
  return finish(out, "cube");
}

int block_sheet_create(block_rig *out, int cells) {
  rig_store_init(&out->store);
  if (cells < 1) return -1;
  add_sheet(&out->store.mesh, cells);
  if (!out->store.mesh.failed) {
    rig_store_part(&out->store, "sheet", MIEN_PART_SKIN);
    add_shape(&out->store, "wave", wave);
    add_attachment(&out->store, 1, 0.5 * SHEET_SIZE);
  }
  return finish(out, "sheet");
}

void block_free(block_rig *rig) {
  rig_store_free(&rig->store);
}

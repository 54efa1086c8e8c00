// Meshes, rigs and hosts that tests, benches and reproductions share.
#ifndef SCENE_H
#define SCENE_H

#include <mien/mien.h>

// cmocka wants these before itself
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

// cmocka compares in float; numbers here are doubles.
#define assert_near(value, expected, tolerance)                                                    \
  scene_assert_near((double)(value), (double)(expected), (double)(tolerance), __FILE__, __LINE__)
void scene_assert_near(double value, double expected, double tolerance, const char *file, int line);

// A plain triangle mesh from malloc; counter-clockwise seen from outside.
typedef struct scene_mesh {
  float *position;
  int32_t *tri;
  int nvert, ntri;
} scene_mesh;
scene_mesh scene_grid(int nx, int ny, double size);             // in the xy plane, facing +z, open
scene_mesh scene_sphere(int rings, int sectors, double radius); // closed
scene_mesh scene_box(double x, double y, double z);             // closed, 8 vertices, 12 triangles
scene_mesh scene_join(const scene_mesh *a, const scene_mesh *b);
void scene_flip(scene_mesh *mesh); // inside out
void scene_mesh_free(scene_mesh *mesh);
// A definition that borrows the mesh.
mien_rig_def scene_rig_def(const scene_mesh *mesh);
mien_rig *scene_rig(const scene_mesh *mesh); // fails the test when it cannot be made

// A rig, its flesh and a state of it. Making one fails the test when it cannot be done; the mesh
// belongs to it from then on.
typedef struct scene_flesh {
  scene_mesh mesh;
  mien_rig *rig;
  mien_face *face;
  mien_state *state;
} scene_flesh;
scene_flesh scene_flesh_create(scene_mesh mesh, const mien_rig_def *def, const mien_host *host);
void scene_flesh_free(scene_flesh *flesh);

// A locale with a decimal comma, made here: none needs to be installed. False when it cannot be
// made; the test sets "C" again.
bool scene_use_decimal_comma(void);

// Threads that a child of fork() may have: the thread sanitizer cannot follow new ones there, and a
// build without threads has none.
#if defined(__SANITIZE_THREAD__) || defined(MIEN_ONE_THREAD)
enum { SCENE_CHILD_THREADS = 1 };
#else
enum { SCENE_CHILD_THREADS = 4 };
#endif

// A host whose allocator counts, and fails at the `fail_at`-th allocation (1 = the first, 0 =
// never).
typedef struct scene_memory {
  int fail_at, nalloc;
  size_t live;
} scene_memory;
mien_host scene_counting_host(scene_memory *memory);

// Runs `make` with a host that fails the 1st, 2nd, 3rd ... allocation until it succeeds: every
// failure must be MIEN_ERR_MEMORY and leave nothing behind. `make` frees what it made.
typedef mien_result scene_make_fn(const mien_host *host, void *user);
void scene_fail_every_allocation(scene_make_fn *make, void *user);

#endif

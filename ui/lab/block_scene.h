// A block of solid flesh with the library's own step: the scene of claims about integrators, energy
// and rebalancing, which the papers show on cubes and bars. It hangs on nothing, or by one end.
#ifndef MIEN_LAB_BLOCK_SCENE_H
#define MIEN_LAB_BLOCK_SCENE_H

#include <mien/mien.h>

#include <stdbool.h>

typedef struct block_scene_def {
  double size[3];           // m
  int cells[3];             // along each axis
  double stiffness;         // Pa; volume_stiffness is three times that
  double attach_stiffness;  // Hz: every vertex on a spring of this rate; 0 = none
  bool is_held;             // by the end at -X
  const mien_shape *shapes; // of the surface, whose vertices come in the block's order
  int nshape;
  const mien_map *maps; // of the surface and the four vertices of its bone
  int nmap;
  int threads;
} block_scene_def;

typedef struct block_scene {
  mien_rig *rig;
  mien_face *face;
  mien_state *state;
  mien_error err;
} block_scene;

// The vertices of the surface, x (count x 3), in the order that shapes use; returns the count.
int block_scene_surface(const block_scene_def *def, float *x, int most);

// A negative result, and a sentence in scene->err, when it cannot be made; free it in any case.
mien_result block_scene_create(block_scene *scene, const block_scene_def *def);
void block_scene_free(block_scene *scene);

// Sets it spinning about an axis through its middle, 1 / s, stretched by `stretch` along X first.
void block_scene_spin(block_scene *scene, const double spin[3], double stretch);

// Against the head, J, kg m / s, kg m^2 / s. The elastic energy is that of the pose of the last
// step.
typedef struct block_motion {
  double kinetic, elastic, momentum[3], turning[3], centre[3];
} block_motion;
block_motion block_scene_measure(block_scene *scene);

#endif

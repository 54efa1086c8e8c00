// Scenes in which skin touches: a sample head that presses its lips, and two balls of flesh; judged
// by the exact test of crossing triangles, which knows nothing of the solver.
#ifndef MIEN_TESTS_TOUCH_H
#define MIEN_TESTS_TOUCH_H

#include "scenes/scene.h"

// How a test steps: it runs once for each way.
typedef struct touch_way {
  mien_solver solver;
  mien_contact contact;
} touch_way;
void touch_use(const touch_way *way, mien_step_opts *opts);
mien_step_opts touch_options(const touch_way *way, double fps);

// Ways, and entries of a table of tests whose state is a way.
static const touch_way touch_planes = {MIEN_SOLVER_AUTO, MIEN_CONTACT_PLANE},
                       touch_sweeps = {MIEN_SOLVER_GAUSS_SEIDEL, MIEN_CONTACT_PLANE},
                       touch_barrier = {MIEN_SOLVER_AUTO, MIEN_CONTACT_BARRIER};
#define WITH(way, test)                                                                            \
  { #test ", " #way, test, NULL, NULL, (void *)(uintptr_t)&touch_##way }
#define EVERY_WAY(test) WITH(planes, test), WITH(sweeps, test), WITH(barrier, test)

typedef struct touch_scene {
  scene_mesh mesh; // of the balls
  mien_rig *rig;
  mien_face *face;
  mien_state *state;
  mien_take *take; // of the head
  mien_input input;
  float *weights; // one a shape; input.weights
} touch_scene;

// The sample head of 1,753 skin vertices with one of the sample takes ("press.csv"). All scenes of
// a program share its rig and face: touch_free leaves them alone, and so must the test.
touch_scene touch_head(const char *take, const mien_host *host);
// The same with flesh of your own; the definition is borrowed for the call.
touch_scene touch_head_of(const mien_face_def *def, const char *take);
// A denser one, of which about `simulate_at` skin vertices are simulated; shared, too.
touch_scene touch_embedded_head(const char *rig, int simulate_at, const char *take,
                                const mien_host *host);

// A ball of 10 cm, its upper pole at the origin; all of it can touch. Its halves are painted as
// lips that are welded together.
touch_scene touch_ball(const mien_face_def *def, const mien_host *host);
// The same with another over it and `gap` (m) between them.
// Weights: 0 moves the upper one down by 10 mm, 1 moves it to +x by 10 mm.
enum { TOUCH_DOWN, TOUCH_ASIDE };
touch_scene touch_balls(double gap, const mien_host *host);
// The same after `spoil` has changed the mesh.
touch_scene touch_spoiled_balls(double gap, void (*spoil)(scene_mesh *mesh));
void touch_free(touch_scene *s);

// The take's weights at a time.
void touch_pose(touch_scene *s, double time);
// A step with the present weights; fails the test when it is refused.
void touch_step(touch_scene *s, const mien_step_opts *opts);
// A new state that goes on from a snapshot of the present one.
void touch_move_to_new_state(touch_scene *s, const mien_host *host);

// Pairs of the skin's triangles that cross and did not in the neutral.
int64_t touch_crossings(const touch_scene *s);
// Pairs that cross of the contact surface as the step left it: skin that can touch, pulled in where
// the neutral needs it, with itself and with colliders. What meets nothing, because no depth helps
// in the neutral or because contact stood down in this step, is left out. 0 without contact.
int64_t touch_surface_crossings(const touch_scene *s);
// Soft vertices that contact stood down for in this step: they crossed wherever it looked.
int touch_stood_down(const touch_scene *s);
// Pairs of the shown skin that cross and did not in the neutral; it may be finer than the
// simulated.
int64_t touch_shown_crossings(const touch_scene *s);
// Pairs that cross in the artist's pose and not in the neutral, of a rig's skin with itself, with
// teeth, jaw and eyes: of the scene's rig, or of a coarser one with the same shapes.
int64_t touch_posed_crossings(const touch_scene *s, const mien_rig *rig);
bool touch_is_finite(const touch_scene *s);
// m, the longest way of a skin vertex since `before` (nskin x 3), which becomes the present.
double touch_motion(const touch_scene *s, float *before);
// True when the skin is the artist's pose to the last bit.
bool touch_is_artists(const touch_scene *s);
// The same within 240 steps; says how far it is off when not.
bool touch_comes_back(touch_scene *s, const mien_step_opts *opts);
// Of a shape by its name, which must be there.
float *touch_weight(touch_scene *s, const char *name);

#endif

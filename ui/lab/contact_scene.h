// A take on a face, with contact or without, judged by the exact test of crossing triangles: what
// the claims about contact share.
#ifndef MIEN_LAB_CONTACT_SCENE_H
#define MIEN_LAB_CONTACT_SCENE_H

#include "crossings.h"
#include "picture.h"
#include "reproduce.h"

typedef struct contact_scene {
  mien_rig *rig;
  mien_face *face;
  mien_state *state;
  mien_activations *muscles; // that move the face, or NULL: the drive of the options does
  mien_take *take, *head;    // or NULL: all weights 0; the head still
  mien_step_opts opts;
  mien_input input;
  double fps, seconds; // of the take, or of the head's motion without one
  int nframe;
  float *weights, *artist; // of the present frame; (nshape), (rig nvert x 3)
  int32_t *rigid;          // triangles of teeth and jaw, rig vertices              (nrigid x 3)
  int nrigid;
} contact_scene;

// Sample rig and takes by name; `take` and `head` may be NULL. Prints what is wrong.
int contact_scene_open(contact_scene *s, const cli_args *args, const char *rig, const char *take,
                       const char *head);
// Another take on the same face; its head stays.
int contact_scene_change_take(contact_scene *s, const cli_args *args, const char *take);
// The same with about so many skin vertices simulated, which the others follow.
int contact_scene_simulate_at(contact_scene *s, const cli_args *args, int nskin);
// And moved by muscles, with the activations that come closest to the take's poses: for options
// with the drive muscle.
int contact_scene_by_muscles(contact_scene *s, const cli_args *args, int nskin);
void contact_scene_close(contact_scene *s);
// From the start again, with these options at `fps` frames a second.
void contact_scene_start(contact_scene *s, const mien_step_opts *opts, double fps);
// Frame 0 is the pose the take begins with. Prints what is wrong.
int contact_scene_step(contact_scene *s, int frame);

// Pairs of the skin's triangles that cross, at positions of the rig; those of the neutral apart.
crossings contact_scene_skin(const contact_scene *s, const float *positions);
// The same of all the rig's skin as it is shown, simulated or following.
crossings contact_scene_shown(const contact_scene *s, const float *positions);
// The same between skin of a region (0 = all) and the rig's teeth and jaw, at the present
// positions.
crossings contact_scene_rigid(const contact_scene *s, int32_t region);

// N, what the barrier pushed with at the end of the last step of a state; forgotten here, so that
// the next step is asked anew. 0 = it was not the barrier that pushed.
double contact_scene_take_push(mien_state *state);
// Rows of the barrier in the last global step of a state.
int contact_scene_barrier_rows(const mien_state *state);
// m: within that the barrier pushes.
double contact_scene_barrier_reach(const mien_state *state, const mien_step_opts *opts);

// -- Pictures: moments kept while stepping, drawn in the end --------------------------------------

enum { ALBUM_MOST = 12 };
typedef struct album {
  float *positions[ALBUM_MOST]; // of the rig
  float *flesh[ALBUM_MOST];
  char label[ALBUM_MOST][64];
  int count;
  picture_panel panels[2]; // of each moment
  int npanel;
  rig_view_subject subject;
  int size, ncolumn; // pixels of a panel; moments in a row
} album;

// Keeps where everything is now (positions of the rig: the state's, or others). Out of memory or
// full: false.
bool album_keep(album *a, const contact_scene *s, const float *positions, const char *label);
int album_save(const album *a, const contact_scene *s, const char *title, const char *path);
void album_free(album *a);

#endif

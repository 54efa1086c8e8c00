// A sample head in the middle of a phrase while it is being shaken: the frame that benches and
// claims measure. The same frame can be stepped again and again.
#ifndef MIEN_LAB_FRAME_SCENE_H
#define MIEN_LAB_FRAME_SCENE_H

#include "cli.h"
#include "textbook.h"

enum { FRAME_CONTACTS = 50, FRAME_STICKY = 110, FRAME_PULLS = FRAME_CONTACTS + FRAME_STICKY };

typedef struct frame_scene {
  mien_host host;
  int64_t nalloc;          // calls of the allocator that face and state use
  size_t nbyte, nmost;     // held now; the most at any time
  mien_state_info fastest; // of the repeats of the last frame_scene_time
  bool is_beside;          // rig and face are another scene's
  mien_rig *rig;
  mien_face *face;
  mien_state *state;
  mien_take *phrase, *shake;
  mien_step_opts opts;
  float *weights;
  unsigned char *start; // the state before the measured frame
  int32_t *lip[2];      // skin vertices of the upper and lower lip, nearest to the other one first
  int nlip[2];
  mi_lowrank lowrank[FRAME_PULLS];
  float pull_target[3 * FRAME_PULLS];
} frame_scene;

// Steps `lead_in` frames and keeps the state. `sample` is a file of the samples. A CLI exit code;
// close it in any case.
int frame_scene_open(frame_scene *scene, const cli_args *args, const char *sample, int threads);
// A second state of the face of `first`, which must stay open.
int frame_scene_open_beside(frame_scene *scene, const cli_args *args, const frame_scene *first);
int frame_scene_start(frame_scene *scene, const mien_step_opts *opts, int lead_in);
void frame_scene_close(frame_scene *scene);

// One step from where the state is; false (and a sentence) when it fails.
bool frame_scene_step(frame_scene *scene);
void frame_scene_rewind(frame_scene *scene); // to the state kept
void frame_scene_keep(frame_scene *scene);   // the state as it is now

// Contacts (a vertex against a triangle of the other lip) and sticky springs (a vertex to a
// vertex), all of them others for another frame number, for the flesh as it is now. False when the
// face has no lips.
bool frame_scene_make_pulls(frame_scene *scene, int frame);
// Hands them to the solver, or takes them away. False when it refuses.
bool frame_scene_pull(frame_scene *scene, bool on);

// The problem that the last step has minimised, in the solver's order.
textbook_frame frame_scene_frame(const frame_scene *scene);
// Seconds of the fastest of `repeats` runs of the frame after the state kept; with `pulls` the time
// to hand them over is included.
double frame_scene_time(frame_scene *scene, bool lowrank_rows, int repeats);

// Seconds a frame with two sets of options on the face of `first`, each along its own motion: the
// mean over several frames (their costs differ) of the fastest repeat. The two take turns, so that
// other processes disturb both. A CLI exit code.
int frame_scene_compare(frame_scene *first, const cli_args *args, bool quick,
                        const mien_step_opts *one, const mien_step_opts *other, double seconds[2]);

#endif

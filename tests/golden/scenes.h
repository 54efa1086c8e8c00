// Short scenes whose results are kept as hashes: one for every part of the method that can change
// them.
#ifndef MIEN_TESTS_GOLDEN_SCENES_H
#define MIEN_TESTS_GOLDEN_SCENES_H

#include <stdint.h>

typedef struct golden_scene {
  const char *name;
  const char *rig;      // a sample, or words of a hard rig
  const char *preset;   // or NULL
  const char *settings; // "contact=plane sticky=1"
  const char *take;     // a sample
  const char *head;     // a head motion, or NULL: still
  double from;          // s, of the take
  int nframe, fps;
  int extra; // bits of golden_extra
} golden_scene;

typedef enum golden_extra {
  GOLDEN_COLLIDER = 1, // a ball pushes into the cheek
  GOLDEN_JAW = 2,      // the jaw is given, not found from the weights
  GOLDEN_SEAL = 4,     // lips are sealed from one corner
  GOLDEN_KEYED = 8,    // time_scale and substeps change in every frame
  GOLDEN_SIXTEEN = 16  // reaches kernels that have a body of sixteen lanes in a way of its own
} golden_extra;

extern const golden_scene golden_scenes[];
extern const int golden_nscene;

// Plays a scene and hashes what every frame shows: the bits of skin and flesh, not the layout of
// the state. The face is kept for a next scene with the same, until golden_forget.
// Fails the test when a call is refused.
uint64_t golden_play(const golden_scene *scene);
void golden_forget(void);

#endif

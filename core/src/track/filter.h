// Filters over time for what a tracker says: still when the performer is still, no lag when fast.
#ifndef MI_FILTER_H
#define MI_FILTER_H

#include <stdbool.h>

// -- Sliding window that shortens with speed (Bouaziz, eq. 4.1 and 4.2) ---------------------------

enum { MI_WINDOW = 5, MI_WINDOW_WIDTH = 4 };

typedef struct mi_adaptive {
  int width;                                   // numbers of a vector, up to 4
  int count;                                   // frames before this one, up to MI_WINDOW
  double rate;                                 // H: how fast distance shortens the window
  double past[MI_WINDOW + 1][MI_WINDOW_WIDTH]; // newest first
} mi_adaptive;

// `noise`: standard deviation of one number of a still face.
void mi_adaptive_init(mi_adaptive *filter, int width, double noise);
void mi_adaptive_next(mi_adaptive *filter, const double *value, double *out);
// The same for a unit quaternion: signs are made to agree and the result is of unit length.
void mi_adaptive_next_rotation(mi_adaptive *filter, const double value[4], double out[4]);

// -- One-euro filter (Casiez et al. 2012) ---------------------------------------------------------

typedef struct mi_one_euro {
  double cutoff; // Hz, of something that stands still
  double slope;  // added to it per unit of speed
  double value, speed;
  bool has_value;
} mi_one_euro;

void mi_one_euro_init(mi_one_euro *filter, double cutoff, double slope);
double mi_one_euro_next(mi_one_euro *filter, double value, double dt);

#endif

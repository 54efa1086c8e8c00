// A subject whose muscles are known: those of the atlas, each moved by some millimetres. Scans of
// her are flesh in balance with random contractions and a jaw, with noise.
#ifndef MIEN_LAB_MUSCLE_SUBJECT_H
#define MIEN_LAB_MUSCLE_SUBJECT_H

#include "reproduce.h"

#include "fit/activations.h"

enum { SUBJECT_FIT = 5, SUBJECT_SCANS = 10 };

typedef struct muscle_subject {
  mien_rig *whole;                                   // as loaded
  mien_face *reduced;                                // NULL, or what holds the coarser rig
  const mien_rig *rig;                               // the subject's
  mien_face *truth;                                  // with the subject's own shares
  float *scan[SUBJECT_SCANS], *exact[SUBJECT_SCANS]; // with noise and without     (rig nvert x 3)
  double opening[SUBJECT_SCANS];                     // rad, of the jaw
  double noise;                                      // m, mean length
} muscle_subject;

// On a sample head, or on its skin reduced to about `simulated` vertices (0 = as it is). A CLI exit
// code.
int muscle_subject_create(const experiment *e, const char *head, int simulated, muscle_subject *s);
void muscle_subject_free(muscle_subject *s);
// A face of the same rig: the atlas's muscles, or fitted to the first SUBJECT_FIT scans.
int muscle_subject_face(const muscle_subject *s, int rounds, mien_face **face);
// m, mean distance over the skin that some scan moves; NaN where a position is not seen
double muscle_subject_distance(const muscle_subject *s, const float *a, const float *b);

#endif

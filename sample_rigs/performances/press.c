#include "curves.h"

// Lips for contact: they close, are pressed together harder than blendshapes can be without going
// through each other, are held, and open so slowly that one can watch them peel. The head is still,
// so that whatever moves beyond the artist's shapes moves because lips touch.

typedef struct gesture {
  const char *shape;
  double weight;
  curve_pulse pulse;
} gesture;

// The jaw opens twice: before the lips meet, and slowly after. MEET: lips are at each other, and
// pressed. (To C a constant is none that another may begin with.)
#define BEFORE                                                                                     \
  { 0.05, 0.30, 0.05, 0.40 }
#define AFTER                                                                                      \
  { 1.85, 1.10, 0.15, 0.40 }
#define MEET                                                                                       \
  { 0.60, 0.35, 0.85, 0.35 }

static const gesture PRESS[] = {
    {"jawOpen", 0.35, BEFORE},      {"jawOpen", 0.45, AFTER},       {"mouthClose", 0.09, MEET},
    {"mouthPressLeft", 1.0, MEET},  {"mouthPressRight", 1.0, MEET}, {"mouthRollUpper", 0.12, MEET},
    {"mouthRollLower", 0.12, MEET},
};
enum { NPRESS = sizeof PRESS / sizeof PRESS[0] };

// Lips pushed forward and against each other.
static const gesture KISS[] = {
    {"jawOpen", 0.35, BEFORE},      {"jawOpen", 0.40, AFTER},       {"mouthClose", 0.08, MEET},
    {"mouthPucker", 0.80, MEET},    {"mouthPressLeft", 0.5, MEET},  {"mouthPressRight", 0.5, MEET},
    {"mouthRollUpper", 0.30, MEET}, {"mouthRollLower", 0.30, MEET},
};
enum { NKISS = sizeof KISS / sizeof KISS[0] };

static const double SECONDS = 3.6;

static int fill(performance *out, const char *name, const gesture *gestures, int count) {
  const char *channel[NKISS];
  int nchannel = 0;
  for (int i = 1; i < count; i++) channel[nchannel++] = gestures[i].shape; // 0 and 1 are the jaw
  if (performance_begin(out, name, channel, nchannel, SECONDS) != 0) return -1;
  for (int f = 0; f < out->def.nframe; f++)
    for (int i = 0; i < count; i++) {
      int c = i > 0 ? i - 1 : 0;
      double amount = gestures[i].weight * curve_pulse_at(gestures[i].pulse, out->time[f]);
      out->weight[(size_t)f * (size_t)nchannel + (size_t)c] += (float)amount;
    }
  return 0;
}

int performance_fill_press(performance *out) {
  return fill(out, "press", PRESS, NPRESS);
}

int performance_fill_kiss(performance *out) {
  return fill(out, "kiss", KISS, NKISS);
}

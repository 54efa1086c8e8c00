#include "curves.h"

#include <math.h>

// Coarticulation by dominance functions after Cohen & Massaro, "Modeling coarticulation in
// synthetic visual speech" (1993), eq. 1-3: every phoneme pulls the face towards its own targets
// with a weight that fades with the distance in time, and the face is the weighted mean of all of
// them. Their exponent c = 2 is used throughout, which keeps every derivative continuous.

// -- What a mouth does for a phoneme --------------------------------------------------------------

enum {
  JAW,     // jawOpen
  CLOSURE, // 1 = the lips touch, whatever the jaw does
  FUNNEL,
  PUCKER,
  SMILE,
  STRETCH,
  LOWER_DOWN,
  UPPER_UP,
  PRESS,
  ROLL_LOWER,
  ROLL_UPPER,
  SHRUG,
  NGESTURE
};

typedef enum viseme {
  REST, // between sentences
  PBM,
  FV,
  TH,
  TDNL,
  KG,
  SZ,
  R,
  W,
  AA,
  AE,
  EH,
  IH,
  IY,
  AO,
  UW,
  NVISEME
} viseme;

typedef struct articulation {
  double target[NGESTURE];
  double jaw_dominance, lip_dominance; // alpha: how strongly it insists
} articulation;

static const articulation VISEMES[NVISEME] = {
    //       jaw  close funn  puck  smil  stre  lowr  uppr  press rollL rollU shrug   alpha
    [REST] = {{.02, .00, .02, .05, .04, .02, .02, .02, .05, .03, .02, .10}, 0.7, 0.7},
    [PBM] = {{.11, 1.0, .05, .10, .02, .02, .00, .00, .34, .14, .10, .18}, 0.9, 3.0},
    [FV] = {{.10, .00, .04, .05, .08, .06, .00, .24, .02, .40, .00, .06}, 0.8, 2.0},
    [TH] = {{.16, .00, .05, .04, .06, .08, .24, .10, .00, .00, .00, .04}, 0.8, 0.9},
    [TDNL] = {{.15, .00, .06, .04, .08, .10, .26, .12, .00, .02, .00, .05}, 0.8, 0.6},
    [KG] = {{.20, .00, .06, .04, .06, .08, .22, .10, .00, .00, .00, .06}, 0.6, 0.4},
    [SZ] = {{.06, .00, .08, .05, .14, .24, .32, .16, .00, .00, .00, .05}, 1.4, 1.0},
    [R] = {{.15, .00, .30, .24, .02, .02, .14, .08, .00, .00, .00, .10}, 0.7, 1.0},
    [W] = {{.12, .00, .26, .66, .00, .00, .04, .02, .06, .02, .02, .14}, 0.8, 1.8},
    [AA] = {{.56, .00, .14, .04, .04, .08, .28, .10, .00, .00, .00, .04}, 1.2, 0.8},
    [AE] = {{.50, .00, .04, .00, .14, .22, .36, .20, .00, .00, .00, .02}, 1.2, 0.9},
    [EH] = {{.38, .00, .04, .02, .14, .14, .32, .16, .00, .00, .00, .04}, 1.0, 0.8},
    [IH] = {{.26, .00, .04, .02, .18, .16, .28, .14, .00, .00, .00, .04}, 0.9, 0.7},
    [IY] = {{.16, .00, .02, .00, .34, .26, .30, .16, .00, .00, .00, .04}, 0.9, 0.9},
    [AO] = {{.42, .00, .46, .16, .00, .00, .18, .08, .00, .00, .00, .08}, 1.1, 1.2},
    [UW] = {{.18, .00, .28, .62, .00, .00, .08, .04, .02, .00, .00, .12}, 0.9, 1.4},
};

// -- What is said ---------------------------------------------------------------------------------

typedef struct segment {
  viseme what;
  int milliseconds;
} segment;

static const segment TIMELINE[] = {
    {REST, 900},
    // "Pep,"
    {PBM, 85},
    {EH, 125},
    {PBM, 95},
    {REST, 190},
    // "bring my big map back by boat."
    {PBM, 75},
    {R, 55},
    {IH, 85},
    {KG, 75},
    {PBM, 80},
    {AA, 85},
    {IY, 65},
    {PBM, 75},
    {IH, 90},
    {KG, 70},
    {PBM, 85},
    {AE, 135},
    {PBM, 80},
    {PBM, 60},
    {AE, 125},
    {KG, 85},
    {PBM, 75},
    {AA, 80},
    {IY, 70},
    {PBM, 80},
    {AO, 95},
    {UW, 85},
    {TDNL, 100},
    {REST, 1000},
    // "We move both blue boxes,"
    {W, 85},
    {IY, 85},
    {PBM, 80},
    {UW, 105},
    {FV, 70},
    {PBM, 75},
    {AO, 80},
    {UW, 70},
    {TH, 80},
    {PBM, 65},
    {TDNL, 55},
    {UW, 115},
    {PBM, 80},
    {AA, 130},
    {KG, 60},
    {SZ, 75},
    {IH, 65},
    {SZ, 90},
    {REST, 260},
    // "maybe before five."
    {PBM, 80},
    {EH, 80},
    {IY, 65},
    {PBM, 70},
    {IY, 75},
    {PBM, 70},
    {IH, 60},
    {FV, 80},
    {AO, 110},
    {R, 70},
    {FV, 85},
    {AA, 110},
    {IY, 85},
    {FV, 110},
    {REST, 2000},
};
enum { NSEGMENT = sizeof TIMELINE / sizeof TIMELINE[0] };

static double dominance(const segment *s, double from_centre, int is_jaw) {
  const articulation *a = &VISEMES[s->what];
  double alpha = is_jaw ? a->jaw_dominance : a->lip_dominance;
  // Lips are quicker than the jaw; a long rest lets go within a syllable of speech.
  double reach = (is_jaw ? 0.048 : 0.046) + (is_jaw ? 0.30 : 0.25) * 1e-3 * s->milliseconds;
  if (s->what == REST) {
    double inside = fmax(0.0, fabs(from_centre) - 0.5e-3 * s->milliseconds + 0.09);
    return alpha * exp(-pow(inside / 0.08, 2.0));
  }
  return alpha * exp(-pow(from_centre / reach, 2.0));
}

static void articulate(double time, double gesture[NGESTURE]) {
  double pull[2] = {1e-9, 1e-9}, start = 0.0;
  for (int g = 0; g < NGESTURE; g++) gesture[g] = 0.0;
  for (int i = 0; i < NSEGMENT; i++) {
    double length = 1e-3 * TIMELINE[i].milliseconds, from_centre = time - start - 0.5 * length;
    double lips = dominance(&TIMELINE[i], from_centre, 0);
    double jaw = dominance(&TIMELINE[i], from_centre, 1);
    const double *target = VISEMES[TIMELINE[i].what].target;
    gesture[JAW] += jaw * target[JAW];
    for (int g = JAW + 1; g < NGESTURE; g++) gesture[g] += lips * target[g];
    pull[0] += lips, pull[1] += jaw;
    start += length;
  }
  gesture[JAW] /= pull[1];
  for (int g = JAW + 1; g < NGESTURE; g++) gesture[g] /= pull[0];
  // A mean never quite reaches its target; contact is all or nothing.
  gesture[CLOSURE] = curve_ease(0.00, 0.84, gesture[CLOSURE]);
  double parted = 1.0 - gesture[CLOSURE];
  gesture[LOWER_DOWN] *= parted;
  gesture[UPPER_UP] *= parted;
  gesture[FUNNEL] *= 0.25 + 0.75 * parted;
}

// -- Everything that is not speech ----------------------------------------------------------------

static const curve_pulse BLINKS[] = {
    {0.35, 0.11, 0.03, 0.19}, {2.02, 0.10, 0.02, 0.17}, {4.08, 0.11, 0.03, 0.19},
    {4.52, 0.10, 0.02, 0.17}, {6.42, 0.11, 0.02, 0.19}, {8.55, 0.12, 0.05, 0.22},
};
// Stressed words: brows and a nod.
static const struct accent {
  curve_pulse pulse;
  double inner, outer, nod; // weights; rad
} ACCENTS[] = {
    {{0.80, 0.16, 0.10, 0.32}, 0.42, 0.30, 0.050}, {{1.95, 0.16, 0.06, 0.26}, 0.16, 0.10, 0.030},
    {{2.95, 0.18, 0.08, 0.40}, 0.26, 0.22, 0.042}, {{4.70, 0.20, 0.10, 0.35}, 0.20, 0.12, 0.028},
    {{5.30, 0.16, 0.10, 0.36}, 0.38, 0.34, 0.046}, {{7.00, 0.18, 0.12, 0.50}, 0.30, 0.26, 0.048},
};

// Closes with a slight smile that fades before the end.
static const curve_pulse LAST_SMILE = {7.45, 0.45, 0.50, 0.70};

enum channel_index {
  C_JAW,
  C_CLOSE,
  C_FUNNEL,
  C_PUCKER,
  C_SMILE,
  C_STRETCH = C_SMILE + 2,
  C_LOWER = C_STRETCH + 2,
  C_UPPER = C_LOWER + 2,
  C_PRESS = C_UPPER + 2,
  C_ROLL_LOWER = C_PRESS + 2,
  C_ROLL_UPPER,
  C_SHRUG_LOWER,
  C_SHRUG_UPPER,
  C_BLINK,
  C_INNER = C_BLINK + 2,
  C_OUTER,
  C_CHEEK = C_OUTER + 2,
  NCHANNEL = C_CHEEK + 2
};

static const char *const CHANNELS[NCHANNEL] = {
    "jawOpen",
    "mouthClose",
    "mouthFunnel",
    "mouthPucker",
    "mouthSmileLeft",
    "mouthSmileRight",
    "mouthStretchLeft",
    "mouthStretchRight",
    "mouthLowerDownLeft",
    "mouthLowerDownRight",
    "mouthUpperUpLeft",
    "mouthUpperUpRight",
    "mouthPressLeft",
    "mouthPressRight",
    "mouthRollLower",
    "mouthRollUpper",
    "mouthShrugLower",
    "mouthShrugUpper",
    "eyeBlinkLeft",
    "eyeBlinkRight",
    "browInnerUp",
    "browOuterUpLeft",
    "browOuterUpRight",
    "cheekSquintLeft",
    "cheekSquintRight",
};

// Nobody is symmetric: the sides differ by a few per cent that drift with time.
static void set_pair(float *weight, int channel, double value, double time) {
  double lean = 0.05 + 0.07 * curve_noise((unsigned)channel, 1.3 * time);
  weight[channel] = (float)fmin(1.0, value * (1.0 + lean));
  weight[channel + 1] = (float)fmin(1.0, value * (1.0 - lean));
}

static void set_speech(float *weight, double time, double awake) {
  double g[NGESTURE];
  articulate(time, g);
  for (int k = 0; k < NGESTURE; k++) {
    if (k != CLOSURE) g[k] *= awake;
  }
  double smile = g[SMILE] + 0.34 * curve_pulse_at(LAST_SMILE, time);
  weight[C_JAW] = (float)g[JAW];
  weight[C_CLOSE] = (float)(g[CLOSURE] * g[JAW]); // equal weights seal the lips
  weight[C_FUNNEL] = (float)g[FUNNEL];
  weight[C_PUCKER] = (float)g[PUCKER];
  weight[C_ROLL_LOWER] = (float)g[ROLL_LOWER];
  weight[C_ROLL_UPPER] = (float)g[ROLL_UPPER];
  weight[C_SHRUG_LOWER] = (float)g[SHRUG];
  weight[C_SHRUG_UPPER] = (float)(0.8 * g[SHRUG]);
  set_pair(weight, C_SMILE, smile, time);
  set_pair(weight, C_STRETCH, g[STRETCH], time);
  set_pair(weight, C_LOWER, g[LOWER_DOWN], time);
  set_pair(weight, C_UPPER, g[UPPER_UP], time);
  set_pair(weight, C_PRESS, g[PRESS], time);
  set_pair(weight, C_CHEEK, 0.35 * smile, time);
}

static head_pose set_accents(float *weight, double time, double awake) {
  double inner = 0.0, outer = 0.0, nod = 0.0, blink = 0.0;
  for (size_t i = 0; i < sizeof ACCENTS / sizeof ACCENTS[0]; i++) {
    double on = curve_pulse_at(ACCENTS[i].pulse, time);
    inner += on * ACCENTS[i].inner, outer += on * ACCENTS[i].outer, nod += on * ACCENTS[i].nod;
  }
  for (size_t i = 0; i < sizeof BLINKS / sizeof BLINKS[0]; i++)
    blink = fmax(blink, curve_pulse_at(BLINKS[i], time));
  weight[C_INNER] = (float)(inner + awake * (0.04 + 0.03 * curve_noise(40, 0.8 * time)));
  set_pair(weight, C_OUTER, outer, time);
  weight[C_BLINK] = (float)(0.98 * blink);
  weight[C_BLINK + 1] = (float)(0.95 * blink);
  return (head_pose){.x = 0.004 * awake * curve_noise(50, 0.7 * time),
                     .y = 0.002 * awake * curve_noise(51, 0.9 * time),
                     .z = 0.004 * awake * curve_noise(52, 0.6 * time),
                     .yaw = 0.07 * awake * curve_noise(53, 0.8 * time),
                     .pitch = nod + 0.03 * awake * curve_noise(54, 1.1 * time),
                     .roll = 0.035 * awake * curve_noise(55, 0.7 * time)};
}

int performance_fill_phrase(performance *out) {
  double seconds = 0.0;
  for (int i = 0; i < NSEGMENT; i++) seconds += 1e-3 * TIMELINE[i].milliseconds;
  if (performance_begin(out, "phrase", CHANNELS, NCHANNEL, seconds) != 0) return -1;
  const double end = out->time[out->def.nframe - 1];
  for (int f = 0; f < out->def.nframe; f++) {
    double time = out->time[f];
    // The take starts and ends at rest: the neutral face, the head straight.
    double awake = curve_ease(0.0, 0.6, time) * (1.0 - curve_ease(end - 0.8, end, time));
    float *weight = out->weight + (size_t)f * NCHANNEL;
    set_speech(weight, time, awake);
    out->head[f] = head_rigid(set_accents(weight, time, awake));
  }
  return 0;
}

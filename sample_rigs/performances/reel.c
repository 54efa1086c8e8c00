#include "curves.h"

#include <string.h>

// ARKit's 52, in Apple's groups.
static const char *const SHAPES[] = {
    "eyeBlinkLeft",
    "eyeBlinkRight",
    "eyeSquintLeft",
    "eyeSquintRight",
    "eyeWideLeft",
    "eyeWideRight",
    "eyeLookUpLeft",
    "eyeLookUpRight",
    "eyeLookDownLeft",
    "eyeLookDownRight",
    "eyeLookInLeft",
    "eyeLookInRight",
    "eyeLookOutLeft",
    "eyeLookOutRight",
    "browDownLeft",
    "browDownRight",
    "browInnerUp",
    "browOuterUpLeft",
    "browOuterUpRight",
    "cheekPuff",
    "cheekSquintLeft",
    "cheekSquintRight",
    "noseSneerLeft",
    "noseSneerRight",
    "jawOpen",
    "jawForward",
    "jawLeft",
    "jawRight",
    "mouthClose",
    "mouthFunnel",
    "mouthPucker",
    "mouthLeft",
    "mouthRight",
    "mouthSmileLeft",
    "mouthSmileRight",
    "mouthFrownLeft",
    "mouthFrownRight",
    "mouthDimpleLeft",
    "mouthDimpleRight",
    "mouthStretchLeft",
    "mouthStretchRight",
    "mouthRollLower",
    "mouthRollUpper",
    "mouthShrugLower",
    "mouthShrugUpper",
    "mouthPressLeft",
    "mouthPressRight",
    "mouthLowerDownLeft",
    "mouthLowerDownRight",
    "mouthUpperUpLeft",
    "mouthUpperUpRight",
    "tongueOut",
};
enum { NSHAPE = sizeof SHAPES / sizeof SHAPES[0] };

// "name*" moves the shape's left and right side.
typedef struct reel_term {
  const char *shape;
  double weight;
} reel_term;
typedef struct reel_combo {
  reel_term term[6];
} reel_combo;

static const reel_combo COMBOS[] = {
    {{{"mouthSmile*", 0.9}, {"cheekSquint*", 0.7}, {"eyeSquint*", 0.4}, {"jawOpen", 0.25}}},
    {{{"browDown*", 1.0}, {"noseSneer*", 0.6}, {"mouthPress*", 0.6}, {"eyeSquint*", 0.5}}},
    {{{"browInnerUp", 0.9},
      {"browOuterUp*", 0.9},
      {"eyeWide*", 0.9},
      {"jawOpen", 0.6},
      {"mouthFunnel", 0.2}}},
    {{{"browInnerUp", 0.8}, {"mouthFrown*", 0.7}, {"mouthShrugLower", 0.6}, {"eyeSquint*", 0.3}}},
    {{{"noseSneer*", 0.9}, {"mouthUpperUp*", 0.6}, {"browDown*", 0.6}, {"cheekSquint*", 0.5}}},
    {{{"cheekPuff", 1.0}, {"mouthPucker", 0.25}, {"mouthPress*", 0.3}}},
    {{{"jawOpen", 0.8}, {"mouthFunnel", 0.7}, {"browInnerUp", 0.5}}},
    {{{"jawOpen", 0.5}, {"mouthClose", 0.5}, {"mouthRollLower", 0.4}, {"mouthRollUpper", 0.4}}},
};
enum { NCOMBO = sizeof COMBOS / sizeof COMBOS[0] };

static const double LEAD_IN = 0.4, SHAPE_STEP = 0.70, COMBO_STEP = 1.10; // s
static const curve_pulse SHAPE_PULSE = {0.0, 0.28, 0.08, 0.28};
static const curve_pulse COMBO_PULSE = {0.0, 0.40, 0.25, 0.40};

static void raise_channel(float *weight, const char *name, size_t length, double amount) {
  for (int c = 0; c < NSHAPE; c++) {
    if (strncmp(SHAPES[c], name, length) == 0 && SHAPES[c][length] == '\0')
      weight[c] = (float)(weight[c] + amount);
  }
}

static void raise_term(float *weight, reel_term term, double amount) {
  size_t length = strlen(term.shape);
  if (term.shape[length - 1] != '*') {
    raise_channel(weight, term.shape, length, term.weight * amount);
    return;
  }
  char side[32];
  memcpy(side, term.shape, length);
  strcpy(side + length - 1, "Left");
  raise_channel(weight, side, strlen(side), term.weight * amount);
  strcpy(side + length - 1, "Right");
  raise_channel(weight, side, strlen(side), term.weight * amount);
}

static curve_pulse starting(curve_pulse pulse, double start) {
  pulse.start = start;
  return pulse;
}

int performance_fill_reel(performance *out) {
  const double combos_start = LEAD_IN + NSHAPE * SHAPE_STEP;
  const double seconds = combos_start + NCOMBO * COMBO_STEP + LEAD_IN;
  if (performance_begin(out, "reel", SHAPES, NSHAPE, seconds) != 0) return -1;
  for (int f = 0; f < out->def.nframe; f++) {
    float *weight = out->weight + (size_t)f * NSHAPE;
    for (int c = 0; c < NSHAPE; c++) {
      double amount = curve_pulse_at(starting(SHAPE_PULSE, LEAD_IN + c * SHAPE_STEP), out->time[f]);
      raise_term(weight, (reel_term){SHAPES[c], 1.0}, amount);
      // Lips close against an open jaw only; alone the shape would drive them through each other.
      if (strcmp(SHAPES[c], "mouthClose") == 0)
        raise_term(weight, (reel_term){"jawOpen", 1.0}, amount);
    }
    for (int i = 0; i < NCOMBO; i++) {
      double amount =
          curve_pulse_at(starting(COMBO_PULSE, combos_start + i * COMBO_STEP), out->time[f]);
      for (int k = 0; k < 6 && COMBOS[i].term[k].shape; k++)
        raise_term(weight, COMBOS[i].term[k], amount);
    }
  }
  return 0;
}

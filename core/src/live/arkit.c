// The 52 shapes of ARKit, in the order in which Live Link Face sends them.
#include "live/live.h"

#include "rig/rig.h"

static const char *const names[MI_ARKIT_SHAPES] = {
    "eyeBlinkLeft",      "eyeLookDownLeft",    "eyeLookInLeft",
    "eyeLookOutLeft",    "eyeLookUpLeft",      "eyeSquintLeft",
    "eyeWideLeft",       "eyeBlinkRight",      "eyeLookDownRight",
    "eyeLookInRight",    "eyeLookOutRight",    "eyeLookUpRight",
    "eyeSquintRight",    "eyeWideRight",       "jawForward",
    "jawLeft",           "jawRight",           "jawOpen",
    "mouthClose",        "mouthFunnel",        "mouthPucker",
    "mouthLeft",         "mouthRight",         "mouthSmileLeft",
    "mouthSmileRight",   "mouthFrownLeft",     "mouthFrownRight",
    "mouthDimpleLeft",   "mouthDimpleRight",   "mouthStretchLeft",
    "mouthStretchRight", "mouthRollLower",     "mouthRollUpper",
    "mouthShrugLower",   "mouthShrugUpper",    "mouthPressLeft",
    "mouthPressRight",   "mouthLowerDownLeft", "mouthLowerDownRight",
    "mouthUpperUpLeft",  "mouthUpperUpRight",  "browDownLeft",
    "browDownRight",     "browInnerUp",        "browOuterUpLeft",
    "browOuterUpRight",  "cheekPuff",          "cheekSquintLeft",
    "cheekSquintRight",  "noseSneerLeft",      "noseSneerRight",
    "tongueOut",
};

const char *mi_arkit_name(int shape) {
  return shape >= 0 && shape < MI_ARKIT_SHAPES ? names[shape] : NULL;
}

int mi_arkit_find(const char *name) {
  char folded[MI_LIVE_NAME]; // ARKit's names are folded but for their capitals
  mi_name_fold(name, folded, sizeof folded);
  for (int i = 0; i < MI_ARKIT_SHAPES; i++)
    if (mi_text_is_same(folded, names[i])) return i;
  return -1;
}

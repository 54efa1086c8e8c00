// Turns an input into the artist's pose of rig and flesh, bones and activations.
#ifndef MI_POSE_H
#define MI_POSE_H

#include "face/carry.h"
#include "solve/state.h"

// The artist's pose of rig and flesh. The flesh is uninverted until `deadline` (mi_clock; 0 =
// none).
void mi_input_pose(mien_state *state, const mien_input *input, double deadline, float *posed);
// Flesh as bones alone carry it: the skull's stays, the jaw's moves with it. A vertex in no
// tetrahedron keeps the artist's pose.
void mi_input_bones(const mien_state *state, const mien_input *input, const unsigned char *is_flesh,
                    float *bones);
void mi_bones_carry(const mien_face *face, const mi_bone_motion *jaw, const unsigned char *is_flesh,
                    const float *posed, float *bones);
// Activations minus 1 (nmuscle x 6).
void mi_input_activations(const mien_state *state, const mien_input *input, float *activations);

#endif

// The chain of claim B12 on a recorded video, of a performer whose head is not ours.
#ifndef MIEN_LAB_CLAIM_B12_VIDEO_H
#define MIEN_LAB_CLAIM_B12_VIDEO_H

#include "reproduce.h"

// Landmarks, fit, markers, blendforces and contact, frame by frame, timed from picture to face.
// Notes the result; *holds becomes false when the chain is slower than the video's rate,
// loses the face in more than one frame of twenty, or lips cross. A CLI exit code.
int b12_video_play(experiment *e, const char *video, bool *holds);

#endif

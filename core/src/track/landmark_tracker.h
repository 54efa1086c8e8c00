// One face tracker, whichever model it runs.
#ifndef MI_LANDMARK_TRACKER_H
#define MI_LANDMARK_TRACKER_H

#include "track/landmark.h"

// Names of the model files in their folder.
#define MI_MODEL_DETECTOR "face_detection_short_range.tflite"
#define MI_MODEL_MESH "face_landmark_with_attention.tflite"
#define MI_MODEL_ERT "shape_predictor_68_face_landmarks.dat"

// Bytes of the files that `kind` (not AUTO) needs; they are not kept.
typedef struct mi_tracker_files {
  mi_bytes detector, mesh, ert;
} mi_tracker_files;
mien_result mi_tracker_create(const mien_tracker_def *def, mien_tracker_kind kind,
                              const mi_tracker_files *files, const mien_host *host,
                              mien_tracker **out, mien_error *err);

#endif

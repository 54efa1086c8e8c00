// The pieces of `mien live`: a source gives weights and a head, the newest counts; a performance
// turns them into what a take file would say; sinks show, send and keep what was simulated.
#ifndef MIEN_CLI_LIVE_H
#define MIEN_CLI_LIVE_H

#include "cli.h"

// -- Frames and sources ---------------------------------------------------------------------------

// One moment of a source. `weights` belongs to the caller.
typedef struct live_frame {
  double time;    // s, the source's own clock
  double arrived; // s of cli_clock, when picture or packet arrived
  double seconds_track, seconds_fit;
  double confidence; // 0-1
  bool sees_face;
  bool is_made_up; // nothing came for a while: a frame without a face, which is not counted
  mien_rigid head;
  float *weights; // of the rig's shapes                                                 (nshape)
} live_frame;

typedef enum live_answer { LIVE_NEW, LIVE_NOTHING, LIVE_END, LIVE_BROKEN } live_answer;

typedef struct live_source {
  char name[96];
  void *self;
  // The newest frame, waiting for one up to `wait` seconds. With `until` >= 0 nothing is left out:
  // the frame that shows at `until` seconds from the start, however long it takes.
  live_answer (*next)(void *self, double wait, double until, live_frame *frame, mien_error *err);
  int64_t (*ndropped)(const void *self); // frames that came and were never used
  void (*close)(void *self);
} live_source;

// Options of the sources, and which one is meant. False (and a sentence) when none or several are.
#define LIVE_SOURCE_OPTIONS                                                                        \
  {"camera", 'c', "N", "a camera: 0, 1, ... or /dev/video0"},                                      \
      {"video", 0, "FILE", "a video, images like frames/%03d.png, or a stream of this machine"},   \
      {"calibration", 0, "FILE.json", "the performer's resting face, kept before"},                \
      {"save-calibration", 0, "FILE.json", "keep it, once it has been measured"},                  \
      {"field-of-view", 0, "DEG", "of the camera, across its longer side (60)"},                   \
      {"filter", 0, "NAME", "over time: adaptive, one_euro, off (adaptive)"},                      \
      {"sparsity", 0, "L1", "above 0: few shapes rather than many, say 2 (0)"},                    \
      {"tracker", 0, "NAME", "mesh (478 points), ert (68 points), auto: mesh where it is (auto)"}, \
      {"face-at", 0, "X,Y", "of several faces the one nearest to it, in parts of the picture"},    \
      {"take", 0, "TAKE", "a take played as if it were live"},                                     \
      {"livelink", 0, "PORT", "Live Link Face on a phone, at that port (usually 11111)"},          \
      {"ifacialmocap", 0, "PORT", "iFacialMocap on a phone, at that port (usually 49983)"},        \
      {"vmc", 0, "PORT", "VMC/OSC from another program, at that port (usually 39539)"},            \
      {"phone", 0, "ADDRESS",                                                                      \
       "of the phone: nobody else is heard; iFacialMocap is asked to send"},                       \
  {                                                                                                \
    "listen", 0, "ADDRESS", "of this machine; 0.0.0.0 lets the network in (localhost)"             \
  }

// live_stream.c: phones and other programs
int live_open_stream(const cli_args *args, const mien_rig *rig, live_source *out);
// live_camera.c: cameras and videos, tracked and fitted
int live_open_camera(const cli_args *args, const mien_rig *rig, live_source *out);
// live_take.c: a take
int live_open_take(const cli_args *args, const mien_rig *rig, live_source *out);

// No face is seen: the expression is held for a moment, then relaxes. `lost` is how long.
void live_relax(live_frame *frame, int nshape, double lost, double dt);

// -- Performance (live_record.c) ------------------------------------------------------------------

// The frames that were simulated, as rows of a take. What is simulated is what such a row says, so
// that the recording bakes to the same bits.
typedef struct live_record live_record;
// `path` NULL = kept nowhere. Prints the error.
int live_record_open(const mien_rig *rig, const char *path, live_record **out);
// Puts the frame into the words of the file and back; the result is what to simulate.
int live_record_add(live_record *record, double time, live_frame *frame);
int live_record_close(live_record *record, bool keep);

// -- Sinks (live_sink.c) --------------------------------------------------------------------------

typedef struct live_sinks live_sinks;
#define LIVE_SINK_OPTIONS                                                                          \
  {"record", 'r', "FILE.csv", "what was simulated, as a take: mien bake gives the same bits"},     \
      {"out", 'o', "FILE.mp4", "a video of the simulated face"},                                   \
      {"view", 0, "PORT", "show it in a web browser, at the address printed; 0 = any port"},       \
      {"size", 0, "PIXELS", "width and height of the video (480)"},                                \
      {"send-vmc", 0, "TO", "weights and head by VMC/OSC to ADDRESS[:PORT]"},                      \
      {"send-livelink", 0, "TO", "as Live Link Face packets"}, {                                   \
    "send-ifacialmocap", 0, "TO", "as iFacialMocap packets"                                        \
  }
int live_sinks_open(const cli_args *args, const mien_rig *rig, const mien_face *face, double fps,
                    live_sinks **out);
// `time`, s, of the performance. `wait` = no frame may be left out of the video.
int live_sinks_add(live_sinks *sinks, const live_frame *frame, const mien_state_info *state,
                   double time, bool wait);
int64_t live_sinks_ndropped(const live_sinks *sinks);
int live_sinks_close(live_sinks *sinks);

// -- Pace (live_pace.c) ---------------------------------------------------------------------------

typedef struct live_pace {
  double period, besides; // s: of a frame, and of what a step does besides iterations
  bool is_on;
  int64_t nstep, ncut, niteration;
} live_pace;

live_pace live_pace_start(double fps, bool is_on);
// s for the next step, as mien_step_opts.time_budget
double live_pace_budget(const live_pace *pace);
void live_pace_learn(live_pace *pace, const mien_state_info *step);

// -- Status (live_status.c) -----------------------------------------------------------------------

enum { LIVE_STAGES = 4 }; // track, fit, simulate, all from arrival to result

typedef struct live_status {
  double started, shown;
  bool on_terminal;
  int64_t nstep, nframe, nlate;
  double rated, step_rate, frame_rate; // when steps and frames a second were found last
  int64_t nstep_rated, nframe_rated;   // and what had been counted then
  int nsample;
  float *sample; // seconds of every stage                                  (capacity x LIVE_STAGES)
  int capacity;
} live_status;

void live_status_start(live_status *status);
// One step: which frame it used, whether that was new, how long the simulation took.
void live_status_add(live_status *status, const live_frame *frame, bool is_new, double seconds);
void live_status_show(live_status *status, const live_frame *frame, const live_source *source,
                      const live_pace *pace);
// The share-th smallest time of a stage, in ms.
double live_status_percentile(const live_status *status, int stage, double share);
void live_status_end(const live_status *status); // the line is ended
void live_status_free(live_status *status);

#endif

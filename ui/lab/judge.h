// The judge of contact: steps a face through a take by the public header alone, and measures in
// every frame how the output compares with the artist's pose. Crossing triangles are found by the
// exact test of the command line, which shares nothing with the solver.
#ifndef MIEN_LAB_JUDGE_H
#define MIEN_LAB_JUDGE_H

#include <mien/mien.h>

#include <stdbool.h>
#include <stdio.h>

// Pieces of skin that can touch, each on its own. A pair of triangles belongs to the lids when one
// of its vertices does or one is an eye's, else to the lips when one does, else to the rest of the
// face.
typedef enum judge_piece {
  JUDGE_LIPS,
  JUDGE_LIDS_LEFT,
  JUDGE_LIDS_RIGHT,
  JUDGE_REST,
  JUDGE_NPIECE
} judge_piece;

enum { JUDGE_SETTLED = 6 }; // frames of 60 a second after which a free pose must be reached

// Pairs of triangles that cross.
typedef struct judge_pairs {
  int piece[JUDGE_NPIECE];
  int skin, rigid; // skin with skin; skin with teeth, jaw and eyes
  int all;         // -1 = a position is not finite, or memory ran out
} judge_pairs;

// Measures of one frame. Lengths in m.
typedef struct judge_frame {
  int frame;
  judge_pairs output, pose;
  bool equal[JUDGE_NPIECE];   // every vertex of the piece is the artist's to the last bit
  double off[JUDGE_NPIECE];   // farthest from the pose, of each piece
  double posed[JUDGE_NPIECE]; // farthest of the pose from the neutral
  bool all_equal;             // every vertex of the rig is
  bool is_neutral;            // the artist's pose is the neutral
  double farthest;            // from the pose, of all skin
  int farthest_vertex;        // of the rig, -1 = none
  bool farthest_in_contact;   // it lies in a contact region
  double spike;        // own offset / (3 x mean of the neighbours'), where the own is above 1 mm
  double spike_excess; // largest own offset - 3 x mean of the neighbours' - 1 mm
  int spike_vertex;    // of the excess
  int ninverted, ncontact;
  double moved;   // farthest way of a skin vertex since the last frame
  int nheld;      // frames for which the input has been what it is, 0 = it changed in this one
  bool is_finite; // every position is
  double seconds; // of the step
} judge_frame;

// Everything about a run. Frames with the head in motion are not asked to equal the pose.
typedef struct judge_summary {
  int nframe;
  judge_pairs neutral;
  int ncrossing;              // frames whose output crosses
  int most_output, most_pose; // pairs
  int most_output_frame;      //
  int most_rigid, nrigid;     // pairs of skin with what is rigid; frames with more than the neutral
  int nworse;                 // frames that cross more than the neutral and more than 0
  int worse_piece[JUDGE_NPIECE]; // frames in which a piece crosses more than in the neutral
  int nspoiled;                  // frames whose pose is free and whose output crosses
  int nspoiled_piece;            // pieces, over all frames, of which this is so
  int nlate, first_late;         // frames: pose free for JUDGE_SETTLED frames, not bit-equal
  int late_piece[JUDGE_NPIECE];  // the same of single pieces
  double late_off[JUDGE_NPIECE]; // m, the farthest a late piece was
  int nleft;                     // frames: pose neutral for JUDGE_SETTLED frames, not bit-equal
  double left_off;               // m, the farthest skin was off the neutral then
  double farthest;               // m
  int farthest_frame, farthest_vertex;
  bool farthest_in_contact;
  double spike, spike_excess;            // m
  int spike_frame, spike_vertex, nspike; // nspike: frames with an excess
  int ninverted_frames, most_inverted;
  double tremble, settled_tremble; // m a frame, input held; held for JUDGE_SETTLED frames
  int tremble_frame;
  int nnot_finite;
  double seconds, worst_seconds;        // of steps, sum and worst
  int free_for[JUDGE_NPIECE], free_all; // frames since the pose last crossed, while running
  int neutral_for;                      // frames for which the pose has been the neutral
} judge_summary;

typedef struct judge judge;

// The rig is borrowed. NULL with a sentence in `why` when it cannot be done.
judge *judge_open(const mien_rig *rig, const mien_face_def *def, int threads, char why[240]);
void judge_close(judge *j);
mien_state *judge_state(judge *j);
const mien_face *judge_face(const judge *j);
// Pairs that cross at positions of the rig (nvert x 3).
judge_pairs judge_count(const judge *j, const float *positions);
// Prints up to `most` of these pairs: vertices and where they are, mm.
void judge_list(const judge *j, const float *positions, int most, FILE *to);
// The artist's pose of the last frame; (nvert x 3).
const float *judge_pose(const judge *j);

// From rest again; what has been measured stays in summaries.
void judge_restart(judge *j);
// A step with these weights (one a shape), and what came out. False with a sentence in `why`. With
// the drive muscle their pose is given to muscles, and the pose of the judge is what those make of
// it without contact.
bool judge_step(judge *j, const float *weights, const mien_rigid *head, const mien_step_opts *opts,
                judge_frame *out, char why[240]);

void judge_summary_begin(judge_summary *s, const judge *j);
// `may_move`: the head moves or moved just now, so that flesh is not asked to be at the pose.
void judge_summary_add(judge_summary *s, const judge_frame *frame, bool may_move);
void judge_summary_print(const judge_summary *s, FILE *to);
// Contact must fulfil these clauses: pieces at a free pose are bit-equal in time, nothing crosses
// where the pose does not, no piece crosses more than in the neutral, no spikes, hardly any
// inverted tetrahedra, no trembling. Prints every clause that is violated; returns how many are.
typedef enum judge_clause {
  JUDGE_ALL = 0,
  JUDGE_ONLY_CROSSINGS = 1, // after a jump: only what crosses, and finite values
  JUDGE_FOREIGN_REST = 2,   // a file's teeth, hair and clothes: the rest may cross as posed
  JUDGE_THROWN = 4          // by the head's motion: not what is asked of flesh at rest
} judge_clause;
int judge_summary_check(const judge_summary *s, int clauses, FILE *to);
void judge_csv_head(FILE *to);
void judge_csv_line(const judge_frame *frame, FILE *to);

#endif

// A run in figures.
#include "judge_inside.h"

#include <math.h>

static const char *const piece_name[JUDGE_NPIECE] = {"lips", "lids left", "lids right", "rest"};

void judge_summary_begin(judge_summary *s, const judge *j) {
  *s = (judge_summary){.first_late = -1, .spike_vertex = -1, .farthest_vertex = -1};
  s->spike_excess = -INFINITY;
  s->neutral_for = JUDGE_SETTLED; // a run sets out at rest
  s->neutral = judge_count(j, mien_rig_get_info(j->rig)->positions.data);
}

// An output that is the artist's pose, which is the neutral but for a tenth of a millimetre: where
// the mouth begins to open the overlap of the neutral crosses other triangles, a few more of them.
static bool is_as_neutral(const judge_frame *f, int piece) {
  static const double NEAR = 1e-4; // m
  return f->equal[piece] && f->posed[piece] < NEAR;
}

// The rest of the face hangs on all pieces: it is free when they all are.
static void add_freedom(judge_summary *s, const judge_frame *f, bool may_move) {
  s->free_all = f->pose.all || may_move ? 0 : s->free_all + 1;
  for (int p = 0; p < JUDGE_NPIECE; p++) {
    int crossed = p == JUDGE_REST ? f->pose.all : f->pose.piece[p];
    s->free_for[p] = crossed || may_move ? 0 : s->free_for[p] + 1;
    if (s->free_for[p] >= JUDGE_SETTLED && !f->equal[p]) {
      s->late_piece[p]++;
      s->late_off[p] = fmax(s->late_off[p], f->off[p]);
    }
    if (!f->pose.piece[p] && f->output.piece[p]) s->nspoiled_piece++;
    if (f->output.piece[p] > s->neutral.piece[p] && !is_as_neutral(f, p)) s->worse_piece[p]++;
  }
  if (s->free_all >= JUDGE_SETTLED && !f->all_equal) {
    if (!s->nlate++) s->first_late = f->frame;
  }
}

// The neutral is the artist's, too, however its lips overlap: skin stays there.
static void add_neutral(judge_summary *s, const judge_frame *f, bool may_move) {
  s->neutral_for = f->is_neutral && !may_move ? s->neutral_for + 1 : 0;
  if (s->neutral_for < JUDGE_SETTLED || f->all_equal) return;
  s->nleft++;
  s->left_off = fmax(s->left_off, f->farthest);
}

static void add_crossings(judge_summary *s, const judge_frame *f) {
  if (f->output.all > s->most_output) {
    s->most_output = f->output.all;
    s->most_output_frame = f->frame;
  }
  if (f->output.rigid > s->most_rigid) s->most_rigid = f->output.rigid;
  s->nrigid += f->output.rigid > s->neutral.rigid;
  if (f->pose.all > s->most_pose) s->most_pose = f->pose.all;
  s->ncrossing += f->output.all != 0;
  s->nworse += f->output.all > s->neutral.all;
  s->nspoiled += !f->pose.all && f->output.all;
}

static void add_distances(judge_summary *s, const judge_frame *f) {
  if (!(f->farthest <= s->farthest)) {
    s->farthest = f->farthest;
    s->farthest_frame = f->frame;
    s->farthest_vertex = f->farthest_vertex;
    s->farthest_in_contact = f->farthest_in_contact;
  }
  s->spike = fmax(s->spike, f->spike);
  s->nspike += f->spike_excess > 0;
  if (f->spike_excess > s->spike_excess) {
    s->spike_excess = f->spike_excess;
    s->spike_frame = f->frame;
    s->spike_vertex = f->spike_vertex;
  }
  if (f->nheld && f->moved > s->tremble) {
    s->tremble = f->moved;
    s->tremble_frame = f->frame;
  }
  if (f->nheld >= JUDGE_SETTLED) s->settled_tremble = fmax(s->settled_tremble, f->moved);
}

void judge_summary_add(judge_summary *s, const judge_frame *f, bool may_move) {
  s->nframe++;
  add_freedom(s, f, may_move);
  add_neutral(s, f, may_move);
  add_crossings(s, f);
  add_distances(s, f);
  s->ninverted_frames += f->ninverted > 0;
  if (f->ninverted > s->most_inverted) s->most_inverted = f->ninverted;
  s->nnot_finite += !f->is_finite;
  s->seconds += f->seconds;
  s->worst_seconds = fmax(s->worst_seconds, f->seconds);
}

static void print_pieces(const int count[JUDGE_NPIECE], FILE *to) {
  fprintf(to, " pieces:");
  for (int p = 0; p < JUDGE_NPIECE; p++)
    fprintf(to, "%s %s %d", p ? "," : "", piece_name[p], count[p]);
  fprintf(to, "\n");
}

void judge_summary_print(const judge_summary *s, FILE *to) {
  fprintf(to, "frames                     %d\n", s->nframe);
  fprintf(to, "crossing pairs, neutral    %d (lips %d, lids %d + %d, rest %d)\n", s->neutral.all,
          s->neutral.piece[JUDGE_LIPS], s->neutral.piece[JUDGE_LIDS_LEFT],
          s->neutral.piece[JUDGE_LIDS_RIGHT], s->neutral.piece[JUDGE_REST]);
  fprintf(to, "crossing pairs, pose       at most %d\n", s->most_pose);
  fprintf(to, "crossing pairs, output     at most %d (frame %d)\n", s->most_output,
          s->most_output_frame);
  fprintf(to, "frames, output crosses     %d\n", s->ncrossing);
  fprintf(to, "  more than the neutral    %d;", s->nworse);
  print_pieces(s->worse_piece, to);
  fprintf(to, "  while the pose is free   %d (pieces: %d)\n", s->nspoiled, s->nspoiled_piece);
  fprintf(to, "skin through what is rigid at most %d pairs; %d frames beyond the neutral\n",
          s->most_rigid, s->nrigid);
  fprintf(to, "frames late at a free pose %d", s->nlate);
  if (s->nlate) fprintf(to, " (first: %d)", s->first_late);
  fprintf(to, ";");
  print_pieces(s->late_piece, to);
  fprintf(to, "  off by, mm               lips %.2g, lids left %.2g, lids right %.2g, rest %.2g\n",
          1e3 * s->late_off[JUDGE_LIPS], 1e3 * s->late_off[JUDGE_LIDS_LEFT],
          1e3 * s->late_off[JUDGE_LIDS_RIGHT], 1e3 * s->late_off[JUDGE_REST]);
  fprintf(to, "frames off the neutral     %d, by up to %.3f mm\n", s->nleft, 1e3 * s->left_off);
  fprintf(to, "farthest from the pose     %.3f mm (frame %d, vertex %d, %s)\n", 1e3 * s->farthest,
          s->farthest_frame, s->farthest_vertex,
          s->farthest_in_contact ? "contact region" : "outside contact regions");
  fprintf(to, "worst spike                x %.2f; %.3f mm beyond the limit", s->spike,
          1e3 * fmax(s->spike_excess, 0));
  fprintf(to, " (frame %d, vertex %d; %d frames)\n", s->spike_frame, s->spike_vertex, s->nspike);
  fprintf(to, "frames, inverted tets      %d (at most %d)\n", s->ninverted_frames,
          s->most_inverted);
  fprintf(to, "trembling, input held      %.4f mm a frame (frame %d); settled %.4f\n",
          1e3 * s->tremble, s->tremble_frame, 1e3 * s->settled_tremble);
  fprintf(to, "frames not finite          %d\n", s->nnot_finite);
  fprintf(to, "step                       %.2f ms mean, %.2f ms worst\n",
          s->nframe ? 1e3 * s->seconds / s->nframe : 0, 1e3 * s->worst_seconds);
}

void judge_csv_head(FILE *to) {
  fprintf(to, "frame,output,pose,output_lips,pose_lips,output_lids_left,pose_lids_left,"
              "output_lids_right,pose_lids_right,output_rest,pose_rest,equal,equal_lips,"
              "farthest_mm,vertex,in_contact,spike,spike_excess_mm,spike_vertex,inverted,contacts,"
              "moved_mm,held,finite,ms\n");
}

void judge_csv_line(const judge_frame *f, FILE *to) {
  fprintf(to, "%d,%d,%d", f->frame, f->output.all, f->pose.all);
  for (int p = 0; p < JUDGE_NPIECE; p++)
    fprintf(to, ",%d,%d", f->output.piece[p], f->pose.piece[p]);
  fprintf(to, ",%d,%d,%.4f,%d,%d,%.3f,%.4f,%d,%d,%d,%.5f,%d,%d,%.3f\n", f->all_equal,
          f->equal[JUDGE_LIPS], 1e3 * f->farthest, f->farthest_vertex, f->farthest_in_contact,
          f->spike, 1e3 * f->spike_excess, f->spike_vertex, f->ninverted, f->ncontact,
          1e3 * f->moved, f->nheld, f->is_finite, 1e3 * f->seconds);
}

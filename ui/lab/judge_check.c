// Checks the clauses that contact must fulfil.
#include "judge_inside.h"

static const double TREMBLE = 0.02e-3; // m a frame
enum { MOST_INVERTED = 5, PER_CENT_INVERTED = 1 };

typedef struct verdict {
  FILE *to;
  int nviolated;
} verdict;

static void demand(verdict *v, bool holds, const char *clause, double found, double allowed) {
  if (holds) return;
  fprintf(v->to, "VIOLATED: %s: %g, allowed %g\n", clause, found, allowed);
  v->nviolated++;
}

static void check_crossings(verdict *v, const judge_summary *s, int clauses) {
  int nworse = 0;
  for (int p = 0; p < JUDGE_NPIECE; p++)
    if (p != JUDGE_REST || !(clauses & JUDGE_FOREIGN_REST)) nworse += s->worse_piece[p];
  demand(v, !nworse, "pieces, over all frames, that cross more than in the neutral", nworse, 0);
  demand(v, !s->nspoiled_piece, "pieces, over all frames, that cross where the pose does not",
         s->nspoiled_piece, 0);
  demand(v, (clauses & JUDGE_FOREIGN_REST) || !s->nrigid,
         "frames with more skin through bone, teeth and eyes than in the neutral", s->nrigid, 0);
  demand(v, !s->nnot_finite, "frames with positions that are not finite", s->nnot_finite, 0);
}

static void check_return(verdict *v, const judge_summary *s) {
  static const char *const name[JUDGE_NPIECE] = {"lips", "left lids", "right lids", "rest"};
  for (int p = 0; p < JUDGE_NPIECE; p++) {
    char clause[120];
    snprintf(clause, sizeof clause,
             "frames in which the %s, late at a free pose, are up to %.2g mm off", name[p],
             1e3 * s->late_off[p]);
    demand(v, !s->late_piece[p], clause, s->late_piece[p], 0);
  }
  demand(v, !s->nleft, "frames at the neutral in which skin is elsewhere", s->nleft, 0);
  demand(v, !s->nlate, "frames in which a vertex of the rig is late at a free pose", s->nlate, 0);
}

int judge_summary_check(const judge_summary *s, int clauses, FILE *to) {
  verdict v = {to, 0};
  check_crossings(&v, s, clauses);
  if (clauses & JUDGE_ONLY_CROSSINGS) return v.nviolated;
  if (!(clauses & JUDGE_THROWN)) check_return(&v, s);
  demand(&v, !s->nspike, "mm of a vertex beyond 3 x its neighbours' offset + 1 mm",
         1e3 * s->spike_excess, 0);
  demand(&v, 100 * s->ninverted_frames <= PER_CENT_INVERTED * s->nframe,
         "frames with inverted tetrahedra", s->ninverted_frames,
         PER_CENT_INVERTED * s->nframe / 100);
  demand(&v, s->most_inverted <= MOST_INVERTED, "inverted tetrahedra in a frame", s->most_inverted,
         MOST_INVERTED);
  demand(&v, (clauses & JUDGE_THROWN) || s->settled_tremble < TREMBLE,
         "mm a frame of trembling while the input is held", 1e3 * s->settled_tremble,
         1e3 * TREMBLE);
  return v.nviolated;
}

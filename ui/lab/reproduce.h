// Claims of the papers, each shown by an experiment.
#ifndef MIEN_LAB_REPRODUCE_H
#define MIEN_LAB_REPRODUCE_H

#include "cli.h"

// Input and results of an experiment.
typedef struct experiment {
  const cli_args *args;
  bool quick;         // the variant the tests run
  const char *folder; // where its CSV and PNG go
  bool holds;         // out
  char ours[240];     // out: our figure, in words
  char rows[4096];    // out: lines printed under the verdict with --verbose and in the report
} experiment;

typedef struct claim {
  const char *id;
  const char *statement;
  const char *paper;         // the paper's figure, in words
  int (*run)(experiment *e); // a CLI exit code; CLI_DONE also when the claim does not hold
  const char *limits;        // what the experiment does not show
  bool judges_times;         // in full, so it wants the machine for itself
} claim;

// Adds a line to e->rows.
void experiment_note(experiment *e, const char *format, ...) __attribute__((format(printf, 2, 3)));
// "<folder>/<id><end>", valid until the next call
const char *experiment_path(const experiment *e, const char *id, const char *end);
// True when all figures are finite. Otherwise the claim does not hold, and e->ours is a sentence
// that says which of `what` it was: comparisons and minima pass over a NaN without a word.
bool experiment_is_finite(experiment *e, const char *what, const double *figures, int count);

// one a line: claims are added by many hands
extern const claim claim_b1;
extern const claim claim_b2;
extern const claim claim_b3;
extern const claim claim_b4;
extern const claim claim_b5;
extern const claim claim_b6;
extern const claim claim_b7;
extern const claim claim_b8;
extern const claim claim_b9;
extern const claim claim_b10;
extern const claim claim_b11;
extern const claim claim_b12;
extern const claim claim_d2;
extern const claim claim_d3;
extern const claim claim_d4;
extern const claim claim_d5;
extern const claim claim_d6;
extern const claim claim_d7;
extern const claim claim_d8;
extern const claim claim_d9;
extern const claim claim_d10;
extern const claim claim_k1;
extern const claim claim_k2;
extern const claim claim_k3;
extern const claim claim_k4;
extern const claim claim_k5;
extern const claim claim_k6;
extern const claim claim_k7;
extern const claim claim_k8;
extern const claim claim_k9;
extern const claim claim_l1;
extern const claim claim_l2;
extern const claim claim_l3;
extern const claim claim_l4;
extern const claim claim_z1;
extern const claim claim_z2;
extern const claim claim_z3;
extern const claim claim_z9;

#endif

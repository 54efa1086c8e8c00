// The ledger: every claim that mien is built from, also those that no experiment shows yet.
#ifndef MIEN_LAB_LEDGER_H
#define MIEN_LAB_LEDGER_H

#include "reproduce.h"

typedef struct ledger_row {
  const char *id;
  const char *line;   // what it is about, for the help
  const claim *claim; // NULL = missing
  const char *miss;   // why the full experiment is known not to hold; NULL = it holds
} ledger_row;

extern const ledger_row ledger[];
extern const int ledger_count;

// The row with this id in any case; -1 = none.
int ledger_find(const char *id);

#endif

// Rows and cells of a CSV file, in place.
#ifndef MI_CSV_H
#define MI_CSV_H

#include "base/base.h"

typedef struct mi_cell {
  const char *at, *end; // without quotes and outer blanks
} mi_cell;

typedef struct mi_csv {
  const char *at, *end;
  int line; // of the row last read, from 1
} mi_csv;

mi_csv mi_csv_open(const void *bytes, size_t size);
// Cells of the longest possible next row: what to allocate for the header.
int mi_csv_width(const mi_csv *csv);
// Reads the next row that is not blank into cell[0 .. capacity). Returns the number of cells, which
// may be above the capacity; 0 at the end of the file, -1 when a quote is not closed.
int mi_csv_row(mi_csv *csv, mi_cell *cell, int capacity);
bool mi_cell_is(const mi_cell *cell, const char *word); // in any case
int mi_cell_length(const mi_cell *cell);                // at most 60, for "%.*s" in messages

#endif

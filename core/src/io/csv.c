#include "io/csv.h"

#include <string.h>

mi_csv mi_csv_open(const void *bytes, size_t size) {
  const char *at = bytes, *end = at + size;
  if (size >= 3 && memcmp(at, "\xEF\xBB\xBF", 3) == 0) at += 3; // byte order mark
  return (mi_csv){.at = at, .end = end, .line = 0};
}

int mi_csv_width(const mi_csv *csv) {
  const char *at = csv->at;
  while (at < csv->end && (*at == '\n' || *at == '\r')) at++;
  int width = 1;
  for (; at < csv->end && *at != '\n' && *at != '\r' && width < INT32_MAX; at++)
    width += *at == ',';
  return width;
}

static bool is_blank(char c) {
  return c == ' ' || c == '\t';
}
static bool is_line_end(char c) {
  return c == '\n' || c == '\r';
}

static bool read_quoted(mi_csv *csv, mi_cell *cell) {
  cell->at = ++csv->at;
  for (; csv->at < csv->end && !is_line_end(*csv->at); csv->at++) {
    if (*csv->at != '"') continue;
    bool doubled = csv->at + 1 < csv->end && csv->at[1] == '"';
    if (!doubled) {
      cell->end = csv->at++;
      return true;
    }
    csv->at++;
  }
  return false;
}

static bool read_cell(mi_csv *csv, mi_cell *cell) {
  while (csv->at < csv->end && is_blank(*csv->at)) csv->at++;
  bool quoted = csv->at < csv->end && *csv->at == '"';
  if (quoted && !read_quoted(csv, cell)) return false;
  if (!quoted) cell->at = csv->at;
  while (csv->at < csv->end && *csv->at != ',' && !is_line_end(*csv->at)) csv->at++;
  if (!quoted) cell->end = csv->at;
  while (cell->end > cell->at && is_blank(cell->end[-1])) cell->end--;
  return true;
}

static void skip_line_end(mi_csv *csv) {
  if (csv->at == csv->end) return;
  bool pair = *csv->at == '\r' && csv->at + 1 < csv->end && csv->at[1] == '\n';
  csv->at += pair ? 2 : 1;
}

int mi_csv_row(mi_csv *csv, mi_cell *cell, int capacity) {
  while (csv->at < csv->end) {
    csv->line++;
    int count = 0;
    bool has_text = false;
    for (;; csv->at++) { // over the comma
      mi_cell next;
      if (!read_cell(csv, &next)) return -1;
      has_text |= next.end > next.at;
      if (count < capacity) cell[count] = next;
      if (count < INT32_MAX) count++;
      if (csv->at == csv->end || *csv->at != ',') break;
    }
    skip_line_end(csv);
    if (has_text) return count;
  }
  return 0;
}

bool mi_cell_is(const mi_cell *cell, const char *word) {
  size_t length = (size_t)(cell->end - cell->at);
  if (length != strlen(word)) return false;
  for (size_t i = 0; i < length; i++) {
    char a = cell->at[i], b = word[i];
    if (a >= 'A' && a <= 'Z') a = (char)(a + 32);
    if (b >= 'A' && b <= 'Z') b = (char)(b + 32);
    if (a != b) return false;
  }
  return true;
}

int mi_cell_length(const mi_cell *cell) {
  return (int)(cell->end - cell->at < 60 ? cell->end - cell->at : 60);
}

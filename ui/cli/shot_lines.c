// Jansson forgets where a value stood. For an error its line is found by walking the text again.
#include "shot.h"

#include <string.h>

enum { MOST_PATH = 512 };

typedef struct walk {
  const char *at, *wanted;
  int line;
  int best; // line of the longest path so far that `wanted` begins with
  size_t best_length;
  char path[MOST_PATH];
} walk;

static void skip_space(walk *w) {
  for (; *w->at && strchr(" \t\r\n", *w->at); w->at++) w->line += *w->at == '\n';
}

static void skip_string(walk *w) {
  for (w->at++; *w->at && *w->at != '"'; w->at++)
    if (*w->at == '\\' && w->at[1]) w->at++;
  if (*w->at) w->at++;
}

// "takes[0]" holds "takes[0].file" and not "takes[0]x"
static void compare(walk *w) {
  size_t length = strlen(w->path);
  if (strncmp(w->wanted, w->path, length) || length < w->best_length) return;
  if (length && w->wanted[length] && !strchr(".[", w->wanted[length])) return;
  w->best = w->line;
  w->best_length = length;
}

static void walk_value(walk *w);

static void walk_members(walk *w, bool is_object, char end) {
  size_t before = strlen(w->path);
  w->at++;
  for (int k = 0;; k++) {
    skip_space(w);
    if (*w->at == ',') {
      w->at++;
      skip_space(w);
    }
    if (!*w->at || *w->at == end) break;
    const char *name = w->at + 1;
    if (is_object) {
      skip_string(w);
      snprintf(w->path + before, MOST_PATH - before, "%s%.*s", before ? "." : "",
               (int)(w->at - name - 1), name);
    } else {
      snprintf(w->path + before, MOST_PATH - before, "[%d]", k);
    }
    compare(w);
    skip_space(w);
    if (is_object && *w->at == ':') w->at++;
    walk_value(w);
    w->path[before] = 0;
  }
  if (*w->at) w->at++;
}

static void walk_value(walk *w) {
  skip_space(w);
  if (*w->at == '{')
    walk_members(w, true, '}');
  else if (*w->at == '[')
    walk_members(w, false, ']');
  else if (*w->at == '"')
    skip_string(w);
  else
    w->at += strcspn(w->at, ",]} \t\r\n");
}

int shot_line_of(const char *text, const char *path) {
  walk w = {.at = text, .wanted = path, .line = 1, .best = 1};
  walk_value(&w);
  return w.best;
}

// Parses the name of a joint, for all readers of skeletons. It needs the C library alone.
#ifndef MI_JOINT_NAME_H
#define MI_JOINT_NAME_H

#include "base/text.h"

#include <string.h>

// Letters and digits in small, without what tools put before a name ("mixamorig:Head").
static inline void mi_joint_fold(const char *name, char *out, size_t size) {
  const char *colon = strrchr(name, ':');
  size_t n = 0;
  for (const char *at = colon ? colon + 1 : name; *at && n + 1 < size; at++)
    if (mi_is_alnum(*at)) out[n++] = mi_lower(*at);
  out[n] = 0;
}

// How surely a joint is the head's: 3 "Head", 2 "head_01", 1 the neck, 0 not at all.
static inline int mi_joint_rank(const char *name) {
  static const char *const others[] = {"top",   "end", "nub",   "tip",     "hair",
                                       "eye",   "jaw", "front", "target",  "ctrl",
                                       "twist", "ear", "hat",   "overhead"};
  char folded[64];
  if (!name) return 0;
  mi_joint_fold(name, folded, sizeof folded);
  size_t length = strlen(folded);
  int is_head = length >= 4 && !strcmp(folded + length - 4, "head");
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    if (strstr(folded, others[i]) && !(is_head && strcmp(others[i], "overhead"))) return 0;
  if (is_head) return 3;
  if (strstr(folded, "head")) return 2;
  return strstr(folded, "neck") ? 1 : 0;
}

#endif

// Names in any spelling: shapes with the same meaning, and parts whose names give their kind.
#include "rig/rig.h"

#include <string.h>

static bool ends_with(const char *text, size_t length, const char *end) {
  size_t n = strlen(end);
  return length >= n && !strncmp(text + length - n, end, n);
}

// "rig:head_blend.eyeBlink" -> "eyeBlink"; a last piece of one letter is a side, not a name
const char *mi_name_last_piece(const char *name) {
  const char *start = name;
  for (const char *at = name; *at; at++)
    if ((*at == ':' || *at == '.' || *at == '|') && at[1] && at[2]) start = at + 1;
  return start;
}

static void append(char *folded, size_t size, const char *text) {
  size_t used = strlen(folded);
  if (used + 1 < size) strncat(folded, text, size - used - 1);
}

void mi_name_fold(const char *name, char *folded, size_t size) {
  const char *start = mi_name_last_piece(name);
  size_t length = strlen(start), used = 0;
  const char *side = NULL;
  // a single L or R at the end, after a separator or a change of case
  if (length >= 2) {
    char last = start[length - 1], before = start[length - 2];
    bool is_separated = before == '_' || before == '.' || before == '-' || before == ' ';
    bool upper = mi_is_upper(last) && mi_is_lower(before);
    if ((is_separated || upper) && (last == 'L' || (is_separated && last == 'l'))) side = "left";
    if ((is_separated || upper) && (last == 'R' || (is_separated && last == 'r'))) side = "right";
    if (side) length--;
  }
  for (size_t i = 0; i < length && used + 1 < size; i++)
    if (mi_is_alnum(start[i])) folded[used++] = mi_lower(start[i]);
  if (size) folded[used] = 0;
  if (side) append(folded, size, side);
}

size_t mi_names_tag(const mien_shape *shapes, int nshape) {
  size_t length = nshape > 1 ? strlen(shapes[0].name) : 0, tag = 0;
  for (int s = 1; s < nshape; s++) {
    size_t same = 0;
    while (same < length && shapes[s].name[same] == shapes[0].name[same]) same++;
    length = same;
  }
  for (size_t i = 0; i < length; i++)
    if (!mi_is_alnum(shapes[0].name[i])) tag = i + 1;
  for (int s = 0; s < nshape; s++)
    if (!shapes[s].name[tag]) return 0;
  return tag;
}

static bool has_any(const char *folded, const char *const *words) {
  for (; *words; words++)
    if (strstr(folded, *words)) return true;
  return false;
}

mien_part_kind mi_part_kind_from_name(const char *name) {
  static const char *const other[] = {"lash", "hair",  "cloth",  "gum",    "lacrimal",
                                      "brow", "beard", "occlus", "socket", NULL};
  static const char *const skull[] = {"skull", "cranium", NULL};
  static const char *const jaw[] = {"jaw", "mandib", NULL};
  static const char *const teeth[] = {"teeth", "tooth", "dent", NULL};
  static const char *const low[] = {"lower", "bottom", "low", NULL};
  static const char *const skin[] = {"skin", "face", "head", "body", NULL};
  static const char *const tongue[] = {"tongue", NULL};
  char folded[128];
  mi_name_fold(name, folded, sizeof folded);
  size_t length = strlen(folded);
  if (has_any(folded, other)) return MIEN_PART_OTHER;
  if (has_any(folded, tongue)) return MIEN_PART_TONGUE;
  if (has_any(folded, teeth))
    return has_any(folded, low) ? MIEN_PART_TEETH_LOWER : MIEN_PART_TEETH_UPPER;
  if (has_any(folded, skull)) return MIEN_PART_SKULL;
  if (has_any(folded, jaw)) return MIEN_PART_JAW;
  if (strstr(folded, "eye")) {
    if (strstr(folded, "left") || ends_with(folded, length, "l")) return MIEN_PART_EYE_LEFT;
    if (strstr(folded, "right") || ends_with(folded, length, "r")) return MIEN_PART_EYE_RIGHT;
    return MIEN_PART_OTHER;
  }
  return has_any(folded, skin) ? MIEN_PART_SKIN : MIEN_PART_AUTO;
}

bool mi_map_is_length(const char *name) {
  static const char *const lengths[] = {"thickness", "hypodermis", "blendvolume"};
  for (int k = 0; k < 3; k++) {
    size_t length = strlen(lengths[k]);
    if (strncmp(name, lengths[k], length)) continue;
    const char *after = name + length; // a shape's name may follow
    if (!after[0] || after[0] == ':' || (after[0] == '_' && after[1] == '_')) return true;
  }
  return false;
}

// Finds the meaning of shape names. Artists and programs name the same motion after ARKit, FACS,
// VRM, viseme sets or a convention of their own; a meaning is the ARKit name of a motion, or
// "viseme" and its sound, folded, with the side at the end.
#include "rig/rig.h"

#include <stdio.h>
#include <string.h>

typedef struct alias {
  const char *name, *meaning; // folded, without sides
} alias;

static const alias ALIASES[] = {
    // FACS: action units by number and by name
    {"au1", "browinnerup"},
    {"au2", "browouterup"},
    {"au4", "browdown"},
    {"au5", "eyewide"},
    {"au6", "cheeksquint"},
    {"au7", "eyesquint"},
    {"au9", "nosesneer"},
    {"au10", "mouthupperup"},
    {"au12", "mouthsmile"},
    {"au13", "cheekpuff"},
    {"au14", "mouthdimple"},
    {"au15", "mouthfrown"},
    {"au16", "mouthlowerdown"},
    {"au17", "mouthshruglower"},
    {"au18", "mouthpucker"},
    {"au19", "tongueout"},
    {"au20", "mouthstretch"},
    {"au22", "mouthfunnel"},
    {"au24", "mouthpress"},
    {"au26", "jawopen"},
    {"au28", "mouthrolllower"},
    {"au29", "jawforward"},
    {"au34", "cheekpuff"},
    {"au43", "eyeblink"},
    {"au45", "eyeblink"},
    {"innerbrowraiser", "browinnerup"},
    {"outerbrowraiser", "browouterup"},
    {"browlowerer", "browdown"},
    {"upperlidraiser", "eyewide"},
    {"cheekraiser", "cheeksquint"},
    {"lidtightener", "eyesquint"},
    {"nosewrinkler", "nosesneer"},
    {"upperlipraiser", "mouthupperup"},
    {"lipcornerpuller", "mouthsmile"},
    {"dimpler", "mouthdimple"},
    {"lipcornerdepressor", "mouthfrown"},
    {"lowerlipdepressor", "mouthlowerdown"},
    {"chinraiser", "mouthshruglower"},
    {"lippuckerer", "mouthpucker"},
    {"lipstretcher", "mouthstretch"},
    {"lipfunneler", "mouthfunnel"},
    {"lippressor", "mouthpress"},
    {"lipsuck", "mouthrolllower"},
    // jaw and lids in plain words
    {"jawdrop", "jawopen"},
    {"jawdown", "jawopen"},
    {"openjaw", "jawopen"},
    {"mouthopen", "jawopen"},
    {"openmouth", "jawopen"},
    {"blink", "eyeblink"},
    {"eyeclose", "eyeblink"},
    {"eyeclosed", "eyeblink"},
    {"eyesclosed", "eyeblink"},
    {"fcleyeclose", "eyeblink"},
    {"smile", "mouthsmile"},
    {"frown", "mouthfrown"},
    {"mouthsad", "mouthfrown"},
    {"mouthpout", "mouthpucker"},
    {"pucker", "mouthpucker"},
    // VRM 1.0, VRM 0.x, VRoid
    {"aa", "visemeaa"},
    {"ih", "visemeih"},
    {"ou", "visemeou"},
    {"ee", "visemee"},
    {"oh", "visemeoh"},
    {"a", "visemeaa"},
    {"i", "visemeih"},
    {"u", "visemeou"},
    {"e", "visemee"},
    {"o", "visemeoh"},
    {"fclmtha", "visemeaa"},
    {"fclmthi", "visemeih"},
    {"fclmthu", "visemeou"},
    {"fclmthe", "visemee"},
    {"fclmtho", "visemeoh"},
    {"joy", "happy"},
    {"sorrow", "sad"},
    {"fun", "relaxed"},
    {"mtha", "visemeaa"}, // where the tag before it is left out
    {"mthi", "visemeih"},
    {"mthu", "visemeou"},
    {"mthe", "visemee"},
    {"mtho", "visemeoh"},
    // Character Creator
    {"browdrop", "browdown"},
    {"browraiseinner", "browinnerup"},
    {"browraiseouter", "browouterup"},
    {"cheekraise", "cheeksquint"},
    {"mouthdownlower", "mouthlowerdown"},
    {"mouthupupper", "mouthupperup"},
    {"mouthrollinlower", "mouthrolllower"},
    {"mouthrollinupper", "mouthrollupper"},
    // MetaHuman
    {"browraisein", "browinnerup"},
    {"eyecheekraise", "cheeksquint"},
    {"eyesquintinner", "eyesquint"},
    {"eyewiden", "eyewide"},
    {"jawfwd", "jawforward"},
    {"mouthcornerdepress", "mouthfrown"},
    {"mouthcornerpull", "mouthsmile"},
    {"mouthlowerlipdepress", "mouthlowerdown"},
    {"mouthlowerliprollin", "mouthrolllower"},
    {"mouthupperlipraise", "mouthupperup"},
    {"mouthupperliprollin", "mouthrollupper"},
    {"nosewrinkle", "nosesneer"},
    // viseme sets: the same sounds under other letters
    {"visemei", "visemeih"},
    {"visemeo", "visemeoh"},
    {"visemeu", "visemeou"},
    {"visemea", "visemeaa"},
};

// Japanese names, which have no letters that could be folded.
static const alias RAW[] = {
    {"あ", "visemeaa"}, {"い", "visemeih"},       {"う", "visemeou"}, {"え", "visemee"},
    {"お", "visemeoh"}, {"まばたき", "eyeblink"}, {"笑い", "happy"},  {"ウィンク", "eyeblinkleft"}};

// Where a rig lacks the motion that a take has, the sound that is mostly that motion stands in.
static const alias STAND_INS[] = {
    {"jawopen", "visemeaa"}, {"mouthpucker", "visemeou"}, {"mouthfunnel", "visemeoh"}};

enum { MOST_WORDS = 16, WORD = 64 };

typedef struct words {
  char text[MOST_WORDS][WORD];
  int count;
} words;

// "AU_12_L_LipCornerPuller" -> AU 12 L LipCornerPuller
static void split(const char *name, words *w) {
  size_t used = 0;
  w->count = 0;
  for (const char *at = name;; at++) {
    if (mi_is_alnum(*at) && used + 1 < WORD && w->count < MOST_WORDS) {
      w->text[w->count][used++] = *at;
      continue;
    }
    if (used) w->text[w->count++][used] = 0;
    used = 0;
    if (!*at || w->count == MOST_WORDS) return;
  }
}

static void drop(words *w, int first, int count) {
  memmove(w->text[first], w->text[first + count], (size_t)(w->count - first - count) * WORD);
  w->count -= count;
}

static bool is_number(const char *word) {
  size_t length = strlen(word);
  return length && strspn(word, "0123456789") == length;
}

static bool is_word(const char *word, const char *folded) {
  size_t i = 0;
  for (; word[i] && mi_lower(word[i]) == folded[i]; i++) continue;
  return !word[i] && !folded[i];
}

static bool is_viseme_tag(const char *word) {
  static const char *const tags[] = {"viseme", "vis", "vi", "v", "phoneme"};
  for (size_t k = 0; k < sizeof tags / sizeof *tags; k++)
    if (is_word(word, tags[k])) return true;
  return false;
}

// A side as a word before the end: "L_eyeBlink", "AU_12_L_LipCornerPuller", "Eye_Left_Blink".
static const char *take_side(words *w) {
  for (int k = 0; k + 1 < w->count; k++) {
    bool left = is_word(w->text[k], "l") || is_word(w->text[k], "left");
    bool right = is_word(w->text[k], "r") || is_word(w->text[k], "right");
    if (!left && !right) continue;
    drop(w, k, 1);
    return left ? "left" : "right";
  }
  return "";
}

// Prefixes that count or classify: "AK_25_", "AA_VI_10_", "12_". An action unit's number is its
// name; the words after it only repeat it.
static void take_tags(words *w, char *start) {
  int number = 0;
  while (number < w->count && number < 3 && !is_number(w->text[number])) number++;
  bool is_tagged = number < w->count && number < 3 && number + 1 < w->count;
  for (int k = 0; is_tagged && k < number; k++) is_tagged = strlen(w->text[k]) <= 4;
  if (number == 1 && w->count > 1 && is_word(w->text[0], "au")) {
    strcpy(start, "au");
    memmove(w->text[0], w->text[1] + strspn(w->text[1], "0"), WORD - strspn(w->text[1], "0"));
    w->count = 1;
  } else if (w->count > 1 && is_viseme_tag(w->text[0])) {
    strcpy(start, "viseme");
    drop(w, 0, 1);
  } else if (is_tagged) {
    for (int k = 0; k < number; k++)
      if (is_viseme_tag(w->text[k])) strcpy(start, "viseme");
    drop(w, 0, number + 1);
  }
}

// "AU26", "AU26_JawDrop": the number is glued on
static bool is_glued_unit(const char *word) {
  return mi_lower(word[0]) == 'a' && mi_lower(word[1]) == 'u' && is_number(word + 2);
}

static void look_up(char *meaning, size_t size, const char *side) {
  static const char *const sides[] = {"left", "right"};
  size_t length = strlen(meaning);
  char stem[128];
  for (int k = 0; k < 2 && !side[0]; k++) {
    size_t n = strlen(sides[k]);
    if (length > n && !strcmp(meaning + length - n, sides[k])) side = sides[k];
  }
  snprintf(stem, sizeof stem, "%s", meaning);
  size_t n = strlen(side);
  if (n && length > n && !strcmp(stem + length - n, side)) stem[length - n] = 0;
  for (size_t k = 0; k < sizeof ALIASES / sizeof *ALIASES; k++)
    if (!strcmp(ALIASES[k].name, stem)) snprintf(stem, sizeof stem, "%s", ALIASES[k].meaning);
  snprintf(meaning, size, "%.100s%s", stem, side);
}

void mi_name_meaning(const char *name, char *meaning, size_t size) {
  for (size_t k = 0; k < sizeof RAW / sizeof *RAW; k++)
    if (!strcmp(name, RAW[k].name)) {
      snprintf(meaning, size, "%s", RAW[k].meaning);
      return;
    }
  words w;
  char start[16] = "", rest[WORD * 4] = "", folded[128];
  split(mi_name_last_piece(name), &w);
  const char *side = "";
  if (w.count && is_glued_unit(w.text[0])) {
    side = take_side(&w);
    if (!side[0] && w.count > 1 && is_word(w.text[w.count - 1], "l")) side = "left";
    if (!side[0] && w.count > 1 && is_word(w.text[w.count - 1], "r")) side = "right";
    w.count = 1;
  } else {
    side = take_side(&w);
    take_tags(&w, start);
  }
  for (int k = 0; k < w.count && k < 4; k++) {
    if (k) strcat(rest, "_");
    strcat(rest, w.text[k]);
  }
  mi_name_fold(rest, folded, sizeof folded);
  snprintf(meaning, size, "%s%.100s", start, folded);
  look_up(meaning, size, side);
}

const char *mi_name_stand_in(const char *meaning) {
  for (size_t k = 0; k < sizeof STAND_INS / sizeof *STAND_INS; k++)
    if (!strcmp(STAND_INS[k].name, meaning)) return STAND_INS[k].meaning;
  return NULL;
}

#include "parameters.h"

#include <cctype>
#include <cstring>

namespace mien_maya {

std::string camelCase(const std::string &name) {
  std::string out;
  for (size_t i = 0; i < name.size(); i++) {
    if (name[i] == '_') continue;
    bool starts = i > 0 && name[i - 1] == '_';
    out += starts ? static_cast<char>(std::toupper(name[i])) : name[i];
  }
  return out;
}

static std::vector<std::string> wordsOf(const std::string &name) {
  std::vector<std::string> words(1);
  for (char c : name)
    if (c == '_')
      words.emplace_back();
    else
      words.back() += c;
  return words;
}

// The first letter and the next consonants. A scene file holds short names, so the rule depends on
// the name alone, never on what other rows there are; Maya refuses two that are the same.
static std::string skeleton(const std::string &word, size_t most) {
  std::string out = word.substr(0, 1);
  for (size_t i = 1; i < word.size() && out.size() < most; i++)
    if (!std::strchr("aeiou", word[i])) out += word[i];
  return out;
}

static std::string briefOf(const std::string &name) {
  std::vector<std::string> words = wordsOf(name);
  if (words.size() == 1) return skeleton(name, 3);
  return skeleton(words[0], 2) + skeleton(words.back(), 3);
}

static std::string niceOf(const mien_param &row) {
  std::string out;
  for (std::string &word : wordsOf(row.name)) {
    word[0] = static_cast<char>(std::toupper(word[0]));
    out += (out.empty() ? "" : " ") + word;
  }
  return row.unit[0] ? out + " (" + row.unit + ")" : out;
}

// -- Parameters -----------------------------------------------------------------------------------

static Parameter fromRow(const mien_param &row) {
  Parameter p;
  p.name = camelCase(row.name);
  p.brief = briefOf(row.name);
  p.nice = niceOf(row);
  p.row = row;
  p.rebuilds = row.place == MIEN_PARAM_FACE || p.name == "spaceScale";
  p.changesResult = p.name != "frameJumpLimit";
  return p;
}

static Parameter own(const char *name, const char *brief, const char *nice, mien_param_kind kind,
                     int value, int most, int Settings::*where) {
  Parameter p;
  p.name = name;
  p.brief = brief;
  p.nice = nice;
  p.row = mien_param();
  p.row.name = p.row.field = p.row.group = p.row.unit = p.row.help = "";
  p.row.kind = kind;
  p.row.flags = kind == MIEN_PARAM_SWITCH ? MIEN_PARAM_KEYABLE : 0;
  p.row.value[0] = value;
  p.row.min = p.row.soft_min = kind == MIEN_PARAM_SWITCH ? 0 : 1;
  p.row.max = most;
  p.row.soft_max = kind == MIEN_PARAM_SWITCH ? 1 : 16384;
  p.row.to_si = 1;
  p.own = where;
  p.changesResult = false;
  return p;
}

static std::vector<Parameter> makeParameters() {
  std::vector<Parameter> list{
      own("enable", "ena", "Enable", MIEN_PARAM_SWITCH, 1, 1, &Settings::enable),
      own("cacheMemory", "cmm", "Cache Memory (MB)", MIEN_PARAM_WHOLE, 2048, 1000000,
          &Settings::cache_megabytes)};
  int count;
  const mien_param *rows = mien_params(&count);
  for (int i = 0; i < count; i++) {
    // the start is a time here: startTime
    bool isOurs = rows[i].place == MIEN_PARAM_MAP || rows[i].flags & MIEN_PARAM_OF_HOST ||
                  !std::strcmp(rows[i].name, "start_frame");
    if (!isOurs) list.push_back(fromRow(rows[i]));
  }
  return list;
}

const std::vector<Parameter> &parameters() {
  static const std::vector<Parameter> list = makeParameters();
  return list;
}

// -- Maps -----------------------------------------------------------------------------------------

static std::vector<PaintedMap> makeMaps() {
  std::vector<PaintedMap> list;
  int count;
  const mien_param *rows = mien_params(&count);
  auto add = [&](const mien_param &row, const std::string &core) {
    list.push_back({camelCase(core) + "Map", briefOf(core) + "m", niceOf(row), core, row});
  };
  for (int i = 0; i < count; i++) {
    if (rows[i].place != MIEN_PARAM_MAP) continue;
    if (std::strcmp(rows[i].name, "region")) {
      add(rows[i], rows[i].name);
    } else { // of the bits of a region an artist paints one: what can touch
      mien_param contact = rows[i];
      contact.name = "contact";
      contact.max = contact.soft_max = 1;
      add(contact, "contact");
    }
  }
  return list;
}

const std::vector<PaintedMap> &paintedMaps() {
  static const std::vector<PaintedMap> list = makeMaps();
  return list;
}

int mapNamed(const std::string &name) {
  for (size_t k = 0; k < paintedMaps().size(); k++)
    if (paintedMaps()[k].name == name || paintedMaps()[k].core == name) return static_cast<int>(k);
  return -1;
}

// -- Settings -------------------------------------------------------------------------------------

void settingsInit(Settings *settings) {
  *settings = Settings();
  mien_settings_init(&settings->mien);
}

bool settingsSet(Settings *settings, const Parameter &p, const double *values, std::string *why) {
  if (p.own) {
    settings->*p.own = static_cast<int>(values[0]);
    return true;
  }
  mien_error err;
  if (mien_param_set(&p.row, &settings->mien, values, &err) >= 0) return true;
  *why = err.text;
  return false;
}

uint64_t hashBytes(const void *bytes, size_t size, uint64_t start) {
  const unsigned char *at = static_cast<const unsigned char *>(bytes);
  for (size_t i = 0; i < size; i++) start = (start ^ at[i]) * 1099511628211ull;
  return start;
}

uint64_t settingsHash(const Settings &settings, bool rebuilds) {
  uint64_t hash = 14695981039346656037ull;
  for (const Parameter &p : parameters()) {
    double values[3] = {0, 0, 0};
    if (p.rebuilds != rebuilds || !p.changesResult) continue;
    mien_param_get(&p.row, &settings.mien, values);
    hash = hashBytes(values, sizeof values, hash);
  }
  return hash;
}

} // namespace mien_maya

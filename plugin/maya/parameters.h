// Every parameter and painted map of the node: the rows of libmien's own table, spelled as Maya
// does, and what only a host has.
#ifndef MIEN_MAYA_PARAMETERS_H
#define MIEN_MAYA_PARAMETERS_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <mien/mien.h>

namespace mien_maya {

// What the artist set.
struct Settings {
  mien_settings mien;
  int enable = 1, cache_megabytes = 2048;
  double metres() const { return 0.01 * mien.play.space_scale; } // per unit of Maya's API, a cm
};

struct Parameter {
  std::string name, brief, nice; // attribute: long name, short name, what the editor shows
  mien_param row;                // of mien, or made up here for the node's own
  int Settings::*own = nullptr;  // where a parameter of the node itself goes
  bool rebuilds = false;         // the flesh is built anew when it changes
  bool changesResult = true;
};
const std::vector<Parameter> &parameters();

// Where nothing is painted mien finds the value itself. That is said by a value no map has, not by
// a missing element alone: a stroke of the brush may well write the whole map.
constexpr double kAutomatic = -1;

// A map that is painted vertex by vertex: perGeometry[].name[].
struct PaintedMap {
  std::string name, brief, nice;
  std::string core; // what mien calls it
  mien_param row;
};
const std::vector<PaintedMap> &paintedMaps();
int mapNamed(const std::string &name); // attribute or mien's name; -1 = there is none

std::string camelCase(const std::string &name); // "sticky_length" -> "stickyLength"

void settingsInit(Settings *settings);
// `values` has three numbers for a vector, one for everything else. False with a sentence when mien
// refuses; nothing is changed then.
bool settingsSet(Settings *settings, const Parameter &p, const double *values, std::string *why);

// FNV-1a over what physics depends on: with `rebuilds` only what the flesh is built from, else only
// what a step uses.
uint64_t settingsHash(const Settings &settings, bool rebuilds);
uint64_t hashBytes(const void *bytes, size_t size, uint64_t start = 14695981039346656037ull);

} // namespace mien_maya

#endif

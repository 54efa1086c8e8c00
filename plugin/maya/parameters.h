// Every parameter of the node, in one table: attribute, range, unit and where its value goes.
#ifndef MIEN_MAYA_PARAMETERS_H
#define MIEN_MAYA_PARAMETERS_H

#include <cstddef>
#include <cstdint>

#include <mien/mien.h>

namespace mien_maya {

// What the artist set, in SI units.
struct Settings {
  mien_face_def face;
  mien_step_opts step;
  double time_scale, space_scale;
  double seal_left, seal_right;
  int enable, substeps, frame_jump_limit, cache_megabytes;
};

enum class Kind { real, whole, seed, toggle, choice, vector };

struct Parameter {
  const char *name, *brief, *nice; // attribute: long name, short name, what the editor shows
  Kind kind;
  size_t offset;      // in Settings
  double value;       // default, in the artist's unit
  double least, most; // refused outside; NAN = no limit
  double soft_least, soft_most;
  double to_si; // artist's unit * to_si = SI
  bool keyable;
  bool rebuilds;       // the flesh is built anew when it changes
  const char *choices; // "name=0,other=2" of a choice
};

extern const Parameter kParameters[];
extern const int kParameterCount;

// A map that is painted vertex by vertex: perGeometry[].name[].
struct PaintedMap {
  const char *name, *brief, *nice;
  const char *core; // what mien calls it
  double value;     // what the brush finds where nothing was painted
  double least, most;
  double to_si;
};

extern const PaintedMap kMaps[];
extern const int kMapCount;

void settingsInit(Settings *settings);
// `values` has three numbers for a vector, one for everything else.
void settingsSet(Settings *settings, const Parameter &p, const double *values);

// FNV-1a over what physics depends on: with `rebuilds` only what the flesh is built from, else only
// what a step uses.
uint64_t settingsHash(const Settings &settings, bool rebuilds);
uint64_t hashBytes(const void *bytes, size_t size, uint64_t start = 14695981039346656037ull);

} // namespace mien_maya

#endif

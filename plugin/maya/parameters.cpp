#include "parameters.h"

#include <cmath>
#include <cstring>

namespace mien_maya {

#define FACE(field) offsetof(Settings, face) + offsetof(mien_face_def, field)
#define STEP(field) offsetof(Settings, step) + offsetof(mien_step_opts, field)
#define OWN(field) offsetof(Settings, field)

static const double kNone = NAN;
static const char kSolvers[] = "automatic=0,kinematic=1,direct=2,gaussSeidel=3,"
                               "gaussSeidelOffline=4,prefactored=5,newton=6";

// clang-format off
const Parameter kParameters[] = {
  // name, brief, nice, kind, offset, value, least, most, soft_least, soft_most, to_si, keyable, rebuilds, choices
  {"enable", "ena", "Enable", Kind::toggle, OWN(enable), 1, kNone, kNone, kNone, kNone, 1, true, false, nullptr},
  {"solver", "slv", "Solver", Kind::choice, STEP(solver), 0, kNone, kNone, kNone, kNone, 1, false, false, kSolvers},
  {"substeps", "sub", "Substeps", Kind::whole, OWN(substeps), 1, 1, 100, 1, 10, 1, true, false, nullptr},
  {"iterations", "itr", "Iterations", Kind::whole, STEP(iterations), 8, 1, 1000, 1, 40, 1, true, false, nullptr},
  {"tolerance", "tol", "Tolerance", Kind::real, STEP(tolerance), 0, 0, 0.999, 0, 0.1, 1, false, false, nullptr},

  {"timeScale", "tsc", "Time Scale", Kind::real, OWN(time_scale), 1, 0.001, 100, 0.1, 4, 1, true, false, nullptr},
  {"frameJumpLimit", "fjl", "Frame Jump Limit", Kind::whole, OWN(frame_jump_limit), 10, 1, 10000, 1, 100, 1, false, false, nullptr},
  {"cacheMemory", "cmm", "Cache Memory (MB)", Kind::whole, OWN(cache_megabytes), 2048, 1, 1000000, 64, 16384, 1, false, false, nullptr},
  {"spaceScale", "ssc", "Space Scale", Kind::real, OWN(space_scale), 1, 1e-4, 1e4, 0.01, 100, 1, false, true, nullptr},

  {"gravity", "grv", "Gravity (m/s2)", Kind::vector, STEP(gravity), 0, -1e4, 1e4, -20, 20, 1, true, false, nullptr},
  {"wind", "wnd", "Wind (m/s)", Kind::vector, STEP(wind), 0, -1e3, 1e3, -20, 20, 1, true, false, nullptr},

  {"thickness", "thk", "Thickness (mm)", Kind::real, FACE(thickness), 0, 0, kNone, 0, 20, 1e-3, false, true, nullptr},
  {"following", "flw", "Following", Kind::real, FACE(following), 0.5, 0, 1, 0, 1, 1, false, true, nullptr},
  {"density", "dns", "Density (kg/m3)", Kind::real, FACE(density), 1100, 1, 1e5, 500, 2000, 1, false, true, nullptr},
  {"stiffness", "stf", "Stiffness (Pa)", Kind::real, FACE(stiffness), 8000, 1, 1e9, 1000, 50000, 1, false, true, nullptr},
  {"volumeStiffness", "vst", "Volume Stiffness (Pa)", Kind::real, FACE(volume_stiffness), 24000, 0, 1e9, 0, 100000, 1, false, true, nullptr},
  {"attachmentRate", "atr", "Attachment Rate (Hz)", Kind::real, FACE(attachment_rate), 50, 0.1, 1e4, 1, 200, 1, false, true, nullptr},

  {"contact", "cnt", "Contact", Kind::choice, STEP(contact), 0, kNone, kNone, kNone, kNone, 1, false, false, "off=0,plane=1"},
  {"contactThickness", "cth", "Contact Thickness (mm)", Kind::real, STEP(thickness), 0, 0, kNone, 0, 2, 1e-3, true, false, nullptr},
  {"friction", "frc", "Friction", Kind::real, STEP(friction), 0.3, 0, 10, 0, 1, 1, true, false, nullptr},

  {"sticky", "sty", "Sticky Lips", Kind::real, STEP(sticky), 0, 0, 1e3, 0, 2, 1, true, false, nullptr},
  {"stickyLength", "stl", "Sticky Length (mm)", Kind::real, STEP(sticky_length), 0, 0, kNone, 0, 10, 1e-3, true, false, nullptr},
  {"humidity", "hmd", "Humidity", Kind::real, STEP(humidity), 1, 1e-3, 1e3, 0.1, 4, 1, true, false, nullptr},
  {"stickDelay", "sdl", "Stick Delay (s)", Kind::real, STEP(stick_delay), 0.1, 0, 100, 0, 1, 1, true, false, nullptr},
  {"sealLeft", "sll", "Seal Left", Kind::real, OWN(seal_left), 0, 0, 1, 0, 1, 1, true, false, nullptr},
  {"sealRight", "slr", "Seal Right", Kind::real, OWN(seal_right), 0, 0, 1, 0, 1, 1, true, false, nullptr},
  {"seed", "sed", "Seed", Kind::seed, STEP(seed), 1, 0, 2147483647, 0, 1000, 1, false, false, nullptr},
};

const PaintedMap kMaps[] = {
  // name, brief, nice, core, value, least, most, to_si
  {"thicknessMap", "tkm", "Thickness (mm)", "thickness", 0, 0, 100, 1e-3},
  {"stiffnessMap", "sfm", "Stiffness", "stiffness", 1, 0, 100, 1},
  {"attachmentMap", "atm", "Attachment", "attachment", 0, 0, 1, 1},
  {"jawMap", "jwm", "Jaw", "jaw", 0, 0, 1, 1},
  {"contactMap", "ctm", "Contact", "contact", 0, 0, 1, 1},
  {"stickyMap", "skm", "Sticky", "sticky", 1, 0, 1, 1},
};
// clang-format on
const int kParameterCount = sizeof kParameters / sizeof *kParameters;
const int kMapCount = sizeof kMaps / sizeof *kMaps;

void settingsInit(Settings *settings) {
  std::memset(settings, 0, sizeof *settings);
  mien_face_def_init(&settings->face);
  mien_step_opts_init(&settings->step);
  const double zero[3] = {0, 0, 0};
  for (const Parameter &p : kParameters)
    settingsSet(settings, p, p.kind == Kind::vector ? zero : &p.value);
}

void settingsSet(Settings *settings, const Parameter &p, const double *values) {
  char *at = reinterpret_cast<char *>(settings) + p.offset;
  double real[3] = {values[0] * p.to_si, 0, 0};
  int whole = static_cast<int>(values[0]);
  uint64_t seed = static_cast<uint64_t>(values[0]);
  switch (p.kind) {
  case Kind::real:
    std::memcpy(at, real, sizeof(double));
    break;
  case Kind::vector:
    for (int k = 1; k < 3; k++) real[k] = values[k] * p.to_si;
    std::memcpy(at, real, sizeof real);
    break;
  case Kind::seed:
    std::memcpy(at, &seed, sizeof seed);
    break;
  default:
    std::memcpy(at, &whole, sizeof whole);
  }
}

uint64_t hashBytes(const void *bytes, size_t size, uint64_t start) {
  const unsigned char *at = static_cast<const unsigned char *>(bytes);
  for (size_t i = 0; i < size; i++) start = (start ^ at[i]) * 1099511628211ull;
  return start;
}

static size_t sizeOf(Kind kind) {
  if (kind == Kind::vector) return 3 * sizeof(double);
  return kind == Kind::real || kind == Kind::seed ? 8 : sizeof(int);
}

// what the node itself needs but no step does: changing it changes no result
static bool isOnlyHousekeeping(const Parameter &p) {
  return p.offset == OWN(enable) || p.offset == OWN(frame_jump_limit) ||
         p.offset == OWN(cache_megabytes);
}

uint64_t settingsHash(const Settings &settings, bool rebuilds) {
  uint64_t hash = 14695981039346656037ull;
  const char *base = reinterpret_cast<const char *>(&settings);
  for (const Parameter &p : kParameters)
    if (p.rebuilds == rebuilds && !isOnlyHousekeeping(p))
      hash = hashBytes(base + p.offset, sizeOf(p.kind), hash);
  return hash;
}

} // namespace mien_maya

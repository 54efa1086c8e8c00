// Kinds of flesh by name, and parameters that come from a file.
#ifndef MIEN_MAYA_PRESETS_H
#define MIEN_MAYA_PRESETS_H

#include "parameters.h"

#include <string>

#include <jansson.h>

#include <maya/MDGModifier.h>
#include <maya/MPlug.h>

namespace mien_maya {

// They are in the module that the plug-in was loaded from.
void setPresetFolder(const std::string &loadPath);

// A parameter's value from JSON; one that something else drives stays.
void setParameter(MDGModifier &change, const MPlug &plug, const Parameter &p, const json_t *value);

// A preset or what `mien bake --options` reads: parameters by mien's own names, and nothing else.
// Those named in `touched` are set, to their default where `values` do not say.
void setPreset(MDGModifier &change, const MObject &node, json_t *values, const json_t *touched,
               std::string *why);

} // namespace mien_maya

#endif

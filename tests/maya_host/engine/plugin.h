#ifndef HOST_PLUGIN_H
#define HOST_PLUGIN_H

#include "engine/scene.h"

namespace host {

struct Plugin {
  std::string path, name, vendor, version;
  void *handle = nullptr;
};

// mayaHostOpen and mayaHostClose of an API library: find initializePlugin and call it.
using PluginEntry = bool(Scene *, Plugin *, std::string *why);

} // namespace host

#endif

#ifndef HOST_GEOMETRY_CACHE_H
#define HOST_GEOMETRY_CACHE_H

#include "engine/deform.h"
#include "engine/mel.h"

namespace host {

// Gives the two types, derived from `node` and `geometryFilter`, what they are made of.
void addCacheTypes(NodeType *file, NodeType *history);
bool melCacheFile(Scene &scene, const Words &w, std::string *result);
bool melHistorySwitch(Scene &scene, const Words &w, std::string *result);

} // namespace host

#endif

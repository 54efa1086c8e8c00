// Between the classes of the API and the engine: each function here is a few lines, the meaning is
// in engine/.
#ifndef HOST_BRIDGE_H
#define HOST_BRIDGE_H

#include "engine/deform.h"

#include <maya/MArrayDataBuilder.h>
#include <maya/MDGContext.h>
#include <maya/MDataBlock.h>
#include <maya/MIntArray.h>
#include <maya/MPlug.h>
#include <maya/MString.h>
#include <maya/MTime.h>

inline void answer(MStatus *to, MStatus::MStatusCode code) {
  if (to) *to = code;
}

inline host::Scene &theScene() {
  return *host::Scene::current();
}
inline std::string text(const MString &s) {
  return s.asChar();
}

// The plug of a value, found by walking up to the top of its block.
host::Plug plugOfValue(const host::Block &block, const host::Value *value);
// A number, text or data object as the value of a plug, undoable where edits are recorded.
bool setObject(const host::Plug &plug, const MObject &value);
// A behaviour around a node of a plug-in. Each library brings those of its own kinds of nodes.
using Adapt = std::unique_ptr<host::Behaviour>(MPxNode *node);
void addAdapter(int kind, const char *base, Adapt *adapt);
std::unique_ptr<host::Behaviour> adapt(MPxNode *node, int kind);

#endif

// Every class lives in a name space that carries the version, so that a class declared in advance
// by hand (class MFnMesh;) is another class, here as in Maya. Written from published signatures;
// the text, the members and the layout are ours.
#ifndef HOST_MAPINAMESPACE_H
#define HOST_MAPINAMESPACE_H

#ifndef MAYA_HOST_VERSION
#error "the build says which version of the API this is: -DMAYA_HOST_VERSION=20250000"
#endif
#define MAYA_HOST_PASTE(a, b) a##b
#define MAYA_HOST_NAME(v) MAYA_HOST_PASTE(OpenMaya, v)
#define MAYA_HOST_OPEN                                                                             \
  namespace Autodesk {                                                                             \
  namespace Maya {                                                                                 \
  namespace MAYA_HOST_NAME(MAYA_HOST_VERSION) {
#define MAYA_HOST_CLOSE                                                                            \
  }                                                                                                \
  }                                                                                                \
  }                                                                                                \
  using namespace Autodesk::Maya::MAYA_HOST_NAME(MAYA_HOST_VERSION);

namespace host {
struct Node;
struct Attr;
struct Data;
struct Value;
struct Block;
struct Context;
struct Plug;
struct Plugin;
struct Geometry;
struct Evaluated;
struct EditList;
struct NodeType;
} // namespace host

MAYA_HOST_OPEN
class MStatus;
class MString;
class MStringArray;
class MIntArray;
class MFloatArray;
class MDoubleArray;
class MPointArray;
class MFloatPointArray;
class MVectorArray;
class MFloatVectorArray;
class MObjectArray;
class MPlugArray;
class MObject;
class MPlug;
class MPoint;
class MVector;
class MFloatVector;
class MFloatPoint;
class MDistance;
class MAngle;
class MMatrix;
class MTime;
class MTimeRange;
class MTypeId;
class MSyntax;
class MArgList;
class MArgDatabase;
class MArgParser;
class MDataBlock;
class MDataHandle;
class MArrayDataHandle;
class MArrayDataBuilder;
class MDGContext;
class MDagPath;
class MSelectionList;
class MDGModifier;
class MDagModifier;
class MItGeometry;
class MIndexMapper;
class MEvaluationNode;
class MCacheSchema;
class MNodeCacheSetupInfo;
class MNodeCacheDisablingInfo;
class MPxNode;
class MPxCommand;
MAYA_HOST_CLOSE

#endif

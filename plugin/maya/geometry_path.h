// The way of a mesh through the graph: from its original shape through deformers to the shape
// shown.
#ifndef MIEN_MAYA_GEOMETRY_PATH_H
#define MIEN_MAYA_GEOMETRY_PATH_H

#include "mien_face_node.h"

#include <maya/MDagPath.h>
#include <maya/MPlug.h>

#include <vector>

namespace mien_maya {

// The elements a list has, in ascending order, which Maya does not promise. Asked before any is
// touched: a plug of one that is not there makes it.
std::vector<unsigned int> indicesOf(MPlug list);
// Behind all of them.
unsigned int nextIndex(const MPlug &list);
// The node as a mienFace; null when it is none.
MienFaceNode *faceOf(const MObject &node);
// The plug that brings geometry into the node that a plug of geometry comes out of; null: none.
MPlug geometryInto(const MPlug &out);
// Does a node leave the vertices as many as they are? Deformers, the groupParts that stand between
// them in scenes of before component tags, and meshes that hand on what comes in.
bool keepsVertices(const MObject &node);
// The mesh that a path means: itself, or the visible one below its transform. Intermediate ones are
// none, wherever in the list they stand.
bool toMesh(MDagPath *path);
// The blendShapes that geometry comes through on its way to a plug, nearest first.
std::vector<MPlug> blendShapesBefore(MPlug at);
enum { kLongestChain = 100 }; // nodes in a row: a circle ends, too
// The face whose output arrives at a shape, with deformers and other nodes in between; null: none.
MObject faceBefore(const MObject &shape);
// The mesh shape at the end of a geometry index.
bool shownShape(const MObject &node, unsigned int index, MDagPath *shape);
// The first geometry index that has an input; 0 when none has.
unsigned int firstGeometry(const MObject &node);

} // namespace mien_maya

#endif

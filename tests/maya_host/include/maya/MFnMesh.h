#ifndef HOST_MFNMESH_H
#define HOST_MFNMESH_H

#include <maya/MFnDagNode.h>
#include <memory>

MAYA_HOST_OPEN

class MFnMesh : public MFnDagNode {
public:
  MFnMesh() = default;
  explicit MFnMesh(const MObject &object, MStatus *ReturnStatus = nullptr);
  explicit MFnMesh(const MDagPath &path, MStatus *ReturnStatus = nullptr);
  int numVertices(MStatus *ReturnStatus = nullptr) const;
  int numPolygons(MStatus *ReturnStatus = nullptr) const;
  int numEdges(MStatus *ReturnStatus = nullptr) const;
  MStatus getPoints(MPointArray &points, MSpace::Space space = MSpace::kObject) const;
  MStatus getPoints(MFloatPointArray &points, MSpace::Space space = MSpace::kObject) const;
  MStatus setPoints(MPointArray &points, MSpace::Space space = MSpace::kObject);
  const float *getRawPoints(MStatus *ReturnStatus) const;
  MStatus getVertices(MIntArray &counts, MIntArray &ids) const;
  MStatus getTriangles(MIntArray &counts, MIntArray &ids) const;
  MStatus getEdgeVertices(int edge, int2 &ends) const; // declared only: the host has no edges
  MStatus getVertexNormals(bool angleWeighted, MFloatVectorArray &normals,
                           MSpace::Space space = MSpace::kObject) const; // declared only
private:
  std::shared_ptr<host::Data> data(MStatus *status) const;
};

MAYA_HOST_CLOSE

#endif

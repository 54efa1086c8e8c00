#ifndef HOST_MITGEOMETRY_H
#define HOST_MITGEOMETRY_H

#include <maya/MObject.h>
#include <memory>

MAYA_HOST_OPEN

class MItGeometry {
public:
  MItGeometry(MDataHandle &handle, unsigned int groupId, bool readOnly = true,
              MStatus *ReturnStatus = nullptr);
  MItGeometry(MDataHandle &handle, bool readOnly = true, MStatus *ReturnStatus = nullptr);
  bool isDone(MStatus *ReturnStatus = nullptr) const;
  MStatus next();
  MStatus reset();
  MPoint position(MSpace::Space space = MSpace::kObject, MStatus *ReturnStatus = nullptr) const;
  MStatus setPosition(const MPoint &p, MSpace::Space space = MSpace::kObject);
  int index(MStatus *ReturnStatus = nullptr) const;
  int positionIndex(MStatus *ReturnStatus = nullptr) const;
  int count(MStatus *ReturnStatus = nullptr) const;
  int exactCount(MStatus *ReturnStatus = nullptr);
  MStatus allPositions(MPointArray &points, MSpace::Space space = MSpace::kObject) const;
  MStatus setAllPositions(const MPointArray &points, MSpace::Space space = MSpace::kObject);

private:
  explicit MItGeometry(host::Geometry *g) : geometry_(g) {}
  host::Geometry *geometry_;
  std::shared_ptr<host::Geometry> own_;
  unsigned int at_ = 0;
};

MAYA_HOST_CLOSE

#endif

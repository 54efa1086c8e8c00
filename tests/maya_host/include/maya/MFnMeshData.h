#ifndef HOST_MFNMESHDATA_H
#define HOST_MFNMESHDATA_H

#include <maya/MFnGeometryData.h>

MAYA_HOST_OPEN

class MFnMeshData : public MFnGeometryData {
public:
  MFnMeshData() = default;
  MObject create(MStatus *ReturnStatus = nullptr);
};

MAYA_HOST_CLOSE

#endif

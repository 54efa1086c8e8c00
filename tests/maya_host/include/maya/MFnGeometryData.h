// Geometry as a value.
#ifndef HOST_MFNGEOMETRYDATA_H
#define HOST_MFNGEOMETRYDATA_H

#include <maya/MFnData.h>

MAYA_HOST_OPEN

class MFnGeometryData : public MFnData {};

MAYA_HOST_CLOSE

#endif

// Parts of geometry.
#ifndef HOST_MFNCOMPONENT_H
#define HOST_MFNCOMPONENT_H

#include <maya/MFnBase.h>
#include <maya/MString.h>

MAYA_HOST_OPEN

class MFnComponent : public MFnBase {};

MAYA_HOST_CLOSE

#endif

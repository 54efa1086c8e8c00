// What a plug-in registers.
#ifndef HOST_MPLUGIN_H
#define HOST_MPLUGIN_H

#include <maya/MTypes.h>

MAYA_HOST_OPEN

typedef void *(*MCreatorFunction)();
typedef MStatus (*MInitializeFunction)();
typedef MSyntax (*MCreateSyntaxFunction)();

MAYA_HOST_CLOSE

#endif

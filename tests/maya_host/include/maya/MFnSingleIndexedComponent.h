#ifndef HOST_MFNSINGLEINDEXEDCOMPONENT_H
#define HOST_MFNSINGLEINDEXEDCOMPONENT_H

#include <maya/MFnComponent.h>

MAYA_HOST_OPEN

class MFnSingleIndexedComponent : public MFnComponent {
public:
  explicit MFnSingleIndexedComponent(const MObject &object, MStatus *ReturnStatus = nullptr);
  MStatus getElements(MIntArray &elements) const;
};

MAYA_HOST_CLOSE

#endif

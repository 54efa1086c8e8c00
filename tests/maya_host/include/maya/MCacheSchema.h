#ifndef HOST_MCACHESCHEMA_H
#define HOST_MCACHESCHEMA_H

#include <maya/MObjectArray.h>

MAYA_HOST_OPEN

class MCacheSchema {
public:
  bool add(const MObject &attribute);
  bool contains(const MObject &attribute) const;
  MObjectArray attributes() const { return attributes_; }

private:
  MObjectArray attributes_;
};

MAYA_HOST_CLOSE

#endif

#ifndef HOST_MEVALUATIONNODE_H
#define HOST_MEVALUATIONNODE_H

#include <maya/MObject.h>

MAYA_HOST_OPEN

class MEvaluationNode {
public:
  bool dirtyPlugExists(const MObject &attribute, MStatus *ReturnStatus = nullptr) const;
  MPlug dirtyPlug(const MObject &attribute, MStatus *ReturnStatus = nullptr) const;

private:
  explicit MEvaluationNode(const host::Evaluated *e) : evaluated(e) {}
  const host::Evaluated *evaluated;
};

MAYA_HOST_CLOSE

#endif

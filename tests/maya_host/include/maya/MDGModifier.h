#ifndef HOST_MDGMODIFIER_H
#define HOST_MDGMODIFIER_H

#include <functional>
#include <maya/MString.h>
#include <maya/MTypeId.h>
#include <memory>
#include <vector>

MAYA_HOST_OPEN

class MDGModifier {
public:
  MDGModifier();
  virtual ~MDGModifier();
  MDGModifier(const MDGModifier &) = delete;
  MObject createNode(const MString &type, MStatus *ReturnStatus = nullptr);
  MObject createNode(const MTypeId &id, MStatus *ReturnStatus = nullptr);
  MStatus deleteNode(const MObject &node);
  MStatus renameNode(const MObject &node, const MString &name);
  MStatus connect(const MPlug &source, const MPlug &dest);
  MStatus disconnect(const MPlug &source, const MPlug &dest);
  MStatus newPlugValue(const MPlug &plug, MObject &value);
  MStatus newPlugValueFloat(const MPlug &plug, float value);
  MStatus newPlugValueDouble(const MPlug &plug, double value);
  MStatus newPlugValueInt(const MPlug &plug, int value);
  MStatus newPlugValueBool(const MPlug &plug, bool value);
  MStatus newPlugValueString(const MPlug &plug, const MString &value);
  MStatus newPlugValueMTime(const MPlug &plug, const MTime &value);
  MStatus removeMultiInstance(const MPlug &plug, bool breakConnections);
  MStatus commandToExecute(const MString &command);
  MStatus doIt();
  MStatus undoIt();

private:
  MStatus add(std::function<bool()> step);
  MStatus number(const MPlug &plug, double value);
  std::vector<std::function<bool()>> waiting_;
  std::unique_ptr<host::EditList> done_;
  bool applied_ = false;
};

MAYA_HOST_CLOSE

#endif

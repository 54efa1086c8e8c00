// The command `mien`: attach, edit, query, reset, bake, export, import. `mien -help` lists it.
#ifndef MIEN_MAYA_COMMAND_H
#define MIEN_MAYA_COMMAND_H

#include "geometry_path.h"

#include <functional>

#include <maya/MArgDatabase.h>
#include <maya/MDGModifier.h>
#include <maya/MDagPath.h>
#include <maya/MPxCommand.h>
#include <maya/MSelectionList.h>

namespace mien_maya {

class MienCommand : public MPxCommand {
public:
  static void *creator() { return new MienCommand; }
  static MSyntax newSyntax();
  bool isUndoable() const override { return changes_scene_; }
  bool hasSyntax() const override { return true; }
  MStatus doIt(const MArgList &args) override;
  MStatus redoIt() override;
  MStatus undoIt() override;

private:
  MStatus attach(const MArgDatabase &args);
  MStatus edit(const MArgDatabase &args);
  MStatus applyFlags(const MObject &node, const MArgDatabase &args);
  MStatus query(const MArgDatabase &args);
  MStatus list(bool maps);
  MStatus reset(const MArgDatabase &args);
  MStatus bake(const MArgDatabase &args);
  bool bakeFrames(const MObject &node, int first, int last, const std::string &path,
                  std::string *why);
  MStatus bakeGeometryCache(const MObject &node, int first, int last, const std::string &path);
  MStatus exportFile(const MArgDatabase &args);
  MStatus importFile(const MArgDatabase &args);
  MStatus preset(const MArgDatabase &args);
  MStatus listPresets();
  MStatus fillMaps(const MArgDatabase &args);
  MStatus track(const MArgDatabase &args);
  MStatus paintShape(const MArgDatabase &args);
  MStatus useMuscles(const MArgDatabase &args);
  MStatus fitMuscles(const MArgDatabase &args);

  MStatus connectGeometry(const MObject &node, unsigned int index, const MDagPath &shape);
  void connectShapes(const MPlug &shapes, const MPlug &channels, const MPlug &out,
                     unsigned int *shape, unsigned int *channel);
  void connectItem(const MPlug &slot, const MObject &blendShape, const MPlug &item,
                   const MString &name);
  MStatus connectTime(const MObject &node);
  MStatus connectMatrix(const MObject &node, const MString &from, const MObject &matrix,
                        const MObject &rest);
  MStatus addCollider(const MObject &node, const MString &from, unsigned int others);
  MStatus setRest(const MPlug &slot, const MPlug &incoming);
  MStatus fail(const std::string &text) const;

  // A modifier may be undone only when it was done; these remember.
  MStatus apply(MDGModifier &modifier);
  MDGModifier make_, change_; // the node first, then what is done to it
  bool is_made_ = false, is_changed_ = false;
  bool changes_scene_ = false;
};

// Goes through the frames one after the other, as the user would play them, with progress and Esc;
// `each` is called at every frame and ends it with a reason in `why`.
bool playFrames(int first, int last, const std::function<void(std::string *why)> &each,
                std::string *why);

// The mienFace node that the arguments name, directly or by a mesh it deforms.
MStatus findFace(const MArgDatabase &args, MObject *node, std::string *why);

} // namespace mien_maya

#endif

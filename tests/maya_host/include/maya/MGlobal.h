#ifndef HOST_MGLOBAL_H
#define HOST_MGLOBAL_H

#include <maya/MObject.h>
#include <maya/MStatus.h>
#include <maya/MString.h>
#include <maya/MStringArray.h>

MAYA_HOST_OPEN

class MGlobal {
public:
  enum MMayaState { kInteractive, kBatch, kLibraryApp, kBaseUIMode };
  static MMayaState mayaState(MStatus *ReturnStatus = nullptr);
  static int apiVersion();
  static MString mayaVersion();
  static void displayInfo(const MString &text);
  static void displayWarning(const MString &text);
  static void displayError(const MString &text);
  static MStatus executeCommand(const MString &command, bool display = false, bool undo = false);
  static MStatus executeCommand(const MString &command, MString &result, bool display = false,
                                bool undo = false);
  static MStatus executeCommand(const MString &command, int &result, bool display = false,
                                bool undo = false);
  static MStatus executeCommand(const MString &command, double &result, bool display = false,
                                bool undo = false);
  static MStatus executeCommandOnIdle(const MString &command, bool display = false);
  static MStatus executePythonCommand(const MString &command, bool display = false,
                                      bool undo = false);
  static MStatus executePythonCommandOnIdle(const MString &command, bool display = false);
  static MStatus getActiveSelectionList(MSelectionList &list,
                                        bool orderedSelectionIfAvailable = false);
  static MStatus getSelectionListByName(const MString &name, MSelectionList &list);
  static bool isYAxisUp(MStatus *ReturnStatus = nullptr);
  static bool isZAxisUp(MStatus *ReturnStatus = nullptr);
  static bool isUndoing();
  static bool isRedoing();

private:
  MGlobal();
  MGlobal(const MGlobal &);
  ~MGlobal();
};

MAYA_HOST_CLOSE

#endif

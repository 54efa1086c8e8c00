#ifndef HOST_MPXCOMMAND_H
#define HOST_MPXCOMMAND_H

#include <maya/MString.h>

MAYA_HOST_OPEN

class MPxCommand {
public:
  MPxCommand();
  virtual ~MPxCommand();
  virtual MStatus doIt(const MArgList &args);
  virtual MStatus undoIt();
  virtual MStatus redoIt();
  virtual bool isUndoable() const;
  virtual bool hasSyntax() const;
  MSyntax syntax() const;
  static void setResult(bool value);
  static void setResult(int value);
  static void setResult(double value);
  static void setResult(const MString &value);
  static void setResult(const MStringArray &value);
  static void setResult(const MDoubleArray &value);
  static void setResult(const MIntArray &value);
  static void appendToResult(const MString &value);
  static void appendToResult(double value);
  static void clearResult();
  static void displayInfo(const MString &text);
  static void displayWarning(const MString &text, bool showLineNumber = false);
  static void displayError(const MString &text, bool showLineNumber = false);

private:
  const MSyntax *hostSyntax = nullptr;
};

MAYA_HOST_CLOSE

#endif

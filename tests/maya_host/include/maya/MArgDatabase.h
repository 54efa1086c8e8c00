#ifndef HOST_MARGDATABASE_H
#define HOST_MARGDATABASE_H

#include <maya/MArgList.h>
#include <maya/MSelectionList.h>
#include <maya/MSyntax.h>

MAYA_HOST_OPEN

class MArgDatabase {
public:
  MArgDatabase(const MSyntax &syntax, const MArgList &args, MStatus *ReturnStatus = nullptr);
  bool isFlagSet(const char *flag, MStatus *ReturnStatus = nullptr) const;
  bool isQuery(MStatus *ReturnStatus = nullptr) const { return (void)ReturnStatus, query_; }
  bool isEdit(MStatus *ReturnStatus = nullptr) const { return (void)ReturnStatus, edit_; }
  unsigned int numberOfFlagUses(const char *flag) const;
  MString flagArgumentString(const char *flag, unsigned int index,
                             MStatus *ReturnStatus = nullptr) const;
  int flagArgumentInt(const char *flag, unsigned int index, MStatus *ReturnStatus = nullptr) const;
  double flagArgumentDouble(const char *flag, unsigned int index,
                            MStatus *ReturnStatus = nullptr) const;
  bool flagArgumentBool(const char *flag, unsigned int index,
                        MStatus *ReturnStatus = nullptr) const;
  MStatus getFlagArgument(const char *flag, unsigned int index, MString &out) const;
  MStatus getFlagArgument(const char *flag, unsigned int index, int &out) const;
  MStatus getFlagArgument(const char *flag, unsigned int index, double &out) const;
  MStatus getFlagArgument(const char *flag, unsigned int index, bool &out) const;
  MStatus getFlagArgumentList(const char *flag, unsigned int use, MArgList &out) const;
  MStatus getObjects(MSelectionList &list) const;
  MStatus getObjects(MStringArray &list) const;

private:
  MStatus parse(const MArgList &args);
  MStatus parseFlag(const MArgList &args, unsigned int &at);
  const MArgList *use(const char *flag, unsigned int which) const;
  MSyntax syntax_;
  std::map<std::string, std::vector<MArgList>> uses_;
  MStringArray objects_;
  bool query_ = false, edit_ = false;
};

MAYA_HOST_CLOSE

#endif

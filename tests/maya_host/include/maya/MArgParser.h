// What a command was called with, read by its syntax.
#ifndef HOST_MARGPARSER_H
#define HOST_MARGPARSER_H

#include <maya/MStatus.h>
#include <memory>

MAYA_HOST_OPEN

class MArgParser {
public:
  MArgParser();
  MArgParser(const MArgParser &o);
  ~MArgParser();
  bool isFlagSet(const char *flag, MStatus *ReturnStatus = nullptr) const;
  bool isQuery(MStatus *ReturnStatus = nullptr) const;
  bool isEdit(MStatus *ReturnStatus = nullptr) const;
  unsigned int numberOfFlagUses(const char *flag) const;
  MString flagArgumentString(const char *flag, unsigned int index,
                             MStatus *ReturnStatus = nullptr) const;
  int flagArgumentInt(const char *flag, unsigned int index, MStatus *ReturnStatus = nullptr) const;
  double flagArgumentDouble(const char *flag, unsigned int index,
                            MStatus *ReturnStatus = nullptr) const;
  bool flagArgumentBool(const char *flag, unsigned int index,
                        MStatus *ReturnStatus = nullptr) const;
  MStatus getFlagArgumentList(const char *flag, unsigned int use, MArgList &out) const;

private:
  struct Parsed;
  std::shared_ptr<Parsed> parsed_;
};

MAYA_HOST_CLOSE

#endif

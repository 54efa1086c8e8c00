#ifndef HOST_MSYNTAX_H
#define HOST_MSYNTAX_H

#include <map>
#include <maya/MStatus.h>
#include <string>
#include <vector>

MAYA_HOST_OPEN

class MSyntax {
public:
  enum MArgType {
    kInvalidArgType,
    kNoArg,
    kBoolean,
    kLong,
    kDouble,
    kString,
    kUnsigned,
    kDistance,
    kAngle,
    kTime,
    kSelectionItem
  };
  enum MObjectFormat { kInvalidObjectFormat, kNone, kStringObjects, kSelectionList };
  MStatus addFlag(const char *brief, const char *full, MArgType a1 = kNoArg, MArgType a2 = kNoArg,
                  MArgType a3 = kNoArg, MArgType a4 = kNoArg, MArgType a5 = kNoArg,
                  MArgType a6 = kNoArg);
  MStatus makeFlagMultiUse(const char *flag);
  MStatus makeFlagQueryWithFullArgs(const char *flag, bool argsAreOptional);
  MStatus addArg(MArgType type);
  MStatus setObjectType(MObjectFormat format, unsigned int min = 0);
  MStatus setObjectType(MObjectFormat format, unsigned int min, unsigned int max);
  void useSelectionAsDefault(bool state = true) { useSelection = state; }
  void enableQuery(bool state = true) { query = state; }
  void enableEdit(bool state = true) { edit = state; }

private:
  struct Flag {
    std::string brief, full;
    std::vector<MArgType> args;
    bool multi = false;
  };
  const Flag *find(const std::string &text) const; // with or without the dash
  std::vector<Flag> flags;
  std::vector<MArgType> args;
  MObjectFormat objects = kNone;
  unsigned int least = 0, most = 0x7fffffff;
  bool useSelection = false, query = false, edit = false;
};

MAYA_HOST_CLOSE

#endif

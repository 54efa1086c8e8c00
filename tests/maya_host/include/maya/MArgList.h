#ifndef HOST_MARGLIST_H
#define HOST_MARGLIST_H

#include <maya/MString.h>
#include <vector>

MAYA_HOST_OPEN

class MArgList {
public:
  unsigned int length(MStatus *ReturnStatus = nullptr) const;
  MString asString(unsigned int index, MStatus *ReturnStatus = nullptr) const;
  int asInt(unsigned int index, MStatus *ReturnStatus = nullptr) const;
  double asDouble(unsigned int index, MStatus *ReturnStatus = nullptr) const;

private:
  std::vector<std::string> words;
};

MAYA_HOST_CLOSE

#endif

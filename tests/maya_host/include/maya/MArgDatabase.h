#ifndef HOST_MARGDATABASE_H
#define HOST_MARGDATABASE_H

#include <maya/MArgParser.h>

MAYA_HOST_OPEN

class MArgDatabase : public MArgParser {
public:
  MArgDatabase();
  MArgDatabase(const MSyntax &syntax, const MArgList &args, MStatus *ReturnStatus = nullptr);
  MStatus getObjects(MSelectionList &list) const;
  MStatus getObjects(MStringArray &list) const;
};

MAYA_HOST_CLOSE

#endif

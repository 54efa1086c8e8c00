#ifndef HOST_MARRAYDATABUILDER_H
#define HOST_MARRAYDATABUILDER_H

#include <maya/MStatus.h>
#include <memory>

MAYA_HOST_OPEN

class MArrayDataBuilder {
public:
  MArrayDataBuilder(MDataBlock *block, const MObject &attribute, unsigned int n,
                    MStatus *ReturnStatus = nullptr);
  MDataHandle addLast(MStatus *ReturnStatus = nullptr);
  MDataHandle addElement(unsigned int index, MStatus *ReturnStatus = nullptr);
  MArrayDataHandle addElementArray(unsigned int index, MStatus *ReturnStatus = nullptr);
  MStatus removeElement(unsigned int index);
  MStatus growArray(unsigned int by);
  unsigned int elementCount(MStatus *ReturnStatus = nullptr) const;

private:
  MArrayDataBuilder(host::Block *b, const host::Value *copied);
  std::shared_ptr<host::Value> list;
  host::Block *block;
};

MAYA_HOST_CLOSE

#endif

#ifndef HOST_MCOMPUTATION_H
#define HOST_MCOMPUTATION_H

#include <maya/MStatus.h>

MAYA_HOST_OPEN

// Something that takes long: a progress bar, and Esc.
class MComputation {
public:
  void beginComputation(bool showProgressBar = false, bool isInterruptable = true,
                        bool useWaitCursor = true);
  bool isInterruptRequested();
  void endComputation();
  MStatus setProgressRange(int min, int max);
  MStatus setProgress(int amount);

private:
  bool runs_ = false, canEnd_ = false, hasRange_ = false;
};

MAYA_HOST_CLOSE

#endif

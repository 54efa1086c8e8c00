// A job of a command in a process of its own (base/child.h): what ends it is a sentence and nothing
// more.
#ifndef MIEN_CLI_LIMITED_CHILD_H
#define MIEN_CLI_LIMITED_CHILD_H

#include "base/child.h"

// The exit code that the job returned; prints what ended it otherwise, with the name of who worked.
int child_run(int (*job)(void *given), void *given, const mi_child_limits *limits, const char *who);

#endif

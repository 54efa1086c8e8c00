// Work on files of strangers by libraries of others, in a process of its own: should it crash, eat
// all memory or never end, that is a sentence and nothing more.
#ifndef MIEN_CLI_LIMITED_CHILD_H
#define MIEN_CLI_LIMITED_CHILD_H

#include <stddef.h>

typedef struct child_limits {
  size_t memory; // bytes of address space besides what this program has already
  int seconds;   // of processor time
} child_limits;

// Limits for reading a file of that size.
child_limits child_limits_for(size_t file_size);
// The exit code that the job returned; prints what ended it otherwise, with the name of who worked.
int child_run(int (*job)(void *given), void *given, const child_limits *limits, const char *who);

#endif

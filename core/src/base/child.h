// Work on files of strangers by libraries of others, in a process of its own: should it crash, eat
// all memory or never end, its parent goes on.
#ifndef MI_CHILD_H
#define MI_CHILD_H

#include <stdbool.h>
#include <stddef.h>

typedef struct mi_child_limits {
  size_t memory; // bytes of address space besides what this program has already
  int seconds;   // of processor time
  int patience;  // in seconds by the clock, for one that waits; 0 = no limit
  bool is_alone; // opens no file and prints nothing
} mi_child_limits;

typedef enum mi_child_end {
  MI_CHILD_DONE,      // `code` is what the job returned
  MI_CHILD_NOT_BEGUN, // `code` is the reason, an errno
  MI_CHILD_TOO_LONG,  // its time ended, or it was killed from outside; `code` is the signal
  MI_CHILD_CRASHED    // `code` is the signal, 0 when the host has asked for it first
} mi_child_end;

typedef struct mi_child_result {
  mi_child_end end;
  int code; // of the job: 0 to 255
} mi_child_result;

// Limits for reading a file of that size.
mi_child_limits mi_child_limits_for(size_t file_size);
// Memory for the child's answer, zeroed, which both see; NULL when there is none. What a child that
// went wild has written there may be anything.
void *mi_child_share(size_t size);
void mi_child_unshare(void *memory, size_t size);
// Runs the job and waits for it. The job flushes what it prints.
mi_child_result mi_child_run(int (*job)(void *given), void *given, const mi_child_limits *limits);

#endif

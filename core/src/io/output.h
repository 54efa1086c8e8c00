// Names that are being written. Every file that mien writes, in the core, the command line and the
// hosts, begins as "path.part" and gets its name when it is whole:
//   - the destination is looked at first, not after hours of work: its folder, and that it may be
//     replaced;
//   - "path.part" is locked (flock) as long as it is open: a second writer of the name is refused
//     at once, in another process and in this one. What was left by a program that ended is not
//     locked. File systems without locks (some network shares) cannot refuse a second writer;
//   - no link is followed, and nothing is written into a file that another user made;
//   - what is committed is on the disk before it gets its name.
// This file needs the C library alone: ui and plugin compile it, too.
#ifndef MI_OUTPUT_H
#define MI_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { MI_OUTPUT_WHY = 320 };

typedef enum mi_output_kind {
  MI_OUTPUT_NEW,   // empty; what an earlier program left in "path.part" is dropped
  MI_OUTPUT_RESUME // with what an earlier program left, if it left something
} mi_output_kind;

// A descriptor of "path.part", locked, to read and write; -1 and a sentence when that is not
// allowed. Closing it unlocks and leaves what was written: to be resumed.
int mi_output_open(const char *path, mi_output_kind kind, char why[MI_OUTPUT_WHY]);
// Whether it could be opened now, without touching anything: for work whose file is opened at its
// end.
bool mi_output_check(const char *path, char why[MI_OUTPUT_WHY]);
// Puts the written bytes on the disk. False and a sentence when that failed: then nothing since the
// last sync may be relied on.
bool mi_output_sync(int fd, const char *path, char why[MI_OUTPUT_WHY]);
// Syncs, renames and syncs the folder. False and a sentence when one of them failed: "path.part"
// stays and the destination is as it was. The caller then closes the descriptor.
bool mi_output_commit(int fd, const char *path, char why[MI_OUTPUT_WHY]);
// Removes "path.part" if it is still this one. The caller then closes the descriptor.
void mi_output_discard(int fd, const char *path);
// A descriptor to add whole lines at the end of `path`, beside other programs: for logs, which have
// no moment in which they are whole. No link is followed, and nothing is written into what another
// user began; -1 and a sentence then.
int mi_output_append(const char *path, char why[MI_OUTPUT_WHY]);
// "path.part" into `part`; false when it is too long.
bool mi_output_name(const char *path, char *part, size_t size);

#ifdef __cplusplus
}
#endif

#endif

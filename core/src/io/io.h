// Files in and out. Readers take bytes (fuzzed, bounds-checked, never trusting a count) and fill a
// definition; writers write under a temporary name and rename.
#ifndef MI_IO_H
#define MI_IO_H

#include "base/base.h"

// -- Files ----------------------------------------------------------------------------------------

// A whole file in the arena. MIEN_ERR_IO names the path and the system's reason.
mien_result mi_file_read(const char *path, mi_arena *arena, unsigned char **bytes, size_t *size,
                         mien_error *err);
// A file being written: "path.part", locked, until mi_file_commit has put it on the disk and given
// it its name (io/output.h says what that promises). mi_file_abandon removes it. After a failed
// write commit fails: a file of mi_file_create is then removed, one of mi_file_begin stays as far
// as it is whole.
typedef struct mi_file mi_file;
mien_result mi_file_create(const char *path, const mien_host *host, mi_file **out, mien_error *err);
void mi_file_write(mi_file *file, const void *bytes, size_t size);
void mi_file_print(mi_file *file, const char *format, ...) MI_PRINTF(2, 3);
// Whether all writes so far succeeded: a full disk is noticed before hours of work are lost.
mien_result mi_file_check(const mi_file *file, mien_error *err);
mien_result mi_file_commit(mi_file *file, mien_error *err);
void mi_file_abandon(mi_file *file);

// For files that are written over hours. mi_file_suspend closes "path.part" and leaves it;
// mi_file_resume opens what a suspended or killed program left (an empty file when it left
// nothing), to look at it (mi_file_size, mi_file_get) and to go on writing after mi_file_cut.
// mi_file_patch overwrites what is there. mi_file_flush hands all to the system: killing this
// program loses nothing then. After mi_file_sync it is on the disk.
mien_result mi_file_begin(const char *path, const mien_host *host, mi_file **out, mien_error *err);
mien_result mi_file_resume(const char *path, const mien_host *host, mi_file **out, mien_error *err);
void mi_file_suspend(mi_file *file);
mien_result mi_file_flush(mi_file *file, mien_error *err);
mien_result mi_file_sync(mi_file *file, mien_error *err);
int64_t mi_file_size(mi_file *file);
bool mi_file_get(mi_file *file, int64_t offset, void *bytes, size_t size);
void mi_file_cut(mi_file *file, int64_t size);
void mi_file_patch(mi_file *file, int64_t offset, const void *bytes, size_t size);

// -- Rigs and takes -------------------------------------------------------------------------------

mien_result mi_glb_read_rig(const void *bytes, size_t size, const mien_rig_opts *opts,
                            const mien_host *host, mien_rig **out, mien_error *err);
mien_result mi_glb_read_take(const void *bytes, size_t size, const mien_host *host, mien_take **out,
                             mien_error *err);
// Whether a text may be given to jansson, which asks malloc and not the host (limit: 0 = none):
// one that would unfold to many times its own size is refused.
mien_result mi_json_check(const void *text, size_t size, size_t memory_limit, mien_error *err);
// The text of a .gltf with the files of its buffers in it (bytes and size are replaced).
mien_result mi_gltf_embed(const char *path, mi_arena *arena, unsigned char **bytes, size_t *size,
                          mien_error *err);
// A file that a .gltf or .glb names, in its own folder or below.
mien_result mi_gltf_read_beside(const char *path, const char *uri, mi_arena *arena,
                                unsigned char **bytes, size_t *size, mien_error *err);
// Data written into a .glb beside the rig itself.
typedef struct mi_glb_extra {
  const mien_map *maps; // stored as _MIEN_<NAME> beside the rig's own; same name replaces
  int nmap;
  const mien_take *take; // or NULL; its channels are matched by name
  const char *mien_json; // or NULL: members merged into the skin node's extras.mien object
} mi_glb_extra;
mien_result mi_glb_write(const mien_rig *rig, const mi_glb_extra *extra, const char *path,
                         mien_error *err);

mien_result mi_obj_read_folder(const char *folder, const mien_rig_opts *opts, const mien_host *host,
                               mien_rig **out, mien_error *err);
bool mi_obj_is_named(const char *path); // ends in .obj
mien_result mi_obj_read_file(const char *path, const mien_rig_opts *opts, const mien_host *host,
                             mien_rig **out, mien_error *err);

// CSV takes. The first line names the columns, in any order and any case:
//   Timecode         hh:mm:ss:ff.fraction as Live Link Face writes it; the take starts at 0
//   Time             or seconds
//   HeadX HeadY HeadZ             metres
//   HeadYaw HeadPitch HeadRoll    radians: R = Ry(yaw) Rx(pitch) Rz(roll). Positive yaw turns the
//                    nose to the subject's left, positive pitch lowers it, positive roll raises
//                    the left ear. Angles turn about the rig's pivot, and HeadX to HeadZ move it.
//   HeadQX HeadQY HeadQZ HeadQW   or a quaternion, which turns about the rig's origin
// BlendShapeCount and the angles of the eyes are left out; every other column is a channel.
mien_result mi_csv_read_take(const void *bytes, size_t size, const mien_host *host, mien_take **out,
                             mien_error *err);
// False for names that a column has for something else: the time, the head, nothing.
bool mi_csv_is_channel(const char *name);
mien_result mi_csv_write_take(const mien_take *take, const char *path, mien_error *err);

#endif

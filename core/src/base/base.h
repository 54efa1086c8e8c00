// The base of every other module: results, memory, hashing, random numbers, threads.
#ifndef MI_BASE_H
#define MI_BASE_H

#include "base/text.h"

#include <mien/mien.h>

#include <fenv.h>
#include <stdarg.h>
#include <stdbool.h>

#if defined(__GNUC__)
#define MI_PRINTF(fmt_at, args_at) __attribute__((format(printf, fmt_at, args_at)))
#else
#define MI_PRINTF(fmt_at, args_at)
#endif

// -- Results ------------------------------------------------------------------------------------

// Fills `err` (NULL is fine) and returns `code`: `return mi_fail(err, MIEN_ERR_IO, "...", name);`
// mi_fail_at is the one place to set a breakpoint on. A path would be in the library, and it
// depends on the folder, and on a cache of objects between.
#if defined(__FILE_NAME__)
#define MI_FILE __FILE_NAME__
#else
#define MI_FILE __FILE__
#endif
#define mi_fail(err, code, ...) mi_fail_at(err, code, MI_FILE, __LINE__, __VA_ARGS__)
mien_result mi_fail_at(mien_error *err, mien_result code, const char *file, int line,
                       const char *format, ...) MI_PRINTF(5, 6);
mien_result mi_fail_memory(mien_error *err);
void mi_error_clear(mien_error *err);

// -- Structs of other versions --------------------------------------------------------------------

// The default values of a struct, for the fields that the caller's version of it has; the rest is
// 0.
void mi_struct_init(void *given, size_t given_size, const void *defaults, size_t size);
// Copies a caller's struct of any version into a full one of ours. Fields that the caller's version
// lacks get their defaults. Refuses a struct that was not initialised, or that sets fields unknown
// here.
#define MI_TAKE(type, full, given, err)                                                            \
  (type##_init(full), mi_struct_take(full, sizeof(type), given, #type, err))
mien_result mi_struct_take(void *full, size_t size, const void *given, const char *name,
                           mien_error *err);
bool mi_struct_size_is_valid(uint32_t size);

// -- Host and log -------------------------------------------------------------------------------

// Checks a caller's host and fills in the fields it left at 0 (allocator, thread count).
mien_result mi_host_resolve(const mien_host *given, mien_host *host, mien_error *err);
void mi_log(const mien_host *host, mien_log_level level, const char *format, ...) MI_PRINTF(3, 4);
// False when the host wants to stop.
bool mi_progress(const mien_host *host, const char *what, double done);

// -- Memory -------------------------------------------------------------------------------------

// Memory that is freed all at once. An object owns one arena for its data; temporary work uses
// another. Memory is zeroed and aligned to 64 bytes.
typedef struct mi_arena {
  mien_allocator allocator;
  struct mi_block *block; // newest first
  size_t total;           // bytes taken from the allocator
  size_t limit;           // 0 = none
} mi_arena;

void mi_arena_init(mi_arena *arena, const mien_host *host);
// count * size bytes, or NULL when memory ends, the limit is reached or the product overflows.
// count 0 gives a valid pointer.
void *mi_arena_push(mi_arena *arena, size_t count, size_t size);
// The same without zeroing, for large arrays that the caller fills.
void *mi_arena_push_raw(mi_arena *arena, size_t count, size_t size);
char *mi_arena_string(mi_arena *arena, const char *text);
// A name out of a file or a host as UTF-8 without control characters (text.c).
char *mi_arena_name(mi_arena *arena, const char *text);
void mi_arena_free(mi_arena *arena);
// memcpy with streaming stores, for data that is not read soon. It takes two thirds of the time and
// does not evict the caches.
void mi_copy_away(void *to, const void *from, size_t size);
#define MI_PUSH(arena, type, count) ((type *)mi_arena_push(arena, (size_t)(count), sizeof(type)))
#define MI_PUSH_RAW(arena, type, count)                                                            \
  ((type *)mi_arena_push_raw(arena, (size_t)(count), sizeof(type)))
// An object in an arena of its own, which is its member `arena`. NULL when memory ends. It is freed
// with mi_arena_delete(object->arena): the copy does not lie in the arena.
void *mi_arena_create(const mien_host *host, size_t size, size_t arena);
#define MI_CREATE(type, host) ((type *)mi_arena_create(host, sizeof(type), offsetof(type, arena)))
static inline void mi_arena_delete(mi_arena arena) {
  mi_arena_free(&arena);
}
// Several arrays at once: MI_RESERVE(arena, MI_ROOM(a, count), MI_ROOM(b, count)). False, with
// those made before set, when memory ends.
typedef struct mi_room {
  void *pointer; // to the pointer to the array
  size_t count, size;
} mi_room;
bool mi_arena_reserve(mi_arena *arena, const mi_room *rooms, size_t count);
#define MI_ROOM(array, count)                                                                      \
  { &(array), (size_t)(count), sizeof *(array) }
#define MI_RESERVE(arena, ...)                                                                     \
  mi_arena_reserve(arena, (const mi_room[]){__VA_ARGS__},                                          \
                   sizeof((const mi_room[]){__VA_ARGS__}) / sizeof(mi_room))

// Sentences collected while an object is made.
typedef struct mi_remarks {
  mi_arena *arena;
  const char **text;
  int count, capacity;
} mi_remarks;
// False when memory ends.
bool mi_remark(mi_remarks *remarks, const char *format, ...) MI_PRINTF(2, 3);

// -- Hash and random numbers ----------------------------------------------------------------------

uint64_t mi_hash(uint64_t seed, const void *bytes, size_t size);
uint64_t mi_hash_u64(uint64_t seed, uint64_t value);

// Counter-based (Philox 4x32-10): the same (seed, a, b) gives the same numbers whatever was drawn
// before, on every thread. Used with (seed, frame, id).
typedef struct mi_random {
  uint32_t word[4];
} mi_random;
mi_random mi_random_at(uint64_t seed, uint32_t a, uint32_t b);
double mi_random_unit(uint64_t seed, uint32_t a, uint32_t b); // in [0, 1)

// -- Threads --------------------------------------------------------------------------------------

// Calls fn(task, begin, end) for [0, count) in chunks of `chunk`. The chunks depend on `count` and
// `chunk` alone, never on the number of threads, so partial sums kept per chunk and added in order
// are the same bits for any number of threads.
typedef void mi_range_fn(void *task, int begin, int end);
void mi_parallel(int threads, int count, int chunk, mi_range_fn *fn, void *task);
int mi_threads_available(void);

// Between these two the processor rounds to nearest, keeps small numbers and all digits and sends
// no signals, whatever mode the host has set; afterwards it is in that mode again (float_mode.c).
typedef struct mi_float_mode {
  uint64_t word;
  bool is_other; // and so `all` was kept
  fenv_t all;
} mi_float_mode;
mi_float_mode mi_float_enter(void);
void mi_float_leave(mi_float_mode before);
static inline void mi_float_leave_block(const mi_float_mode *before) {
  mi_float_leave(*before);
}
// In that mode until the block ends. Every public function that can fail reads, computes or writes
// numbers, and has this or mi_host_enter (house/header).
#define MI_USUAL_FLOATS                                                                            \
  __attribute__((cleanup(mi_float_leave_block), unused)) mi_float_mode mi_before = mi_float_enter()

// Between these two calls, loops that this thread begins run by the parallel_for of `host`, if it
// has one. Returns the former entry, for mi_host_leave.
typedef struct mi_host_entry {
  const mien_host *host;
  mi_float_mode float_mode;
} mi_host_entry;
mi_host_entry mi_host_enter(const mien_host *host);
void mi_host_leave(mi_host_entry before);

// Seconds on a steady clock, for diagnostics only.
double mi_clock(void);

#endif

// Arenas over the host's allocator.
#include "base/base.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#if defined(__x86_64__)
#include <emmintrin.h>
#endif

enum { ALIGN = 64, FIRST_BLOCK = 1 << 14, LARGEST_STEP = 1 << 18 };

struct mi_block {
  struct mi_block *next;
  size_t size, used; // header included
  char pad[ALIGN - 3 * sizeof(size_t)];
};
_Static_assert(sizeof(struct mi_block) == ALIGN, "payload must stay aligned");

void mi_arena_init(mi_arena *arena, const mien_host *host) {
  *arena = (mi_arena){.allocator = host->allocator, .limit = host->memory_limit};
}

static struct mi_block *add_block(mi_arena *arena, size_t need) {
  // grow geometrically so that small objects stay small and take few calls
  size_t size = arena->total < FIRST_BLOCK ? FIRST_BLOCK : arena->total;
  if (size > LARGEST_STEP) size = LARGEST_STEP;
  bool is_large = need >= size;
  if (is_large) size = need;
  if (arena->limit && size > arena->limit - arena->total) size = need;
  if (arena->limit && size > arena->limit - arena->total) return NULL;
  struct mi_block *block = arena->allocator.alloc(arena->allocator.user, size, ALIGN);
  if (!block) return NULL;
  // A large array gets its own block behind the newest one, whose free room stays in use.
  struct mi_block **link = is_large && arena->block ? &arena->block->next : &arena->block;
  *block = (struct mi_block){.next = *link, .size = size, .used = sizeof *block};
  *link = block;
  arena->total += size;
  return block;
}

static size_t padded(size_t count, size_t size) {
  return (count * size + ALIGN - 1) & ~(size_t)(ALIGN - 1);
}

void *mi_arena_push_raw(mi_arena *arena, size_t count, size_t size) {
  if (size && count > (SIZE_MAX / 2) / size) return NULL;
  size_t bytes = padded(count, size);
  struct mi_block *block = arena->block;
  if (!block || block->size - block->used < bytes) block = add_block(arena, bytes + sizeof *block);
  if (!block) return NULL;
  void *memory = (char *)block + block->used;
  block->used += bytes;
  return memory;
}

void *mi_arena_push(mi_arena *arena, size_t count, size_t size) {
  void *memory = mi_arena_push_raw(arena, count, size);
  if (memory) memset(memory, 0, padded(count, size));
  return memory;
}

void *mi_arena_create(const mien_host *host, size_t size, size_t at) {
  mi_arena arena;
  mi_arena_init(&arena, host);
  unsigned char *object = mi_arena_push(&arena, 1, size);
  if (object) memcpy(object + at, &arena, sizeof arena);
  return object;
}

bool mi_arena_reserve(mi_arena *arena, const mi_room *rooms, size_t count) {
  for (size_t k = 0; k < count; k++) {
    void *memory = mi_arena_push(arena, rooms[k].count, rooms[k].size);
    if (!memory) return false;
    memcpy(rooms[k].pointer, &memory, sizeof memory);
  }
  return true;
}

char *mi_arena_string(mi_arena *arena, const char *text) {
  size_t size = strlen(text) + 1;
  char *copy = mi_arena_push(arena, size, 1);
  if (copy) memcpy(copy, text, size);
  return copy;
}

void mi_arena_free(mi_arena *arena) {
  struct mi_block *block = arena->block;
  while (block) {
    struct mi_block *next = block->next;
    arena->allocator.release(arena->allocator.user, block, block->size);
    block = next;
  }
  arena->block = NULL;
  arena->total = 0;
}

void mi_copy_away(void *to, const void *from, size_t size) {
#if defined(__x86_64__)
  char *out = to;
  const char *in = from;
  size_t head = -(uintptr_t)out % ALIGN;
  if (size >= 4 * ALIGN) { // lines are written whole
    memcpy(out, in, head);
    size_t end = head + (size - head) / ALIGN * ALIGN;
    for (size_t i = head; i < end; i += ALIGN)
      for (size_t k = 0; k < ALIGN; k += sizeof(__m128i))
        _mm_stream_si128((__m128i *)(out + i + k), _mm_loadu_si128((const __m128i *)(in + i + k)));
    _mm_sfence(); // later writes must not be seen by earlier reads
    memcpy(out + end, in + end, size - end);
    return;
  }
#endif
  memcpy(to, from, size);
}

bool mi_remark(mi_remarks *remarks, const char *format, ...) {
  if (remarks->count == remarks->capacity) {
    int capacity = remarks->capacity ? 2 * remarks->capacity : 8;
    const char **text = MI_PUSH(remarks->arena, const char *, capacity);
    if (!text) return false;
    if (remarks->count) memcpy(text, remarks->text, (size_t)remarks->count * sizeof *text);
    remarks->text = text;
    remarks->capacity = capacity;
  }
  char line[512];
  va_list args;
  va_start(args, format);
  vsnprintf(line, sizeof line, format, args);
  va_end(args);
  mi_text_clean(line);
  char *copy = mi_arena_string(remarks->arena, line);
  if (!copy) return false;
  remarks->text[remarks->count++] = copy;
  return true;
}

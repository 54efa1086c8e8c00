#define _GNU_SOURCE // dl_iterate_phdr
#include "needed_libraries.h"

#include <elf.h>
#include <link.h>
#include <string.h>

enum { MOST = 256 };

typedef struct loaded {
  const ElfW(Phdr) * segments;
  int nsegment;
  const char *base;
  const ElfW(Dyn) * dynamic; // NULL = it has none
  const char *names;         // its table of strings
  bool is_needed;
} loaded;

typedef struct loaded_list {
  loaded one[MOST]; // the program, then as they were loaded
  int count;
} loaded_list;

static const char *name_table(const loaded *l) {
  for (const ElfW(Dyn) *d = l->dynamic; d && d->d_tag != DT_NULL; d++)
    if (d->d_tag == DT_STRTAB) { // the loader turns it into an address, not everywhere
      const char *table = (const char *)d->d_un.d_ptr;
      return table < l->base ? l->base + d->d_un.d_ptr : table;
    }
  return NULL;
}

static int keep(struct dl_phdr_info *info, size_t size, void *given) {
  (void)size;
  loaded_list *list = given;
  if (list->count == MOST) return 1;
  loaded *l = list->one + list->count++;
  *l =
      (loaded){info->dlpi_phdr, info->dlpi_phnum, (const char *)info->dlpi_addr, NULL, NULL, false};
  for (int k = 0; k < l->nsegment; k++)
    if (l->segments[k].p_type == PT_DYNAMIC)
      l->dynamic = (const ElfW(Dyn) *)(l->base + l->segments[k].p_vaddr);
  l->names = name_table(l);
  return 0;
}

static const char *own_name(const loaded *l) {
  for (const ElfW(Dyn) *d = l->dynamic; l->names && d->d_tag != DT_NULL; d++)
    if (d->d_tag == DT_SONAME) return l->names + d->d_un.d_val;
  return "";
}

static void need(loaded_list *list, int k) {
  const loaded *by = list->one + k;
  for (const ElfW(Dyn) *d = by->dynamic; by->names && d->d_tag != DT_NULL; d++)
    for (int i = 1; d->d_tag == DT_NEEDED && i < list->count; i++) {
      loaded *l = list->one + i;
      if (l->is_needed || strcmp(own_name(l), by->names + d->d_un.d_val)) continue;
      l->is_needed = true;
      need(list, i);
    }
}

static const char *build_id(const loaded *l, size_t *size) {
  for (int k = 0; k < l->nsegment; k++) {
    if (l->segments[k].p_type != PT_NOTE) continue;
    const char *at = l->base + l->segments[k].p_vaddr, *end = at + l->segments[k].p_memsz;
    while ((size_t)(end - at) >= sizeof(ElfW(Nhdr))) {
      const ElfW(Nhdr) *note = (const void *)at;
      size_t name = ((size_t)note->n_namesz + 3) & ~(size_t)3;
      const char *text = at + sizeof *note;
      *size = note->n_descsz;
      if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 && !memcmp(text, "GNU", 4))
        return text + name;
      at = text + name + ((*size + 3) & ~(size_t)3);
    }
  }
  return NULL;
}

static void tell(const loaded *l, needed_library_fn *fn, void *self) {
  size_t size;
  const char *id = build_id(l, &size);
  if (id) {
    fn(self, id, size);
    return;
  }
  for (int k = 0; k < l->nsegment; k++) {
    const ElfW(Phdr) *s = l->segments + k;
    if (s->p_type == PT_LOAD && !(s->p_flags & PF_W) && s->p_flags & PF_R)
      fn(self, l->base + s->p_vaddr, s->p_filesz);
  }
}

void needed_libraries(needed_library_fn *fn, void *self) {
  loaded_list list = {.count = 0};
  dl_iterate_phdr(keep, &list);
  if (list.count) need(&list, 0);
  for (int k = 0; k < list.count; k++)
    if (list.one[k].is_needed) tell(list.one + k, fn, self);
}

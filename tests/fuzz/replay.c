// replay FOLDER|PACK...: gives every file of the folders and packs (seeds.py), and changed copies
// of it, to a fuzz target: what was found once stays found, in every build and under every
// sanitizer, without a fuzzer. The changes are the same in every run: bits turned, bytes set to
// their extremes, pieces cut out, doubled or taken from another file.
#include "limited_host.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST_SEEDS = 4096, MOST_BYTES = 1 << 20, LEAST_RUNS = 1000 };

typedef struct seed {
  uint8_t *bytes;
  size_t size;
} seed;

static seed seeds[MOST_SEEDS];
static int nseed;

static void read_seed(FILE *file, size_t size) {
  if (nseed == MOST_SEEDS) exit(1);
  seed *s = &seeds[nseed++];
  s->size = size;
  s->bytes = size <= MOST_BYTES ? malloc(size + 1) : NULL;
  if (!s->bytes || fread(s->bytes, 1, size, file) != size) exit(1);
}

static void read_file(const char *path) {
  struct stat about;
  if (stat(path, &about) != 0 || !S_ISREG(about.st_mode)) return;
  FILE *file = fopen(path, "rb");
  if (!file) exit(1);
  read_seed(file, (size_t)about.st_size);
  fclose(file);
}

// Length (four bytes, the lowest first) and bytes of each.
static void read_pack(const char *path) {
  FILE *file = fopen(path, "rb");
  unsigned char size[4];
  while (file && fread(size, 1, 4, file) == 4)
    read_seed(file, (size_t)size[0] | (size_t)size[1] << 8 | (size_t)size[2] << 16);
  if (file) fclose(file);
}

static int by_name(const struct dirent **a, const struct dirent **b) {
  return strcmp((*a)->d_name, (*b)->d_name);
}

static void read_folder(const char *folder) {
  struct dirent **list;
  int count = scandir(folder, &list, NULL, by_name);
  for (int i = 0; i < count; i++) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, list[i]->d_name);
    read_file(path);
    free(list[i]);
  }
  if (count >= 0) free(list);
}

static uint32_t draw(uint32_t round, uint32_t *k, size_t below) {
  return below ? (uint32_t)(mi_random_at(19, round, (*k)++).word[0] % below) : 0;
}

// The next number in the text becomes another one of as many digits: counts and offsets in JSON are
// what readers believe, and lengths around it still fit.
static void change_number(uint8_t *bytes, size_t size, size_t at, uint32_t round, uint32_t *k) {
  while (at < size && (bytes[at] < '0' || bytes[at] > '9')) at++;
  for (; at < size && bytes[at] >= '0' && bytes[at] <= '9'; at++)
    bytes[at] = (uint8_t)('0' + draw(round, k, 10));
}

// One to four changes; returns the new size.
static size_t change(uint8_t *bytes, size_t size, uint32_t round) {
  static const uint8_t extremes[] = {0, 0xff, 0x7f, 0x80, '-', '.', '"', '\n'};
  uint32_t k = 0;
  uint32_t times = 1 + draw(round, &k, 4);
  for (uint32_t t = 0; t < times; t++) {
    size_t at = draw(round, &k, size), length = 1 + draw(round, &k, 16);
    if (at + length > size) length = size - at;
    const seed *other = &seeds[draw(round, &k, (size_t)nseed)];
    size_t from = draw(round, &k, other->size);
    switch (draw(round, &k, 8)) {
    case 0:
      if (size) bytes[at] ^= (uint8_t)(1u << draw(round, &k, 8));
      break;
    case 1:
      memset(bytes + at, extremes[draw(round, &k, sizeof extremes)], length);
      break;
    case 2:
      size = at;
      break;
    case 3:
      memmove(bytes + at, bytes + at + length, size - at - length);
      size -= length;
      break;
    case 4:
    case 5:
      change_number(bytes, size, at, round, &k);
      break;
    case 6:
      if (size + length > MOST_BYTES) break;
      memmove(bytes + at + length, bytes + at, size - at);
      size += length;
      break;
    default:
      if (length > other->size - from) length = other->size - from;
      memcpy(bytes + at, other->bytes + from, length);
    }
  }
  return size;
}

// In memory of its exact size, so that the sanitizer sees what is read behind its end.
static void give(const uint8_t *bytes, size_t size) {
  uint8_t *exact = malloc(size ? size : 1);
  if (!exact) exit(1);
  memcpy(exact, bytes, size);
  LLVMFuzzerTestOneInput(exact, size);
  free(exact);
}

int main(int argc, char **argv) {
  for (int i = 1; i < argc; i++) {
    const char *end = strrchr(argv[i], '.');
    if (end && !strcmp(end, ".seeds"))
      read_pack(argv[i]);
    else
      read_folder(argv[i]);
  }
  uint8_t *bytes = malloc(2 * MOST_BYTES);
  if (!nseed || !bytes) {
    fprintf(stderr, "no seeds\n");
    return 1;
  }
  int rounds = (LEAST_RUNS + nseed - 1) / nseed, nrun = 0;
  for (int s = 0; s < nseed; s++) {
    give(seeds[s].bytes, seeds[s].size);
    nrun++;
    for (int r = 0; r < rounds; r++, nrun++) {
      memcpy(bytes, seeds[s].bytes, seeds[s].size);
      size_t size = change(bytes, seeds[s].size, (uint32_t)(s * rounds + r));
      give(bytes, size);
    }
  }
  printf("%d seeds, %d runs\n", nseed, nrun);
  free(bytes);
  for (int s = 0; s < nseed; s++) free(seeds[s].bytes);
  return 0;
}

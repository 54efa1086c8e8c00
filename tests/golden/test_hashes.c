// Golden hashes: every scene gives the bits that hashes.txt has for it, on every SIMD body. AVX2
// and AVX-512 share a column, the scalar body has its own. A change of bits is no defect, but it
// must be wanted: `./run golden --update` writes the file anew, and the commit says why.
#include "golden/scenes.h"
#include "scenes/scene.h"

#include "math/kernels.h"
#include "sparse/cholesky.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#if defined(__GLIBC__)
#include <gnu/libc-version.h>
#endif

enum { MOST = 64, COLUMNS = 2 };
typedef struct body {
  const char *name; // as MIEN_SIMD has it
  int column;
} body;
static const body avx512 = {"avx512", 0}, avx2 = {"avx2", 0}, scalar = {"scalar", 1};
static const char *const headings[COLUMNS] = {"avx2, avx512", "scalar"};

static const char FILE_NAME[] = MIEN_SOURCE_DIR "/tests/golden/hashes.txt";
static uint64_t hashes[MOST][COLUMNS];

// -- Where the bits are those of the file ---------------------------------------------------------

// NULL, or why this build gives other bits than the one that wrote the file: functions such as sin
// come from the C library, the order of the direct solver from METIS.
static const char *why_other_bits(void) {
#if !defined(__x86_64__) || !defined(__GLIBC__) || defined(__clang__) || __GNUC__ != 12
  return "the hashes are of gcc 12 with glibc on x86-64";
#else
  if (strcmp(gnu_get_libc_version(), "2.36") != 0)
    return "the hashes are of glibc 2.36 (Debian 12)";
  if (!__builtin_cpu_supports("fma"))
    return "without FMA the C library's functions round otherwise";
  if (!mi_cholesky_is_built()) return "the hashes are of a build with SuiteSparse";
  return NULL;
#endif
}

static bool has_body(const body *b) {
  setenv("MIEN_SIMD", b->name, 1);
  if (b == &scalar) return true;
  return !strcmp(mi_kernels_best()->name, "avx2") && (b == &avx2 || mi_kernels_sixteen());
}

// -- The file -------------------------------------------------------------------------------------

static int find_scene(const char *name) {
  for (int k = 0; k < golden_nscene; k++)
    if (!strcmp(golden_scenes[k].name, name)) return k;
  return -1;
}

static int read_hashes(void **state) {
  char line[256], name[64];
  uint64_t got[COLUMNS];
  int nread = 0;
  (void)state;
  FILE *file = fopen(FILE_NAME, "r");
  if (!file) return -1;
  while (fgets(line, sizeof line, file)) {
    if (*line == '#') continue;
    if (sscanf(line, "%63s %" SCNx64 " %" SCNx64, name, got, got + 1) != 1 + COLUMNS) break;
    int k = find_scene(name);
    if (k < 0) break; // a scene that is no more
    memcpy(hashes[k], got, sizeof got);
    nread++;
  }
  bool is_whole = feof(file) && nread == golden_nscene;
  fclose(file);
  if (!is_whole) print_error("%s does not list every scene once\n", FILE_NAME);
  return is_whole ? 0 : -1;
}

static bool write_hashes(void) {
  FILE *file = fopen(FILE_NAME, "w");
  if (!file) return false;
  fprintf(file, "# Written by `./run golden --update`; a commit that changes a line says why.\n");
  fprintf(file, "# %-20s %-18s %s\n", "scene", headings[0], headings[1]);
  for (int k = 0; k < golden_nscene; k++)
    fprintf(file, "%-22s %016" PRIx64 "   %016" PRIx64 "\n", golden_scenes[k].name, hashes[k][0],
            hashes[k][1]);
  return fclose(file) == 0;
}

// -- Playing --------------------------------------------------------------------------------------

// Sixteen lanes must give the bits of eight, and only two kernels have them: they play the scenes
// that reach these, one for every way through them. All others would play the same code again.
static bool is_played(const body *b, int scene) {
  return b != &avx512 || golden_scenes[scene].extra & GOLDEN_SIXTEEN;
}

static int play(const body *b, uint64_t got[MOST]) {
  int nplayed = 0;
  for (int k = 0; k < golden_nscene; k++) {
    if (!is_played(b, k)) continue;
    got[k] = golden_play(golden_scenes + k);
    nplayed++;
  }
  golden_forget();
  return nplayed;
}

static void every_scene_has_its_bits(void **state) {
  const body *b = *state;
  uint64_t got[MOST];
  int nother = 0;
  const char *why = why_other_bits();
  if (!why && !has_body(b)) why = "this processor or build has no such body";
  if (why) {
    print_message("SKIPPED, %s: %s\n", b->name, why);
    skip();
  }
  int nplayed = play(b, got);
  for (int k = 0; k < golden_nscene; k++)
    if (is_played(b, k) && got[k] != hashes[k][b->column]) {
      nother++;
      print_message("%-22s %-7s expected %016" PRIx64 ", got %016" PRIx64 "\n",
                    golden_scenes[k].name, b->name, hashes[k][b->column], got[k]);
    }
  if (nother) fail_msg("%d of %d scenes give other bits", nother, nplayed);
  assert_true(nplayed >= 8);
}

static void write_anew(void **state) {
  (void)state;
  const char *why = why_other_bits();
  if (!why && !has_body(&avx2)) why = "this processor has no AVX2";
  if (why) fail_msg("this machine cannot write the file: %s", why);
  const body *const bodies[] = {&avx2, &scalar};
  for (int i = 0; i < COLUMNS; i++) {
    uint64_t got[MOST];
    assert_true(has_body(bodies[i]));
    play(bodies[i], got);
    for (int k = 0; k < golden_nscene; k++) hashes[k][i] = got[k];
  }
  assert_true(write_hashes());
}

#define ON(body)                                                                                   \
  {                                                                                                \
    "every_scene_has_its_bits, " #body, every_scene_has_its_bits, NULL, NULL,                      \
        (void *)(uintptr_t)&body                                                                   \
  }

// usage: test_golden_hashes avx512|avx2|scalar|--update
int main(int argc, char **argv) {
  const struct CMUnitTest update[] = {cmocka_unit_test(write_anew)};
  const struct CMUnitTest tests[] = {ON(avx512), ON(avx2), ON(scalar)};
  if (golden_nscene > MOST || argc > 2) return 2;
  if (argc == 1) return cmocka_run_group_tests(tests, read_hashes, NULL); // rigs are made once
  if (!strcmp(argv[1], "--update")) return cmocka_run_group_tests(update, NULL, NULL);
  bool is_known = false;
  for (size_t k = 0; k < sizeof tests / sizeof *tests; k++)
    is_known |= !strcmp(((const body *)tests[k].initial_state)->name, argv[1]);
  if (!is_known) return 2;
  char filter[64];
  snprintf(filter, sizeof filter, "*, %s", argv[1]);
  cmocka_set_test_filter(filter);
  return cmocka_run_group_tests(tests, read_hashes, NULL);
}

// mien bench: how fast, as ratios.
#include "bench.h"

#include <stdlib.h>

enum { MOST_ROWS = 64 };

struct bench {
  const cli_args *args;
  bool quick;
  bench_row rows[MOST_ROWS];
  int nrow;
};

static const cli_option options[] = {
    {"quick", 'q', NULL, "fewer repeats, for a first look"},
    {"csv", 0, "FILE", "also write the table as CSV"},
    {NULL, 0, NULL, NULL},
};

bool bench_is_quick(const bench *b) {
  return b->quick;
}
const cli_args *bench_args(const bench *b) {
  return b->args;
}

double bench_time(const bench *b, bench_fn *fn, void *user) {
  double best = -1, spent = 0;
  int most = b->quick ? 3 : 25;
  double enough = b->quick ? 0.3 : 3;
  for (int i = 0; i < most && (i < 3 || spent < enough); i++) {
    double start = cli_clock();
    if (fn(user)) return -1;
    double seconds = cli_clock() - start;
    spent += seconds;
    if (best < 0 || seconds < best) best = seconds;
  }
  return best;
}

void bench_add(bench *b, bench_row row) {
  if (b->nrow < MOST_ROWS) b->rows[b->nrow++] = row;
}

static double figure(const bench_row *row) {
  return row->reference > 0 ? row->seconds / row->reference : row->seconds;
}

static const char *verdict(const bench_row *row) {
  if (row->target <= 0) return "";
  return figure(row) <= row->target ? "met" : "not met";
}

static void print_table(const bench *b) {
  printf("%-5s %-52s %10s  %s\n", "", "", "ms", "against");
  for (int i = 0; i < b->nrow; i++) {
    const bench_row *row = b->rows + i;
    printf("%-5s %-52s %10.3f", row->id, row->what, 1e3 * row->seconds);
    if (row->reference > 0)
      printf("  %.2f x %s (%.3f ms)", figure(row), row->against, 1e3 * row->reference);
    if (row->target > 0 && row->reference > 0) printf(", target %.2f: ", row->target);
    if (row->target > 0 && row->reference <= 0) printf("  target %.0f ms: ", 1e3 * row->target);
    printf("%s\n", verdict(row));
  }
}

static void print_json(const bench *b) {
  json_t *list = json_array();
  for (int i = 0; i < b->nrow; i++) {
    const bench_row *row = b->rows + i;
    json_array_append_new(list, json_pack("{s:s, s:s, s:f, s:f, s:s, s:f, s:f, s:s}", "id", row->id,
                                          "what", row->what, "seconds", row->seconds,
                                          "reference_seconds", row->reference, "against",
                                          row->against ? row->against : "", "figure", figure(row),
                                          "target", row->target, "verdict", verdict(row)));
  }
  cli_print_json(list);
}

static int write_csv(const bench *b, const char *path) {
  FILE *file = fopen(path, "w");
  if (!file) return cli_fail("'%s' could not be written", path);
  fprintf(file, "id,what,seconds,reference_seconds,figure,target,verdict\n");
  for (int i = 0; i < b->nrow; i++) {
    const bench_row *row = b->rows + i;
    fprintf(file, "%s,\"%s\",%.9g,%.9g,%.6g,%.6g,%s\n", row->id, row->what, row->seconds,
            row->reference, figure(row), row->target, verdict(row));
  }
  return fclose(file) ? cli_fail("'%s' could not be written", path) : CLI_DONE;
}

static int run(const cli_args *args) {
  bench *b = calloc(1, sizeof *b);
  if (!b) return cli_fail("out of memory");
  b->args = args;
  b->quick = cli_given(args, "quick");
  int code = bench_rig(b);
  if (!code) code = bench_face(b);
  if (!code && args->json) print_json(b);
  if (!code && !args->json) print_table(b);
  const char *csv = cli_value(args, "csv", NULL);
  if (!code && csv) code = write_csv(b, csv);
  free(b);
  return code;
}

const cli_command cli_bench = {
    "bench",
    "",
    "how fast, as ratios of times taken in one run",
    "Every figure is the minimum of repeats. Rows with an id are goals of the project and say\n"
    "whether they are met on this machine; milliseconds are for orientation.",
    options,
    0,
    run,
};

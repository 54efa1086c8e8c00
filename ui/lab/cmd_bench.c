// mien bench: how fast, as ratios.
#include "bench.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_ROWS = 256 };

struct bench {
  const cli_args *args;
  bool quick;
  bench_row rows[MOST_ROWS];
  const char *unit[MOST_ROWS]; // NULL = a time
  int nrow;
};

static const cli_option options[] = {
    {"quick", 'q', NULL, "fewer repeats on a smaller head: for a first look"},
    {"take", 0, "TAKE", "takes: measure this one, too"},
    {"csv", 0, "FILE", "also write the table as CSV"},
    {"plots", 0, "FOLDER", "write the curve of growth there (growth.csv, growth.png)"},
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
  int least = b->quick ? 1 : 3, most = b->quick ? 3 : 25;
  double enough = b->quick ? 0.1 : 3;
  for (int i = 0; i < most && (i < least || spent < enough); i++) {
    double start = cli_clock();
    if (fn(user)) return -1;
    double seconds = cli_clock() - start;
    spent += seconds;
    if (best < 0 || seconds < best) best = seconds;
  }
  return best;
}

static double figure(const bench_row *row) {
  return row->reference > 0 ? row->seconds / row->reference : row->seconds;
}

static const char *verdict(const bench_row *row) {
  if (row->target <= 0) return "";
  return figure(row) <= row->target ? "met" : "not met";
}

// "2.4 kB (target 2.5)", or milliseconds and a ratio
static void print_row(const bench_row *row, const char *unit) {
  double scale = unit ? 1 : 1e3;
  unit = unit ? unit : "ms";
  bool is_ratio = row->reference > 0;
  printf("%-5s %-64s %10.3f %-5s", row->id, row->what, scale * row->seconds, unit);
  if (is_ratio)
    printf(" %.3f x %s (%.3f %s)", figure(row), row->against, scale * row->reference, unit);
  if (row->target > 0)
    printf("%s target %.3g: %s", is_ratio ? "," : "",
           is_ratio                    ? row->target
           : row->target <= BENCH_NONE ? 0
                                       : scale * row->target,
           verdict(row));
  printf("\n");
}

// Rows are shown as they are measured: a whole run takes minutes.
void bench_add_figure(bench *b, bench_row row, const char *unit) {
  if (b->nrow == MOST_ROWS) return;
  b->unit[b->nrow] = unit;
  b->rows[b->nrow++] = row;
  if (b->args->json) return;
  print_row(&row, unit);
  fflush(stdout);
}

void bench_add(bench *b, bench_row row) {
  bench_add_figure(b, row, NULL);
}

static void print_json(const bench *b) {
  json_t *list = json_array();
  for (int i = 0; i < b->nrow; i++) {
    const bench_row *row = b->rows + i;
    json_array_append_new(list,
                          json_pack("{s:s, s:s, s:f, s:f, s:s, s:f, s:f, s:s, s:s}", "id", row->id,
                                    "what", row->what, "seconds", row->seconds, "reference_seconds",
                                    row->reference, "against", row->against ? row->against : "",
                                    "figure", figure(row), "target", row->target, "verdict",
                                    verdict(row), "unit", b->unit[i] ? b->unit[i] : "s"));
  }
  cli_print_json(list);
}

static int write_csv(const bench *b, const char *path) {
  FILE *file = cli_create(path);
  if (!file) return CLI_FAILED;
  fprintf(file, "id,what,value,reference,unit,figure,target,verdict\n");
  for (int i = 0; i < b->nrow; i++) {
    const bench_row *row = b->rows + i;
    fprintf(file, "%s,\"%s\",%.9g,%.9g,%s,%.6g,%.6g,%s\n", row->id, row->what, row->seconds,
            row->reference, b->unit[i] ? b->unit[i] : "s", figure(row), row->target, verdict(row));
  }
  return cli_commit(file, path);
}

static const struct {
  const char *name;
  int (*run)(bench *b);
} subjects[] = {{"rig", bench_rig},         {"face", bench_face},     {"svd", bench_svd},
                {"sparse", bench_sparse},   {"local", bench_local},   {"contact", bench_contact},
                {"barrier", bench_barrier}, {"frame", bench_frame},   {"race", bench_race},
                {"motion", bench_motion},   {"growth", bench_growth}, {"skin", bench_skin},
                {"live", bench_live},       {"takes", bench_takes}};
enum { NSUBJECT = sizeof subjects / sizeof *subjects };

static int run_subjects(bench *b) {
  const char *only = b->args->nargument ? b->args->argument[0] : NULL;
  int code = CLI_DONE, nrun = 0;
  for (int i = 0; !code && i < NSUBJECT; i++) {
    if (only && strcmp(only, subjects[i].name)) continue;
    code = subjects[i].run(b);
    nrun++;
  }
  if (nrun) return code;
  fprintf(stderr, "mien: there is nothing called '%s' to measure; known:", only);
  for (int i = 0; i < NSUBJECT; i++) fprintf(stderr, " %s", subjects[i].name);
  fprintf(stderr, "\n");
  return CLI_USAGE;
}

static int run(const cli_args *args) {
  bench *b = calloc(1, sizeof *b);
  if (!b) return cli_fail("out of memory");
  b->args = args;
  b->quick = cli_given(args, "quick");
  int code = run_subjects(b);
  if (!code && args->json) print_json(b);
  const char *csv = cli_value(args, "csv", NULL);
  if (!code && csv) code = write_csv(b, csv);
  free(b);
  return code;
}

const cli_command cli_bench = {
    "bench",
    "[rig|face|svd|sparse|local|contact|barrier|frame|race|motion|growth|skin|live|takes]",
    "how fast, as ratios of times taken in one run",
    "Every figure is the minimum of repeats. Rows with an id are goals of the project and say\n"
    "whether they are met on this machine; milliseconds are for orientation.",
    options,
    1,
    run,
    0,
    NULL};

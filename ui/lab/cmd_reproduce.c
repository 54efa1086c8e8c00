// mien reproduce: the claims of the papers, one line each, and a report of them all.
#include "ledger.h"

#include <stdlib.h>
#include <strings.h>

static const cli_option options[] = {
    {"quick", 'q', NULL, "the variant that the tests run"},
    {"out", 'o', "FOLDER", "where curves (CSV), plots (PNG) and report.html go (out/reproduce)"},
    {"verbose", 'v', NULL, "print the details, too"},
    {NULL, 0, NULL, NULL},
};

static const char *verdict_of(const experiment *e) {
  return e->holds ? "holds" : "does not hold";
}

// Prints what the verdict alone does not say. A quick run has no times and does not list known
// misses.
static void print_remarks(int i, const experiment *e, FILE *out) {
  const char *miss = ledger[i].miss, *limits = ledger[i].claim->limits;
  fprintf(out, "    does not show: %s%s\n", limits,
          e->quick ? "; times, which --quick leaves out" : "");
  if (e->quick || !miss) return;
  fprintf(out,
          e->holds ? "    listed as not holding (%s), but it does\n"
                   : "    known not to hold: %s\n",
          miss);
}

static int run_claim(const cli_args *args, int i, experiment *e) {
  *e = (experiment){.args = args,
                    .quick = cli_given(args, "quick"),
                    .folder = cli_value(args, "out", "out/reproduce")};
  const claim *shown = ledger[i].claim;
  int code = shown->run(e);
  if (code || args->json) return code;
  printf("%s  ours: %s; paper: %s; %s\n", shown->id, e->ours, shown->paper, verdict_of(e));
  print_remarks(i, e, stdout);
  if (cli_given(args, "verbose")) printf("%s", e->rows);
  fflush(stdout);
  return CLI_DONE;
}

// -- Report ---------------------------------------------------------------------------------------

static void write_claim(FILE *file, int i, const experiment *e) {
  const claim *shown = ledger[i].claim;
  fprintf(file,
          "<h2>%s: <span class=\"%s\">%s</span></h2>\n<p>%s</p>\n<p>Ours: %s. The paper: %s.</p>\n"
          "<img src=\"%s.png\" alt=\"plot of %s\">\n<pre>%s",
          shown->id, e->holds ? "holds" : "fails", verdict_of(e), shown->statement, e->ours,
          shown->paper, shown->id, shown->id, e->rows);
  print_remarks(i, e, file);
  fputs("</pre>\n", file);
}

static void write_missing(FILE *file) {
  fputs("<h2>Missing</h2>\n<p>Claims that no experiment shows yet.</p>\n<ul>\n", file);
  for (int i = 0; i < ledger_count; i++)
    if (!ledger[i].claim) fprintf(file, "<li>%s: %s</li>\n", ledger[i].id, ledger[i].line);
  fputs("</ul>\n", file);
}

static int write_report(const char *folder, const experiment *e, bool is_all) {
  char path[4096];
  snprintf(path, sizeof path, "%s/report.html", folder);
  FILE *file = cli_create(path);
  if (!file) return CLI_FAILED;
  fputs("<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>mien: claims</title>\n"
        "<style>body{font:16px/1.5 sans-serif;max-width:60em;margin:2em auto;padding:0 1em}"
        "img{max-width:100%}pre{overflow:auto;background:#f4f4f4;padding:.5em}"
        ".holds{color:#176b2c}.fails{color:#a11}</style>\n<h1>Claims of the papers, shown</h1>\n",
        file);
  for (int i = 0; i < ledger_count; i++)
    if (e[i].args) write_claim(file, i, e + i);
  if (is_all) write_missing(file);
  fputs("</html>\n", file);
  return cli_commit(file, path);
}

static void print_json(const experiment *e, bool is_all) {
  json_t *list = json_array();
  for (int i = 0; i < ledger_count; i++) {
    const char *id = ledger[i].id;
    if (e[i].args)
      json_array_append_new(list, json_pack("{s:s, s:b, s:s, s:s, s:s, s:s?}", "id", id, "holds",
                                            e[i].holds, "ours", e[i].ours, "paper",
                                            ledger[i].claim->paper, "does_not_show",
                                            ledger[i].claim->limits, "known_miss", ledger[i].miss));
    else if (is_all)
      json_array_append_new(list, json_pack("{s:s, s:n, s:b}", "id", id, "holds", "missing", 1));
  }
  cli_print_json(list);
}

static void print_missing(void) {
  printf("missing (no experiment yet):\n");
  for (int i = 0; i < ledger_count; i++)
    if (!ledger[i].claim) printf("  %-4s %s\n", ledger[i].id, ledger[i].line);
}

// -- Running --------------------------------------------------------------------------------------

static int count_claims(void) {
  int count = 0;
  for (int i = 0; i < ledger_count; i++) count += ledger[i].claim != NULL;
  return count;
}

// Experiments that ran have their arguments set.
static int run_some(const cli_args *args, int only, experiment *e) {
  bool is_all = only < 0, all_hold = true;
  int code = CLI_DONE, count = count_claims(), nrun = 0;
  for (int i = 0; !code && i < ledger_count; i++) {
    if (!ledger[i].claim || (!is_all && i != only)) continue;
    if (is_all) fprintf(stderr, "[%d of %d] %s: %s\n", ++nrun, count, ledger[i].id, ledger[i].line);
    code = run_claim(args, i, e + i);
    all_hold &= e[i].holds;
  }
  if (!code) code = write_report(cli_value(args, "out", "out/reproduce"), e, is_all);
  if (!code && args->json) print_json(e, is_all);
  if (!code && !args->json && is_all) print_missing();
  return code ? code : all_hold ? CLI_DONE : CLI_FAILED;
}

static int run(const cli_args *args) {
  const char *id = args->nargument ? args->argument[0] : "all";
  bool is_all = !strcasecmp(id, "all");
  int only = ledger_find(id);
  if (only < 0 && !is_all)
    return cli_usage("there is no claim '%s'; 'mien reproduce --help' lists them", id);
  if (!is_all && !ledger[only].claim)
    return cli_usage("claim %s (%s) is missing: no experiment shows it yet", ledger[only].id,
                     ledger[only].line);
  if (!cli_make_folder(cli_value(args, "out", "out/reproduce"))) return CLI_FAILED;
  experiment *e = calloc((size_t)ledger_count, sizeof *e);
  if (!e) return cli_fail("out of memory");
  int code = run_some(args, only, e);
  free(e);
  return code;
}

static void print_claims(void) {
  printf("\nclaims:\n");
  for (int i = 0; i < ledger_count; i++)
    printf("  %-4s %s%s%s\n", ledger[i].id, ledger[i].line,
           ledger[i].claim && ledger[i].claim->judges_times ? " (judges times)" : "",
           !ledger[i].claim ? " (missing)"
           : ledger[i].miss ? " (known not to hold)"
                            : "");
}

const cli_command cli_reproduce = {
    .name = "reproduce",
    .arguments = "[ID|all] [RIG|VIDEO...]",
    .summary = "show a claim of the papers by experiment",
    .details = "Prints a line per claim: our figure, the paper's, and whether the claim holds. "
               "Exit code 1\n"
               "when one does not. 'all' tells on stderr which one runs, and lists those that no "
               "experiment\n"
               "shows yet as missing. B1 also tries the rigs named after it, "
               "B12 the videos.",
    .options = options,
    .most_arguments = CLI_MOST,
    .run = run,
    .print_more = print_claims,
};

// mien reproduce: the claims of the papers, one line each, and a report of them all.
#include "reproduce.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

// clang-format off
static const claim *const claims[] = {
    &claim_b1,
    &claim_b2,
    &claim_b3,
    &claim_b4,
    &claim_b5,
    &claim_b6,
    &claim_b7,
    &claim_b8,
    &claim_b9,
    &claim_b10,
    &claim_b11,
    &claim_b12,
    &claim_d2,
    &claim_d3,
    &claim_d4,
    &claim_d5,
    &claim_k1,
    &claim_k2,
    &claim_k3,
    &claim_k4,
    &claim_k5,
    &claim_k6,
    &claim_k7,
    &claim_k8,
    &claim_k9,
    &claim_l1,
    &claim_l2,
    &claim_l3,
    &claim_l4,
    &claim_z1,
    &claim_z2,
    &claim_z3,
    &claim_z9,
};
// clang-format on
enum { NCLAIM = sizeof claims / sizeof *claims };

static const cli_option options[] = {
    {"quick", 'q', NULL, "the variant that the tests run"},
    {"out", 'o', "FOLDER", "where curves (CSV), plots (PNG) and report.html go (out/reproduce)"},
    {"verbose", 'v', NULL, "print the details, too"},
    {NULL, 0, NULL, NULL},
};

static int find(const char *id) {
  for (int i = 0; i < NCLAIM; i++)
    if (!strcasecmp(claims[i]->id, id)) return i;
  return -1;
}

static int run_claim(const cli_args *args, int i, experiment *e) {
  *e = (experiment){.args = args,
                    .quick = cli_given(args, "quick"),
                    .folder = cli_value(args, "out", "out/reproduce")};
  int code = claims[i]->run(e);
  if (code || args->json) return code;
  printf("%s  ours: %s; paper: %s; %s\n", claims[i]->id, e->ours, claims[i]->paper,
         e->holds ? "holds" : "does not hold");
  if (cli_given(args, "verbose")) printf("%s", e->rows);
  fflush(stdout);
  return CLI_DONE;
}

static int write_report(const char *folder, const experiment *e, const bool *ran) {
  char path[4096];
  snprintf(path, sizeof path, "%s/report.html", folder);
  FILE *file = cli_create(path);
  if (!file) return CLI_FAILED;
  fputs("<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>mien: claims</title>\n"
        "<style>body{font:16px/1.5 sans-serif;max-width:60em;margin:2em auto;padding:0 1em}"
        "img{max-width:100%}pre{overflow:auto;background:#f4f4f4;padding:.5em}"
        ".holds{color:#176b2c}.fails{color:#a11}</style>\n<h1>Claims of the papers, shown</h1>\n",
        file);
  for (int i = 0; i < NCLAIM; i++) {
    if (!ran[i]) continue;
    fprintf(
        file,
        "<h2>%s: <span class=\"%s\">%s</span></h2>\n<p>%s</p>\n<p>Ours: %s. The paper: %s.</p>\n"
        "<img src=\"%s.png\" alt=\"plot of %s\">\n<pre>%s</pre>\n",
        claims[i]->id, e[i].holds ? "holds" : "fails", e[i].holds ? "holds" : "does not hold",
        claims[i]->statement, e[i].ours, claims[i]->paper, claims[i]->id, claims[i]->id, e[i].rows);
  }
  fputs("</html>\n", file);
  return cli_commit(file, path);
}

static void print_json(const experiment *e, const bool *ran) {
  json_t *list = json_array();
  for (int i = 0; i < NCLAIM; i++)
    if (ran[i])
      json_array_append_new(list,
                            json_pack("{s:s, s:b, s:s, s:s}", "id", claims[i]->id, "holds",
                                      e[i].holds, "ours", e[i].ours, "paper", claims[i]->paper));
  cli_print_json(list);
}

static int run_all(const cli_args *args, int only, experiment *e) {
  const char *folder = cli_value(args, "out", "out/reproduce");
  bool ran[NCLAIM] = {false}, all_hold = true;
  int code = CLI_DONE;
  for (int i = 0; !code && i < NCLAIM; i++) {
    if (only >= 0 && i != only) continue;
    code = run_claim(args, i, e + i);
    ran[i] = true;
    all_hold &= e[i].holds;
  }
  if (!code) code = write_report(folder, e, ran);
  if (!code && args->json) print_json(e, ran);
  return code ? code : all_hold ? CLI_DONE : CLI_FAILED;
}

static int run(const cli_args *args) {
  const char *id = args->nargument ? args->argument[0] : "all";
  int only = find(id);
  if (only < 0 && strcasecmp(id, "all")) {
    fprintf(stderr, "mien: there is no claim '%s'; known so far:", id);
    for (int i = 0; i < NCLAIM; i++) fprintf(stderr, " %s", claims[i]->id);
    fprintf(stderr, "\n");
    return CLI_USAGE;
  }
  if (!cli_make_folder(cli_value(args, "out", "out/reproduce"))) return CLI_FAILED;
  experiment *e = calloc(NCLAIM, sizeof *e);
  if (!e) return cli_fail("out of memory");
  int code = run_all(args, only, e);
  free(e);
  return code;
}

const cli_command cli_reproduce = {
    "reproduce",
    "[ID|all] [RIG...]",
    "show a claim of the papers by experiment",
    "Prints a line per claim: our figure, the paper's, and whether the claim holds. Exit code 1\n"
    "when one does not. B1 also tries the rigs named after it.",
    options,
    CLI_MOST,
    run,
    0,
};

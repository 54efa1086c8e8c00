#include "cli.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

static const cli_command *const commands[] = {
    &cli_activations, &cli_attach, &cli_bake,        &cli_bench,  &cli_demo,
    &cli_doctor,      &cli_farm,   &cli_fit_muscles, &cli_import, &cli_inspect,
    &cli_live,        &cli_models, &cli_params,      &cli_render, &cli_reproduce};
enum { NCOMMAND = sizeof commands / sizeof *commands };

static void print_overview(FILE *to) {
  fprintf(to, "mien: physics for blendshape faces\n\nusage: mien COMMAND [OPTIONS]\n\n");
  for (int i = 0; i < NCOMMAND; i++)
    fprintf(to, "  %-11s %s\n", commands[i]->name, commands[i]->summary);
  fprintf(to,
          "\n'mien COMMAND --help' tells more. Without a file a command uses the sample head.\n");
}

static bool wants_json(int argc, char **argv) {
  for (int i = 2; i < argc && strcmp(argv[i], "--"); i++)
    if (!strcmp(argv[i], "--json")) return true;
  return false;
}

static int run_command(const cli_command *command, int argc, char **argv) {
  cli_args args;
  int code = cli_parse(command, argc, argv, &args);
  if (code >= 0) return code;
  mien_rig_opts opts; // read again where they are used; here only to refuse a wrong call at once
  if (!cli_rig_options(&args, &opts)) return CLI_USAGE;
  return command->run(&args);
}

// Begun without standard files, a program would give their numbers to the files it opens. What is
// printed into these fails.
static bool has_standard_files(void) {
  int fd;
  do fd = open("/dev/null", O_RDONLY);
  while (fd >= 0 && fd <= STDERR_FILENO);
  return fd >= 0 && close(fd) == 0;
}

static int run(int argc, char **argv) {
  if (!strcmp(argv[1], "--version")) {
    printf("%s\n", mien_build_info());
    return CLI_DONE;
  }
  if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help")) {
    print_overview(stdout);
    return CLI_DONE;
  }
  for (int i = 0; i < NCOMMAND; i++) {
    if (strcmp(argv[1], commands[i]->name)) continue;
    bool json = wants_json(argc, argv);
    int code = run_command(commands[i], argc - 2, argv + 2);
    if (json) cli_print_json_error(code);
    return code;
  }
  return cli_usage("there is no command '%s'; 'mien --help' lists them", argv[1]);
}

int main(int argc, char **argv) {
  if (!has_standard_files()) return CLI_FAILED;
  // one that ignores its children may have started us: the ends of ours would not be seen
  signal(SIGCHLD, SIG_DFL);
  if (argc < 2) {
    print_overview(stderr);
    return CLI_USAGE;
  }
  int code = run(argc, argv);
  // what was printed into a closed pipe or a full disk did not arrive
  if (fflush(stdout) || ferror(stdout)) return cli_fail("the output could not be written");
  return code;
}

// Shared by the subcommands of `mien`: arguments, help, messages, progress, sample files.
//
// Exit codes: 0 done, 1 failed (a sentence on stderr says why), 2 called wrongly.
// A subcommand is one file with one `const cli_command` listed in main.c; its help text is made
// from its option table, so the two cannot disagree.
#ifndef MIEN_CLI_H
#define MIEN_CLI_H

#include <mien/mien.h>

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

enum { CLI_DONE = 0, CLI_FAILED = 1, CLI_USAGE = 2, CLI_MOST = 64 };

typedef struct cli_args cli_args;

typedef struct cli_option {
  const char *name;  // "out": written --out
  char letter;       // 'o': written -o; 0 = none
  const char *value; // what follows, for the help: "FILE"; NULL = a switch
  const char *help;
} cli_option;

typedef struct cli_command {
  const char *name;
  const char *arguments;     // for the help: "[RIG]"
  const char *summary;       // one line
  const char *details;       // paragraphs below the options; "" = none
  const cli_option *options; // ends with a NULL name; --help, --json, --threads are always there
  int most_arguments;
  int (*run)(const cli_args *args);
  int settings; // 1 << place: the parameters of these places are options, too (settings.c)
  void (*print_more)(void); // the end of the help, NULL = nothing
} cli_command;

// A parameter, preset or file of parameters, in the order given.
typedef struct cli_setting {
  const char *name; // of the parameter; "preset", "options", "set" for what those give
  const char *text;
} cli_setting;

struct cli_args {
  const cli_command *command;
  const char **argument; // of the call itself
  int nargument;
  const char *value[CLI_MOST]; // of option i, NULL = not given, "" = switch given
  cli_setting setting[2 * CLI_MOST];
  int nsetting;
  bool json; // machine-readable output on stdout
  int threads;
};

// args.c
int cli_parse(const cli_command *command, int argc, char **argv, cli_args *args);
void cli_print_help(const cli_command *command);
const char *cli_value(const cli_args *args, const char *option, const char *otherwise);
bool cli_given(const cli_args *args, const char *option);
void cli_set_value(cli_args *args, const char *option, const char *value); // if it was not given
// A number in [low, high], or `otherwise` when the option is not given. False (and a sentence) when
// it is not one.
bool cli_number(const cli_args *args, const char *option, double low, double high, double otherwise,
                double *number);

// settings.c: options that come from the table of parameters
// The parameter that an option is, or one of "preset", "options", "set"; NULL = neither.
const char *cli_setting_name(const cli_command *command, const char *option, size_t length);
void cli_print_settings(const cli_command *command);
// Presets, files and parameters as given. False (and a sentence) when one is wrong.
bool cli_read_settings(const cli_args *args, mien_settings *settings);

// terminal.c
int cli_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));  // prints, CLI_FAILED
int cli_usage(const char *format, ...) __attribute__((format(printf, 1, 2))); // prints, CLI_USAGE
int cli_report(const mien_error *err, const char *doing);                     // prints, CLI_FAILED
void cli_remarks(const char *const *remarks, int count);      // "note: ..." on stderr
void cli_keep_remarks(const char *const *remarks, int count); // for --json alone
// Printed or kept so far: the last error ("" = none), and the remarks (a new reference).
const char *cli_said_error(void);
void cli_keep_error(const char *text); // which a child has said
json_t *cli_said_remarks(void);
json_t *cli_json_path(const char *path); // a string, null for NULL
// The name of a file as a terminal or a log may get it: clean text. Good until the next call.
const char *cli_shown(const char *path);
void cli_print_json(json_t *object); // prints and releases it
// {"ok": false, "exit", "error", "remarks"} of a command that failed before it printed its own.
void cli_print_json_error(int code);
// A bar with time left on a terminal, a line now and then elsewhere. done >= 1 ends it.
typedef struct cli_progress {
  const char *what;
  double started, shown, last;
  bool on_terminal;
  bool is_json;   // lines for a program instead: {"progress", "done", "seconds", "seconds_left"}
  bool is_silent; // nothing at all
} cli_progress;
void cli_progress_start(cli_progress *progress, const char *what);
void cli_progress_show(cli_progress *progress, double done);
double cli_clock(void);
// True once Ctrl-C was pressed (after cli_catch_interrupt): finish what is needed and stop.
void cli_catch_interrupt(void);
bool cli_interrupted(void);

// files.c: our sample files beside the program (MIEN_DATA overrides), the user's own otherwise
const char *cli_sample(const char *name); // path of a sample rig or take; valid for ever
// The rig or take named, or the sample when name is NULL; prints the error and the remarks.
mien_rig *cli_load_rig(const cli_args *args, const char *name);
mien_take *cli_load_take(const cli_args *args, const char *name);
// rig_options.c: how a file is read
#define CLI_RIG_OPTIONS                                                                            \
  {"up", 0, "AXIS", "which axis of the file is up: x, -x, y, -y, z or -z (found from the face)"},  \
      {"facing", 0, "AXIS", "which axis of the file the face looks along (found)"},                \
      {"unit", 'u', "UNIT", "what one unit of the file is: m, cm, mm, in, or metres as a number"}, \
      {"face-part", 0, "NAME", "the part that gets flesh (the one that the shapes move most)"}, {  \
    "pivot", 0, "X,Y,Z", "where the neck carries the head, in the file's unit and axes (found)"    \
  }
// False (and a sentence) when one is wrong.
bool cli_rig_options(const cli_args *args, mien_rig_opts *opts);
// Metres of a unit, as --unit names it; unchanged when the option was not given.
bool cli_unit(const cli_args *args, const char *option, double *unit);
// names.c: what a take's channels are called on this rig. The take with its channels renamed as
// the file of --map says; the same take when there is none; NULL after an error that was printed.
mien_take *cli_map_names(const cli_args *args, mien_take *take);
// The take bound to the rig, its remarks printed; takes `take` over. NULL after an error.
mien_take *cli_bind_take(const cli_args *args, mien_take *take, const mien_rig *rig);
// A head that turns about the rig's origin as one that turns about its pivot, or (-1) the way back.
mien_rigid cli_head_about_pivot(const mien_rig *rig, const mien_rigid *head, int way);
void cli_host(const cli_args *args, mien_host *host);
bool cli_make_folder(const char *path); // and its parents; prints the error
// Asked first: whether a file (NULL = none) that is made at the end can be written, and is none of
// the files that the call names (args NULL = it names none). Prints the reason, and is the exit
// code.
int cli_check_output(const cli_args *args, const char *path);
// A file that gets its name once it is whole: until then it is "path.part" (io/output.h). Both
// print the error; a file that could not be written leaves nothing behind.
FILE *cli_create(const char *path);
int cli_commit(FILE *file, const char *path);   // closes it
void cli_abandon(FILE *file, const char *path); // closes it and leaves nothing behind
// These read what an earlier run left; NULL when there is none. Where others write, too, a pipe may
// have its name: that is not waited for.
FILE *cli_open_left(const char *path);
json_t *cli_load_left(const char *path);

extern const cli_command cli_activations, cli_attach, cli_bake, cli_demo, cli_doctor, cli_farm,
    cli_fit_muscles, cli_import, cli_inspect, cli_live, cli_models, cli_params, cli_render;
extern const cli_command cli_bench, cli_reproduce; // of the laboratory, ui/lab

#endif

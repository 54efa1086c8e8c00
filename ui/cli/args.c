#include "cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const cli_option always[] = {
    {"help", 'h', NULL, "show this text"},
    {"json", 0, NULL, "print the result as JSON"},
    {"threads", 't', "N", "threads to use; the default is all"},
    {NULL, 0, NULL, NULL},
};

static int find(const cli_option *options, const char *name, size_t length, char letter) {
  for (int i = 0; options[i].name; i++) {
    if (letter && options[i].letter == letter) return i;
    if (!letter && strlen(options[i].name) == length && !strncmp(options[i].name, name, length))
      return i;
  }
  return -1;
}

static void print_options(const cli_option *options) {
  for (; options->name; options++) {
    char left[64], letter[8] = "    ";
    if (options->letter) snprintf(letter, sizeof letter, "-%c, ", options->letter);
    snprintf(left, sizeof left, "%s--%s%s%s", letter, options->name, options->value ? " " : "",
             options->value ? options->value : "");
    printf("  %-26s %s\n", left, options->help);
  }
}

void cli_print_help(const cli_command *command) {
  printf("%s\n\nusage: mien %s %s%s[OPTIONS]\n\n", command->summary, command->name,
         command->arguments, command->arguments[0] ? " " : "");
  print_options(command->options);
  print_options(always);
  cli_print_settings(command);
  if (command->details[0]) printf("\n%s\n", command->details);
  if (command->print_more) command->print_more();
}

// A parameter of the table, with its value; -1 = go on, else the exit code.
static int parse_setting(const char *name, const char *word, const char *value, int argc,
                         char **argv, int *at, cli_args *args) {
  if (!value) {
    if (*at + 1 >= argc) return cli_usage("'%s' needs a value", word);
    value = argv[++*at];
  }
  if (args->nsetting == sizeof args->setting / sizeof *args->setting)
    return cli_usage("there are too many parameters");
  args->setting[args->nsetting++] = (cli_setting){name, value};
  return -1;
}

// One option at argv[*at]; -1 = go on, else the exit code.
static int parse_option(const cli_command *command, int argc, char **argv, int *at,
                        cli_args *args) {
  const char *word = argv[*at], *value = NULL;
  bool is_long = word[1] == '-';
  const char *name = word + 2;
  size_t length = is_long ? strcspn(name, "=") : 0;
  if (is_long && name[length] == '=') value = name + length + 1;
  if (!is_long && word[1] && word[2]) value = word + 2;
  char letter = is_long ? 0 : word[1];
  int own = find(command->options, name, length, letter),
      shared = find(always, name, length, letter);
  const char *setting =
      is_long && own < 0 && shared < 0 ? cli_setting_name(command, name, length) : NULL;
  if (setting) return parse_setting(setting, word, value, argc, argv, at, args);
  if (own < 0 && shared < 0)
    return cli_usage("'mien %s' has no option '%s'; see 'mien %s --help'", command->name, word,
                     command->name);
  const cli_option *option = own >= 0 ? command->options + own : always + shared;
  if (option->value && !value) {
    if (*at + 1 >= argc) return cli_usage("'%s' needs a value (%s)", word, option->value);
    value = argv[++*at];
  }
  if (!option->value && value) return cli_usage("'--%s' takes no value", option->name);
  if (own >= 0) {
    args->value[own] = value ? value : "";
  } else if (shared == 0) {
    cli_print_help(command);
    return CLI_DONE;
  } else if (shared == 1) {
    args->json = true;
  } else {
    char *end;
    long threads = strtol(value, &end, 10);
    if (*end || end == value || threads < 0 || threads > 1024)
      return cli_usage("'--threads' takes a number from 0 to 1024, not '%s'", value);
    args->threads = (int)threads;
  }
  return -1;
}

int cli_parse(const cli_command *command, int argc, char **argv, cli_args *args) {
  *args = (cli_args){.command = command, .argument = (const char **)argv};
  bool only_arguments = false;
  for (int i = 0; i < argc; i++) {
    if (!only_arguments && !strcmp(argv[i], "--")) {
      only_arguments = true;
    } else if (!only_arguments && argv[i][0] == '-' && argv[i][1]) {
      int code = parse_option(command, argc, argv, &i, args);
      if (code >= 0) return code;
    } else if (args->nargument == command->most_arguments) {
      return cli_usage("'%s' is one argument too many; see 'mien %s --help'", argv[i],
                       command->name);
    } else {
      argv[args->nargument++] = argv[i]; // over what was read already
    }
  }
  return -1;
}

const char *cli_value(const cli_args *args, const char *option, const char *otherwise) {
  int i = find(args->command->options, option, strlen(option), 0);
  return i >= 0 && args->value[i] ? args->value[i] : otherwise;
}

void cli_set_value(cli_args *args, const char *option, const char *value) {
  int i = find(args->command->options, option, strlen(option), 0);
  if (i >= 0 && !args->value[i]) args->value[i] = value;
}

bool cli_given(const cli_args *args, const char *option) {
  return cli_value(args, option, NULL) != NULL;
}

bool cli_number(const cli_args *args, const char *option, double low, double high, double otherwise,
                double *number) {
  const char *text = cli_value(args, option, NULL);
  *number = otherwise;
  if (!text) return true;
  char *end;
  double value = strtod(text, &end);
  if (*end || end == text || !(value >= low && value <= high)) {
    cli_usage("'--%s' takes a number from %g to %g, not '%s'", option, low, high, text);
    return false;
  }
  *number = value;
  return true;
}

// A shot file: everything of a bake in one JSON object, with paths relative to itself
// (docs/shot.md). It becomes the options of `mien bake` and nothing else, so a shot and the same
// options give the same bits.
#ifndef MIEN_CLI_SHOT_H
#define MIEN_CLI_SHOT_H

#include "cli.h"

// -- The table of keys ----------------------------------------------------------------------------

typedef enum shot_kind {
  SHOT_VERSION,
  SHOT_ABOUT,
  SHOT_RIG,        // a file to read: the argument of `mien bake`
  SHOT_INPUT,      // a file to read
  SHOT_OUTPUT,     // a file to write
  SHOT_NUMBER,     //
  SHOT_WHOLE,      //
  SHOT_WORD,       // one of its words, or any text
  SHOT_SWITCH,     //
  SHOT_VECTOR,     // three numbers
  SHOT_RANGE,      // [first, last] frame
  SHOT_PRESET,     // a preset's name, or a file of parameters
  SHOT_PARAMETERS, // as a file of --options
  SHOT_KEYS        // as a file of --keys
} shot_kind;

typedef struct shot_key {
  const char *path; // "outputs.cache"; "takes[].file" in every take
  shot_kind kind;
  const char *option; // of `mien bake` that it becomes; NULL = none
  const char *words;  // "head,world"; NULL = any
  const char *help;
} shot_key;

extern const shot_key shot_keys[]; // ends with a NULL path

// -- Files ----------------------------------------------------------------------------------------

typedef struct shot_file {
  const char *path; // as it was called
  char *text;
  json_t *json;
  const char *argument[1]; // the rig
  char *strings[CLI_MOST]; // that the options point to
  int nstring;
  const char *inputs[CLI_MOST]; // files that it reads
  int ninput;
} shot_file;

bool shot_is_named(const char *path); // ends in .json
// Puts what the shot says where the call says nothing. Prints "shot.json:12: takes[0].file: ..."
// and returns CLI_USAGE for a wrong shot, CLI_FAILED for a file that cannot be read. shot_close
// after it in any case; `args` must not be used after that.
int shot_open(const char *path, cli_args *args, shot_file *shot);
void shot_close(shot_file *shot);
void shot_print_schema(void);

// shot_lines.c: the line of a value in the text of a JSON file that jansson has read, by its path
// ("takes[0].file"); the nearest value that holds it when it is not there.
int shot_line_of(const char *text, const char *path);

#endif

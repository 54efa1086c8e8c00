// Parameters over time, as a shot or --keys gives them:
//   {"sticky": [[1, 0], [24, 1]], "wind": [[1, [0, 0, 0]], [10, [3, 0, 0]]]}
// A key is [frame, value]. Numbers go straight from key to key; whole numbers, switches and names
// hold until the next one. Before the first and after the last key the parameter stays.
#ifndef MIEN_CLI_PARAM_KEYS_H
#define MIEN_CLI_PARAM_KEYS_H

#include "cli.h"

typedef struct param_key {
  double frame, values[3];
} param_key;

typedef struct param_curve {
  const mien_param *param;
  param_key *keys; // frames increase
  int nkey;
} param_curve;

typedef struct param_keys {
  param_curve *curves;
  int ncurve;
} param_keys;

// False: `place` is where it is wrong ("wind[1][1]") and `why` the reason.
bool param_keys_read(const json_t *json, param_keys *out, char place[160], char why[256]);
// FILE.json, or the JSON itself when it begins with "{"; NULL = none. Prints the error.
bool param_keys_open(const char *text, param_keys *out);
// The parameters of that frame into the settings.
void param_keys_at(const param_keys *keys, double frame, mien_settings *settings);
void param_keys_free(param_keys *keys);

#endif

// Faults of a frame are kept as JSON, which the report prints in either form.
#include "bake_remarks.h"

#include <string.h>

enum { MOST_LINES = 10 };

// After the place, if the sentence names one.
static const char *cause_of(const mien_state_info *state, const mien_error *err) {
  const char *colon = state->nimplausible ? strstr(err->text, ": ") : NULL;
  return colon ? colon + 2 : err->text;
}

void bake_remarks_add(bake_remarks *remarks, int frame, const mien_state_info *state, double scale,
                      const mien_error *err) {
  if (!remarks->list) remarks->list = json_array();
  json_t *vertex = state->nimplausible ? json_integer(state->implausible_vertex) : json_null();
  json_array_append_new(remarks->list,
                        json_pack("{s:i, s:o, s:i, s:f, s:f, s:s}", "frame", frame, "vertex",
                                  vertex, "vertices", state->nimplausible, "mm",
                                  1e3 * state->implausible_distance / scale, "m_per_s",
                                  state->implausible_speed / scale, "cause", cause_of(state, err)));
}

int bake_remarks_count(const bake_remarks *remarks) {
  return remarks->list ? (int)json_array_size(remarks->list) : 0;
}

json_t *bake_remarks_json(const bake_remarks *remarks) {
  return remarks->list ? json_incref(remarks->list) : json_array();
}

static void print_one(const json_t *one) {
  int frame = (int)json_integer_value(json_object_get(one, "frame"));
  const json_t *vertex = json_object_get(one, "vertex");
  const char *cause = json_string_value(json_object_get(one, "cause"));
  cause = cli_shown(cause ? cause : "");
  if (json_is_null(vertex))
    printf("  frame %d: %s\n", frame, cause);
  else
    printf("  frame %d: vertex %d is %.1f mm from its pose, at %.1f m/s: %s\n", frame,
           (int)json_integer_value(vertex), json_real_value(json_object_get(one, "mm")),
           json_real_value(json_object_get(one, "m_per_s")), cause);
}

void bake_remarks_print(const bake_remarks *remarks) {
  int count = bake_remarks_count(remarks);
  if (!count) return;
  printf("%d frames are not plausible:\n", count);
  for (int k = 0; k < count && k < MOST_LINES; k++)
    print_one(json_array_get(remarks->list, (size_t)k));
  if (count > MOST_LINES) printf("  and %d more; --json lists them all\n", count - MOST_LINES);
}

void bake_remarks_free(bake_remarks *remarks) {
  json_decref(remarks->list);
  remarks->list = NULL;
}

// Frames of a bake that came out where no face has its skin: noted as they come, told at its end.
#ifndef BAKE_REMARKS_H
#define BAKE_REMARKS_H

#include "cli.h"

typedef struct bake_remarks {
  json_t *list; // {frame, vertex or null, mm, m_per_s, cause}, NULL = there is none
} bake_remarks;

// The step of a frame returned MIEN_REMARK; the face was simulated `scale` times as large.
void bake_remarks_add(bake_remarks *remarks, int frame, const mien_state_info *state, double scale,
                      const mien_error *err);
int bake_remarks_count(const bake_remarks *remarks);
json_t *bake_remarks_json(const bake_remarks *remarks); // the list, a new reference
void bake_remarks_print(const bake_remarks *remarks);   // a line each, of the first ones
void bake_remarks_free(bake_remarks *remarks);

#endif

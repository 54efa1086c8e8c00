// Colours, texture coordinates and labels of the skin.
#ifndef SAMPLE_RIGS_HEAD_PAINT_H
#define SAMPLE_RIGS_HEAD_PAINT_H

#include "head.h"
#include "skin.h"

void paint_skin(const skin *s, float (*colour)[3]);
void label_skin(const skin *s, head_labels *label);
// Cylinder round the head, cut along the middle of the back: fills the part's split mesh. Returns 0
// or -1.
int unwrap_skin(const skin *s, head_part *part);

#endif

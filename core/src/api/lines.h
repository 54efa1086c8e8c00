// Lines for a host to draw: contacts, springs and attachments of a state.
#ifndef MI_LINES_H
#define MI_LINES_H

#include "solve/state.h"

// How many lines there are of the kinds wanted (bits: 1 << mien_line_kind); at most `most` are
// written. Contacts and attachments are those of the last step; every point is where it is now.
int mi_state_lines(const mien_state *state, unsigned kinds, mien_line *lines, int most);

#endif

// Looking into the text of a COLLADA file, tag by tag: the few that are needed stand in any order.
#ifndef MIEN_CLI_DAE_TEXT_H
#define MIEN_CLI_DAE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

// A piece of the text.
typedef struct dae_span {
  const char *at;
  size_t size;
} dae_span;

// Whether "<name" starts here, as a whole word.
bool dae_is_tag(const char *at, const char *end, const char *name);
// The next such tag before `end`; NULL when there is none.
const char *dae_find_tag(const char *from, const char *end, const char *name);
dae_span dae_attribute(const char *tag, const char *end, const char *name); // "" = it has none
// The name in an attribute "#name".
dae_span dae_reference(const char *tag, const char *end, const char *name);
// The text between a tag and the next one.
dae_span dae_content(const char *tag, const char *end);
bool dae_same(dae_span a, dae_span b); // and not empty

#endif

// Small rigs, takes and files the io tests share.
#ifndef IO_FIXTURE_H
#define IO_FIXTURE_H

#include "io/io.h"
#include "rig/rig.h"
#include "scenes/scene.h"

mien_host fixture_host(void); // resolved, silent

// A skin of 9 places (10 render vertices, one split by a uv seam) and an eye of 4. Shapes: "lookUp"
// (eye), "jawOpen" (both), "smile" (two vertices), "nothing". Maps, colours, landmarks, jaw, unit.
mien_rig *fixture_rig(const mien_host *host);
// Channels jawOpen and smile, 5 frames from 0.25 s, with a head.
mien_take *fixture_take(const mien_host *host);
void fixture_free_take(mien_take *take);

// A file in a new folder under the system's temporary one; the name is unique in the process.
const char *fixture_path(const char *name);
void fixture_write(const char *path, const void *bytes, size_t size);
// malloc
unsigned char *fixture_read(const char *path, size_t *size);

// The bytes of a .glb (malloc): ' in the JSON stands for ".
unsigned char *fixture_glb(const char *json, const void *bin, size_t bin_size, size_t *size);
// The whole fixture rig with its take as a .glb (malloc).
unsigned char *fixture_rig_glb(size_t *size);

// A file of the development data (name under MIEN_SHARED_DATA); NULL when it is not there, and then
// the reason is printed.
const char *fixture_shared(const char *name);

void assert_text_has(const char *text, const char *piece);

#endif

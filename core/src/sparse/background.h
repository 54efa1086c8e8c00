// A factor made by a thread of its own while another solver keeps the frames coming (Barrielle &
// Stoiber 5.3, "offline" variant).
#ifndef MI_BACKGROUND_H
#define MI_BACKGROUND_H

#include "sparse/spd.h"

typedef struct mi_background mi_background;

// Starts mi_factor_create_compact of `matrix`, which must stay until the thread has ended.
mien_result mi_background_start(const mi_csr *matrix, int nfront, const mien_host *host,
                                mi_arena *arena, mi_background **out, mien_error *err);
bool mi_background_is_done(const mi_background *background);
// Waits for the thread and hands over its factor; NULL when it failed or was handed over before.
mi_factor *mi_background_wait(mi_background *background);
void mi_background_free(mi_background *background); // or NULL

#endif

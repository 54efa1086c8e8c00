// The simulated face in a web browser: a small page on this machine alone that shows the newest
// picture again and again.
#ifndef MIEN_CLI_LIVE_VIEW_H
#define MIEN_CLI_LIVE_VIEW_H

#include "cli.h"
#include "render.h"

typedef struct live_view live_view;

// Serves http://127.0.0.1:port/SECRET/; 0 = any port that is free. Prints the address with the
// secret of this run, or the error. Slow clients delay no other and are dropped after two seconds.
int live_view_open(int port, live_view **out);
void live_view_show(live_view *view, const render_image *image);
void live_view_close(live_view *view);

#endif

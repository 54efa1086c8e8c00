#include "contact_frame.h"

#include "solve/contacts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double FPS = 25; // the paper's

// -- Which frame ----------------------------------------------------------------------------------

static int count_pushing(const mi_contacts *c) {
  int count = 0;
  for (int k = 0; k < c->nrow; k++) count += c->row[k].weight > 0 && c->row[k].gap > -INFINITY;
  return count;
}

// Steps through the take; the state before the best frame is left in `best`, its number in *number.
static int find_frame(contact_frame *f, void *best, int *number) {
  contact_scene *s = &f->scene;
  size_t size = mien_state_size(s->state);
  void *before = malloc(size);
  int code = before ? CLI_DONE : cli_fail("out of memory"), most = 0;
  *number = -1;
  for (int frame = 0; !code && frame < s->nframe; frame++) {
    mien_state_write(s->state, before, size, NULL);
    code = contact_scene_step(s, frame);
    const mi_contacts *c = s->state->contacts;
    if (code || !c) continue;
    int npushing = count_pushing(c), score = c->nspring < npushing ? c->nspring : npushing;
    if (score <= most) continue;
    most = score, *number = frame;
    memcpy(best, before, size);
  }
  free(before);
  return code;
}

static int go_to_frame(contact_frame *f) {
  contact_scene *s = &f->scene;
  mien_error err;
  int number = -1;
  void *best = malloc(mien_state_size(s->state));
  int code = best ? find_frame(f, best, &number) : cli_fail("out of memory");
  if (!code && number < 0) code = cli_fail("no frame has contacts and sticky springs");
  if (!code && mien_state_read(s->state, best, mien_state_size(s->state), &err) < 0)
    code = cli_report(&err, "frame");
  if (!code) code = contact_scene_step(s, number);
  f->time = number / s->fps;
  free(best);
  return code;
}

// -- Its rows -------------------------------------------------------------------------------------

static void add_contact(contact_frame *f, const mi_row *row) {
  int at = f->nspring + f->nplane;
  race_plane *plane = f->plane + f->nplane++;
  f->row[at] = (mi_lowrank){.weight = row->weight};
  memcpy(f->row[at].vert, row->vert, sizeof row->vert);
  memcpy(f->row[at].coef, row->coef, sizeof row->coef);
  plane->row = at;
  memcpy(plane->normal, row->normal, sizeof row->normal);
  plane->gap = row->gap; // what is rigid in the row counts as gap
  for (int k = 0; k < 3; k++) plane->gap -= row->normal[k] * row->fixed[k];
}

// The springs and contacts of the step just made, without friction, which the paper has not.
static int take_rows(contact_frame *f) {
  mi_solver *solver = f->scene.state->solver;
  const mi_contacts *c = f->scene.state->contacts;
  size_t most = (size_t)c->nspring + (size_t)c->nrow;
  f->row = calloc(most, sizeof *f->row);
  f->target = calloc(3 * most, sizeof *f->target);
  f->plane = calloc((size_t)c->nrow + 1, sizeof *f->plane);
  if (!f->row || !f->target || !f->plane) return cli_fail("out of memory");
  f->nspring = c->nspring;
  memcpy(f->row, c->spring, (size_t)c->nspring * sizeof *f->row);
  memcpy(f->target, c->spring_target, 3 * (size_t)c->nspring * sizeof *f->target);
  for (int k = 0; k < c->nrow; k++)
    if (c->row[k].weight > 0 && c->row[k].gap > -INFINITY) add_contact(f, c->row + k);
  solver->lowrank_rows = (mi_lowrank_rows){f->row, f->nspring + f->nplane};
  solver->nmore = 0;
  solver->pull_target = f->target;
  return CLI_DONE;
}

int contact_frame_open(contact_frame *f, const cli_args *args, const char *rig) {
  mien_step_opts opts;
  *f = (contact_frame){0};
  mien_step_opts_init(&opts);
  opts.contact = MIEN_CONTACT_PLANE;
  opts.sticky = 1;
  opts.friction = 0;
  int code = contact_scene_open(&f->scene, args, rig, "press.csv", "shake.csv");
  if (code) return code;
  contact_scene_start(&f->scene, &opts, FPS);
  code = go_to_frame(f);
  return code ? code : take_rows(f);
}

void contact_frame_close(contact_frame *f) {
  contact_scene_close(&f->scene);
  free(f->row);
  free(f->target);
  free(f->plane);
}

textbook_frame contact_frame_frame(const contact_frame *f) {
  const mi_solver *solver = f->scene.state->solver;
  return (textbook_frame){solver->predicted, solver->anchor, solver->posed, solver->lowrank_rows,
                          f->target};
}

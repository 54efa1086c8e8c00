// Input of `mien live` goes through the words of a take file first, whether it is kept or not:
// numbers are rounded to what the file holds, so that baking the recording meets the same
// ones.
#include "io/output.h"
#include "live.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct live_record {
  const mien_rig *rig;
  const char *path;
  FILE *file;  // or NULL
  off_t whole; // bytes of it, all in rows that are whole
  int nrow;
  int why;    // errno of the first row that could not be written; the rows before it are kept
  char *text; // the header, then room for a row
  size_t header, capacity;
  mien_rigid before;
  bool has_before;
};

// Names with a comma are quoted, as mien_take_save does it.
static size_t print_header(const mien_rig_info *rig, char *to, size_t size) {
  size_t used = (size_t)snprintf(to, size, "Time");
  for (int s = 0; s < rig->nshape && used < size; s++) {
    bool plain = !strpbrk(rig->shapes[s].name, ", ");
    used +=
        (size_t)snprintf(to + used, size - used, plain ? ",%s" : ",\"%s\"", rig->shapes[s].name);
  }
  if (used < size)
    used +=
        (size_t)snprintf(to + used, size - used, ",HeadX,HeadY,HeadZ,HeadYaw,HeadPitch,HeadRoll\n");
  return used;
}

// A row is in the file whole or not at all. The show goes on without it: that is said at once and
// again at the end.
static void put_row(live_record *r, const char *text, size_t size) {
  if (r->why) return;
  errno = 0;
  if (fwrite(text, 1, size, r->file) == size) {
    r->whole += (off_t)size;
    r->nrow++;
    return;
  }
  r->why = errno ? errno : EIO;
  fprintf(stderr, "\nmien: cannot write %s: %s; nothing more is recorded\n", cli_shown(r->path),
          strerror(r->why));
  (void)!ftruncate(fileno(r->file), r->whole);
}

// The names are read back as every row will be: one that means something else in a take (the time,
// the head) would be lost, or move the head.
static int check_names(live_record *r) {
  const mien_rig_info *rig = mien_rig_get_info(r->rig);
  mien_take *take = NULL;
  mien_error err;
  char *row = r->text + r->header;
  size_t size = (size_t)sprintf(row, "0");
  for (int c = 0; c < rig->nshape + 6; c++) size += (size_t)sprintf(row + size, ",0");
  if (mien_take_read(r->text, r->header + size, NULL, &take, &err) < 0)
    return cli_report(&err, "the shape names cannot be in a take");
  const mien_take_info *info = mien_take_get_info(take);
  int s = 0;
  while (s + 1 < rig->nshape && s < info->nchannel &&
         !strcmp(rig->shapes[s].name, info->channels[s]))
    s++;
  bool is_whole = info->nchannel == rig->nshape;
  mien_take_free(take);
  if (is_whole) return CLI_DONE;
  return cli_fail("the shape name '%s' cannot be in a take: it means something else there",
                  rig->shapes[s].name);
}

int live_record_open(const mien_rig *rig, const char *path, live_record **out) {
  const mien_rig_info *info = mien_rig_get_info(rig);
  live_record *r = calloc(1, sizeof *r);
  size_t names = 64;
  for (int s = 0; s < info->nshape; s++) {
    if (strpbrk(info->shapes[s].name, "\"\r\n")) {
      free(r);
      return cli_fail("the shape name '%s' cannot be in a take", info->shapes[s].name);
    }
    names += strlen(info->shapes[s].name) + 3;
  }
  if (r) r->capacity = 2 * names + 40 * ((size_t)info->nshape + 8);
  if (r) r->text = malloc(r->capacity);
  if (!r || !r->text) {
    free(r);
    return cli_fail("out of memory");
  }
  r->rig = rig;
  r->path = path;
  r->header = print_header(info, r->text, r->capacity);
  if (check_names(r) || (path && !(r->file = cli_create(path)))) {
    free(r->text);
    free(r);
    return CLI_FAILED;
  }
  if (r->file) setvbuf(r->file, NULL, _IONBF, 0); // a performance that is killed keeps its rows
  if (r->file) put_row(r, r->text, r->header);
  if (r->why) return live_record_close(r, false);
  *out = r;
  return CLI_DONE;
}

// R = Ry(yaw) Rx(pitch) Rz(roll)
static void angles(const double q[4], double out[3]) {
  double x = q[0], y = q[1], z = q[2], w = q[3];
  out[0] = atan2(2 * (x * z + w * y), 1 - 2 * (x * x + y * y));
  out[1] = asin(fmin(1, fmax(-1, 2 * (w * x - y * z))));
  out[2] = atan2(2 * (x * y + w * z), 1 - 2 * (x * x + z * z));
}

static size_t print_row(const live_record *r, double time, const live_frame *frame, char *to,
                        size_t size) {
  int nshape = mien_rig_get_info(r->rig)->nshape;
  double turn[3];
  mien_rigid head = cli_head_about_pivot(r->rig, &frame->head, 1);
  angles(head.rotation, turn);
  size_t used = (size_t)snprintf(to, size, "%.9f", time);
  for (int s = 0; s < nshape; s++)
    used += (size_t)snprintf(to + used, size - used, ",%.7g", (double)frame->weights[s]);
  for (int k = 0; k < 6; k++)
    used += (size_t)snprintf(to + used, size - used, ",%.12g",
                             k < 3 ? head.translation[k] : turn[k - 3]);
  used += (size_t)snprintf(to + used, size - used, "\n");
  return used;
}

// A rotation and its negative are the same; a take never goes the long way round.
static void agree(live_record *r, mien_rigid *head) {
  double towards = 0;
  for (int k = 0; r->has_before && k < 4; k++) towards += head->rotation[k] * r->before.rotation[k];
  for (int k = 0; towards < 0 && k < 4; k++) head->rotation[k] = -head->rotation[k];
  r->before = *head;
  r->has_before = true;
}

int live_record_add(live_record *r, double time, live_frame *frame) {
  mien_error err;
  mien_take *take = NULL, *bound = NULL;
  size_t size = print_row(r, time, frame, r->text + r->header, r->capacity - r->header);
  if (r->file) put_row(r, r->text + r->header, size);
  mien_result result = mien_take_read(r->text, r->header + size, NULL, &take, &err);
  if (result >= 0) result = mien_take_bind(take, r->rig, &bound, NULL, &err);
  if (result >= 0) result = mien_take_sample(bound, 0, frame->weights, &frame->head, &err);
  mien_take_free(take);
  mien_take_free(bound);
  if (result < 0) return cli_report(&err, "live");
  agree(r, &frame->head);
  return CLI_DONE;
}

// A file that cannot get its name stays in "path.part" as far as it is whole: rename it, and it
// plays.
static int finish(live_record *r) {
  char why[MI_OUTPUT_WHY] = "the disk is full or failing";
  int nrow = r->nrow - 1; // the first is the names
  bool is_whole = !r->why && mi_output_commit(fileno(r->file), r->path, why);
  fclose(r->file);
  if (is_whole) return CLI_DONE;
  return cli_fail("%s; the %d frames recorded are in '%s.part', which plays once it is renamed",
                  why, nrow, r->path);
}

int live_record_close(live_record *r, bool keep) {
  if (!r) return CLI_DONE;
  int code = r->why ? CLI_FAILED : CLI_DONE;
  if (r->file && keep) code = finish(r);
  if (r->file && !keep) cli_abandon(r->file, r->path);
  free(r->text);
  free(r);
  return code;
}

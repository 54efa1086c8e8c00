// What all sources share: which kind it is, its clock, breaking off and coming back.
#include "capture.h"
#include "capture_source.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct capture {
  capture_def def;
  char *what;
  capture_source source;
  int is_open;
  capture_info info;
  double begun, retried; // on the machine's clock
};

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int begins_with(const char *text, const char *start) {
  return !strncmp(text, start, strlen(start));
}

static int is_number(const char *text) {
  for (const char *c = text; *c; c++)
    if (!isdigit((unsigned char)*c)) return 0;
  return *text != 0;
}

static capture_kind kind_of(const char *what) {
  if (!strcmp(what, "-")) return CAPTURE_PIPE;
  if (is_number(what) || begins_with(what, "/dev/video")) return CAPTURE_CAMERA;
  return strstr(what, "://") ? CAPTURE_STREAM : CAPTURE_FILE;
}

// A stream may not reach out to other machines behind the user's back.
static int is_on_this_machine(const char *url) {
  static const char *const known[] = {"udp", "tcp", "http", "rtsp"};
  static const char *const hosts[] = {"127.0.0.1", "localhost", "[::1]"};
  const char *host = strstr(url, "://");
  size_t length = (size_t)(host - url);
  int is_known = 0;
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    is_known |= strlen(known[i]) == length && !strncmp(url, known[i], length);
  host += 3;
  // "name:password@host" would hide another host behind one of ours
  if (!is_known || memchr(host, '@', strcspn(host, "/?"))) return 0;
  for (size_t i = 0; i < sizeof hosts / sizeof *hosts; i++) {
    size_t n = strlen(hosts[i]);
    if (!strncmp(host, hosts[i], n) && (host[n] == ':' || host[n] == '/' || !host[n])) return 1;
  }
  return 0;
}

static mien_result check(const capture_def *def, capture_kind kind, mien_error *err) {
  if (def->width < 0 || def->height < 0 || def->width > 16384 || def->height > 16384 ||
      !(def->rate >= 0 && def->rate <= 1000))
    return capture_fail(err, MIEN_ERR_ARGUMENT,
                        "the size or the rate of the frames is out of range");
  if (kind == CAPTURE_STREAM && !def->anywhere && !is_on_this_machine(def->what))
    return capture_fail(err, MIEN_ERR_ARGUMENT,
                        "'%s' is not a udp, tcp, http or rtsp stream of this machine", def->what);
  return MIEN_OK;
}

static mien_result open_source(capture *c, mien_error *err) {
  mien_result result = c->info.kind == CAPTURE_PIPE
                           ? capture_open_pipe(&c->def, 0, &c->source, err)
                           : capture_open_opencv(&c->def, c->info.kind, &c->source, err);
  c->is_open = result >= 0;
  return result;
}

mien_result capture_open(const capture_def *def, capture **out, mien_error *err) {
  if (err) *err = (mien_error){0};
  if (!def || !def->what || !*def->what || !out)
    return capture_fail(err, MIEN_ERR_ARGUMENT, "there is nothing to open");
  capture_kind kind = kind_of(def->what);
  mien_result result = check(def, kind, err);
  if (result < 0) return result;
  capture *c = calloc(1, sizeof *c);
  if (c) c->what = malloc(strlen(def->what) + 1);
  if (!c || !c->what) {
    free(c);
    return capture_fail(err, MIEN_ERR_MEMORY, "out of memory");
  }
  c->def = *def;
  c->def.what = strcpy(c->what, def->what);
  c->info.kind = kind;
  c->info.is_live = kind == CAPTURE_CAMERA || kind == CAPTURE_STREAM;
  result = open_source(c, err);
  if (result < 0) {
    capture_close(c);
    return result;
  }
  double rate = c->source.rate;
  int is_rate = rate > 0.1 && rate < 1000;
  c->info.rate = def->rate > 0 && !is_rate ? def->rate : is_rate ? rate : 30;
  c->info.length = c->source.length;
  *out = c;
  return MIEN_OK;
}

static mien_result at_end(capture *c, int *ended, mien_error *err) {
  if (!c->info.is_live) {
    *ended = 1;
    int64_t length = c->info.length;
    // the count in a file's header is often off by a few
    if (length > 0 && (double)c->info.nframe < 0.9 * (double)length - 2)
      capture_fail(err, MIEN_NO_FRAME, "'%s' ends after %lld of its %lld frames", c->what,
                   (long long)c->info.nframe, (long long)length);
    else if (!c->info.nframe)
      capture_fail(err, MIEN_NO_FRAME, "'%s' has no frames", c->what);
    return MIEN_NO_FRAME;
  }
  c->source.close(c->source.self);
  c->is_open = 0;
  c->retried = now();
  c->info.nlost++;
  capture_fail(err, MIEN_NO_FRAME, "'%s' sends no pictures any more; trying again", c->what);
  return MIEN_NO_FRAME;
}

mien_result capture_read(capture *c, mien_image *image, int *ended, mien_error *err) {
  if (err) *err = (mien_error){0};
  if (!c || !image || !ended)
    return capture_fail(err, MIEN_ERR_ARGUMENT, "there is no capture, or nowhere to put a frame");
  *ended = 0;
  if (!c->is_open) {
    if (now() - c->retried < 0.5) {
      const struct timespec wait = {0, 20000000};
      nanosleep(&wait, NULL);
      return capture_fail(err, MIEN_NO_FRAME, "'%s' is gone; trying again", c->what);
    }
    c->retried = now();
    if (open_source(c, err) < 0) return MIEN_NO_FRAME;
  }
  if (!c->source.read(c->source.self, image)) return at_end(c, ended, err);
  double time = now();
  if (!c->info.nframe) c->begun = time;
  image->time = c->info.is_live ? time - c->begun : (double)c->info.nframe / c->info.rate;
  c->info.width = image->width;
  c->info.height = image->height;
  c->info.nframe++;
  return MIEN_OK;
}

const capture_info *capture_get_info(const capture *c) {
  return c ? &c->info : NULL;
}

void capture_close(capture *c) {
  if (!c) return;
  if (c->is_open) c->source.close(c->source.self);
  free(c->what);
  free(c);
}

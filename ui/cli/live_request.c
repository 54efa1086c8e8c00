#include "live_request.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>

enum { MOST_HEAD = 4096 };

static const char *find(const char *in, size_t size, const char *what) {
  size_t length = strlen(what);
  for (size_t i = 0; i + length <= size; i++)
    if (!memcmp(in + i, what, length)) return in + i;
  return NULL;
}

// "name:" at the start of a line of the head; its value without spaces around it. False when it is
// not there, or there twice.
static int find_field(const char *head, size_t size, const char *name, const char **value,
                      size_t *length) {
  size_t long_name = strlen(name);
  int count = 0;
  const char *end = head + size;
  for (const char *line = head; line < end;) {
    const char *stop = find(line, (size_t)(end - line), "\r\n");
    if (!stop) stop = end;
    if ((size_t)(stop - line) > long_name && line[long_name] == ':' &&
        !strncasecmp(line, name, long_name)) {
      const char *from = line + long_name + 1, *to = stop;
      while (from < to && (*from == ' ' || *from == '\t')) from++;
      while (to > from && (to[-1] == ' ' || to[-1] == '\t')) to--;
      *value = from;
      *length = (size_t)(to - from);
      count++;
    }
    line = stop + 2;
  }
  return count == 1;
}

static int is_this_machine(const char *host, size_t length, int port) {
  static const char *const names[] = {"127.0.0.1", "localhost"};
  char with_port[40];
  for (int k = 0; k < 2; k++) {
    int n = snprintf(with_port, sizeof with_port, "%s:%d", names[k], port);
    if (length == (size_t)n && !strncasecmp(host, with_port, length)) return 1;
    if (port == 80 && length == strlen(names[k]) && !strncasecmp(host, names[k], length)) return 1;
  }
  return 0;
}

// Every digit is looked at, so that the time taken tells nothing.
static int is_secret(const char *given, const char *secret) {
  unsigned char differs = 0;
  for (int i = 0; i < LIVE_SECRET - 1; i++)
    differs = (unsigned char)(differs | (given[i] ^ secret[i]));
  return !differs;
}

// "/SECRET/..."
static live_request read_path(const char *path, size_t length, const char *secret) {
  enum { DIGITS = LIVE_SECRET - 1 };
  if (length < DIGITS + 2 || path[0] != '/' || path[DIGITS + 1] != '/' ||
      !is_secret(path + 1, secret))
    return LIVE_REQUEST_FORBIDDEN;
  const char *rest = path + DIGITS + 2;
  size_t left = length - DIGITS - 2;
  if (left == 0) return LIVE_REQUEST_PAGE;
  if (left >= 9 && !memcmp(rest, "frame.bmp", 9) && (left == 9 || rest[9] == '?'))
    return LIVE_REQUEST_FRAME;
  return LIVE_REQUEST_MISSING;
}

live_request live_request_read(const char *bytes, size_t size, int port, const char *secret) {
  const char *end = find(bytes, size, "\r\n\r\n");
  if (!end) return size < MOST_HEAD ? LIVE_REQUEST_MORE : LIVE_REQUEST_BAD;
  const char *line = find(bytes, (size_t)(end - bytes) + 2, "\r\n"), *host;
  size_t length;
  if (line - bytes < 14 || memcmp(bytes, "GET ", 4)) return LIVE_REQUEST_BAD;
  const char *path = bytes + 4, *stop = memchr(path, ' ', (size_t)(line - path));
  if (!stop || line - stop != 9 || memcmp(stop, " HTTP/1.", 8)) return LIVE_REQUEST_BAD;
  if (line == end || !find_field(line + 2, (size_t)(end - line) - 2, "Host", &host, &length))
    return LIVE_REQUEST_BAD;
  if (!is_this_machine(host, length, port)) return LIVE_REQUEST_FORBIDDEN;
  return read_path(path, (size_t)(stop - path), secret);
}

int live_request_secret(char secret[LIVE_SECRET]) {
  unsigned char bytes[(LIVE_SECRET - 1) / 2];
  if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes) return 0;
  for (size_t i = 0; i < sizeof bytes; i++) sprintf(secret + 2 * i, "%02x", bytes[i]);
  return 1;
}

// Requests of a web browser to the page of `mien live`. Pages of other sites can make a browser ask
// here, too, under a name of theirs that leads to this machine: only requests that name this
// machine itself and know the secret of this run are answered.
#ifndef MIEN_CLI_LIVE_REQUEST_H
#define MIEN_CLI_LIVE_REQUEST_H

#include <stddef.h>

enum { LIVE_SECRET = 33 }; // 32 digits and a zero

typedef enum live_request {
  LIVE_REQUEST_MORE, // not whole yet
  LIVE_REQUEST_PAGE,
  LIVE_REQUEST_FRAME,
  LIVE_REQUEST_MISSING,   // 404
  LIVE_REQUEST_FORBIDDEN, // 403: another host's name, or not the secret
  LIVE_REQUEST_BAD        // 400
} live_request;

// `bytes` need not end with a zero.
live_request live_request_read(const char *bytes, size_t size, int port, const char *secret);
// Digits that no other program can guess. Zero when the system has none.
int live_request_secret(char secret[LIVE_SECRET]);

#endif

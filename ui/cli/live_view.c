#define _GNU_SOURCE // accept4
#include "live_view.h"

#include "live_request.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

enum { MOST_CLIENTS = 32, MOST_REQUEST = 4096, TICK = 100 }; // TICK in ms
static const double patience = 2; // s for a client to ask and to be answered

// One connection: first it asks, then it is answered. The thread waits for none of them.
typedef struct client {
  int socket;
  double until;
  char request[MOST_REQUEST];
  size_t got;
  unsigned char *answer; // NULL = it has not asked yet
  size_t size, sent;
} client;

struct live_view {
  int listener, port;
  char secret[LIVE_SECRET];
  pthread_t thread;
  bool has_thread;
  atomic_bool is_ending;
  client clients[MOST_CLIENTS]; // of the thread alone
  int nclient;
  pthread_mutex_t lock;
  unsigned char *picture; // a BMP file: nothing to compress, every browser shows it
  size_t size, capacity;
};

static const char page[] =
    "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>mien live</title>"
    "<style>body{margin:0;background:#222;display:grid;place-items:center;height:100vh}"
    "img{max-width:100vw;max-height:100vh}</style><img id=\"face\" alt=\"the simulated face\">"
    "<script>const face=document.getElementById('face');let n=0;"
    "const next=()=>{face.src='frame.bmp?'+n++};"
    "face.onload=()=>requestAnimationFrame(next);face.onerror=()=>setTimeout(next,500);next()"
    "</script></html>\n";

// -- answers --------------------------------------------------------------------------------------

static void answer_with(client *c, const char *status, const char *type, const void *body,
                        size_t size) {
  char head[320];
  int length = snprintf(head, sizeof head,
                        "HTTP/1.1 %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\n"
                        "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n"
                        "Referrer-Policy: no-referrer\r\nConnection: close\r\n\r\n",
                        status, type, size);
  c->answer = malloc((size_t)length + size);
  if (!c->answer) return;
  memcpy(c->answer, head, (size_t)length);
  memcpy(c->answer + length, body, size);
  c->size = (size_t)length + size;
}

static void answer_text(client *c, const char *status, const char *text) {
  answer_with(c, status, "text/plain", text, strlen(text));
}

static void answer(live_view *v, client *c, live_request asked) {
  switch (asked) {
  case LIVE_REQUEST_PAGE:
    answer_with(c, "200 OK", "text/html; charset=utf-8", page, sizeof page - 1);
    break;
  case LIVE_REQUEST_FRAME:
    pthread_mutex_lock(&v->lock);
    if (v->size) answer_with(c, "200 OK", "image/bmp", v->picture, v->size);
    pthread_mutex_unlock(&v->lock);
    if (!c->answer) answer_text(c, "503 Service Unavailable", "no picture yet\n");
    break;
  case LIVE_REQUEST_MISSING:
    answer_text(c, "404 Not Found", "nothing here\n");
    break;
  case LIVE_REQUEST_FORBIDDEN:
    answer_text(c, "403 Forbidden", "open the address that mien live printed\n");
    break;
  default:
    answer_text(c, "400 Bad Request", "not understood\n");
  }
}

// -- clients --------------------------------------------------------------------------------------

static void let_go(live_view *v, int k) {
  close(v->clients[k].socket);
  free(v->clients[k].answer);
  v->clients[k] = v->clients[--v->nclient];
}

// One that comes when all places are taken gets the place of the one that has been there longest.
static void let_in(live_view *v) {
  int s = accept4(v->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC), oldest = 0;
  if (s < 0) return;
  for (int k = 1; k < v->nclient; k++)
    if (v->clients[k].until < v->clients[oldest].until) oldest = k;
  if (v->nclient == MOST_CLIENTS) let_go(v, oldest);
  client *c = v->clients + v->nclient++;
  c->socket = s;
  c->until = cli_clock() + patience;
  c->got = c->size = c->sent = 0;
  c->answer = NULL;
}

// False when the client is done with, or gone.
static bool attend(live_view *v, client *c) {
  if (!c->answer) {
    ssize_t got = recv(c->socket, c->request + c->got, sizeof c->request - c->got, 0);
    if (got <= 0) return got < 0 && (errno == EAGAIN || errno == EINTR);
    c->got += (size_t)got;
    live_request asked = live_request_read(c->request, c->got, v->port, v->secret);
    if (asked == LIVE_REQUEST_MORE) return true;
    answer(v, c, asked);
    if (!c->answer) return false;
  }
  ssize_t sent = send(c->socket, c->answer + c->sent, c->size - c->sent, MSG_NOSIGNAL);
  if (sent < 0) return errno == EAGAIN || errno == EINTR;
  c->sent += (size_t)sent;
  if (c->sent < c->size) return true;
  shutdown(c->socket, SHUT_WR);
  return false;
}

// Browsers take no time from the step, however many they are, and a priority that the show was
// given is not meant for them.
static void go_last(void) {
#if defined(__linux__) // where each thread has a niceness of its own
  enum { NICENESS = 10 };
  const struct sched_param usual = {0};
  (void)pthread_setschedparam(pthread_self(), SCHED_OTHER, &usual);
  (void)setpriority(PRIO_PROCESS, 0, NICENESS);
#endif
}

static void *serve(void *given) {
  live_view *v = given;
  go_last();
  while (!atomic_load(&v->is_ending)) {
    struct pollfd wait[MOST_CLIENTS + 1] = {{.fd = v->listener, .events = POLLIN}};
    int nwaited = v->nclient;
    for (int k = 0; k < nwaited; k++)
      wait[k + 1] = (struct pollfd){.fd = v->clients[k].socket,
                                    .events = v->clients[k].answer ? POLLOUT : POLLIN};
    if (poll(wait, (nfds_t)nwaited + 1, TICK) < 0) continue;
    double now = cli_clock();
    for (int k = nwaited - 1; k >= 0; k--) // from the end: who goes is replaced by the last
      if ((wait[k + 1].revents && !attend(v, v->clients + k)) || now > v->clients[k].until)
        let_go(v, k);
    if (wait[0].revents) let_in(v);
  }
  while (v->nclient) let_go(v, 0);
  return NULL;
}

// -- the view -------------------------------------------------------------------------------------

static int listen_on(int port, live_view *v) {
  struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
  socklen_t size = sizeof at;
  int one = 1, s = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (s >= 0) setsockopt(s, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
  if (s < 0 || bind(s, (struct sockaddr *)&at, sizeof at) || listen(s, 64) ||
      getsockname(s, (struct sockaddr *)&at, &size)) {
    int code = cli_fail("no page can be shown at port %d: %s", port, strerror(errno));
    if (s >= 0) close(s);
    return code;
  }
  v->listener = s;
  v->port = ntohs(at.sin_port);
  if (!live_request_secret(v->secret)) return cli_fail("the system has no random numbers");
  fprintf(stderr, "the face is shown at http://127.0.0.1:%d/%s/\n", v->port, v->secret);
  return CLI_DONE;
}

int live_view_open(int port, live_view **out) {
  live_view *v = *out = calloc(1, sizeof *v);
  if (!v) return cli_fail("out of memory");
  v->listener = -1;
  pthread_mutex_init(&v->lock, NULL);
  int code = listen_on(port, v);
  if (!code && pthread_create(&v->thread, NULL, serve, v))
    code = cli_fail("no thread for the page");
  v->has_thread = !code;
  return code;
}

static void put(unsigned char *to, uint32_t value) {
  for (int k = 0; k < 4; k++) to[k] = (unsigned char)(value >> 8 * k);
}

void live_view_show(live_view *v, const render_image *image) {
  enum { HEAD = 54 };
  size_t row = ((size_t)image->width * 3 + 3) / 4 * 4, size = HEAD + row * (size_t)image->height;
  pthread_mutex_lock(&v->lock);
  if (size > v->capacity) {
    unsigned char *more = realloc(v->picture, size);
    if (more) v->picture = more, v->capacity = size;
  }
  if (size <= v->capacity) {
    memset(v->picture, 0, HEAD);
    memcpy(v->picture, "BM", 2);
    put(v->picture + 2, (uint32_t)size);
    put(v->picture + 10, HEAD);
    put(v->picture + 14, 40);
    put(v->picture + 18, (uint32_t)image->width);
    put(v->picture + 22, (uint32_t)-image->height); // rows from top to bottom
    put(v->picture + 26, 1 | 24 << 16);
    for (int y = 0; y < image->height; y++)
      for (int x = 0; x < image->width; x++) {
        const unsigned char *from = image->rgb + 3 * ((size_t)y * (size_t)image->width + (size_t)x);
        unsigned char *to = v->picture + HEAD + row * (size_t)y + 3 * (size_t)x;
        for (int c = 0; c < 3; c++) to[c] = from[2 - c];
      }
    v->size = size;
  }
  pthread_mutex_unlock(&v->lock);
}

void live_view_close(live_view *v) {
  if (!v) return;
  atomic_store(&v->is_ending, true);
  if (v->has_thread) pthread_join(v->thread, NULL);
  if (v->listener >= 0) close(v->listener);
  pthread_mutex_destroy(&v->lock);
  free(v->picture);
  free(v);
}

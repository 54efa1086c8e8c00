#include "live_view.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

struct live_view {
  int listener;
  pthread_t thread;
  bool has_thread;
  atomic_bool is_ending;
  pthread_mutex_t lock;
  unsigned char *picture; // a BMP file: nothing to compress, every browser shows it
  size_t size, capacity;
};

static const char page[] =
    "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>mien live</title>"
    "<style>body{margin:0;background:#222;display:grid;place-items:center;height:100vh}"
    "img{max-width:100vw;max-height:100vh}</style><img id=\"face\" alt=\"the simulated face\">"
    "<script>const face=document.getElementById('face');let n=0;"
    "const next=()=>{face.src='/frame.bmp?'+n++};"
    "face.onload=()=>requestAnimationFrame(next);face.onerror=()=>setTimeout(next,500);next()"
    "</script></html>\n";

// -- answers --------------------------------------------------------------------------------------

static void send_all(int to, const void *bytes, size_t size) {
  const char *at = bytes;
  while (size > 0) {
    ssize_t sent = send(to, at, size, MSG_NOSIGNAL);
    if (sent <= 0) return; // gone, or too slow
    at += sent;
    size -= (size_t)sent;
  }
}

static void answer_with(int to, const char *status, const char *type, const void *body,
                        size_t size) {
  char head[256];
  int length = snprintf(head, sizeof head,
                        "HTTP/1.1 %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\n"
                        "Cache-Control: no-store\r\nConnection: close\r\n\r\n",
                        status, type, size);
  send_all(to, head, (size_t)length);
  send_all(to, body, size);
}

static void answer_frame(live_view *v, int to) {
  pthread_mutex_lock(&v->lock);
  size_t size = v->size;
  unsigned char *copy = size ? malloc(size) : NULL;
  if (copy) memcpy(copy, v->picture, size);
  pthread_mutex_unlock(&v->lock);
  if (copy)
    answer_with(to, "200 OK", "image/bmp", copy, size);
  else
    answer_with(to, "503 Service Unavailable", "text/plain", "no picture yet\n", 15);
  free(copy);
}

// Only the first line of a request is read; a client that sends it too slowly is dropped.
static void answer(live_view *v, int to) {
  char request[1024] = {0};
  size_t length = 0;
  while (length < sizeof request - 1 && !strstr(request, "\r\n\r\n")) {
    ssize_t got = recv(to, request + length, sizeof request - 1 - length, 0);
    if (got <= 0) break;
    length += (size_t)got;
  }
  if (!strncmp(request, "GET / ", 6))
    answer_with(to, "200 OK", "text/html; charset=utf-8", page, sizeof page - 1);
  else if (!strncmp(request, "GET /frame.bmp", 14))
    answer_frame(v, to);
  else
    answer_with(to, "404 Not Found", "text/plain", "nothing here\n", 13);
  shutdown(to, SHUT_WR);
}

static void *serve(void *given) {
  live_view *v = given;
  struct timeval patience = {.tv_usec = 300000};
  while (!atomic_load(&v->is_ending)) {
    struct pollfd wait = {.fd = v->listener, .events = POLLIN};
    if (poll(&wait, 1, 100) <= 0) continue;
    int to = accept(v->listener, NULL, NULL);
    if (to < 0) continue;
    setsockopt(to, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    setsockopt(to, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    answer(v, to);
    close(to);
  }
  return NULL;
}

// -- the view -------------------------------------------------------------------------------------

static int listen_on(int port, int *out) {
  struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
  socklen_t size = sizeof at;
  int one = 1, s = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (s >= 0) setsockopt(s, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
  if (s < 0 || bind(s, (struct sockaddr *)&at, sizeof at) || listen(s, 8) ||
      getsockname(s, (struct sockaddr *)&at, &size)) {
    int code = cli_fail("no page can be shown at port %d: %s", port, strerror(errno));
    if (s >= 0) close(s);
    return code;
  }
  fprintf(stderr, "the face is shown at http://127.0.0.1:%d/\n", ntohs(at.sin_port));
  *out = s;
  return CLI_DONE;
}

int live_view_open(int port, live_view **out) {
  live_view *v = *out = calloc(1, sizeof *v);
  if (!v) return cli_fail("out of memory");
  v->listener = -1;
  pthread_mutex_init(&v->lock, NULL);
  int code = listen_on(port, &v->listener);
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

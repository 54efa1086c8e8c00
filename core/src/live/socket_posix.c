// UDP sockets of POSIX: they never wait, and are not inherited by programs a host starts.
#include "live/live.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#if defined(__linux__)
#include <linux/filter.h>
#include <linux/sock_diag.h>
#endif

static struct sockaddr_in to_system(const mi_peer *peer) {
  struct sockaddr_in out = {.sin_family = AF_INET, .sin_port = htons(peer->port)};
  out.sin_addr.s_addr = peer->address;
  return out;
}

bool mi_peer_parse(const char *address, int port, mi_peer *peer) {
  struct in_addr number;
  if (!strcmp(address, "localhost")) address = "127.0.0.1";
  if (port < 0 || port > 65535 || inet_pton(AF_INET, address, &number) != 1) return false;
  *peer = (mi_peer){number.s_addr, (uint16_t)port};
  return true;
}

int mi_socket_open(const mi_peer *at, const char **why) {
  struct sockaddr_in name = to_system(at);
  int s = socket(AF_INET, SOCK_DGRAM, 0);
  if (s >= 0 && fcntl(s, F_SETFD, FD_CLOEXEC) == 0 && fcntl(s, F_SETFL, O_NONBLOCK) == 0 &&
      bind(s, (const struct sockaddr *)&name, sizeof name) == 0)
    return s;
  *why = errno == EADDRINUSE      ? "another program listens there"
         : errno == EACCES        ? "this user may not listen there"
         : errno == EADDRNOTAVAIL ? "this machine does not have that address"
                                  : "the system refused the socket";
  if (s >= 0) close(s);
  return -1;
}

#if defined(__linux__)
void mi_socket_hear_only(int s, const mi_peer *peer) {
  enum { SENDER = 12, PORT = 0 }; // in the packet's IPv4 and UDP headers
  struct sock_filter words[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)(SKF_NET_OFF + SENDER)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, peer ? ntohl(peer->address) : 0, 0, 3),
      BPF_STMT(BPF_LD | BPF_H | BPF_ABS, PORT),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, peer ? peer->port : 0, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, UINT32_MAX),
      BPF_STMT(BPF_RET | BPF_K, 0)};
  if (peer && !peer->port) words[2] = words[4]; // any port
  struct sock_fprog filter = {.len = sizeof words / sizeof *words, .filter = words};
  if (peer)
    (void)setsockopt(s, SOL_SOCKET, SO_ATTACH_FILTER, &filter, sizeof filter);
  else
    (void)setsockopt(s, SOL_SOCKET, SO_DETACH_FILTER, &filter, sizeof filter);
}

uint32_t mi_socket_ndropped(int s) {
  uint32_t told[SK_MEMINFO_VARS] = {0};
  socklen_t size = sizeof told;
  return getsockopt(s, SOL_SOCKET, SO_MEMINFO, told, &size) == 0 ? told[SK_MEMINFO_DROPS] : 0;
}
#else
void mi_socket_hear_only(int s, const mi_peer *peer) {
  (void)s, (void)peer;
}

uint32_t mi_socket_ndropped(int s) {
  (void)s;
  return 0;
}
#endif

int mi_socket_port(int s) {
  struct sockaddr_in name;
  socklen_t size = sizeof name;
  return getsockname(s, (struct sockaddr *)&name, &size) == 0 ? ntohs(name.sin_port) : 0;
}

bool mi_socket_wait(int s, double seconds) {
  struct pollfd poll_for = {.fd = s, .events = POLLIN};
  return poll(&poll_for, 1, (int)(1e3 * seconds + 0.5)) > 0;
}

bool mi_socket_receive(int s, uint8_t bytes[MI_PACKET_BYTES], size_t *length, mi_peer *from) {
  struct sockaddr_in name;
  socklen_t size = sizeof name;
  for (int tries = 0; tries < 8; tries++) { // a refused packet of an earlier send is told here
    ssize_t n = recvfrom(s, bytes, MI_PACKET_BYTES, 0, (struct sockaddr *)&name, &size);
    if (n >= 0) {
      *from = (mi_peer){name.sin_addr.s_addr, ntohs(name.sin_port)};
      *length = (size_t)n;
      return true;
    }
    if (errno == EAGAIN || errno == EWOULDBLOCK) return false;
  }
  return false;
}

bool mi_socket_send(int s, const mi_peer *to, const void *bytes, size_t size) {
  struct sockaddr_in name = to_system(to);
  return sendto(s, bytes, size, 0, (const struct sockaddr *)&name, sizeof name) == (ssize_t)size;
}

void mi_socket_close(int s) {
  close(s);
}

// A stream: packets of one sender until it falls silent, the newest frame, and counters of rejected
// packets.
#include "live/stream.h"

#include <math.h>
#include <string.h>

static const double silence = 1; // s after which a stream is not live and another may speak
// A flood must not hold the caller: what one call receives, and what it looks into.
enum { MOST_PACKETS = 512, MOST_BYTES = 1 << 16 };
static const int ports[] = {11111, 49983, 39539};

static mien_result fail_address(mien_error *err, const char *address, int port) {
  return mi_fail(err, MIEN_ERR_ARGUMENT,
                 "'%.60s', port %d, is no address: a number like 192.168.0.12 is, or localhost",
                 address, port);
}

static bool is_same(const mi_peer *a, const mi_peer *b) {
  return a->address == b->address && a->port == b->port;
}

// The system drops what would be dropped here: a flood costs no time of a step, and the sender that
// is listened to keeps its place.
static void choose_sender(mien_stream *s, double now) {
  mi_peer only = {s->has_phone ? s->to.address : 0, 0};
  if (s->has_sender && now - s->heard <= silence) only = s->sender;
  if (is_same(&only, &s->only)) return;
  mi_socket_hear_only(s->socket, only.address ? &only : NULL);
  s->only = only;
}

static mien_result open_socket(mien_stream *s, const mien_stream_def *def, mien_error *err) {
  const char *address = def->address ? def->address : "localhost", *why = "";
  int port = def->port ? def->port : ports[def->protocol];
  mi_peer at;
  s->sends = def->sends != 0;
  if (s->sends) {
    if (port < 1 || !mi_peer_parse(address, port, &s->to)) return fail_address(err, address, port);
    mi_peer_parse("0.0.0.0", 0, &at);
  } else if (!mi_peer_parse(address, port < 0 ? 0 : port, &at)) {
    return fail_address(err, address, port);
  }
  if (def->phone && !mi_peer_parse(def->phone, ports[def->protocol], &s->to))
    return fail_address(err, def->phone, ports[def->protocol]);
  s->has_phone = def->phone != NULL;
  s->socket = mi_socket_open(&at, &why);
  if (s->socket < 0)
    return mi_fail(err, MIEN_ERR_IO, "cannot open UDP port %d at %.60s: %s", port, address, why);
  if (!s->sends) choose_sender(s, s->opened);
  s->info.port = s->sends ? port : mi_socket_port(s->socket);
  return MIEN_OK;
}

mien_result mi_stream_create(const mien_stream_def *def, const mien_host *host, mien_stream **out,
                             mien_error *err) {
  mien_stream *s = MI_CREATE(mien_stream, host);
  if (!s) return mi_fail_memory(err);
  s->protocol = def->protocol;
  mi_reading_init(&s->reading);
  for (int i = 0; i < MI_LIVE_CHANNELS; i++) s->channels[i] = s->reading.name[i];
  s->info.channels = s->channels;
  s->info.weights = s->reading.frame.weight;
  s->info.nchannel = s->reading.nchannel;
  s->info.head = s->reading.frame.head;
  s->opened = mi_clock();
  s->heard = s->greeted = -INFINITY;
  mien_result result = open_socket(s, def, err);
  if (result < 0) {
    mi_arena_delete(s->arena);
    return result;
  }
  *out = s;
  return MIEN_OK;
}

bool mi_stream_take(mien_stream *s, const uint8_t *bytes, size_t size, const mi_peer *from,
                    double now) {
  mien_stream_info *info = &s->info;
  info->npacket++;
  bool is_silent = now - s->heard > silence;
  bool is_unwanted = s->has_phone && from->address != s->to.address;
  if (is_unwanted || (s->has_sender && !is_silent && !is_same(from, &s->sender))) {
    info->nforeign++;
    return false;
  }
  // a new sender, and its clock
  if (is_silent) s->reading.frame.has_time = false;
  mi_packet packet = mi_packet_read(&s->reading, s->protocol, bytes, size);
  if (packet == MI_PACKET_BAD) {
    info->nmalformed++;
    return false;
  }
  s->sender = *from;
  s->has_sender = true;
  s->heard = now;
  info->nlate += packet == MI_PACKET_LATE;
  if (packet == MI_PACKET_NO_FACE) info->sees_face = 0;
  if (packet != MI_PACKET_FRAME) return false;
  info->sees_face = 1;
  info->nframe++;
  info->nchannel = s->reading.nchannel;
  info->has_head = s->reading.frame.has_head;
  info->head = s->reading.frame.head;
  info->sender_time = s->reading.frame.time;
  info->time = now - s->opened;
  return true;
}

// A phone that sleeps or was not ready hears the greeting again.
static void greet(mien_stream *s, double now) {
  if (!s->has_phone || s->protocol != MIEN_PROTOCOL_IFACIALMOCAP || now - s->heard < silence ||
      now - s->greeted < silence)
    return;
  const char *hello = mi_facial_mocap_hello();
  mi_socket_send(s->socket, &s->to, hello, strlen(hello));
  s->greeted = now;
}

static void count_dropped(mien_stream *s) {
  uint32_t told = mi_socket_ndropped(s->socket), more = told - s->ndropped;
  s->ndropped = told;
  s->info.npacket += more;
  s->info.nforeign += more;
}

static bool read_all(mien_stream *s) {
  bool is_new = false;
  mi_peer from;
  size_t looked_into = 0;
  for (int i = 0; i < MOST_PACKETS && looked_into < MOST_BYTES; i++) {
    size_t size;
    int64_t nforeign = s->info.nforeign;
    if (!mi_socket_receive(s->socket, s->packet, &size, &from)) break;
    is_new |= mi_stream_take(s, s->packet, size, &from, mi_clock());
    if (s->info.nforeign == nforeign) looked_into += size;
  }
  return is_new;
}

bool mi_stream_latest(mien_stream *s, double wait) {
  double until = mi_clock() + wait, now;
  bool is_new;
  for (;;) {
    greet(s, mi_clock());
    is_new = read_all(s);
    now = mi_clock();
    choose_sender(s, now);
    if (is_new || now >= until) break;
    mi_socket_wait(s->socket, fmin(until - now, silence / 2));
  }
  count_dropped(s);
  s->info.is_live = s->info.nframe > 0 && now - s->opened - s->info.time < silence;
  return is_new;
}

mien_result mi_stream_send(mien_stream *s, const mi_live_message *message, mien_error *err) {
  for (int next = 0; next >= 0;) {
    size_t size = s->protocol == MIEN_PROTOCOL_VMC ? mi_vmc_write(message, s->packet, &next)
                  : s->protocol == MIEN_PROTOCOL_LIVE_LINK
                      ? mi_live_link_write(message, s->packet, &next)
                      : mi_facial_mocap_write(message, s->packet, &next);
    if (!mi_socket_send(s->socket, &s->to, s->packet, size))
      return mi_fail(err, MIEN_ERR_IO, "the network did not take a packet of %zu bytes", size);
    s->info.npacket++;
  }
  s->info.nframe++;
  return MIEN_OK;
}

void mi_stream_free(mien_stream *s) {
  mi_socket_close(s->socket);
  mi_arena_delete(s->arena);
}

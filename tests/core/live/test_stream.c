// Streams over the loopback: a frame arrives, strangers and nonsense are counted, wrong definitions
// are refused.
#include "live/stream.h"
#include "scenes/scene.h"

#include <arpa/inet.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static mien_stream *listen_to(mien_protocol protocol) {
  mien_stream_def def;
  mien_stream *stream = NULL;
  mien_error err;
  mien_stream_def_init(&def);
  def.protocol = protocol;
  def.port = -1;
  if (mien_stream_create(&def, NULL, &stream, &err) < 0) fail_msg("%s", err.text);
  return stream;
}

static mien_stream *send_to(mien_protocol protocol, int port) {
  mien_stream_def def;
  mien_stream *stream = NULL;
  mien_error err;
  mien_stream_def_init(&def);
  def.protocol = protocol;
  def.sends = 1;
  def.port = port;
  if (mien_stream_create(&def, NULL, &stream, &err) < 0) fail_msg("%s", err.text);
  return stream;
}

static void frames_arrive(void **state) {
  (void)state;
  static const mien_protocol all[] = {MIEN_PROTOCOL_LIVE_LINK, MIEN_PROTOCOL_IFACIALMOCAP,
                                      MIEN_PROTOCOL_VMC};
  static const char *const names[] = {"jawOpen", "browInnerUp"};
  for (int p = 0; p < 3; p++) {
    mien_stream *in = listen_to(all[p]);
    const mien_stream_info *info = mien_stream_get_info(in);
    assert_true(info->port > 0 && info->nchannel == 52 && !strcmp(info->channels[17], "jawOpen"));
    assert_int_equal(mien_stream_latest(in, 0, NULL), MIEN_NO_FRAME);
    assert_false(info->is_live);
    mien_stream *out = send_to(all[p], info->port);
    mien_rigid head = {{0, 0.6, 0, 0.8}, {0, 0, 0}};
    for (int f = 0; f < 3; f++) { // of three the newest counts
      float weights[] = {0.25f * (float)(f + 1), 0.5f};
      assert_int_equal(mien_stream_send(out, names, weights, 2, &head, f / 60.0, NULL), MIEN_OK);
    }
    assert_int_equal(mien_stream_latest(in, 5, NULL), MIEN_OK);
    for (int tries = 0; info->nframe < 3 && tries < 50; tries++) mien_stream_latest(in, 0.1, NULL);
    assert_int_equal(info->nframe, 3);
    assert_true(info->is_live && info->sees_face && info->has_head);
    assert_true(info->weights[17] == 0.75f && info->weights[43] == 0.5f);
    assert_true(fabs(info->head.rotation[1] - 0.6) < 1e-6);
    assert_int_equal(info->nmalformed + info->nforeign + info->nlate, 0);
    mien_stream_free(out);
    mien_stream_free(in);
  }
}

enum { PACKET = 1024 };

static size_t write_packet_of(double time, uint8_t packet[PACKET]) {
  static const char *const names[] = {"jawOpen"};
  const mi_live_message message = {names, (float[]){0.5f}, 1, NULL, time};
  int next = 0;
  return mi_live_link_write(&message, packet, &next);
}

static size_t write_packet(uint8_t packet[PACKET]) {
  return write_packet_of(10, packet);
}

static void only_one_sender_is_heard(void **state) {
  (void)state;
  uint8_t packet[PACKET];
  size_t size = write_packet(packet);
  mien_stream *in = listen_to(MIEN_PROTOCOL_LIVE_LINK);
  const mien_stream_info *info = mien_stream_get_info(in);
  mi_peer phone = {1, 1}, stranger = {2, 2};
  double now = in->opened;
  assert_false(mi_stream_take(in, (const uint8_t *)"\xff hello", 7, &stranger, now));
  assert_int_equal(info->nmalformed, 1); // and gives a stranger no say
  assert_true(mi_stream_take(in, packet, size, &phone, now));
  assert_false(mi_stream_take(in, packet, size, &phone, now + 0.1));
  assert_int_equal(info->nlate, 1);
  assert_false(mi_stream_take(in, packet, size, &stranger, now + 0.2));
  assert_int_equal(info->nforeign, 1);
  assert_int_equal(info->nframe, 1);
  // the phone falls silent: another may speak, with a clock of its own
  assert_true(mi_stream_take(in, packet, size, &stranger, now + 5));
  assert_int_equal(info->npacket, 5);
  mien_stream_free(in);
}

static mien_stream *listen_to_phone(const char *phone) {
  mien_stream_def def;
  mien_stream *in = NULL;
  mien_error err;
  mien_stream_def_init(&def);
  def.port = -1;
  def.phone = phone;
  if (mien_stream_create(&def, NULL, &in, &err) < 0) fail_msg("%s", err.text);
  return in;
}

// The phone that is named is heard, and no other sender: not first, not when it is silent.
static void only_the_phone_named_is_heard(void **state) {
  (void)state;
  uint8_t packet[PACKET];
  size_t size = write_packet(packet);
  mien_stream *in = listen_to_phone("10.0.0.9");
  mi_peer phone, stranger;
  assert_true(mi_peer_parse("10.0.0.9", 5000, &phone));
  assert_true(mi_peer_parse("10.0.0.8", 5000, &stranger));
  assert_false(mi_stream_take(in, packet, size, &stranger, in->opened));
  assert_true(mi_stream_take(in, packet, size, &phone, in->opened + 0.1));
  assert_false(mi_stream_take(in, packet, size, &stranger, in->opened + 9));
  assert_int_equal(mien_stream_get_info(in)->nforeign, 2);
  mien_stream_free(in);
}

// An iFacialMocap phone speaks when it is greeted; one that sleeps is greeted once a second.
static void a_phone_that_sleeps_is_greeted_again(void **state) {
  (void)state;
  enum { PHONE = 49983 };
  static uint8_t hello[MI_PACKET_BYTES];
  mien_stream_def def;
  mien_stream *in;
  mien_error err;
  mi_peer at, from;
  size_t size;
  const char *why;
  mien_stream_def_init(&def);
  def.protocol = MIEN_PROTOCOL_IFACIALMOCAP;
  def.port = -1;
  def.phone = "127.0.0.1";
  assert_true(mi_peer_parse("127.0.0.1", PHONE, &at));
  int phone = mi_socket_open(&at, &why);
  if (phone < 0) { // somebody else has the port
    print_message("skipped: %s\n", why);
    skip();
  }
  if (mien_stream_create(&def, NULL, &in, &err) < 0) fail_msg("%s", err.text);
  for (int k = 0; k < 3; k++) {
    mi_stream_latest(in, 0);
    // the second time it is too soon, the third time a second has gone by
    assert_true(mi_socket_receive(phone, hello, &size, &from) == (k != 1));
    if (k == 1) in->greeted -= 1.5;
  }
  mi_socket_close(phone);
  mien_stream_free(in);
}

// A flood of another sender leaves no room for the one that is listened to unless the system drops
// it: the phone that is named, or the one that spoke first.
static void a_flood_takes_nobodys_place(void **state) {
  (void)state;
  enum { FLOOD = 3000 };
  static const char *const phones[] = {"127.0.0.1", NULL};
  // another address; another program of the same one
  static const char *const strangers[] = {"127.0.0.2", "127.0.0.1"};
  uint8_t packet[PACKET] = {0};
  for (int k = 0; k < 2; k++) {
    mien_stream *in = listen_to_phone(phones[k]);
    const mien_stream_info *info = mien_stream_get_info(in);
    mi_peer at, to;
    const char *why;
    assert_true(mi_peer_parse("127.0.0.1", info->port, &to));
    assert_true(mi_peer_parse("127.0.0.1", 0, &at));
    int own = mi_socket_open(&at, &why);
    assert_true(mi_peer_parse(strangers[k], 0, &at));
    int foreign = mi_socket_open(&at, &why);
    if (foreign < 0) { // not every system has the whole loopback
      print_message("skipped: %s\n", why);
      skip();
    }
    if (!phones[k]) {
      assert_true(mi_socket_send(own, &to, packet, write_packet_of(1, packet)));
      assert_true(mi_stream_latest(in, 2));
    }
    int64_t before = info->npacket;
    size_t size = write_packet_of(2, packet);
    for (int i = 0; i < FLOOD; i++) mi_socket_send(foreign, &to, packet, size);
    assert_true(mi_socket_send(own, &to, packet, size));
    assert_true(mi_stream_latest(in, 2));
#if defined(__linux__)
    assert_int_equal(info->nforeign, FLOOD);
    assert_int_equal(info->npacket, before + FLOOD + 1);
#endif
    // silence: whom the phone's name does not keep out may speak
    in->heard -= 2;
    mi_stream_latest(in, 0);
    assert_true(mi_socket_send(foreign, &to, packet, write_packet_of(3, packet)));
    assert_int_equal(mi_stream_latest(in, 0.2), phones[k] == NULL);
    mi_socket_close(foreign);
    mi_socket_close(own);
    mien_stream_free(in);
  }
}

// One sender may flood, too: a call looks into so much and leaves the rest to the next one.
static void a_call_does_not_read_for_ever(void **state) {
  (void)state;
  enum { LARGE = 40000, TIMES = 4 };
  static char packet[LARGE];
  mien_stream *in = listen_to(MIEN_PROTOCOL_IFACIALMOCAP);
  const mien_stream_info *info = mien_stream_get_info(in);
  const char *why;
  mi_peer any, to;
  assert_true(mi_peer_parse("127.0.0.1", 0, &any) && mi_peer_parse("127.0.0.1", info->port, &to));
  int sender = mi_socket_open(&any, &why);
  for (int i = 0; i < LARGE; i += 4) memcpy(packet + i, "a-1|", 4);
  for (int k = 0; k < TIMES; k++) assert_true(mi_socket_send(sender, &to, packet, LARGE));
  assert_true(mi_stream_latest(in, 2));
  assert_int_equal(info->npacket, 2);
  assert_true(mi_stream_latest(in, 2));
  assert_int_equal(info->npacket, TIMES);
  mi_socket_close(sender);
  mien_stream_free(in);
}

// Packets of nothing, more than are read at a try, do not hide the frame behind them.
static void empty_packets_are_counted(void **state) {
  (void)state;
  enum { EMPTY = 20 };
  uint8_t packet[PACKET];
  size_t size = write_packet(packet);
  mien_stream *in = listen_to(MIEN_PROTOCOL_LIVE_LINK);
  const mien_stream_info *info = mien_stream_get_info(in);
  struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((uint16_t)info->port)};
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  int s = socket(AF_INET, SOCK_DGRAM, 0);
  for (int k = 0; k <= EMPTY; k++)
    assert_int_equal(sendto(s, packet, k < EMPTY ? 0 : size, 0, (struct sockaddr *)&to, sizeof to),
                     k < EMPTY ? 0 : (int)size);
  close(s);
  assert_int_equal(mien_stream_latest(in, 0, NULL), MIEN_OK);
  assert_int_equal(info->nmalformed, EMPTY);
  assert_int_equal(info->nframe, 1);
  mien_stream_free(in);
}

// What the system says about where a port listens: an address as in the kernel's table, or "".
static void listening_at(int port, char address[9]) {
  char line[256];
  FILE *table = fopen("/proc/net/udp", "r");
  address[0] = 0;
  if (!table) return;
  while (fgets(line, sizeof line, table)) {
    char at[9];
    unsigned at_port;
    if (sscanf(line, " %*d: %8[0-9A-F]:%x", at, &at_port) == 2 && (int)at_port == port)
      memcpy(address, at, sizeof at);
  }
  fclose(table);
}

static void only_this_machine_is_heard(void **state) {
  (void)state;
  char address[9];
  mien_stream_def def;
  mien_stream *open = NULL, *in = listen_to(MIEN_PROTOCOL_VMC);
  listening_at(mien_stream_get_info(in)->port, address);
  if (!*address) {
    printf("skipped: this system does not tell\n");
    mien_stream_free(in);
    return;
  }
  uint32_t loopback = htonl(INADDR_LOOPBACK);
  char expected[9];
  snprintf(expected, sizeof expected, "%08X", loopback);
  assert_string_equal(address, expected);
  mien_stream_def_init(&def);
  def.port = -1;
  def.address = "0.0.0.0"; // only when told
  assert_int_equal(mien_stream_create(&def, NULL, &open, NULL), MIEN_OK);
  listening_at(mien_stream_get_info(open)->port, address);
  assert_string_equal(address, "00000000");
  mien_stream_free(open);
  mien_stream_free(in);
}

static void wrong_definitions_are_refused(void **state) {
  (void)state;
  mien_stream_def def;
  mien_stream *stream = NULL;
  mien_error err;
  assert_int_equal(mien_stream_create(NULL, NULL, &stream, &err), MIEN_ERR_ARGUMENT);
  def = (mien_stream_def){0};
  assert_int_equal(mien_stream_create(&def, NULL, &stream, &err), MIEN_ERR_OPTIONS);
  mien_stream_def_init(&def);
  def.protocol = 7;
  assert_int_equal(mien_stream_create(&def, NULL, &stream, &err), MIEN_ERR_OPTIONS);
  mien_stream_def_init(&def);
  def.address = "no such place";
  assert_int_equal(mien_stream_create(&def, NULL, &stream, &err), MIEN_ERR_ARGUMENT);
  def.address = "203.0.113.7"; // documentation's: not this machine
  assert_int_equal(mien_stream_create(&def, NULL, &stream, &err), MIEN_ERR_IO);
  def.address = NULL;
  def.port = 70000;
  assert_int_equal(mien_stream_create(&def, NULL, &stream, &err), MIEN_ERR_ARGUMENT);
  mien_stream_def_init(&def);
  def.phone = "192.168.0.2"; // nothing is sent to the phone that sends
  def.sends = 1;
  assert_int_equal(mien_stream_create(&def, NULL, &stream, &err), MIEN_ERR_OPTIONS);
  assert_null(stream);

  mien_stream *in = listen_to(MIEN_PROTOCOL_VMC);
  mien_stream_def_init(&def);
  def.port = mien_stream_get_info(in)->port;
  assert_int_equal(mien_stream_create(&def, NULL, &stream, &err), MIEN_ERR_IO);
  assert_non_null(strstr(err.text, "another program"));
  assert_int_equal(mien_stream_latest(in, NAN, &err), MIEN_ERR_ARGUMENT);
  assert_int_equal(mien_stream_send(in, NULL, NULL, 0, NULL, 0, &err), MIEN_ERR_ARGUMENT);
  mien_stream *out = send_to(MIEN_PROTOCOL_VMC, def.port);
  static const char *const names[] = {"jawOpen"};
  assert_int_equal(mien_stream_send(out, names, (float[]){NAN}, 1, NULL, 0, &err),
                   MIEN_ERR_NOT_FINITE);
  assert_int_equal(mien_stream_latest(out, 0, &err), MIEN_ERR_ARGUMENT);
  mien_stream_free(out);
  mien_stream_free(in);
  mien_stream_free(NULL);
  assert_null(mien_stream_get_info(NULL));
  assert_int_equal(mien_stream_latest(NULL, 0, NULL), MIEN_ERR_ARGUMENT);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(frames_arrive),
      cmocka_unit_test(only_one_sender_is_heard),
      cmocka_unit_test(only_the_phone_named_is_heard),
      cmocka_unit_test(a_phone_that_sleeps_is_greeted_again),
      cmocka_unit_test(a_flood_takes_nobodys_place),
      cmocka_unit_test(a_call_does_not_read_for_ever),
      cmocka_unit_test(empty_packets_are_counted),
      cmocka_unit_test(only_this_machine_is_heard),
      cmocka_unit_test(wrong_definitions_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

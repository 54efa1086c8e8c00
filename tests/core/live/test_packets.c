// Packets of the three protocols: known vectors, there and back, and what must be refused.
#include "live/live.h"
#include "live/osc.h"
#include "scenes/scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[] = {"jawOpen", "mouthSmile_L", "EyeBlinkRight", "Joy"};
static const float weights[] = {0.5f, 0.25f, 1, 0.125f};
static const mien_rigid head = {{0.1, 0.2, -0.1, 0.9695359714832658}, {0.01, -0.02, 0.5}};
static const mi_live_message message = {names, weights, 4, &head, 3.5};

static const mien_protocol protocols[] = {MIEN_PROTOCOL_LIVE_LINK, MIEN_PROTOCOL_IFACIALMOCAP,
                                          MIEN_PROTOCOL_VMC};

static size_t write_packet(mien_protocol protocol, uint8_t *out) {
  int next = 0;
  size_t size = protocol == MIEN_PROTOCOL_LIVE_LINK ? mi_live_link_write(&message, out, &next)
                : protocol == MIEN_PROTOCOL_IFACIALMOCAP
                    ? mi_facial_mocap_write(&message, out, &next)
                    : mi_vmc_write(&message, out, &next);
  assert_int_equal(next, -1);
  return size;
}

static float weight_of(const mi_reading *reading, const char *name) {
  for (int i = 0; i < reading->nchannel; i++)
    if (!strcmp(reading->name[i], name)) return reading->frame.weight[i];
  fail_msg("no channel %s", name);
  return 0;
}

static void what_is_written_comes_back(void **state) {
  (void)state;
  for (int p = 0; p < 3; p++) {
    uint8_t packet[2048];
    size_t size = write_packet(protocols[p], packet);
    mi_reading reading;
    mi_reading_init(&reading);
    assert_int_equal(mi_packet_read(&reading, protocols[p], packet, size), MI_PACKET_FRAME);
    assert_true(weight_of(&reading, "jawOpen") == 0.5f);
    assert_true(weight_of(&reading, "mouthSmileLeft") == 0.25f);
    assert_true(weight_of(&reading, "eyeBlinkRight") == 1);
    assert_true(weight_of(&reading, "mouthSmileRight") == 0);
    if (protocols[p] == MIEN_PROTOCOL_VMC) assert_true(weight_of(&reading, "Joy") == 0.125f);
    assert_true(reading.frame.has_head);
    for (int i = 0; i < 4; i++)
      assert_true(fabs(reading.frame.head.rotation[i] - head.rotation[i]) < 1e-6);
    for (int i = 0; i < 3 && protocols[p] != MIEN_PROTOCOL_LIVE_LINK; i++)
      assert_true(fabs(reading.frame.head.translation[i] - head.translation[i]) < 1e-6);
  }
}

// The start and the end of a packet that a phone sent (Live Link Face on an iPhone).
static void a_phones_own_packet_is_read(void **state) {
  (void)state;
  uint8_t packet[312] = {0}, *at = packet;
  static const uint8_t clock[] = {0x00, 0x0a, 0x3f, 0xd9, 0x3f, 0x07, 0x02, 0x80,
                                  0x00, 0x00, 0x00, 0x3c, 0x00, 0x00, 0x00, 0x01};
  *at = 6;
  at += 4;
  *at++ = 36;
  memcpy(at, "5904AA4B-0000-0000-0000-000000000000", 36);
  at += 36 + 3;
  *at++ = 6;
  memcpy(at, "iPhone", 6);
  memcpy(at + 6, clock, sizeof clock);
  at += 6 + sizeof clock;
  size_t without_face = (size_t)(at - packet);
  *at++ = 61;
  assert_int_equal(packet + sizeof packet - at, 61 * 4);
  static const uint8_t w2[] = {0x3e, 0xc9, 0xb8, 0x66}; // 0.393985
  memcpy(at + 8, w2, 4);
  mi_reading reading;
  mi_reading_init(&reading);
  assert_int_equal(mi_live_link_read(&reading, packet, without_face), MI_PACKET_NO_FACE);
  assert_int_equal(mi_live_link_read(&reading, packet, sizeof packet), MI_PACKET_FRAME);
  assert_true(fabs((double)weight_of(&reading, "eyeLookInLeft") - 0.393985) < 1e-6);
  assert_true(fabs(reading.frame.time - ((671705 + 0.527381897) / 60)) < 1e-6);
  assert_int_equal(mi_live_link_read(&reading, packet, sizeof packet), MI_PACKET_LATE);
}

static void a_line_of_ifacialmocap_is_read(void **state) {
  (void)state;
  static const char *const lines[] = {
      "mouthSmile_R-40|eyeBlink_L-7|jawOpen-100|=head#10,20,-30,0.1,0.2,-0.3|rightEye#0,0,0|"
      "leftEye#0,0,0|",
      "mouthSmile_R&40|eyeBlink_L&7.0|jawOpen&100|=head#10,20,-30,0.1,0.2,-0.3|rightEye#0,0,0|"};
  for (int i = 0; i < 2; i++) {
    mi_reading reading;
    mi_reading_init(&reading);
    mi_packet packet = mi_facial_mocap_read(&reading, (const uint8_t *)lines[i], strlen(lines[i]));
    assert_int_equal(packet, MI_PACKET_FRAME);
    assert_true(fabs((double)weight_of(&reading, "mouthSmileRight") - 0.4) < 1e-6);
    assert_true(fabs((double)weight_of(&reading, "eyeBlinkLeft") - 0.07) < 1e-6);
    double yaw, pitch, roll, degree = acos(-1) / 180;
    mi_angles_from_rotation(reading.frame.head.rotation, &yaw, &pitch, &roll);
    assert_true(fabs(pitch - (10 * degree)) < 1e-9);
    assert_true(fabs(yaw - (-20 * degree)) < 1e-9);
    assert_true(fabs(roll - (30 * degree)) < 1e-9);
    assert_true(fabs(reading.frame.head.translation[0] - (-0.1)) < 1e-9);
  }
}

// 52 shapes do not fit one Ethernet packet: two bundles, and a frame only when both are there.
static void vmc_splits_a_whole_face(void **state) {
  (void)state;
  const char *all[MI_ARKIT_SHAPES];
  float values[MI_ARKIT_SHAPES];
  for (int i = 0; i < MI_ARKIT_SHAPES; i++) all[i] = mi_arkit_name(i), values[i] = (float)i / 64;
  mi_live_message whole = {all, values, MI_ARKIT_SHAPES, &head, 1};
  mi_reading reading;
  mi_reading_init(&reading);
  int npacket = 0;
  for (int next = 0; next >= 0; npacket++) {
    uint8_t packet[2048];
    size_t size = mi_vmc_write(&whole, packet, &next);
    assert_in_range(size, 16, 1500);
    assert_int_equal(mi_vmc_read(&reading, packet, size),
                     next < 0 ? MI_PACKET_FRAME : MI_PACKET_PART);
    if (next >= 0) assert_true(reading.frame.weight[1] == 0);
  }
  assert_int_equal(npacket, 2);
  for (int i = 0; i < MI_ARKIT_SHAPES; i++) assert_true(reading.frame.weight[i] == values[i]);
  assert_int_equal(reading.nchannel, MI_ARKIT_SHAPES);
}

// A name that would move a terminal's cursor, or is not UTF-8, is no channel; the frame counts.
static void odd_names_are_no_channels(void **state) {
  (void)state;
  static const char line[] = "a\x1b[2J-10|M\xe4ul-20|J\xc3\xb6y-30|jawOpen-40|";
  mi_reading reading;
  mi_reading_init(&reading);
  assert_int_equal(mi_facial_mocap_read(&reading, (const uint8_t *)line, sizeof line - 1),
                   MI_PACKET_FRAME);
  assert_int_equal(reading.nchannel, MI_ARKIT_SHAPES + 1);
  assert_string_equal(reading.name[MI_ARKIT_SHAPES], "J\xc3\xb6y");
  assert_true(reading.frame.weight[mi_arkit_find("jawOpen")] == 0.4f);
}

// Cut anywhere a packet is refused or is a whole one of its own, and refused ones change nothing.
static void damaged_packets_change_nothing(void **state) {
  (void)state;
  for (int p = 0; p < 3; p++) {
    uint8_t packet[2048];
    size_t size = write_packet(protocols[p], packet);
    int nbad = 0;
    for (size_t cut = 0; cut < size; cut++) {
      mi_reading reading, before;
      mi_reading_init(&reading);
      before = reading;
      uint8_t *exact = malloc(cut + 1); // so that the sanitizer sees a read behind the end
      memcpy(exact, packet, cut);
      if (mi_packet_read(&reading, protocols[p], exact, cut) == MI_PACKET_BAD) {
        nbad++;
        assert_memory_equal(&reading, &before, sizeof before);
      }
      free(exact);
    }
    assert_true(nbad > (int)size / 2);
  }
}

static void nonsense_is_refused(void **state) {
  (void)state;
  uint8_t packet[2048];
  mi_reading reading;
  mi_reading_init(&reading);
  size_t size = write_packet(MIEN_PROTOCOL_LIVE_LINK, packet);
  static const uint8_t nan_bytes[] = {0x7f, 0xc0, 0, 0};
  memcpy(packet + size - 4, nan_bytes, 4);
  assert_int_equal(mi_live_link_read(&reading, packet, size), MI_PACKET_BAD);
  assert_int_equal(mi_facial_mocap_read(&reading, (const uint8_t *)"jawOpen-1e9|", 12),
                   MI_PACKET_BAD);
  assert_int_equal(mi_facial_mocap_read(&reading, (const uint8_t *)"|||||", 5), MI_PACKET_BAD);
  // values outside 0-1 are brought back, names beyond the table are left out
  assert_int_equal(mi_facial_mocap_read(&reading, (const uint8_t *)"jawOpen-170|", 12),
                   MI_PACKET_FRAME);
  assert_true(weight_of(&reading, "jawOpen") == 1);
  for (int i = 0; i < 1000; i++) {
    char line[32];
    int length = snprintf(line, sizeof line, "shape%d-10|", i);
    assert_int_equal(mi_facial_mocap_read(&reading, (const uint8_t *)line, (size_t)length),
                     MI_PACKET_FRAME);
  }
  assert_int_equal(reading.nchannel, MI_LIVE_CHANNELS);
  // a bundle in a bundle in a bundle ... is cut off
  uint8_t nested[16 * 10 + 4 * 10];
  size_t n = sizeof nested;
  for (size_t at = 0; at + 16 <= n; at += 20) {
    memcpy(nested + at, "#bundle\0\0\0\0\0\0\0\0\1", 16);
    if (at + 20 > n) break;
    size_t rest = n - at - 20;
    memcpy(nested + at + 16, (uint8_t[]){0, 0, (uint8_t)(rest >> 8), (uint8_t)rest}, 4);
  }
  assert_false(mi_osc_walk(nested, n, NULL, NULL));
}

// A piece may not be longer than its packet, even where there are bytes; numbers are finite.
static void a_bundle_keeps_to_its_packet(void **state) {
  (void)state;
  uint8_t bytes[256];
  mi_osc_writer writer;
  mi_osc_begin(&writer, bytes, sizeof bytes);
  assert_true(mi_osc_add(&writer, "/a", "f", NULL, (const float[]){1}));
  assert_true(mi_osc_walk(bytes, writer.size, NULL, NULL));
  assert_false(mi_osc_walk(bytes, writer.size - 4, NULL, NULL));
  memcpy(bytes + writer.size - 4, (const uint8_t[]){0x7f, 0x80, 0, 0}, 4); // infinite
  assert_false(mi_osc_walk(bytes, writer.size, NULL, NULL));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_is_written_comes_back),
      cmocka_unit_test(a_phones_own_packet_is_read),
      cmocka_unit_test(a_line_of_ifacialmocap_is_read),
      cmocka_unit_test(vmc_splits_a_whole_face),
      cmocka_unit_test(odd_names_are_no_channels),
      cmocka_unit_test(damaged_packets_change_nothing),
      cmocka_unit_test(nonsense_is_refused),
      cmocka_unit_test(a_bundle_keeps_to_its_packet),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

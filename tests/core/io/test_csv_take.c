// CSV takes: Live Link Face, head motion, and every odd line people record.
#include "fixture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int nlog;
static char last_log[512];
static void keep_log(void *user, mien_log_level level, const char *text) {
  (void)user;
  (void)level;
  nlog++;
  snprintf(last_log, sizeof last_log, "%s", text);
}

static mien_result read_text(const char *text, mien_take **take, mien_error *err) {
  mien_host host = fixture_host();
  host.log = keep_log;
  nlog = 0;
  last_log[0] = 0;
  return mi_csv_read_take(text, strlen(text), &host, take, err);
}

static mien_take *read_good(const char *text) {
  mien_take *take = NULL;
  mien_error err;
  if (read_text(text, &take, &err) < 0) fail_msg("%s", err.text);
  return take;
}

static void refuse(const char *text, mien_result code, const char *says) {
  mien_take *take = NULL;
  mien_error err;
  assert_int_equal(read_text(text, &take, &err), code);
  assert_null(take);
  assert_text_has(err.text, says);
}

static void reads_live_link_face(void **state) {
  (void)state;
  mien_take *take = read_good("Timecode,BlendShapeCount,JawOpen,MouthClose,HeadYaw,LeftEyeYaw\n"
                              "13:13:04:31.652,61,0.5,0.25,0.1,9\n"
                              "13:13:04:33.651,61,0.75,0,0.2,9\n");
  assert_int_equal(take->info.nchannel, 2);
  assert_string_equal(take->info.channels[0], "JawOpen");
  assert_string_equal(take->info.channels[1], "MouthClose");
  assert_int_equal(take->info.nframe, 2);
  assert_true(take->info.times[0] == 0);
  assert_near(take->info.times[1], 1.999 / 60, 1e-9);
  assert_true(take->info.weights[0] == 0.5f && take->info.weights[2] == 0.75f);
  assert_non_null(take->info.head);
  assert_near(take->info.head[1].rotation[1], sin(0.1), 1e-12);
  fixture_free_take(take);
}

// Shots that hosts write hold the head's rotation exactly.
static void reads_a_quaternion(void **state) {
  (void)state;
  mien_take *take = read_good("Time,HeadX,HeadQX,HeadQY,HeadQZ,HeadQW\n0,0.125,0,0.6,0,0.8\n");
  assert_true(take->info.head[0].translation[0] == 0.125);
  assert_near(take->info.head[0].rotation[1], 0.6, 1e-15);
  assert_near(take->info.head[0].rotation[3], 0.8, 1e-15);
  fixture_free_take(take);
  refuse("Time,HeadQX,HeadQY\n0,0,1\n", MIEN_ERR_FORMAT, "four columns");
  refuse("Time,HeadQX,HeadQY,HeadQZ,HeadQW\n0,0,0,0,0\n", MIEN_ERR_ARGUMENT, "unit quaternion");
}

// Positive yaw turns the nose (+Z) to +X, positive pitch lowers it, positive roll lifts +X.
static void angles_turn_the_documented_way(void **state) {
  (void)state;
  static const struct {
    const char *column;
    double from[3], to[3];
  } cases[] = {{"HeadYaw", {0, 0, 1}, {1, 0, 0}},
               {"HeadPitch", {0, 0, 1}, {0, -1, 0}},
               {"HeadRoll", {1, 0, 0}, {0, 1, 0}}};
  for (int c = 0; c < 3; c++) {
    char text[100];
    snprintf(text, sizeof text, "Time,%s\n0,1.5707963267948966\n", cases[c].column);
    mien_take *take = read_good(text);
    const double *q = take->info.head[0].rotation, *v = cases[c].from;
    double t[3], out[3]; // v + 2 w (q x v) + 2 q x (q x v)
    for (int k = 0; k < 3; k++)
      t[k] = 2 * (q[(k + 1) % 3] * v[(k + 2) % 3] - q[(k + 2) % 3] * v[(k + 1) % 3]);
    for (int k = 0; k < 3; k++) {
      out[k] =
          v[k] + q[3] * t[k] + q[(k + 1) % 3] * t[(k + 2) % 3] - q[(k + 2) % 3] * t[(k + 1) % 3];
      assert_near(out[k], cases[c].to[k], 1e-12);
    }
    fixture_free_take(take);
  }
}

static void angles_apply_in_the_documented_order(void **state) {
  (void)state;
  mien_take *take = read_good("Time,HeadYaw,HeadPitch,HeadRoll\n0,0.3,-0.5,0.7\n");
  const double *q = take->info.head[0].rotation;
  double x = q[0], y = q[1], z = q[2], w = q[3];
  // R = Ry Rx Rz: the middle row is (cos p sin r, cos p cos r, -sin p), the last column
  // (sin y cos p, -sin p, cos y cos p)
  assert_near(2 * (x * y + w * z), cos(-0.5) * sin(0.7), 1e-12);
  assert_near(1 - 2 * (x * x + z * z), cos(-0.5) * cos(0.7), 1e-12);
  assert_near(2 * (y * z - w * x), -sin(-0.5), 1e-12);
  assert_near(2 * (x * z + w * y), sin(0.3) * cos(-0.5), 1e-12);
  fixture_free_take(take);
}

static void reads_head_motion_alone(void **state) {
  (void)state;
  mien_take *take = read_good("Time,HeadX,HeadY,HeadZ,HeadYaw,HeadPitch,HeadRoll\n"
                              "-0.5,1,2,3,0,0,0\n0.5,1.5,2,3,0,0,0\n");
  assert_int_equal(take->info.nchannel, 0);
  assert_true(take->info.times[0] == -0.5);
  assert_true(take->info.head[1].translation[0] == 1.5);
  assert_true(take->info.head[1].rotation[3] == 1);
  fixture_free_take(take);
}

static void accepts_what_spreadsheets_write(void **state) {
  (void)state;
  mien_take *take = read_good("\xEF\xBB\xBF\"Time\", \"jaw,Open\" ,b,\r\n"
                              "\r\n"
                              "0, 0.5 ,\"1\",\r\n"
                              ",,,\r\n"
                              "1,0.25,0.5,\r\n\r\n");
  assert_int_equal(take->info.nchannel, 2);
  assert_string_equal(take->info.channels[0], "jaw,Open");
  assert_int_equal(take->info.nframe, 2);
  assert_true(take->info.weights[1] == 1 && take->info.weights[3] == 0.5f);
  assert_int_equal(nlog, 0);
  fixture_free_take(take);
}

static void rows_without_a_face_are_left_out(void **state) {
  (void)state;
  mien_take *take = read_good("Timecode,BlendShapeCount,JawOpen,Smile\n"
                              "00:00:01:00,61,0.5,1\n"
                              "00:00:01:02,0,,\n"
                              "00:00:01:04,0\n"
                              "00:00:01:06,61,0.7,\n");
  assert_int_equal(take->info.nframe, 2);
  assert_true(take->info.weights[2] == 0.7f && take->info.weights[3] == 1); // held
  assert_near(take->info.times[1], 0.1, 1e-12);
  assert_text_has(last_log, "2 rows");
  fixture_free_take(take);
}

static void time_only_runs_forward(void **state) {
  (void)state;
  mien_take *take = read_good("Time,a\n0,1\n1,2\n1,3\n0.5,4\n2,5\n");
  assert_int_equal(take->info.nframe, 3);
  assert_true(take->info.weights[2] == 5);
  assert_text_has(last_log, "2 rows");
  fixture_free_take(take);
}

static void midnight_passes(void **state) {
  (void)state;
  mien_take *take = read_good("Timecode,a\n23:59:59:30,1\n00:00:00:00,2\n00:00:00:30,3\n");
  assert_int_equal(take->info.nframe, 3);
  assert_near(take->info.times[2], 1, 1e-9);
  assert_int_equal(nlog, 0);
  fixture_free_take(take);
}

static void slower_timecodes_are_recognised(void **state) {
  (void)state;
  char text[4096] = "Timecode,a\n";
  for (int f = 0; f < 150; f++)
    snprintf(text + strlen(text), sizeof text - strlen(text), "10:00:%02d:%02d,0\n", f / 30,
             f % 30);
  mien_take *take = read_good(text);
  assert_near(take->info.end, 149 / 30.0, 1e-9);
  fixture_free_take(take);
}

static void a_killed_recording_ends_before_its_last_line(void **state) {
  (void)state;
  mien_take *take = read_good("Time,a,b\n0,1,2\n1,3");
  assert_int_equal(take->info.nframe, 1);
  assert_int_equal(nlog, 1);
  fixture_free_take(take);
}

static void errors_name_line_and_column(void **state) {
  (void)state;
  refuse("Time,JawOpen\n0,1\n1,abc\n2,1\n", MIEN_ERR_FORMAT, "line 3, column 2 (JawOpen): \"abc\"");
  refuse("Time,JawOpen\n0,nan\n", MIEN_ERR_NOT_FINITE, "line 2, column 2 (JawOpen)");
  refuse("Time,JawOpen\n0,1e39\n", MIEN_ERR_NOT_FINITE, "line 2, column 2");
  refuse("Timecode,JawOpen\n12:00,1\n", MIEN_ERR_FORMAT, "line 2, column 1 (Timecode): \"12:00\"");
  refuse("Timecode,JawOpen\n25:00:00:00,1\n", MIEN_ERR_FORMAT, "25:00:00:00");
  refuse("Time,a\n0,1,2,3\n1,1\n", MIEN_ERR_FORMAT, "line 2 has 4 cells");
  refuse("Time,a,b\n0,1\n1,1,1\n", MIEN_ERR_FORMAT, "line 2 has 2 cells");
  refuse("Time,a\n0,\"1\n", MIEN_ERR_FORMAT, "line 2: a quote");
  refuse("Time,a,a\n0,1,1\n", MIEN_ERR_FORMAT, "two columns named \"a\"");
  refuse("a,b\n0,1\n", MIEN_ERR_FORMAT, "Timecode or Time");
  refuse("Time,Timecode,a\n0,1,1\n", MIEN_ERR_FORMAT, "both hold the time");
  refuse("Time,HeadX,a,headx\n0,1,1,1\n", MIEN_ERR_FORMAT, "columns 2 and 4 both hold the head's");
  refuse("Time,BlendShapeCount\n0,1\n", MIEN_ERR_FORMAT, "no shapes");
  refuse("Time,a\n", MIEN_ERR_FORMAT, "no frames");
  refuse("", MIEN_ERR_FORMAT, "no first line");
}

// Many columns and many short lines must not multiply into memory.
static void size_is_bounded_by_the_file(void **state) {
  (void)state;
  size_t n = 200000;
  char *text = malloc(4 * n + 100), *at = text;
  at += sprintf(at, "Time");
  for (size_t i = 0; i < n / 10; i++) at += sprintf(at, ",c%zu", i);
  for (size_t i = 0; i < n; i++) at += sprintf(at, "\n1");
  mien_host host = fixture_host();
  host.memory_limit = 100 << 20;
  mien_take *take = NULL;
  assert_int_equal(mi_csv_read_take(text, (size_t)(at - text), &host, &take, NULL),
                   MIEN_ERR_FORMAT);
  free(text);
}

static void reads_a_real_recording(void **state) {
  (void)state;
  const char *path = fixture_shared("captures-arkit/alex_rom_3.csv.gz");
  char command[600];
  if (!path) skip();
  const char *plain = fixture_path("real.csv");
  snprintf(command, sizeof command, "gzip -dc '%s' > '%s'", path, plain);
  if (system(command) != 0) skip();
  size_t size;
  unsigned char *bytes = fixture_read(plain, &size);
  mien_host host = fixture_host();
  mien_take *take = NULL;
  mien_error err;
  if (mi_csv_read_take(bytes, size, &host, &take, &err) < 0) fail_msg("%s", err.text);
  assert_int_equal(take->info.nchannel, 52);
  assert_true(take->info.nframe > 4000);
  assert_near(take->info.frame_rate, 30, 0.1);
  fixture_free_take(take);
  free(bytes);
}

static mien_result read_once(const mien_host *host, void *user) {
  mien_take *take;
  mien_result result = mi_csv_read_take(user, strlen(user), host, &take, NULL);
  if (result >= 0) fixture_free_take(take);
  return result;
}

static void survives_a_lack_of_memory(void **state) {
  (void)state;
  char text[60000] = "Time,HeadX";
  for (int i = 0; i < 100; i++) snprintf(text + strlen(text), 32, ",channel_%d", i);
  for (int f = 0; f < 100; f++) {
    snprintf(text + strlen(text), 32, "\n%d", f);
    for (int i = 0; i < 101; i++) strcat(text, ",0.5");
  }
  scene_fail_every_allocation(read_once, text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(reads_live_link_face),
      cmocka_unit_test(reads_a_quaternion),
      cmocka_unit_test(angles_turn_the_documented_way),
      cmocka_unit_test(angles_apply_in_the_documented_order),
      cmocka_unit_test(reads_head_motion_alone),
      cmocka_unit_test(accepts_what_spreadsheets_write),
      cmocka_unit_test(rows_without_a_face_are_left_out),
      cmocka_unit_test(time_only_runs_forward),
      cmocka_unit_test(midnight_passes),
      cmocka_unit_test(slower_timecodes_are_recognised),
      cmocka_unit_test(a_killed_recording_ends_before_its_last_line),
      cmocka_unit_test(errors_name_line_and_column),
      cmocka_unit_test(size_is_bounded_by_the_file),
      cmocka_unit_test(reads_a_real_recording),
      cmocka_unit_test(survives_a_lack_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

// Videos, sequences, pipes and streams: whole, cut off, absent, broken off.
#include "capture.h"
#include "scenes/scene.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WIDTH = 64, HEIGHT = 48, NFRAME = 60 };

static char folder[64];

static const char *in_folder(const char *name) {
  static char path[4][256];
  static int turn;
  turn = (turn + 1) % 4;
  snprintf(path[turn], sizeof path[turn], "%s/%s", folder, name);
  return path[turn];
}

static void shell(const char *format, ...) {
  char command[1024];
  va_list args;
  va_start(args, format);
  vsnprintf(command, sizeof command, format, args);
  va_end(args);
  if (system(command)) fail_msg("failed: %s", command);
}

static int make_folder(void **state) {
  (void)state;
  snprintf(folder, sizeof folder, "capture_XXXXXX");
  if (!mkdtemp(folder)) return 1;
  shell("ffmpeg -v error -f lavfi -i color=red:s=%dx%d:r=25 -frames:v %d -c:v mjpeg -q:v 2 %s",
        WIDTH, HEIGHT, NFRAME, in_folder("red.avi"));
  return 0;
}

static int remove_folder(void **state) {
  (void)state;
  shell("rm -r %s", folder);
  return 0;
}

static capture *open_it(const capture_def *def) {
  capture *c = NULL;
  mien_error err;
  if (capture_open(def, &c, &err) < 0) fail_msg("%s", err.text);
  return c;
}

// Reads to the end; the sentence of the end is in `why`.
static int count_frames(capture *c, char why[240]) {
  mien_image image;
  mien_error err;
  int ended = 0, count = 0;
  double time = -1;
  while (!ended) {
    if (capture_read(c, &image, &ended, &err) != MIEN_OK) continue;
    assert_true(image.time > time);
    time = image.time;
    count++;
  }
  strcpy(why, err.text);
  return count;
}

static void a_video(void **state) {
  (void)state;
  capture *c = open_it(&(capture_def){.what = in_folder("red.avi")});
  mien_image image;
  int ended;
  assert_int_equal(capture_read(c, &image, &ended, NULL), MIEN_OK);
  assert_int_equal(image.width, WIDTH);
  assert_int_equal(image.height, HEIGHT);
  assert_true(image.pixels[0] > 200 && image.pixels[1] < 40 && image.pixels[2] < 40); // RGB: red
  assert_near(image.time, 0, 1e-9);
  assert_int_equal(capture_read(c, &image, &ended, NULL), MIEN_OK);
  assert_near(image.time, 0.04, 1e-6);
  char why[240];
  assert_int_equal(count_frames(c, why), NFRAME - 2);
  assert_string_equal(why, "");
  assert_int_equal(capture_get_info(c)->length, NFRAME);
  capture_close(c);
}

static void a_truncated_video(void **state) {
  (void)state;
  FILE *whole = fopen(in_folder("red.avi"), "rb"), *cut = fopen(in_folder("cut.avi"), "wb");
  fseek(whole, 0, SEEK_END);
  long size = ftell(whole);
  rewind(whole);
  for (long i = 0; i < size / 2; i++) fputc(fgetc(whole), cut);
  fclose(whole);
  fclose(cut);
  capture *c = open_it(&(capture_def){.what = in_folder("cut.avi")});
  char why[240];
  int count = count_frames(c, why);
  assert_true(count > 5 && count < NFRAME - 10);
  // some containers lose their count with their end; then there is nothing to miss
  if (capture_get_info(c)->length == NFRAME) assert_non_null(strstr(why, "ends after"));
  capture_close(c);
}

static void what_is_no_video(void **state) {
  (void)state;
  shell("echo 'no video' >%s; : >%s", in_folder("text.mp4"), in_folder("empty.mp4"));
  const char *const wrong[] = {in_folder("absent.mp4"), in_folder("text.mp4"),
                               in_folder("empty.mp4")};
  for (int i = 0; i < 3; i++) {
    capture *c = NULL;
    mien_error err;
    assert_int_equal(capture_open(&(capture_def){.what = wrong[i]}, &c, &err), MIEN_ERR_IO);
    assert_null(c);
    assert_non_null(strstr(err.text, wrong[i]));
  }
  mien_error err;
  capture *c = NULL;
  assert_int_equal(capture_open(&(capture_def){.what = ""}, &c, &err), MIEN_ERR_ARGUMENT);
  assert_int_equal(capture_open(&(capture_def){.what = "0", .width = -1}, &c, &err),
                   MIEN_ERR_ARGUMENT);
}

static void an_image_sequence(void **state) {
  (void)state;
  shell("ffmpeg -v error -i %s -frames:v 7 %s", in_folder("red.avi"), in_folder("frame_%03d.png"));
  capture *c = open_it(&(capture_def){.what = in_folder("frame_%03d.png"), .rate = 50});
  char why[240];
  assert_int_equal(count_frames(c, why), 7);
  capture_close(c);
}

// Raw frames on the standard input; the last one is not whole.
static void a_pipe(void **state) {
  (void)state;
  int ends[2], kept = dup(0);
  assert_int_equal(pipe(ends), 0);
  pid_t child = fork();
  if (child == 0) {
    unsigned char frame[3 * 8 * 4];
    for (int i = 0; i < 5; i++) {
      memset(frame, 10 * i, sizeof frame);
      if (write(ends[1], frame, i < 4 ? sizeof frame : 20) < 0) _exit(1);
    }
    _exit(0);
  }
  close(ends[1]);
  dup2(ends[0], 0);
  close(ends[0]);
  capture *c = open_it(&(capture_def){.what = "-", .width = 8, .height = 4, .rate = 25});
  char why[240];
  assert_int_equal(count_frames(c, why), 4);
  capture_close(c);
  dup2(kept, 0);
  close(kept);
  waitpid(child, NULL, 0);
  mien_error err;
  assert_int_equal(capture_open(&(capture_def){.what = "-"}, &c, &err), MIEN_ERR_ARGUMENT);
  assert_non_null(strstr(err.text, "width and height"));
}

static void streams_of_other_machines_are_refused(void **state) {
  (void)state;
  static const char *const urls[] = {
      "http://example.org/cam.mjpg",    "rtsp://192.168.0.7/live", "udp://0.0.0.0:5000",
      "tcp://127.0.0.1.example.org:80", "file:///etc/passwd",      "concat://a|b",
      "http://127.0.0.1@example.org/",  "http://localhost.evil/"};
  for (size_t i = 0; i < sizeof urls / sizeof *urls; i++) {
    capture *c = NULL;
    mien_error err;
    assert_int_equal(capture_open(&(capture_def){.what = urls[i]}, &c, &err), MIEN_ERR_ARGUMENT);
    assert_non_null(strstr(err.text, "of this machine"));
  }
}

static void a_name_of_a_file_is_no_address(void **state) {
  (void)state;
  char what[300], why[240];
  mien_error err;
  capture *c = NULL;
  snprintf(what, sizeof what, "concat:%s", in_folder("red.avi"));
  assert_int_equal(capture_open(&(capture_def){.what = what}, &c, &err), MIEN_ERR_IO);
  shell("cp %s %s", in_folder("red.avi"), in_folder("shot:1.avi"));
  c = open_it(&(capture_def){.what = in_folder("shot:1.avi")});
  assert_int_equal(count_frames(c, why), NFRAME);
  capture_close(c);
}

static pid_t send_stream(const char *address) {
  pid_t child = fork();
  if (child) return child;
  int nothing = open("/dev/null", O_WRONLY);
  dup2(nothing, 1);
  dup2(nothing, 2);
  execlp("ffmpeg", "ffmpeg", "-nostdin", "-re", "-f", "lavfi", "-i", "color=blue:s=64x48:r=50",
         "-c:v", "mjpeg", "-f", "matroska", address, (char *)NULL);
  _exit(127);
}

// Reads until `wanted` frames have come; false when they do not come in time.
static bool wait_for(capture *c, int wanted) {
  mien_image image;
  int ended;
  for (int tries = 0, count = 0; tries < 400; tries++) {
    if (capture_read(c, &image, &ended, NULL) == MIEN_OK && ++count == wanted) return true;
    assert_int_equal(ended, 0);
  }
  return false;
}

static void a_stream_that_breaks_off_and_comes_back(void **state) {
  (void)state;
  char address[64], listening[80];
  int port = 20000 + (int)(getpid() % 20000);
  snprintf(address, sizeof address, "tcp://127.0.0.1:%d", port);
  snprintf(listening, sizeof listening, "%s?listen=1", address);
  pid_t sender = send_stream(listening);
  capture *c = NULL;
  for (int i = 0; i < 100 && !c; i++) {
    if (capture_open(&(capture_def){.what = address}, &c, NULL) < 0) usleep(100000);
  }
  assert_non_null(c);
  assert_true(wait_for(c, 10));
  kill(sender, SIGKILL);
  waitpid(sender, NULL, 0);
  mien_image image;
  mien_error err;
  int ended, broke = 0;
  for (int i = 0; i < 200 && !broke; i++)
    broke = capture_read(c, &image, &ended, &err) == MIEN_NO_FRAME;
  assert_true(broke);
  assert_true(err.text[0] != 0);
  sender = send_stream(listening);
  assert_true(wait_for(c, 10));
  assert_int_equal(capture_get_info(c)->nlost, 1);
  kill(sender, SIGKILL);
  waitpid(sender, NULL, 0);
  capture_close(c);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_video),
                                     cmocka_unit_test(a_truncated_video),
                                     cmocka_unit_test(what_is_no_video),
                                     cmocka_unit_test(an_image_sequence),
                                     cmocka_unit_test(a_pipe),
                                     cmocka_unit_test(streams_of_other_machines_are_refused),
                                     cmocka_unit_test(a_name_of_a_file_is_no_address),
                                     cmocka_unit_test(a_stream_that_breaks_off_and_comes_back)};
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}

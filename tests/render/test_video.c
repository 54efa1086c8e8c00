// Ten frames in, ten frames out; and every way ffmpeg can be missing or die.
#include "picture.h"

#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define MOVIE "test_video.mp4"

static bool has_program(const char *name) {
  char command[64];
  snprintf(command, sizeof command, "%s -version > /dev/null 2>&1", name);
  return system(command) == 0;
}

static void need_ffmpeg(void) {
  if (has_program("ffmpeg") && has_program("ffprobe")) return;
  print_message("skipped: ffmpeg and ffprobe are not installed\n");
  skip();
}

static render_video_def small_def(int width, int height) {
  render_video_def def;
  render_video_def_init(&def);
  def.width = width;
  def.height = height;
  def.nframe = 10;
  return def;
}

static void add_frames(render_video *video, int width, int height, int count) {
  render_image image = {0};
  assert_int_equal(render_image_create(width, height, 0x203040, &image, NULL), MIEN_OK);
  for (int i = 0; i < count; i++) {
    render_image_fill(&image, (render_rect){4 * i, 4 * i, 16, 16}, 0xF0C040, 1.0f);
    mien_error err = {0};
    if (render_video_add(video, &image, &err) < 0) fail_msg("%s", err.text);
  }
  render_image_free(&image);
}

// "width,height,pixel format,frames" as ffprobe sees them.
static void probe(const char *path, char answer[128]) {
  char command[256];
  snprintf(command, sizeof command,
           "ffprobe -v error -select_streams v:0 -count_frames -show_entries "
           "stream=width,height,pix_fmt,nb_read_frames -of csv=p=0 %s",
           path);
  FILE *pipe = popen(command, "r");
  assert_non_null(pipe);
  if (!fgets(answer, 128, pipe)) answer[0] = 0;
  pclose(pipe);
}

static int count_call(void *user, const char *what, double done) {
  double *last = user;
  assert_string_equal(what, "video");
  assert_true(done > *last && done <= 1.0);
  *last = done;
  return 0;
}

static void ten_frames_come_out(void **state) {
  (void)state;
  need_ffmpeg();
  const int sizes[2][2] = {{96, 64}, {97, 65}}; // odd sizes lose a row and a column
  for (int i = 0; i < 2; i++) {
    remove(MOVIE);
    render_video_def def = small_def(sizes[i][0], sizes[i][1]);
    double done = 0.0;
    def.progress = count_call;
    def.user = &done;
    render_video *video = NULL;
    mien_error err = {0};
    assert_int_equal(render_video_open(MOVIE, &def, &video, &err), MIEN_OK);
    add_frames(video, sizes[i][0], sizes[i][1], 10);
    assert_int_not_equal(access(MOVIE, F_OK), 0); // not before it is whole
    if (render_video_close(video, &err) < 0) fail_msg("%s", err.text);
    char answer[128];
    probe(MOVIE, answer);
    assert_string_equal(answer, "96,64,yuv420p,10\n");
    assert_true(fabs(done - 1.0) < 1e-6);
  }
  remove(MOVIE);
}

static void abandoned_video_leaves_nothing(void **state) {
  (void)state;
  need_ffmpeg();
  remove(MOVIE);
  render_video_def def = small_def(64, 64);
  render_video *video = NULL;
  assert_int_equal(render_video_open(MOVIE, &def, &video, NULL), MIEN_OK);
  add_frames(video, 64, 64, 3);
  render_video_abandon(video);
  render_video_abandon(NULL);
  assert_int_not_equal(access(MOVIE, F_OK), 0);
  assert_int_not_equal(access(MOVIE ".part", F_OK), 0);
}

static void missing_ffmpeg_is_told(void **state) {
  (void)state;
  char *path = strdup(getenv("PATH") ? getenv("PATH") : "");
  setenv("PATH", "/nowhere", 1);
  render_video_def def = small_def(64, 64);
  render_video *video = NULL;
  mien_error err = {0};
  mien_result result = render_video_open(MOVIE, &def, &video, &err);
  setenv("PATH", path, 1);
  free(path);
  assert_int_equal(result, MIEN_ERR_IO);
  assert_null(video);
  assert_non_null(strstr(err.text, "apt install ffmpeg"));
  assert_non_null(strstr(err.text, MOVIE));
}

static void dying_ffmpeg_is_told_and_raises_no_signal(void **state) {
  (void)state;
  need_ffmpeg();
  struct sigaction before, after;
  sigaction(SIGPIPE, NULL, &before);
  render_video_def def = small_def(640, 640);
  render_video *video = NULL;
  mien_error err = {0};
  assert_int_equal(render_video_open("no/such/folder/a.mp4", &def, &video, &err), MIEN_ERR_IO);
  assert_non_null(strstr(err.text, "No such file"));
  // one that dies at once takes ffmpeg's place
  mkdir("dying", 0777);
  FILE *script = fopen("dying/ffmpeg", "w");
  assert_non_null(script);
  fputs("#!/bin/sh\necho it is broken >&2\nexit 1\n", script);
  assert_int_equal(fclose(script), 0);
  assert_int_equal(chmod("dying/ffmpeg", 0755), 0);
  char *path = strdup(getenv("PATH"));
  setenv("PATH", "dying", 1);
  mien_result opened = render_video_open(MOVIE, &def, &video, &err);
  setenv("PATH", path, 1);
  free(path);
  assert_int_equal(opened, MIEN_OK);
  render_image image = {0};
  assert_int_equal(render_image_create(640, 640, 0, &image, NULL), MIEN_OK);
  mien_result result = MIEN_OK; // a socket holds less than one frame: ffmpeg's end is noticed
  for (int i = 0; i < 50 && result >= 0; i++) result = render_video_add(video, &image, &err);
  assert_int_equal(result, MIEN_ERR_IO);
  assert_non_null(strstr(err.text, "ffmpeg stopped"));
  assert_int_equal(render_video_close(video, &err), MIEN_ERR_IO);
  assert_non_null(strstr(err.text, "it is broken"));
  render_image_free(&image);
  sigaction(SIGPIPE, NULL, &after);
  assert_true(before.sa_handler == after.sa_handler);
}

// A disk that takes 2000 bytes and no more: ffmpeg complains, but ends with 0.
static void a_full_disk_is_told(void **state) {
  (void)state;
  need_ffmpeg();
  remove(MOVIE);
  struct rlimit before, small;
  assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
  small = before;
  small.rlim_cur = 2000;
  void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
  render_video_def def = small_def(64, 64);
  render_video *video = NULL;
  mien_error err = {0};
  setrlimit(RLIMIT_FSIZE, &small);
  mien_result result = render_video_open(MOVIE, &def, &video, &err);
  setrlimit(RLIMIT_FSIZE, &before);
  signal(SIGXFSZ, handler);
  assert_int_equal(result, MIEN_OK);
  add_frames(video, 64, 64, 10);
  assert_int_equal(render_video_close(video, &err), MIEN_ERR_IO);
  assert_non_null(strstr(err.text, "File too large"));
  assert_int_not_equal(access(MOVIE, F_OK), 0);
}

static void wrong_input_is_refused(void **state) {
  (void)state;
  need_ffmpeg();
  mien_error err = {0};
  render_video *video = NULL;
  render_video_def def = small_def(64, 64);
  def.frame_rate = 0.0;
  assert_int_equal(render_video_open(MOVIE, &def, &video, &err), MIEN_ERR_ARGUMENT);
  def = small_def(1, 64);
  assert_int_equal(render_video_open(MOVIE, &def, &video, &err), MIEN_ERR_ARGUMENT);
  def = small_def(64, 64);
  assert_int_equal(render_video_open(MOVIE, &def, &video, &err), MIEN_OK);
  render_image image = {0};
  assert_int_equal(render_image_create(32, 64, 0, &image, NULL), MIEN_OK);
  assert_int_equal(render_video_add(video, &image, &err), MIEN_ERR_MISMATCH);
  render_image_free(&image);
  assert_true(render_video_close(video, &err) < 0); // no frames, no film
  assert_int_not_equal(access(MOVIE, F_OK), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ten_frames_come_out),
      cmocka_unit_test(abandoned_video_leaves_nothing),
      cmocka_unit_test(missing_ffmpeg_is_told),
      cmocka_unit_test(dying_ffmpeg_is_told_and_raises_no_signal),
      cmocka_unit_test(a_full_disk_is_told),
      cmocka_unit_test(wrong_input_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

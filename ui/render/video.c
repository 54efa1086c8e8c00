// MP4 through an ffmpeg child process that reads raw frames from its standard input.
#include "internal.h"
#include "io/output.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

struct render_video {
  render_video_def def;
  char *path;
  char *output; // "file:" and "path.part": no name is taken for an option or an address
  int file;     // of "path.part", which ffmpeg opens by its name: the lock, and what gets the name
  int frames;   // socket: unlike a pipe, writing to it can be told to raise no signal
  FILE *words;  // what ffmpeg complains about
  pid_t child;
  int nadded;
};

void render_video_def_init(render_video_def *def) {
  *def = (render_video_def){.width = 960, .height = 960, .frame_rate = 24.0, .quality = 18};
}

// -- Starting -------------------------------------------------------------------------------------

static mien_result check_def(const char *path, const render_video_def *def, mien_error *err) {
  if (!path || !*path || !def) {
    return rd_fail(err, MIEN_ERR_ARGUMENT, "A video needs a file name and its size.");
  }
  if (def->width < 2 || def->height < 2 || def->width > 8192 || def->height > 8192) {
    return rd_fail(err, MIEN_ERR_ARGUMENT, "A video of %d x %d pixels cannot be made (2 to 8192).",
                   def->width, def->height);
  }
  if (!(def->frame_rate >= 1.0 && def->frame_rate <= 1000.0)) {
    return rd_fail(err, MIEN_ERR_ARGUMENT, "A video cannot run at %g frames per second.",
                   def->frame_rate);
  }
  if (def->quality < 0 || def->quality > 51) {
    return rd_fail(err, MIEN_ERR_ARGUMENT, "Video quality %d is not between 0 and 51.",
                   def->quality);
  }
  return MIEN_OK;
}

static int spawn_ffmpeg(render_video *video, int input) {
  char size[32], rate[32], quality[16];
  snprintf(size, sizeof size, "%dx%d", video->def.width, video->def.height);
  snprintf(rate, sizeof rate, "%.6g", video->def.frame_rate);
  snprintf(quality, sizeof quality, "%d", video->def.quality);
  // "-threads" and the bit-exact flags make the same frames give the same file.
  // clang-format off
  const char *const words[] = {
      "ffmpeg", "-hide_banner", "-loglevel", "error", "-nostdin", "-y",
      "-f", "rawvideo", "-pix_fmt", "rgb24", "-s", size, "-r", rate, "-i", "pipe:0", "-an",
      "-vf", "crop=trunc(iw/2)*2:trunc(ih/2)*2:0:0",
      "-c:v", "libx264", "-preset", "medium", "-crf", quality, "-pix_fmt", "yuv420p",
      "-threads", "2", "-fflags", "+bitexact", "-flags:v", "+bitexact",
      "-movflags", "+faststart", "-f", "mp4", video->output, NULL};
  // clang-format on
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  if (posix_spawn_file_actions_init(&actions) != 0) return ENOMEM;
  if (posix_spawnattr_init(&attributes) != 0) {
    posix_spawn_file_actions_destroy(&actions);
    return ENOMEM;
  }
  // A Ctrl-C in the terminal is for us: we then end the file or remove it.
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  int trouble = posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
  if (!trouble) {
    trouble = posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  }
  if (!trouble) {
    trouble = posix_spawn_file_actions_adddup2(&actions, fileno(video->words), STDERR_FILENO);
  }
  if (!trouble) {
    trouble = posix_spawnp(&video->child, words[0], &actions, &attributes,
                           (char *const *)(uintptr_t)words, environ);
  }
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return trouble;
}

static mien_result start_ffmpeg(render_video *video, mien_error *err) {
  int ends[2];
  video->words = tmpfile();
  if (!video->words || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    return rd_fail(err, MIEN_ERR_IO, "The video %s cannot be started: %s.", video->path,
                   strerror(errno));
  }
  int trouble = spawn_ffmpeg(video, ends[0]);
  close(ends[0]);
  video->frames = ends[1];
  if (!trouble) return MIEN_OK;
  video->child = 0;
  if (trouble == ENOENT) {
    return rd_fail(err, MIEN_ERR_IO,
                   "The video %s needs the program ffmpeg, which is not installed "
                   "(Debian: apt install ffmpeg).",
                   video->path);
  }
  return rd_fail(err, MIEN_ERR_IO, "ffmpeg could not be started: %s.", strerror(trouble));
}

// Frees all but the child.
static void forget(render_video *video) {
  if (video->frames >= 0) close(video->frames);
  if (video->words) fclose(video->words);
  if (video->file >= 0) close(video->file);
  free(video->path);
  free(video->output);
  free(video);
}

static mien_result open_file(render_video *video, mien_error *err) {
  char why[MI_OUTPUT_WHY];
  video->file = mi_output_open(video->path, MI_OUTPUT_NEW, why);
  return video->file >= 0 ? MIEN_OK : rd_fail(err, MIEN_ERR_IO, "The video: %s.", why);
}

mien_result render_video_open(const char *path, const render_video_def *def, render_video **out,
                              mien_error *err) {
  if (!out) return rd_fail(err, MIEN_ERR_ARGUMENT, "A video needs a place to be put.");
  mien_result result = check_def(path, def, err);
  if (result < 0) return result;
  render_video *video = RD_NEW(render_video, 1);
  if (!video) return rd_fail_memory(err);
  video->def = *def;
  video->frames = video->file = -1;
  video->path = strdup(path);
  video->output = RD_NEW(char, strlen(path) + sizeof "file:.part");
  if (video->output) sprintf(video->output, "file:%s.part", path);
  result = video->path && video->output ? open_file(video, err) : rd_fail_memory(err);
  if (result >= 0) result = start_ffmpeg(video, err);
  if (result < 0) {
    if (video->file >= 0) mi_output_discard(video->file, path);
    forget(video);
    return result;
  }
  *out = video;
  return MIEN_OK;
}

// -- Frames ---------------------------------------------------------------------------------------

// The first line of what ffmpeg said: the cause, the rest is what came of it.
static void first_words(render_video *video, char *text, size_t size) {
  rewind(video->words);
  if (!fgets(text, (int)size, video->words)) text[0] = 0;
  size_t count = strcspn(text, "\r\n");
  while (count && (text[count - 1] == '.' || text[count - 1] == ' ')) count--;
  text[count] = 0;
}

static mien_result fail_with_words(render_video *video, mien_error *err) {
  char words[160];
  first_words(video, words, sizeof words);
  return rd_fail(err, MIEN_ERR_IO, "ffmpeg stopped after %d frames of %s%s%s.", video->nadded,
                 video->path, words[0] ? ": " : "", words);
}

mien_result render_video_add(render_video *video, const render_image *image, mien_error *err) {
  if (!video || !image || !image->rgb) {
    return rd_fail(err, MIEN_ERR_ARGUMENT, "A video frame needs a video and an image.");
  }
  if (image->width != video->def.width || image->height != video->def.height) {
    return rd_fail(err, MIEN_ERR_MISMATCH, "A frame of %d x %d cannot go into a video of %d x %d.",
                   image->width, image->height, video->def.width, video->def.height);
  }
  const unsigned char *at = image->rgb;
  size_t left = 3 * (size_t)image->width * (size_t)image->height;
  while (left) {
    ssize_t sent = send(video->frames, at, left, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return fail_with_words(video, err);
    at += sent;
    left -= (size_t)sent;
  }
  video->nadded++;
  if (!video->def.progress) return MIEN_OK;
  double done =
      video->def.nframe > 0 ? rd_min((float)video->nadded / (float)video->def.nframe, 1.0f) : 0.0;
  if (video->def.progress(video->def.user, "video", done) == 0) return MIEN_OK;
  return rd_fail(err, MIEN_ERR_CANCELLED, "The video was stopped by the host.");
}

// -- Ending ---------------------------------------------------------------------------------------

// Closes ffmpeg's input and waits for it; true when it ended well. On a full disk ffmpeg complains
// and still ends with 0, so a word of complaint counts as failure.
static bool end_ffmpeg(render_video *video) {
  close(video->frames);
  video->frames = -1;
  int status = 0;
  pid_t ended;
  do {
    ended = waitpid(video->child, &status, 0);
  } while (ended < 0 && errno == EINTR);
  bool is_silent = fseek(video->words, 0, SEEK_END) == 0 && ftell(video->words) == 0;
  return ended == video->child && WIFEXITED(status) && WEXITSTATUS(status) == 0 && is_silent;
}

mien_result render_video_close(render_video *video, mien_error *err) {
  if (!video) return rd_fail(err, MIEN_ERR_ARGUMENT, "There is no video to close.");
  char why[MI_OUTPUT_WHY];
  bool ended_well = end_ffmpeg(video);
  mien_result result = MIEN_OK;
  if (!ended_well) {
    result = fail_with_words(video, err);
  } else if (!video->nadded) {
    result = rd_fail(err, MIEN_ERR_ARGUMENT, "The video %s has no frames.", video->path);
  } else if (!mi_output_commit(video->file, video->path, why)) {
    result = rd_fail(err, MIEN_ERR_IO, "The video: %s.", why);
  }
  if (result < 0) mi_output_discard(video->file, video->path);
  forget(video);
  return result;
}

void render_video_abandon(render_video *video) {
  if (!video) return;
  end_ffmpeg(video);
  mi_output_discard(video->file, video->path);
  forget(video);
}

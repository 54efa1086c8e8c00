// A camera that is not there: preloaded, it answers for /dev/video0 as a V4L2 driver would, so that
// the real path through OpenCV runs on any machine.
//
//   FAKE_CAMERA_DROP=N   after N frames it is pulled out: no frame, and the next FAKE_CAMERA_GONE
//   (1)
//                        attempts to open it fail; then it is there again
//
// Frames are 160 x 120 YUYV at about 60 in a second; frame n is of one colour, grey level n % 200.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/videodev2.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/timerfd.h>
#include <unistd.h>

enum { WIDTH = 160, HEIGHT = 120, SIZE = 2 * WIDTH * HEIGHT, NBUFFER = 4, ROOM = 1 << 16 };

static struct {
  int file, memory; // -1 = closed
  unsigned char *pixels;
  int queue[NBUFFER], nqueue;
  int nframe, ngone;
  int is_pulled;
} camera = {.file = -1, .memory = -1};

static int number_of(const char *name, int otherwise) {
  const char *value = getenv(name);
  return value ? atoi(value) : otherwise;
}

static int open_camera(void) {
  if (camera.is_pulled) {
    if (camera.ngone-- > 0) {
      errno = ENODEV;
      return -1;
    }
    camera.is_pulled = 0;
  }
  const struct itimerspec every = {{0, 16000000}, {0, 16000000}};
  camera.file = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK);
  camera.memory = memfd_create("frames", 0);
  if (ftruncate(camera.memory, NBUFFER * ROOM)) return -1;
  camera.pixels = mmap(NULL, NBUFFER * ROOM, PROT_READ | PROT_WRITE, MAP_SHARED, camera.memory, 0);
  camera.nqueue = 0;
  timerfd_settime(camera.file, 0, &every, NULL);
  return camera.file;
}

static int is_camera(const char *path) {
  return path && !strcmp(path, "/dev/video0");
}

// the function that this one stands before
#define REAL(type, name) type real = (type)dlsym(RTLD_NEXT, name)
typedef int open_fn(const char *, int, ...);
typedef int close_fn(int);
typedef int ioctl_fn(int, unsigned long, ...);

static int open_any(const char *name, const char *path, int flags, va_list args) {
  REAL(open_fn *, name);
  return is_camera(path) ? open_camera() : real(path, flags, va_arg(args, int));
}

int open(const char *path, int flags, ...);
int open64(const char *path, int flags, ...);

int open(const char *path, int flags, ...) {
  va_list args;
  va_start(args, flags);
  int file = open_any("open", path, flags, args);
  va_end(args);
  return file;
}

int open64(const char *path, int flags, ...) {
  va_list args;
  va_start(args, flags);
  int file = open_any("open64", path, flags, args);
  va_end(args);
  return file;
}

int close(int file) {
  REAL(close_fn *, "close");
  if (file >= 0 && file == camera.file) {
    munmap(camera.pixels, NBUFFER * ROOM);
    real(camera.memory);
    camera.file = camera.memory = -1;
  }
  return real(file);
}

typedef void *map_fn(void *, size_t, int, int, int, off_t);
void *mmap(void *at, size_t size, int protection, int flags, int file, off_t offset) {
  REAL(map_fn *, "mmap");
  return real(at, size, protection, flags, file >= 0 && file == camera.file ? camera.memory : file,
              offset);
}

void *mmap64(void *at, size_t size, int protection, int flags, int file, off64_t offset) {
  return mmap(at, size, protection, flags, file, offset);
}

static int fail(int why) {
  errno = why;
  return -1;
}

static void fill_format(struct v4l2_format *format) {
  format->fmt.pix.width = WIDTH;
  format->fmt.pix.height = HEIGHT;
  format->fmt.pix.pixelformat = V4L2_PIX_FMT_YUYV;
  format->fmt.pix.field = V4L2_FIELD_NONE;
  format->fmt.pix.bytesperline = 2 * WIDTH;
  format->fmt.pix.sizeimage = SIZE;
}

static int take_frame(struct v4l2_buffer *buffer) {
  unsigned long long ticks;
  int drop = number_of("FAKE_CAMERA_DROP", 0);
  if (camera.is_pulled) return fail(ENODEV);
  if (drop > 0 && camera.nframe == drop) {
    camera.nframe++;
    camera.is_pulled = 1;
    camera.ngone = number_of("FAKE_CAMERA_GONE", 1);
    return fail(ENODEV);
  }
  if (read(camera.file, &ticks, sizeof ticks) != sizeof ticks || !camera.nqueue)
    return fail(EAGAIN);
  int index = camera.queue[0];
  memmove(camera.queue, camera.queue + 1, (size_t)--camera.nqueue * sizeof *camera.queue);
  unsigned char *at = camera.pixels + index * ROOM;
  for (int i = 0; i < SIZE; i += 2) {
    at[i] = (unsigned char)(16 + camera.nframe % 200);
    at[i + 1] = 128;
  }
  camera.nframe++;
  buffer->index = (unsigned)index;
  buffer->bytesused = buffer->length = SIZE;
  buffer->flags = 0;
  return 0;
}

static int answer(unsigned long request, void *argument) {
  switch (request) {
  case VIDIOC_QUERYCAP: {
    struct v4l2_capability *c = argument;
    memset(c, 0, sizeof *c);
    strcpy((char *)c->driver, "fake");
    strcpy((char *)c->card, "fake camera");
    c->capabilities = V4L2_CAP_VIDEO_CAPTURE | V4L2_CAP_STREAMING;
    return 0;
  }
  case VIDIOC_ENUM_FMT: {
    struct v4l2_fmtdesc *f = argument;
    if (f->index) return fail(EINVAL);
    f->pixelformat = V4L2_PIX_FMT_YUYV;
    return 0;
  }
  case VIDIOC_G_FMT:
  case VIDIOC_S_FMT:
  case VIDIOC_TRY_FMT:
    fill_format(argument);
    return 0;
  case VIDIOC_G_INPUT:
    *(int *)argument = 0;
    return 0;
  case VIDIOC_S_INPUT:
    return 0;
  case VIDIOC_ENUMINPUT:
    return ((struct v4l2_input *)argument)->index ? fail(EINVAL) : 0;
  case VIDIOC_G_PARM:
  case VIDIOC_S_PARM: {
    struct v4l2_streamparm *p = argument;
    p->parm.capture.capability = V4L2_CAP_TIMEPERFRAME;
    p->parm.capture.timeperframe = (struct v4l2_fract){1, 60};
    return 0;
  }
  case VIDIOC_REQBUFS: {
    struct v4l2_requestbuffers *r = argument;
    if (r->count > NBUFFER) r->count = NBUFFER;
    camera.nqueue = 0;
    return 0;
  }
  case VIDIOC_QUERYBUF: {
    struct v4l2_buffer *b = argument;
    if (b->index >= NBUFFER) return fail(EINVAL);
    b->length = SIZE;
    b->m.offset = b->index * ROOM;
    return 0;
  }
  case VIDIOC_QBUF: {
    const struct v4l2_buffer *b = argument;
    if (b->index >= NBUFFER || camera.nqueue >= NBUFFER) return fail(EINVAL);
    camera.queue[camera.nqueue++] = (int)b->index;
    return 0;
  }
  case VIDIOC_DQBUF:
    return take_frame(argument);
  case VIDIOC_STREAMON:
  case VIDIOC_STREAMOFF:
    return 0;
  default:
    return fail(EINVAL);
  }
}

int ioctl(int file, unsigned long request, ...) {
  REAL(ioctl_fn *, "ioctl");
  va_list args;
  va_start(args, request);
  void *argument = va_arg(args, void *);
  va_end(args);
  return file >= 0 && file == camera.file ? answer(request, argument)
                                          : real(file, request, argument);
}

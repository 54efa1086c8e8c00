#include "frame_range.h"

#include <math.h>
#include <stdlib.h>

enum { FILM = 24 * 3600 * 24, MOST_FRAMES = 10000000 };

// "12", "12-40", "12-", "-5-10": numbers may be negative. False when it is none of them.
static bool read_ends(const char *text, long ends[2], bool *is_open) {
  char *end;
  ends[0] = ends[1] = strtol(text, &end, 10);
  *is_open = false;
  if (end == text) return false;
  if (!*end) return true;
  if (*end != '-') return false;
  const char *second = end + 1;
  *is_open = !*second;
  if (*is_open) return true;
  ends[1] = strtol(second, &end, 10);
  return end != second && !*end;
}

int frame_count(const cli_args *args, double length, double seconds, double fps, int *nframe) {
  bool is_asked_for = cli_given(args, "seconds") || cli_given(args, "frames");
  double most = is_asked_for ? MOST_FRAMES : FILM, end = fmin(length, seconds);
  double count = floor(end * fps + 1e-6) + 1;
  *nframe = (int)fmin(count, most);
  if (count <= most) return CLI_DONE;
  return cli_fail("a take of %.4g s has more than %.0f frames at %g a second: '--seconds' says how "
                  "much of it is wanted",
                  length, most, fps);
}

int frame_range_read(const cli_args *args, int first, int nframe, frame_range *range) {
  const char *text = cli_value(args, "frames", NULL);
  double run_up;
  *range = (frame_range){0, 0, nframe};
  if (!cli_number(args, "run-up", 0, 1e6, 1e6, &run_up)) return CLI_USAGE;
  if (!text && cli_given(args, "run-up"))
    return cli_usage("'--run-up' needs '--frames': it comes before them");
  if (!text) return CLI_DONE;
  long ends[2];
  bool is_open;
  if (!read_ends(text, ends, &is_open) || labs(ends[0]) > MOST_FRAMES ||
      labs(ends[1]) > MOST_FRAMES)
    return cli_usage("'--frames' takes A-B, A- or A, not '%s'", text);
  long last = (long)first + nframe - 1;
  if (is_open) ends[1] = last;
  if (!is_open && ends[0] > ends[1]) return cli_usage("'--frames %s' ends before it begins", text);
  if (ends[0] < first || ends[1] > last || ends[0] > ends[1])
    return cli_fail("there are no frames %s: the take has %d to %ld", text, first, last);
  range->from = (int)(ends[0] - first);
  range->to = (int)(ends[1] - first) + 1;
  range->begin = run_up < range->from ? range->from - (int)run_up : 0;
  return CLI_DONE;
}

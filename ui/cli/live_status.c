// How `mien live` is doing: a line on the terminal, and figures at the end.
#include "live.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void live_status_start(live_status *status) {
  double now = cli_clock();
  *status = (live_status){.started = now, .rated = now, .on_terminal = isatty(STDERR_FILENO)};
}

void live_status_add(live_status *status, const live_frame *frame, bool is_new, double seconds) {
  status->nstep++;
  if (!is_new) return;
  status->nframe++;
  if (status->nsample == status->capacity) {
    int capacity = status->capacity ? 2 * status->capacity : 1024;
    float *more = realloc(status->sample, (size_t)capacity * LIVE_STAGES * sizeof *more);
    if (!more) return; // figures only
    status->sample = more;
    status->capacity = capacity;
  }
  float *row = status->sample + (size_t)status->nsample++ * LIVE_STAGES;
  row[0] = (float)frame->seconds_track;
  row[1] = (float)frame->seconds_fit;
  row[2] = (float)seconds;
  row[3] = (float)(cli_clock() - frame->arrived);
}

static int by_size(const void *a, const void *b) {
  float x = *(const float *)a, y = *(const float *)b;
  return (x > y) - (x < y);
}

// of the last `count` frames
static double percentile(const live_status *status, int stage, double share, int count) {
  if (count > status->nsample) count = status->nsample;
  float *sorted = count ? malloc((size_t)count * sizeof *sorted) : NULL;
  if (!sorted) return 0;
  for (int i = 0; i < count; i++)
    sorted[i] = status->sample[(size_t)(status->nsample - count + i) * LIVE_STAGES + (size_t)stage];
  qsort(sorted, (size_t)count, sizeof *sorted, by_size);
  double ms = 1e3 * (double)sorted[(int)(share * (count - 1))];
  free(sorted);
  return ms;
}

double live_status_percentile(const live_status *status, int stage, double share) {
  return percentile(status, stage, share, status->nsample);
}

// Rates of the last second, or of what there is of the first: a camera that is gone is seen to be.
static void find_rates(live_status *status, double now) {
  double since = fmax(now - status->rated, 1e-3);
  if (since < 1 && status->rated > status->started) return;
  status->step_rate = (double)(status->nstep - status->nstep_rated) / since;
  status->frame_rate = (double)(status->nframe - status->nframe_rated) / since;
  if (since < 1) return;
  status->rated = now;
  status->nstep_rated = status->nstep;
  status->nframe_rated = status->nframe;
}

void live_status_show(live_status *status, const live_frame *frame, const live_source *source,
                      const live_pace *pace) {
  double now = cli_clock(), every = status->on_terminal ? 0.2 : 5;
  // of less than that no rate can be told
  if (now - status->shown < every || now - status->started < 0.2) return;
  status->shown = now;
  find_rates(status, now);
  char cut[48] = "";
  if (pace->ncut)
    snprintf(cut, sizeof cut, "cut short %.0f %% | ",
             100.0 * (double)pace->ncut / (double)pace->nstep);
  fprintf(stderr,
          "%s%.0f fps, source %.0f | %.0f ms (track %.1f, fit %.1f, simulate %.1f) | dropped %lld, "
          "late %lld | %s%s %.2f%s",
          status->on_terminal ? "\r\033[K" : "", status->step_rate, status->frame_rate,
          percentile(status, 3, 0.5, 60), percentile(status, 0, 0.5, 60),
          percentile(status, 1, 0.5, 60), percentile(status, 2, 0.5, 60),
          (long long)source->ndropped(source->self), (long long)status->nlate, cut,
          frame->sees_face ? "face" : "no face", frame->confidence,
          status->on_terminal ? "" : "\n");
  fflush(stderr);
}

void live_status_end(const live_status *status) {
  if (status->on_terminal && status->nstep) fputc('\n', stderr);
}

void live_status_free(live_status *status) {
  free(status->sample);
}

// A take from a CSV file: columns and clock.
#include "base/number.h"
#include "io/csv.h"
#include "io/io.h"
#include "io/name_table.h"
#include "rig/rig.h"

#include <math.h>
#include <string.h>

enum { HEAD_VALUES = 10, QUATERNION = 6, DAY = 24 * 3600 };

// Meaning of a column: HEAD + 0..5 are x y z yaw pitch roll, HEAD + 6..9 the rotation as a
// quaternion (exact, for shots that hosts write), CHANNEL + i is channel i.
enum { IGNORED, TIMECODE, SECONDS, HEAD, CHANNEL = HEAD + HEAD_VALUES };

typedef struct reader {
  mi_csv csv;
  mi_arena *arena;
  const mien_host *host;
  mi_cell *cell; // of the row being read                                               (ncolumn)
  mi_cell *title;
  int *meaning;
  int ncolumn, time_column;
  bool has_head;
  int nquaternion; // columns of it
  mi_name_table channels;
  int frame_base; // frames per second the timecode counts in
  double day;     // seconds added since midnight passed
  double first, last;
  int nframe, capacity;
  int nlost, nback; // rows left out: no face, clock not running forward
  double *times;
  float *weights;
  double (*head)[HEAD_VALUES];
} reader;

static int column_meaning(const mi_cell *title) {
  static const char *const head[HEAD_VALUES] = {"HeadX",     "HeadY",    "HeadZ",  "HeadYaw",
                                                "HeadPitch", "HeadRoll", "HeadQX", "HeadQY",
                                                "HeadQZ",    "HeadQW"};
  static const char *const ignored[] = {"BlendShapeCount", "LeftEyeYaw",  "LeftEyePitch",
                                        "LeftEyeRoll",     "RightEyeYaw", "RightEyePitch",
                                        "RightEyeRoll"};
  if (title->at == title->end) return IGNORED; // after a trailing comma
  if (mi_cell_is(title, "Timecode")) return TIMECODE;
  if (mi_cell_is(title, "Time")) return SECONDS;
  for (int i = 0; i < HEAD_VALUES; i++)
    if (mi_cell_is(title, head[i])) return HEAD + i;
  for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++)
    if (mi_cell_is(title, ignored[i])) return IGNORED;
  return CHANNEL;
}

bool mi_csv_is_channel(const char *name) {
  mi_cell title = {name, name + strlen(name)};
  return column_meaning(&title) == CHANNEL;
}

static mien_result read_channel_title(reader *r, int column, mien_error *err) {
  const mi_cell *title = &r->title[column];
  size_t length = (size_t)(title->end - title->at);
  if (memchr(title->at, 0, length))
    return mi_fail(err, MIEN_ERR_FORMAT, "the name of column %d holds a zero byte", column + 1);
  char *name = MI_PUSH(r->arena, char, length + 1);
  if (!name) return mi_fail_memory(err);
  memcpy(name, title->at, length);
  int before = r->channels.count, channel = mi_name_add(&r->channels, name);
  if (channel < 0) return mi_fail_memory(err);
  if (r->channels.count == before)
    return mi_fail(err, MIEN_ERR_FORMAT, "column %d: there are two columns named \"%.60s\"",
                   column + 1, name);
  r->meaning[column] = CHANNEL + channel;
  return MIEN_OK;
}

static mien_result read_header(reader *r, mien_error *err) {
  int width = mi_csv_width(&r->csv);
  r->cell = MI_PUSH(r->arena, mi_cell, width);
  r->title = MI_PUSH(r->arena, mi_cell, width);
  r->meaning = MI_PUSH(r->arena, int, width);
  if (!r->cell || !r->title || !r->meaning) return mi_fail_memory(err);
  r->ncolumn = mi_csv_row(&r->csv, r->title, width);
  if (r->ncolumn < 0)
    return mi_fail(err, MIEN_ERR_FORMAT, "line %d: a quote is not closed", r->csv.line);
  if (r->ncolumn == 0 || r->ncolumn > width)
    return mi_fail(err, MIEN_ERR_FORMAT, "the CSV file has no first line naming its columns");
  r->time_column = -1;
  for (int c = 0; c < r->ncolumn; c++) {
    int meaning = r->meaning[c] = column_meaning(&r->title[c]);
    if (meaning == CHANNEL) {
      mien_result result = read_channel_title(r, c, err);
      if (result < 0) return result;
    } else if (meaning == TIMECODE || meaning == SECONDS) {
      if (r->time_column >= 0)
        return mi_fail(err, MIEN_ERR_FORMAT, "columns %d and %d both hold the time",
                       r->time_column + 1, c + 1);
      r->time_column = c;
    } else if (meaning >= HEAD) {
      for (int before = 0; before < c; before++)
        if (r->meaning[before] == meaning)
          return mi_fail(err, MIEN_ERR_FORMAT, "columns %d and %d both hold the head's %.*s",
                         before + 1, c + 1, (int)(r->title[c].end - r->title[c].at),
                         r->title[c].at);
      r->has_head = true;
      r->nquaternion += meaning >= HEAD + QUATERNION;
    }
  }
  if (r->time_column < 0)
    return mi_fail(err, MIEN_ERR_FORMAT,
                   "the first line of the CSV file names no column Timecode or Time");
  if (r->nquaternion && r->nquaternion != 4)
    return mi_fail(err, MIEN_ERR_FORMAT,
                   "the head's quaternion needs four columns, HeadQX to HeadQW; there are %d",
                   r->nquaternion);
  if (r->channels.count == 0 && !r->has_head)
    return mi_fail(err, MIEN_ERR_FORMAT, "the CSV file has no shapes and no head motion");
  return MIEN_OK;
}

static mien_result bad_cell(const reader *r, int column, const char *what, mien_error *err) {
  const mi_cell *cell = &r->cell[column], *title = &r->title[column];
  return mi_fail(err, MIEN_ERR_FORMAT, "line %d, column %d (%.*s): \"%.*s\" is not %s", r->csv.line,
                 column + 1, mi_cell_length(title), title->at, mi_cell_length(cell), cell->at,
                 what);
}

static mien_result read_number(const reader *r, int column, double *value, mien_error *err) {
  const mi_cell *cell = &r->cell[column], *title = &r->title[column];
  if (mi_parse_double(cell->at, cell->end, value) != cell->end)
    return bad_cell(r, column, "a number", err);
  if (!(fabs(*value) <= 3.4e38))
    return mi_fail(err, MIEN_ERR_NOT_FINITE, "line %d, column %d (%.*s): \"%.*s\" is not finite",
                   r->csv.line, column + 1, mi_cell_length(title), title->at, mi_cell_length(cell),
                   cell->at);
  return MIEN_OK;
}

// hh:mm:ss:ff.fraction -> seconds and frames.
static bool parse_timecode(const mi_cell *cell, double *seconds, double *frames) {
  const char *at = cell->at;
  int64_t field[3];
  static const int64_t most[3] = {23, 59, 59};
  for (int i = 0; i < 3; i++) {
    at = mi_parse_int(at, cell->end, &field[i]);
    if (!at || at == cell->end || (*at != ':' && *at != ';')) return false;
    if (field[i] < 0 || field[i] > most[i]) return false;
    at++;
  }
  *seconds = (double)(field[0] * 3600 + field[1] * 60 + field[2]);
  return mi_parse_double(at, cell->end, frames) == cell->end && *frames >= 0 && *frames < 1000;
}

// Live Link Face does not say how many frames its timecode counts in a second: 60, unless a take
// of more than two seconds never reaches the upper frame numbers.
static int find_frame_base(const reader *start) {
  static const int bases[] = {24, 25, 30, 48, 50, 60};
  reader r = *start;
  double seconds, frames, most = 0, first = -1, last = -1;
  for (int n; (n = mi_csv_row(&r.csv, r.cell, r.ncolumn)) > r.time_column;) {
    if (!parse_timecode(&r.cell[r.time_column], &seconds, &frames)) break;
    if (first < 0) first = seconds;
    last = seconds;
    most = fmax(most, floor(frames));
  }
  if (last - first < 3) return 60;
  for (size_t i = 0; i < sizeof bases / sizeof *bases; i++)
    if (most < bases[i]) return bases[i];
  return most < 120 ? 120 : 1000;
}

static mien_result read_time(reader *r, double *time, mien_error *err) {
  int column = r->time_column;
  if (r->meaning[column] == SECONDS) return read_number(r, column, time, err);
  double seconds, frames;
  if (!parse_timecode(&r->cell[column], &seconds, &frames) || frames >= r->frame_base)
    return bad_cell(r, column, "a timecode hh:mm:ss:ff", err);
  double now = seconds + frames / r->frame_base;
  if (r->nframe && now + r->day < r->last - DAY / 2.0) r->day += DAY; // midnight
  if (r->nframe == 0) r->first = now;
  *time = now + r->day;
  return MIEN_OK;
}

// True when the row has no values of the face: recorders leave cells empty or out.
static bool is_lost(const reader *r, int ncell) {
  for (int c = 0; c < ncell; c++)
    if (r->meaning[c] >= HEAD && r->cell[c].end > r->cell[c].at) return false;
  return true;
}

static mien_result store_row(reader *r, double time, mien_error *err) {
  int n = r->channels.count, frame = r->nframe;
  float *weights = r->weights + (size_t)frame * (size_t)n;
  // an empty cell keeps the value of the row before
  if (frame) memcpy(weights, weights - n, (size_t)n * sizeof *weights);
  if (frame && r->has_head) memcpy(r->head[frame], r->head[frame - 1], sizeof *r->head);
  for (int c = 0; c < r->ncolumn; c++) {
    if (r->meaning[c] < HEAD || r->cell[c].at == r->cell[c].end) continue;
    double value;
    mien_result result = read_number(r, c, &value, err);
    if (result < 0) return result;
    if (r->meaning[c] >= CHANNEL) weights[r->meaning[c] - CHANNEL] = (float)value;
    if (r->meaning[c] < CHANNEL) r->head[frame][r->meaning[c] - HEAD] = value;
  }
  r->times[frame] = time - r->first;
  r->last = time;
  r->nframe++;
  return MIEN_OK;
}

static mien_result read_row(reader *r, int ncell, mien_error *err) {
  bool at_end = r->csv.at == r->csv.end;
  int needed = r->ncolumn;
  while (needed > 1 && r->title[needed - 1].at == r->title[needed - 1].end) needed--;
  if (ncell <= r->time_column || is_lost(r, ncell < r->ncolumn ? ncell : r->ncolumn)) {
    r->nlost++;
    return MIEN_OK;
  }
  if (ncell < needed && at_end) { // the recorder was killed while writing its last line
    r->nlost++;
    return MIEN_OK;
  }
  if (ncell < needed || ncell > r->ncolumn + 1)
    return mi_fail(err, MIEN_ERR_FORMAT, "line %d has %d cells, the first line names %d columns",
                   r->csv.line, ncell, needed);
  for (int c = ncell; c < r->ncolumn; c++) r->cell[c] = (mi_cell){r->csv.end, r->csv.end};
  double time;
  mien_result result = read_time(r, &time, err);
  if (result < 0) return result;
  if (r->nframe && time <= r->last) {
    r->nback++;
    return MIEN_OK;
  }
  return store_row(r, time, err);
}

static mien_result read_rows(reader *r, size_t size, mien_error *err) {
  // a valid row has a cell for every column, so the file's size bounds the result
  int needed = r->ncolumn;
  while (needed > 1 && r->title[needed - 1].at == r->title[needed - 1].end) needed--;
  size_t lines = 1;
  for (const char *at = r->csv.at; at < r->csv.end; at++) lines += *at == '\n' || *at == '\r';
  size_t most = size / (size_t)needed + 1;
  if (lines > most) lines = most;
  if (lines > INT32_MAX) return mi_fail(err, MIEN_ERR_FORMAT, "the CSV file has too many lines");
  r->capacity = (int)lines;
  size_t nweight = lines * (size_t)r->channels.count;
  r->times = MI_PUSH(r->arena, double, lines);
  r->weights = MI_PUSH(r->arena, float, nweight);
  if (r->has_head) r->head = mi_arena_push(r->arena, lines, sizeof *r->head);
  if (!r->times || !r->weights || (r->has_head && !r->head)) return mi_fail_memory(err);
  for (;;) {
    int ncell = mi_csv_row(&r->csv, r->cell, r->ncolumn);
    if (ncell == 0) break;
    if (ncell < 0)
      return mi_fail(err, MIEN_ERR_FORMAT, "line %d: a quote is not closed", r->csv.line);
    if (r->nframe == r->capacity)
      return mi_fail(err, MIEN_ERR_FORMAT, "line %d has too few cells", r->csv.line);
    mien_result result = read_row(r, ncell, err);
    if (result < 0) return result;
  }
  if (r->nframe == 0) return mi_fail(err, MIEN_ERR_FORMAT, "the CSV file holds no frames");
  return MIEN_OK;
}

// R = Ry(yaw) Rx(pitch) Rz(roll) as a quaternion, or the quaternion itself.
static mien_rigid rigid_from_values(const double v[HEAD_VALUES], bool is_quaternion) {
  if (is_quaternion)
    return (mien_rigid){
        .rotation = {v[QUATERNION], v[QUATERNION + 1], v[QUATERNION + 2], v[QUATERNION + 3]},
        .translation = {v[0], v[1], v[2]},
    };
  double cy = cos(v[3] / 2), sy = sin(v[3] / 2);
  double cp = cos(v[4] / 2), sp = sin(v[4] / 2);
  double cr = cos(v[5] / 2), sr = sin(v[5] / 2);
  return (mien_rigid){
      .rotation = {cy * sp * cr + sy * cp * sr, sy * cp * cr - cy * sp * sr,
                   cy * cp * sr - sy * sp * cr, cy * cp * cr + sy * sp * sr},
      .translation = {v[0], v[1], v[2]},
  };
}

static mien_result make_take(const reader *r, mien_take **out, mien_error *err) {
  mien_take_def def;
  mien_take_def_init(&def);
  def.name = "take";
  def.channels = r->channels.name;
  def.nchannel = r->channels.count;
  def.nframe = r->nframe;
  def.times = r->times;
  def.weights = r->weights;
  if (r->has_head) {
    mien_rigid *head = MI_PUSH(r->arena, mien_rigid, r->nframe);
    if (!head) return mi_fail_memory(err);
    for (int f = 0; f < r->nframe; f++)
      head[f] = rigid_from_values(r->head[f], r->nquaternion == 4);
    def.head = head;
    def.about_pivot = r->nquaternion != 4;
  }
  return mi_take_create(&def, r->host, out, err);
}

mien_result mi_csv_read_take(const void *bytes, size_t size, const mien_host *host, mien_take **out,
                             mien_error *err) {
  mi_arena arena;
  mi_arena_init(&arena, host);
  reader r = {.csv = mi_csv_open(bytes, size), .arena = &arena, .host = host};
  r.channels.arena = &arena;
  mien_result result = read_header(&r, err);
  if (result >= 0) r.frame_base = r.meaning[r.time_column] == TIMECODE ? find_frame_base(&r) : 0;
  if (result >= 0) result = read_rows(&r, size, err);
  if (result >= 0) result = make_take(&r, out, err);
  if (result >= 0 && r.nlost)
    mi_log(host, MIEN_LOG_WARNING, "%d rows without a face were left out", r.nlost);
  if (result >= 0 && r.nback)
    mi_log(host, MIEN_LOG_WARNING, "%d rows were left out because their time does not run forward",
           r.nback);
  mi_arena_free(&arena);
  return result;
}

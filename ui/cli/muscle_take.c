#include "muscle_take.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const NUMBERS[MUSCLE_NUMBERS] = {"ff", "fa", "ft", "aa", "at", "tt"};
static const char *const JAW[MUSCLE_JAW] = {"jaw.qx", "jaw.qy", "jaw.qz", "jaw.qw",
                                            "jaw.x",  "jaw.y",  "jaw.z"};

static int find_channel(const mien_take_info *take, const char *name) {
  for (int c = 0; c < take->nchannel; c++)
    if (!strcmp(take->channels[c], name)) return c;
  return -1;
}

static int bind_channels(muscle_take *m, const mien_face_info *face, const char *path) {
  const mien_take_info *take = mien_take_get_info(m->take);
  int nfound = 0;
  for (int k = 0; k < m->nmuscle * MUSCLE_NUMBERS; k++) {
    char name[160];
    const char *muscle = face->muscles[k / MUSCLE_NUMBERS].name;
    snprintf(name, sizeof name, "%s.%s", muscle, NUMBERS[k % MUSCLE_NUMBERS]);
    m->of_activation[k] = find_channel(take, name);
    if (k % MUSCLE_NUMBERS == 0) m->of_contraction[k / MUSCLE_NUMBERS] = find_channel(take, muscle);
    nfound += m->of_activation[k] >= 0 || (k % 6 == 0 && m->of_contraction[k / 6] >= 0);
  }
  for (int k = 0; k < MUSCLE_JAW; k++) m->of_jaw[k] = find_channel(take, JAW[k]);
  return nfound ? CLI_DONE
                : cli_fail("'%s' has no channel of a muscle; '%s' and '%s.ff' are names", path,
                           face->muscles[0].name, face->muscles[0].name);
}

// Eigenvalues of a symmetric 3 x 3 matrix, the smallest and the largest (Smith 1961).
static void stretches(const double a[MUSCLE_NUMBERS], double *least, double *most) {
  double mean = (a[0] + a[3] + a[5]) / 3, x = a[0] - mean, y = a[3] - mean, z = a[5] - mean;
  double off = a[1] * a[1] + a[2] * a[2] + a[4] * a[4];
  double size = sqrt((x * x + y * y + z * z + 2 * off) / 6);
  *least = *most = mean;
  if (!(size > 0)) return;
  double det =
      x * (y * z - a[4] * a[4]) - a[1] * (a[1] * z - a[4] * a[2]) + a[2] * (a[1] * a[4] - y * a[2]);
  double angle = acos(fmax(-1, fmin(1, det / (2 * size * size * size)))) / 3;
  *most = mean + 2 * size * cos(angle);
  *least = mean + 2 * size * cos(angle + 2.0943951023931953); // a third of a turn
}

// Whether a frame's six numbers are a shape that flesh can have.
static int check_shape(const muscle_take *m, int muscle, int frame, const char *name,
                       const char *path) {
  static const double LEAST = 0.2, MOST = 5;
  const mien_take_info *take = mien_take_get_info(m->take);
  double a[MUSCLE_NUMBERS], least, most;
  bool is_any = false;
  for (int c = 0; c < MUSCLE_NUMBERS; c++) {
    int channel = m->of_activation[muscle * MUSCLE_NUMBERS + c];
    is_any = is_any || channel >= 0;
    a[c] = channel < 0 ? c == 0 || c == 3 || c == 5
                       : (double)take->weights[(size_t)frame * (size_t)take->nchannel + channel];
  }
  if (!is_any) return CLI_DONE;
  stretches(a, &least, &most);
  if (least >= LEAST && most <= MOST) return CLI_DONE;
  return cli_fail(
      "%s: at %g s the activation of the muscle '%s' stretches it by %.3g to %.3g; %g to "
      "%g are possible",
      path, take->times[frame], name, least, most, LEAST, MOST);
}

// Asked before anything is written: frames between two that are possible are possible.
static int check_range(const muscle_take *m, const mien_face_info *face, const char *path) {
  const mien_take_info *take = mien_take_get_info(m->take);
  for (int k = 0; k < m->nmuscle; k++) {
    const mien_muscle *muscle = face->muscles + k;
    for (int f = 0; f < take->nframe; f++) {
      int code = check_shape(m, k, f, muscle->name, path);
      if (code) return code;
    }
    for (int f = 0; m->of_contraction[k] >= 0 && f < take->nframe; f++) {
      double by = (double)take->weights[(size_t)f * (size_t)take->nchannel + m->of_contraction[k]];
      if (!(by >= muscle->least && by <= muscle->most))
        return cli_fail("%s: at %g s the muscle '%s' cannot contract by %g; %g to %g are possible",
                        path, take->times[f], muscle->name, by, muscle->least, muscle->most);
    }
  }
  return CLI_DONE;
}

int muscle_take_open(muscle_take *m, const cli_args *args, const char *path,
                     const mien_face *face) {
  const mien_face_info *info = mien_face_get_info(face);
  *m = (muscle_take){.nmuscle = info->nmuscle};
  if (!path) return CLI_DONE;
  if (!m->nmuscle) return cli_fail("'%s' needs a face with muscles (--muscles on)", path);
  m->take = cli_load_take(args, path);
  if (!m->take) return CLI_FAILED;
  size_t count = (size_t)m->nmuscle, nchannel = (size_t)mien_take_get_info(m->take)->nchannel;
  m->of_activation = calloc(MUSCLE_NUMBERS * count, sizeof *m->of_activation);
  m->of_contraction = calloc(count, sizeof *m->of_contraction);
  m->activations = calloc(MUSCLE_NUMBERS * count, sizeof *m->activations);
  m->contractions = calloc(count, sizeof *m->contractions);
  m->values = calloc(nchannel + 1, sizeof *m->values);
  if (!m->of_activation || !m->of_contraction || !m->activations || !m->contractions || !m->values)
    return cli_fail("out of memory");
  int code = bind_channels(m, info, path);
  return code ? code : check_range(m, info, path);
}

void muscle_jaw_put(const float jaw[MUSCLE_JAW], mien_input *input) {
  double length = 0;
  for (int k = 0; k < 4; k++) length += (double)jaw[k] * (double)jaw[k];
  if (!(length > 0.01)) return;
  for (int k = 0; k < 4; k++) input->jaw.rotation[k] = (double)jaw[k] / sqrt(length);
  for (int k = 0; k < 3; k++) input->jaw.translation[k] = (double)jaw[4 + k];
  input->has_jaw = 1;
}

static void take_jaw(const muscle_take *m, mien_input *input) {
  float jaw[MUSCLE_JAW];
  for (int k = 0; k < MUSCLE_JAW; k++) {
    if (m->of_jaw[k] < 0) return;
    jaw[k] = m->values[m->of_jaw[k]];
  }
  muscle_jaw_put(jaw, input);
}

void muscle_take_at(const muscle_take *m, double time, mien_drive drive, mien_input *input) {
  if (!m->take) return;
  mien_take_sample(m->take, mien_take_get_info(m->take)->start + time, m->values, NULL, NULL);
  for (int k = 0; k < m->nmuscle * MUSCLE_NUMBERS; k++) {
    int c = k % MUSCLE_NUMBERS, channel = m->of_activation[k];
    m->activations[k] = channel >= 0 ? m->values[channel] : (float)(c == 0 || c == 3 || c == 5);
  }
  for (int k = 0; k < m->nmuscle; k++)
    m->contractions[k] = m->of_contraction[k] >= 0 ? m->values[m->of_contraction[k]] : 0;
  input->activations = (mien_f32s){m->activations, m->nmuscle, MUSCLE_NUMBERS};
  input->contractions = (mien_f32s){m->contractions, m->nmuscle, 1};
  // other drives have the artist's jaw
  if (drive == MIEN_DRIVE_MUSCLE) take_jaw(m, input);
}

void muscle_take_close(muscle_take *m) {
  mien_take_free(m->take);
  free(m->of_activation);
  free(m->of_contraction);
  free(m->activations);
  free(m->contractions);
  free(m->values);
  *m = (muscle_take){0};
}

mien_take *muscle_take_still(const cli_args *args, const char *path, const mien_rig *rig) {
  const mien_rig_info *info = mien_rig_get_info(rig);
  mien_take *from = cli_load_take(args, path), *take = NULL;
  mien_error err;
  if (!from) return NULL;
  double times[2] = {mien_take_get_info(from)->start, mien_take_get_info(from)->end};
  float weights[2] = {0, 0};
  const char *name = info->nshape ? info->shapes[0].name : "";
  mien_take_def def;
  mien_take_def_init(&def);
  def.name = "still";
  def.channels = &name;
  def.nchannel = 1;
  def.nframe = times[1] > times[0] ? 2 : 1;
  def.times = times;
  def.weights = weights;
  if (mien_take_create(&def, NULL, &take, &err) < 0) cli_report(&err, path);
  mien_take_free(from);
  return take;
}

int muscle_take_save(const mien_face *face, const double *times, const float *frames, int nframe,
                     const char *path) {
  const mien_face_info *info = mien_face_get_info(face);
  int nchannel = MUSCLE_NUMBERS * info->nmuscle + MUSCLE_JAW;
  char(*names)[96] = calloc((size_t)nchannel, sizeof *names);
  const char **channels = calloc((size_t)nchannel, sizeof *channels);
  mien_error err;
  mien_take *take = NULL;
  int code = names && channels ? CLI_DONE : cli_fail("out of memory");
  for (int k = 0; !code && k < nchannel; k++) {
    int muscle = k / MUSCLE_NUMBERS;
    if (muscle < info->nmuscle)
      snprintf(names[k], sizeof names[k], "%.80s.%s", info->muscles[muscle].name,
               NUMBERS[k % MUSCLE_NUMBERS]);
    else
      snprintf(names[k], sizeof names[k], "%s", JAW[k - MUSCLE_NUMBERS * info->nmuscle]);
    channels[k] = names[k];
  }
  mien_take_def def;
  mien_take_def_init(&def);
  def.name = "muscles";
  def.channels = channels;
  def.nchannel = nchannel;
  def.nframe = nframe;
  def.times = times;
  def.weights = frames;
  if (!code &&
      (mien_take_create(&def, NULL, &take, &err) < 0 || mien_take_save(take, path, &err) < 0))
    code = cli_report(&err, path);
  mien_take_free(take);
  free(names);
  free(channels);
  return code;
}

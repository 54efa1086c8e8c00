#include "frame_scene.h"

#include "lab_clock.h"

#include "face/face.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// -- an allocator that counts ---------------------------------------------------------------------

static void *count_alloc(void *user, size_t size, size_t align) {
  frame_scene *scene = user;
  void *memory = aligned_alloc(align, (size + align - 1) / align * align);
  scene->nalloc++;
  if (!memory) return NULL;
  scene->nbyte += size;
  if (scene->nbyte > scene->nmost) scene->nmost = scene->nbyte;
  return memory;
}

static void count_release(void *user, void *memory, size_t size) {
  frame_scene *scene = user;
  scene->nbyte -= size;
  free(memory);
}

// -- opening --------------------------------------------------------------------------------------

static mien_take *bind(const cli_args *args, const char *sample, const mien_rig *rig) {
  mien_take *take = cli_load_take(args, cli_sample(sample)), *bound = NULL;
  mien_error err;
  if (take && mien_take_bind(take, rig, &bound, NULL, &err) < 0) cli_report(&err, sample);
  mien_take_free(take);
  return bound;
}

static double distance2(const float *p, int a, int b) {
  double sum = 0;
  for (int k = 0; k < 3; k++) {
    double d = (double)p[3 * (size_t)a + k] - p[3 * (size_t)b + k];
    sum += d * d;
  }
  return sum;
}

static int nearest(const float *p, const int32_t *among, int count, int to) {
  int best = 0;
  for (int k = 1; k < count; k++)
    if (distance2(p, among[k], to) < distance2(p, among[best], to)) best = k;
  return among[best];
}

// by the distance from the other lip at rest
static void sort_lip(const float *p, int32_t *lip, int count, const int32_t *other, int nother) {
  for (int i = 1; i < count; i++) {
    int at = i, moved = lip[i];
    double key = distance2(p, moved, nearest(p, other, nother, moved));
    for (; at > 0 && distance2(p, lip[at - 1], nearest(p, other, nother, lip[at - 1])) > key; at--)
      lip[at] = lip[at - 1];
    lip[at] = moved;
  }
}

static bool find_lips(frame_scene *scene) {
  const mien_face_info *info = mien_face_get_info(scene->face);
  const int lips = MIEN_REGION_LIP_UPPER | MIEN_REGION_LIP_LOWER;
  unsigned char *has_flesh = calloc((size_t)info->nvert, 1);
  for (int k = 0; has_flesh && k < 4 * info->ntet; k++) has_flesh[info->tets.data[k]] = 1;
  for (int lip = 0; has_flesh && lip < 2; lip++) {
    scene->lip[lip] = calloc((size_t)info->nskin, sizeof *scene->lip[lip]);
    for (int i = 0; scene->lip[lip] && i < info->nskin; i++)
      if (has_flesh[i] &&
          (info->regions.data[i] & lips) == (lip ? MIEN_REGION_LIP_LOWER : MIEN_REGION_LIP_UPPER))
        scene->lip[lip][scene->nlip[lip]++] = i;
  }
  free(has_flesh);
  if (!scene->lip[0] || !scene->lip[1]) return false;
  if (scene->nlip[0] && scene->nlip[1])
    for (int lip = 0; lip < 2; lip++)
      sort_lip(info->positions.data, scene->lip[lip], scene->nlip[lip], scene->lip[!lip],
               scene->nlip[!lip]);
  return true;
}

static void init(frame_scene *scene, int threads) {
  *scene = (frame_scene){0};
  mien_host_init(&scene->host);
  scene->host.threads = threads;
  scene->host.allocator = (mien_allocator){count_alloc, count_release, scene};
}

// The rest, once there are rig and face.
static int open_state(frame_scene *scene, const cli_args *args) {
  mien_error err;
  if (mien_state_create(scene->face, &scene->host, &scene->state, &err) < 0)
    return cli_report(&err, "state");
  scene->phrase = bind(args, "phrase.csv", scene->rig);
  scene->shake = bind(args, "shake.csv", scene->rig);
  if (!scene->phrase || !scene->shake) return CLI_FAILED;
  scene->weights = calloc((size_t)mien_rig_get_info(scene->rig)->nshape + 1, sizeof(float));
  scene->start = malloc(mien_state_size(scene->state));
  return scene->weights && scene->start && find_lips(scene) ? CLI_DONE : cli_fail("out of memory");
}

int frame_scene_open(frame_scene *scene, const cli_args *args, const char *sample, int threads) {
  mien_face_def def;
  mien_error err;
  init(scene, threads);
  scene->rig = cli_load_rig(args, cli_sample(sample));
  if (!scene->rig) return CLI_FAILED;
  mien_face_def_init(&def);
  if (mien_face_create(scene->rig, &def, &scene->host, &scene->face, &err) < 0)
    return cli_report(&err, sample);
  return open_state(scene, args);
}

int frame_scene_open_beside(frame_scene *scene, const cli_args *args, const frame_scene *first) {
  init(scene, first->host.threads);
  scene->rig = first->rig;
  scene->face = first->face;
  scene->is_beside = true;
  return open_state(scene, args);
}

int frame_scene_start(frame_scene *scene, const mien_step_opts *opts, int lead_in) {
  scene->opts = *opts;
  mien_state_reset(scene->state);
  for (int i = 0; i < lead_in; i++)
    if (!frame_scene_step(scene)) return CLI_FAILED;
  frame_scene_keep(scene);
  return CLI_DONE;
}

void frame_scene_close(frame_scene *scene) {
  mien_take_free(scene->phrase);
  mien_take_free(scene->shake);
  mien_state_free(scene->state);
  if (!scene->is_beside) mien_face_free(scene->face);
  if (!scene->is_beside) mien_rig_free(scene->rig);
  free(scene->weights);
  free(scene->start);
  free(scene->lip[0]);
  free(scene->lip[1]);
}

// -- stepping -------------------------------------------------------------------------------------

bool frame_scene_step(frame_scene *scene) {
  const mien_state_info *info = mien_state_get_info(scene->state);
  double time = info->time + scene->opts.dt;
  mien_input input;
  mien_error err;
  mien_input_init(&input);
  mien_take_sample(scene->phrase, time, scene->weights, NULL, NULL);
  mien_take_sample(scene->shake, time, NULL, &input.head, NULL);
  input.weights = (mien_f32s){scene->weights, mien_rig_get_info(scene->rig)->nshape, 1};
  if (mien_step(scene->state, &input, &scene->opts, &err) >= 0) return true;
  cli_report(&err, "step");
  return false;
}

void frame_scene_keep(frame_scene *scene) {
  mien_state_write(scene->state, scene->start, mien_state_size(scene->state), NULL);
}

void frame_scene_rewind(frame_scene *scene) {
  mien_state_read(scene->state, scene->start, mien_state_size(scene->state), NULL);
}

double frame_scene_time(frame_scene *scene, bool lowrank_rows, int repeats) {
  double best = INFINITY;
  for (int k = 0; k < repeats; k++) {
    frame_scene_rewind(scene);
    double start = lab_clock(scene->host.threads);
    if (!frame_scene_pull(scene, lowrank_rows) || !frame_scene_step(scene)) return -1;
    double seconds = lab_clock(scene->host.threads) - start;
    if (!(seconds < best)) continue;
    best = seconds;
    scene->fastest = *mien_state_get_info(scene->state);
  }
  return best;
}

// Until neither has become faster for some rounds: on a busy machine that takes more of them.
static bool time_in_turns(frame_scene *const scenes[2], bool quick, double best[2]) {
  int most = quick ? 3 : 40, patience = quick ? 3 : 5;
  best[0] = best[1] = INFINITY;
  for (int round = 0, idle = 0; round < most && idle < patience; round++, idle++)
    for (int k = 0; k < 2; k++) {
      double now = frame_scene_time(scenes[k], false, 1);
      if (now < 0) return false;
      if (now < 0.99 * best[k]) idle = -1;
      best[k] = fmin(best[k], now);
    }
  return true;
}

int frame_scene_compare(frame_scene *first, const cli_args *args, bool quick,
                        const mien_step_opts *one, const mien_step_opts *other, double seconds[2]) {
  int frames = quick ? 2 : 8;
  frame_scene second, *scenes[2] = {first, &second};
  seconds[0] = seconds[1] = 0;
  int code = frame_scene_open_beside(&second, args, first);
  for (int k = 0; !code && k < 2; k++) code = frame_scene_start(scenes[k], k ? other : one, 12);
  for (int frame = 0; !code && frame < frames; frame++) {
    double best[2];
    if (!time_in_turns(scenes, quick, best)) code = CLI_FAILED;
    for (int k = 0; !code && k < 2; k++) {
      seconds[k] += best[k] / frames;
      frame_scene_keep(scenes[k]);
    }
  }
  frame_scene_close(&second);
  return code;
}

textbook_frame frame_scene_frame(const frame_scene *scene) {
  const mi_solver *solver = scene->state->solver;
  return (textbook_frame){solver->predicted, solver->anchor, solver->posed, solver->lowrank_rows,
                          solver->pull_target};
}

// -- contacts and sticky springs ------------------------------------------------------------------

// lips are listed without the vertices that have no flesh
static bool is_in(int32_t *const lip[2], const int nlip[2], int vertex) {
  for (int l = 0; l < 2; l++)
    for (int k = 0; k < nlip[l]; k++)
      if (lip[l][k] == vertex) return true;
  return false;
}

// a triangle of the skin around vertex i whose corners are all on its lip; -1 = none
static int triangle_at(const frame_scene *scene, int i) {
  const mien_face_info *info = mien_face_get_info(scene->face);
  int lip = info->regions.data[i] & (MIEN_REGION_LIP_UPPER | MIEN_REGION_LIP_LOWER);
  for (int t = 0; t < info->skin_triangles.count / 3; t++) {
    const int32_t *tri = info->skin_triangles.data + 3 * (size_t)t;
    bool inside = tri[0] == i || tri[1] == i || tri[2] == i;
    for (int c = 0; inside && c < 3; c++)
      inside = (info->regions.data[tri[c]] & lip) && is_in(scene->lip, scene->nlip, tri[c]);
    if (inside) return t;
  }
  return -1;
}

static double diagonal_at(const mi_csr *a, int i) {
  for (int k = a->first[i]; k < a->first[i + 1]; k++)
    if (a->column[k] == i) return a->value[k];
  return 0;
}

static int compare_doubles(const void *a, const void *b) {
  return (*(const double *)a > *(const double *)b) - (*(const double *)a < *(const double *)b);
}

// N / m: what holds a typical vertex of the lips in its place
static double lip_stiffness(const frame_scene *scene) {
  const mi_solver *solver = scene->state->solver;
  int count = 0;
  double *all = calloc((size_t)(scene->nlip[0] + scene->nlip[1]), sizeof *all), middle = 0;
  for (int lip = 0; all && lip < 2; lip++)
    for (int k = 0; k < scene->nlip[lip]; k++)
      all[count++] = diagonal_at(&solver->matrix, solver->iperm[scene->lip[lip][k]]);
  if (all) {
    qsort(all, (size_t)count, sizeof *all, compare_doubles);
    middle = all[count / 2];
  }
  free(all);
  return middle;
}

// coefficients and vertices from the face's order to the solver's
static void place_pull(const mi_solver *solver, mi_lowrank *lowrank) {
  for (int j = 0; j < 4; j++)
    if (lowrank->vert[j] >= 0) lowrank->vert[j] = solver->iperm[lowrank->vert[j]];
}

static void make_pull(frame_scene *scene, int frame, int k, double stiff) {
  const mien_face_info *info = mien_face_get_info(scene->face);
  const mi_solver *solver = scene->state->solver;
  const float *p = scene->state->flesh;
  int lip = k % 2, among = scene->nlip[lip] * 2 / 3; // the third away from the slit is left alone
  int from = scene->lip[lip][(7 * (k / 2) + 13 * frame) % (among > 0 ? among : 1)];
  int to = nearest(p, scene->lip[!lip], scene->nlip[!lip], from);
  int t = k < FRAME_CONTACTS ? triangle_at(scene, to) : -1;
  mi_lowrank *lowrank = scene->lowrank + k;
  *lowrank = (mi_lowrank){{from, to, -1, -1}, {1, -1, 0, 0}, (float)(2 * stiff)};
  if (t >= 0) {
    const int32_t *tri = info->skin_triangles.data + 3 * (size_t)t;
    float a = (float)mi_random_unit(7, (uint32_t)frame, (uint32_t)k), b = (1 - a) / 2;
    *lowrank = (mi_lowrank){
        {from, tri[0], tri[1], tri[2]}, {1, -a, -b, -(1 - a - b)}, (float)(10 * stiff)};
  }
  // contacts hold the lips where they are, springs draw them together
  for (int c = 0; c < 3; c++) {
    float now = 0;
    for (int j = 0; j < 4 && lowrank->vert[j] >= 0; j++)
      now += lowrank->coef[j] * p[3 * (size_t)lowrank->vert[j] + c];
    scene->pull_target[3 * k + c] = (t >= 0 ? 1.0f : 0.5f) * now;
  }
  place_pull(solver, lowrank);
}

bool frame_scene_make_pulls(frame_scene *scene, int frame) {
  if (!scene->state->solver || !scene->nlip[0] || !scene->nlip[1]) return false;
  double stiff = lip_stiffness(scene);
  for (int k = 0; k < FRAME_PULLS; k++) make_pull(scene, frame, k, stiff);
  return true;
}

bool frame_scene_pull(frame_scene *scene, bool on) {
  mi_solver *solver = scene->state->solver;
  if (!solver || (!on && !solver->lowrank_rows.count)) return !on;
  solver->lowrank_rows = (mi_lowrank_rows){scene->lowrank, on ? FRAME_PULLS : 0};
  solver->pull_target = scene->pull_target;
  return !solver->factor ||
         mi_factor_set_lowrank(solver->factor, &solver->lowrank_rows, solver->host.threads);
}

#ifndef _GNU_SOURCE
#define _GNU_SOURCE // mkdtemp, nftw
#endif

#include "fixture.h"

#include <ftw.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

mien_host fixture_host(void) {
  mien_host host;
  assert_int_equal(mi_host_resolve(NULL, &host, NULL), MIEN_OK);
  return host;
}

enum { NSKIN = 10, NEYE = 4, NVERT = NSKIN + NEYE };

// 3 x 3 grid; vertex 9 stands where vertex 4 does, on the other side of the seam
static void fill_vertices(float position[][3], float uv[][2], float colour[][4]) {
  for (int i = 0; i < NSKIN; i++) {
    int at = i == 9 ? 4 : i;
    position[i][0] = 0.1f * (float)(at % 3) - 0.1f;
    position[i][1] = 0.1f * (float)(at / 3);
    position[i][2] = at == 4 ? 0.037f : 0.01f;
    uv[i][0] = i == 9 ? 0.9f : 0.3f * (float)(i % 3);
    uv[i][1] = 0.3f * (float)(i / 3);
  }
  for (int i = 0; i < NEYE; i++) {
    position[NSKIN + i][0] = 0.02f * (float)(i % 2);
    position[NSKIN + i][1] = 0.15f + 0.02f * (float)(i / 2);
    position[NSKIN + i][2] = 0.05f;
    uv[NSKIN + i][0] = uv[NSKIN + i][1] = 0.1f * (float)i;
  }
  for (int i = 0; i < NVERT; i++)
    for (int k = 0; k < 4; k++) colour[i][k] = k == 3 ? 1 : 0.05f * (float)(i + k);
}

mien_rig *fixture_rig(const mien_host *host) {
  static const int32_t faces[] = {
      0, 1, 4, 0, 4, 3, 1, 2, 5, 1,     5,         4,         3,     9,         7,
      3, 7, 6, 9, 5, 8, 9, 8, 7, NSKIN, NSKIN + 1, NSKIN + 3, NSKIN, NSKIN + 3, NSKIN + 2};
  float position[NVERT][3], uv[NVERT][2], colour[NVERT][4], jaw[NVERT][3], thickness[NVERT];
  float under[NVERT][3], look[NEYE][3], smile[2][3];
  int32_t look_at[NEYE], smile_at[2] = {3, 5}, landmarks[68];
  fill_vertices(position, uv, colour);
  for (int i = 0; i < NVERT; i++) {
    int at = i == 9 ? 4 : i;
    thickness[i] = i < NSKIN ? 0.004f + 0.0001f * (float)at : 0;
    for (int k = 0; k < 3; k++) {
      jaw[i][k] = -0.01f * (float)at + 0.001f * (float)k;
      under[i][k] = i < NSKIN ? -0.003f * (float)(at + k) : 0;
    }
  }
  for (int i = 0; i < NEYE; i++) {
    look_at[i] = NSKIN + i;
    look[i][0] = look[i][2] = 0;
    look[i][1] = 1 / 300.0f;
  }
  for (int k = 0; k < 3; k++) smile[0][k] = 0.01f * (float)(k + 1), smile[1][k] = -smile[0][k];
  for (int i = 0; i < 68; i++) landmarks[i] = i % 9 == 8 ? NSKIN + 2 : i % 10 == 4 ? -1 : i % 9;

  const mien_shape shapes[] = {
      {"lookUp", {look_at, NEYE}, {&look[0][0], NEYE, 3}},
      {"jawOpen", {NULL, 0}, {&jaw[0][0], NVERT, 3}},
      {"smile", {smile_at, 2}, {&smile[0][0], 2, 3}},
      {"nothing", {smile_at, 0}, {&smile[0][0], 0, 3}},
  };
  const mien_part parts[] = {{"skin", MIEN_PART_SKIN, 0, NSKIN, 0, 8},
                             {"eye", MIEN_PART_EYE_LEFT, NSKIN, NEYE, 8, 2}};
  const mien_map maps[] = {{"thickness", 1, {thickness, NVERT, 1}},
                           {"hypodermis", 3, {&under[0][0], NVERT, 3}}};
  mien_rig_def def;
  mien_rig_def_init(&def);
  def.name = "fixture";
  def.source_unit = 0.01;
  def.positions = (mien_f32s){&position[0][0], NVERT, 3};
  def.uvs = (mien_f32s){&uv[0][0], NVERT, 2};
  def.colours = (mien_f32s){&colour[0][0], NVERT, 4};
  def.faces = (mien_i32s){faces, 30};
  def.parts = parts;
  def.npart = 2;
  def.shapes = shapes;
  def.nshape = 4;
  def.maps = maps;
  def.nmap = 2;
  def.landmarks = (mien_i32s){landmarks, 68};
  def.jaw = (mien_jaw){1, {0.01f, 0.02f, -0.03f}, {1, 0, 0}, 0.35f};
  mien_rig *rig = NULL;
  mien_error err;
  if (mi_rig_create(&def, host, &rig, &err) < 0) fail_msg("%s", err.text);
  return rig;
}

mien_take *fixture_take(const mien_host *host) {
  static const char *const channels[] = {"jawOpen", "smile"};
  static const double times[] = {0.25, 0.5, 0.75, 1, 1.5};
  static const float weights[] = {0, 1, 0.1f, 0.9f, 0.7f, 0.3f, 1, 0, 0.25f, -0.125f};
  mien_rigid head[5];
  for (int f = 0; f < 5; f++)
    head[f] = (mien_rigid){.rotation = {0, 0.6 * f / 4, 0, sqrt(1 - 0.36 * f * f / 16)},
                           .translation = {0.125 * f, 0, -0.25 * f}};
  mien_take_def def;
  mien_take_def_init(&def);
  def.name = "nod";
  def.channels = channels;
  def.nchannel = 2;
  def.nframe = 5;
  def.times = times;
  def.weights = weights;
  def.head = head;
  mien_take *take = NULL;
  mien_error err;
  if (mi_take_create(&def, host, &take, &err) < 0) fail_msg("%s", err.text);
  return take;
}

void fixture_free_take(mien_take *take) {
  mi_arena arena = take->arena;
  mi_arena_free(&arena);
}

static char folder[128];

static int remove_one(const char *path, const struct stat *about, int what, struct FTW *where) {
  (void)about;
  (void)what;
  (void)where;
  return remove(path);
}

static void remove_folder(void) {
  nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

const char *fixture_path(const char *name) {
  static char path[8][256];
  static int next;
  if (!folder[0]) {
    const char *root = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/mien_io_XXXXXX", root ? root : "/tmp");
    assert_non_null(mkdtemp(folder));
    atexit(remove_folder);
  }
  char *out = path[next++ % 8];
  snprintf(out, sizeof path[0], "%s/%s", folder, name);
  return out;
}

void fixture_write(const char *path, const void *bytes, size_t size) {
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(bytes, 1, size, file), size);
  assert_int_equal(fclose(file), 0);
}

unsigned char *fixture_read(const char *path, size_t *size) {
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  fseek(file, 0, SEEK_END);
  *size = (size_t)ftell(file);
  rewind(file);
  unsigned char *bytes = malloc(*size + 1);
  assert_int_equal(fread(bytes, 1, *size, file), *size);
  fclose(file);
  return bytes;
}

unsigned char *fixture_glb(const char *json, const void *bin, size_t bin_size, size_t *size) {
  size_t length = strlen(json), padded = (length + 3) & ~(size_t)3;
  size_t bin_padded = (bin_size + 3) & ~(size_t)3;
  *size = 12 + 8 + padded + (bin_size ? 8 + bin_padded : 0);
  unsigned char *bytes = calloc(1, *size);
  const uint32_t head[] = {0x46546C67, 2, (uint32_t)*size, (uint32_t)padded, 0x4E4F534A};
  const uint32_t chunk[] = {(uint32_t)bin_padded, 0x004E4942};
  memcpy(bytes, head, sizeof head);
  memset(bytes + 20, ' ', padded);
  for (size_t i = 0; i < length; i++)
    bytes[20 + i] = json[i] == '\'' ? '"' : (unsigned char)json[i];
  if (bin_size) memcpy(bytes + 20 + padded, chunk, sizeof chunk);
  if (bin_size) memcpy(bytes + 28 + padded, bin, bin_size);
  return bytes;
}

unsigned char *fixture_rig_glb(size_t *size) {
  mien_host host = fixture_host();
  mien_rig *rig = fixture_rig(&host);
  mien_take *take = fixture_take(&host);
  const char *path = fixture_path("fixture.glb");
  mien_error err;
  if (mi_glb_write(rig, &(mi_glb_extra){.take = take}, path, &err) < 0) fail_msg("%s", err.text);
  fixture_free_take(take);
  mi_rig_release(rig);
  return fixture_read(path, size);
}

const char *fixture_shared(const char *name) {
  static char path[512];
  const char *root = getenv("MIEN_SHARED_DATA");
  if (root)
    snprintf(path, sizeof path, "%s/%s", root, name);
  else
    snprintf(path, sizeof path, "%s/../shared/data/%s", MIEN_SOURCE_DIR, name);
  if (access(path, R_OK) == 0) return path;
  print_message("skipped: %s is not there (set MIEN_SHARED_DATA)\n", path);
  return NULL;
}

void assert_text_has(const char *text, const char *piece) {
  if (!strstr(text, piece)) fail_msg("\"%s\" does not say \"%s\"", text, piece);
}

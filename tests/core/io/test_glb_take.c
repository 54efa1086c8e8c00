// Weight animation and head motion from .glb files.
#include "fixture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct bin {
  float time[3];     // 0: keys at 0, 1, 2
  float late[2];     // 1: keys at 0.5 and 1
  float weights[6];  // 2: three keys of two targets
  float other[2];    // 3: two keys of one target
  float cubic[6];    // 4: two keys of one target: in, value, out
  uint8_t bytes[4];  // 5: three keys, normalised, and one to spare
  float turn[8];     // 6: two keys of a rotation
  float shift[9];    // 7: three keys of a translation
  float delta[3][3]; // 8: a triangle
} bin = {{0, 1, 2},
         {0.5f, 1},
         {0, 1, 1, 0.5f, 0.5f, 0},
         {0.25f, 0.75f},
         {0, 0, 2, -2, 1, 0},
         {0, 255, 51, 0},
         {0, 0, 0, 1, 0, 0.70710678f, 0, 0.70710678f},
         {0, 0, 0, 1, 0, 0, 2, 4, 6},
         {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}};

// accessor i is view i
#define FILE_WITH(nodes, samplers, channels)                                                       \
  "{'buffers':[{'byteLength':188}],'bufferViews':[{'buffer':0,'byteLength':12},"                   \
  "{'buffer':0,'byteOffset':12,'byteLength':8},{'buffer':0,'byteOffset':20,'byteLength':24},"      \
  "{'buffer':0,'byteOffset':44,'byteLength':8},{'buffer':0,'byteOffset':52,'byteLength':24},"      \
  "{'buffer':0,'byteOffset':76,'byteLength':4},{'buffer':0,'byteOffset':80,'byteLength':32},"      \
  "{'buffer':0,'byteOffset':112,'byteLength':36},{'buffer':0,'byteOffset':148,'byteLength':36}],"  \
  "'accessors':[{'bufferView':0,'componentType':5126,'count':3,'type':'SCALAR'},"                  \
  "{'bufferView':1,'componentType':5126,'count':2,'type':'SCALAR'},"                               \
  "{'bufferView':2,'componentType':5126,'count':6,'type':'SCALAR'},"                               \
  "{'bufferView':3,'componentType':5126,'count':2,'type':'SCALAR'},"                               \
  "{'bufferView':4,'componentType':5126,'count':6,'type':'SCALAR'},"                               \
  "{'bufferView':5,'componentType':5121,'normalized':true,'count':3,'type':'SCALAR'},"             \
  "{'bufferView':6,'componentType':5126,'count':2,'type':'VEC4'},"                                 \
  "{'bufferView':7,'componentType':5126,'count':3,'type':'VEC3'},"                                 \
  "{'bufferView':8,'componentType':5126,'count':3,'type':'VEC3'}],"                                \
  "'meshes':[{'extras':{'targetNames':['a','b']},'primitives':[{'attributes':{'POSITION':8},"      \
  "'targets':[{'POSITION':8},{'POSITION':8}]}]},"                                                  \
  "{'extras':{'targetNames':['c']},'primitives':[{'attributes':{'POSITION':8},"                    \
  "'targets':[{'POSITION':8}]}]}],"                                                                \
  "'nodes':[" nodes "],'animations':[{'name':'walk','samplers':[" samplers                         \
  "],'channels':[" channels "]},{}]}"

static int nlog;
static void count_log(void *user, mien_log_level level, const char *text) {
  (void)user;
  (void)level;
  (void)text;
  nlog++;
}

static mien_result read_json(const char *json, mien_take **take, mien_error *err) {
  _Static_assert(sizeof bin == 184, "as the JSON says");
  char padded[188] = {0};
  memcpy(padded, &bin, sizeof bin);
  mien_host host = fixture_host();
  host.log = count_log;
  nlog = 0;
  size_t size;
  unsigned char *bytes = fixture_glb(json, padded, sizeof padded, &size);
  mien_result result = mi_glb_read_take(bytes, size, &host, take, err);
  free(bytes);
  return result;
}

static mien_take *read_good(const char *json) {
  mien_take *take = NULL;
  mien_error err;
  if (read_json(json, &take, &err) < 0) fail_msg("%s", err.text);
  return take;
}

static void refuse(const char *json, const char *says) {
  mien_take *take = NULL;
  mien_error err;
  assert_int_equal(read_json(json, &take, &err), MIEN_ERR_FORMAT);
  assert_text_has(err.text, says);
}

static void tracks_are_merged_onto_all_keys(void **state) {
  (void)state;
  mien_take *take = read_good(FILE_WITH("{'mesh':0},{'mesh':1},{'mesh':0}",
                                        "{'input':0,'output':2},{'input':1,'output':3}",
                                        "{'sampler':0,'target':{'node':0,'path':'weights'}},"
                                        "{'sampler':1,'target':{'node':1,'path':'weights'}},"
                                        "{'sampler':0,'target':{'node':2,'path':'weights'}}"));
  const mien_take_info *info = &take->info;
  assert_string_equal(info->name, "walk");
  assert_int_equal(info->nchannel, 3);
  assert_string_equal(info->channels[2], "c");
  assert_int_equal(info->nframe, 4);
  assert_memory_equal(info->times, ((const double[]){0, 0.5, 1, 2}), 4 * sizeof(double));
  const float expected[] = {0, 1, 0.25f, 0.5f, 0.75f, 0.25f, 1, 0.5f, 0.75f, 0.5f, 0, 0.75f};
  assert_memory_equal(info->weights, expected, sizeof expected);
  assert_null(info->head);
  assert_int_equal(nlog, 1); // there is a second animation
  fixture_free_take(take);
}

static void steps_stay_steps(void **state) {
  (void)state;
  mien_take *take =
      read_good(FILE_WITH("{'mesh':1}", "{'input':0,'output':5,'interpolation':'STEP'}",
                          "{'sampler':0,'target':{'node':0,'path':'weights'}}"));
  float weight;
  mi_take_sample(take, 0.9, &weight, NULL);
  assert_true(weight == 0);
  mi_take_sample(take, 1, &weight, NULL);
  assert_true(weight == 1);
  mi_take_sample(take, 1.9, &weight, NULL);
  assert_true(weight == 1);
  mi_take_sample(take, 2, &weight, NULL);
  assert_true(weight == 51 / 255.0f);
  fixture_free_take(take);
}

// Keys 0 at 0.5 s with slope 2 and 1 at 1 s with slope -2: the Hermite cubic between them.
static void cubics_are_followed(void **state) {
  (void)state;
  mien_take *take =
      read_good(FILE_WITH("{'mesh':1}", "{'input':1,'output':4,'interpolation':'CUBICSPLINE'}",
                          "{'sampler':0,'target':{'node':0,'path':'weights'}}"));
  for (int i = 0; i <= 10; i++) {
    double t = i / 10.0, t2 = t * t, t3 = t2 * t;
    double expected = (t3 - 2 * t2 + t) * 0.5 * 2 + (3 * t2 - 2 * t3) + (t3 - t2) * 0.5 * -2;
    float weight;
    mi_take_sample(take, 0.5 + 0.5 * t, &weight, NULL);
    assert_near((double)weight, expected, 2e-3);
  }
  assert_true(take->info.nframe >= 31);
  fixture_free_take(take);
}

static void the_head_moves(void **state) {
  (void)state;
  mien_take *take = read_good(FILE_WITH("{'name':'root'},{'name':'Head'}",
                                        "{'input':1,'output':6},{'input':0,'output':7}",
                                        "{'sampler':1,'target':{'node':0,'path':'translation'}},"
                                        "{'sampler':0,'target':{'node':1,'path':'rotation'}},"
                                        "{'sampler':1,'target':{'node':1,'path':'translation'}}"));
  const mien_take_info *info = &take->info;
  assert_int_equal(info->nchannel, 0);
  assert_int_equal(info->nframe, 4);
  assert_near(info->head[2].rotation[1], sqrt(0.5), 1e-6);
  assert_near(info->head[1].translation[0], 0.5, 1e-12);
  assert_near(info->head[3].translation[2], 6, 1e-12);
  fixture_free_take(take);
}

// The head hangs under a node that is turned and moved and rests turned itself: what counts is the
// motion from where the rig was read.
static void motion_is_relative_to_rest(void **state) {
  (void)state;
  mien_take *take = read_good(FILE_WITH(
      "{'children':[1],'translation':[0,0,1],'rotation':[0,0.7071067811865476,0,"
      "0.7071067811865476],'scale':[2,2,2]},{'name':'myHead','translation':[1,0,0]}",
      "{'input':0,'output':7}", "{'sampler':0,'target':{'node':1,'path':'translation'}}"));
  // key 1 is where it rests: (1, 0, 0)
  const mien_rigid *head = take->info.head;
  for (int k = 0; k < 3; k++) assert_near(head[1].translation[k], 0, 1e-12);
  assert_near(fabs(head[1].rotation[3]), 1, 1e-12);
  // key 2 is (1, 4, 6) further on, doubled and turned a quarter about y: z becomes x, x becomes -z
  assert_near(head[2].translation[0], 12, 1e-6);
  assert_near(head[2].translation[1], 8, 1e-6);
  assert_near(head[2].translation[2], -2, 1e-6);
  fixture_free_take(take);
}

static void damage_is_refused(void **state) {
  (void)state;
  refuse("{}", "no animation");
  refuse(FILE_WITH("{}", "", ""), "no animation");
  refuse(FILE_WITH("{'mesh':0}", "{'input':0,'output':3}",
                   "{'sampler':0,'target':{'node':0,'path':'weights'}}"),
         "do not match");
  refuse(FILE_WITH("{'mesh':0}", "{'input':2,'output':2}",
                   "{'sampler':0,'target':{'node':0,'path':'weights'}}"),
         "do not match");
  refuse(FILE_WITH("{'mesh':1}", "{'input':3,'output':3},{'input':5,'output':0}",
                   "{'sampler':1,'target':{'node':0,'path':'weights'}}"),
         "does not come after");
  refuse(
      FILE_WITH("{'mesh':0}", "{'output':2}", "{'sampler':0,'target':{'node':0,'path':'weights'}}"),
      "no keys");
  refuse(FILE_WITH("{'mesh':0}", "", "{'sampler':0,'target':{'node':0,'path':'weights'}}"),
         "\"sampler\" is 0");
  refuse(FILE_WITH("{'mesh':0}", "{'input':0,'output':2}",
                   "{'sampler':0,'target':{'node':5,'path':'weights'}}"),
         "\"node\" is 5");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(tracks_are_merged_onto_all_keys),
      cmocka_unit_test(steps_stay_steps),
      cmocka_unit_test(cubics_are_followed),
      cmocka_unit_test(the_head_moves),
      cmocka_unit_test(motion_is_relative_to_rest),
      cmocka_unit_test(damage_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

// Room in the sample head's mouth: teeth are rigid colliders for the lips, so nothing of the skin
// may lie on them, and the lips themselves are a hair apart.
#include "head/head.h"
#include "mesh_clearance.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { SKIN = 0, TEETH_UPPER = 3, TEETH_LOWER = 4 };

static const double REACH = 0.006;

// One of each density, made once: that takes longer than what is asked of them.
static head_model models[3];

static int make_models(void **state) {
  (void)state;
  int failed = 0;
  for (int density = 0; density < 3; density++)
    failed |= head_model_create(&(head_options){density}, models + density);
  return failed;
}

static int free_models(void **state) {
  (void)state;
  for (int density = 0; density < 3; density++) head_model_free(models + density);
  return 0;
}

// One part in a pose: up to two shapes at weight 1.
typedef struct pose {
  const char *shape[2];
} pose;

static const head_shape *find_shape(const head_model *m, const char *name) {
  for (int s = 0; s < m->nshape; s++)
    if (!strcmp(m->shape[s].name, name)) return &m->shape[s];
  fail_msg("no shape %s", name);
  return NULL;
}

static float (*posed(const head_model *m, int part, const pose *p))[3] {
  const head_part *at = m->part + part;
  float(*out)[3] = malloc((size_t)at->nvert * sizeof *out);
  assert_non_null(out);
  memcpy(out, at->position, (size_t)at->nvert * sizeof *out);
  for (int k = 0; k < 2 && p->shape[k]; k++) {
    const head_shape *shape = find_shape(m, p->shape[k]);
    for (int i = 0; i < 3 * at->nvert; i++)
      out[i / 3][i % 3] += shape->delta[m->first_vertex[part] + i / 3][i % 3];
  }
  return out;
}

// The skin that can come near the teeth: what lies in their box, and REACH around it.
static triangle_list near_skin(const head_model *m, float (*skin)[3], float (*teeth)[3],
                               int nteeth) {
  float low[3] = {1, 1, 1}, high[3] = {-1, -1, -1};
  for (int i = 0; i < 3 * nteeth; i++) {
    low[i % 3] = fminf(low[i % 3], teeth[i / 3][i % 3] - (float)REACH);
    high[i % 3] = fmaxf(high[i % 3], teeth[i / 3][i % 3] + (float)REACH);
  }
  triangle_list list = {skin[0], malloc((size_t)m->part[SKIN].ntri * sizeof *list.corner), 0};
  assert_non_null(list.corner);
  for (int t = 0; t < m->part[SKIN].ntri; t++) {
    const int *corner = m->part[SKIN].triangle[t];
    bool is_near = true;
    for (int k = 0; k < 3; k++) {
      float a = skin[corner[0]][k], b = skin[corner[1]][k], c = skin[corner[2]][k];
      is_near &= fminf(a, fminf(b, c)) < high[k] && fmaxf(a, fmaxf(b, c)) > low[k];
    }
    if (is_near) memcpy(list.corner[list.count++], corner, sizeof *list.corner);
  }
  return list;
}

static mesh_nearness teeth_clearance(const head_model *m, const pose *p, int row) {
  const head_part *part = m->part + row;
  float(*skin)[3] = posed(m, SKIN, p), (*teeth)[3] = posed(m, row, p);
  triangle_list wall = near_skin(m, skin, teeth, part->nvert);
  triangle_list hard = {teeth[0], part->triangle, part->ntri};
  mesh_nearness near = mesh_clearance(&wall, &hard, REACH);
  assert_true(near.distance >= 0);
  free(wall.corner);
  free(skin);
  free(teeth);
  return near;
}

static void teeth_are_clear_at_rest(void **state) {
  (void)state;
  for (int density = 0; density < 3; density++) {
    for (int row = TEETH_UPPER; row <= TEETH_LOWER; row++) {
      mesh_nearness near = teeth_clearance(models + density, &(pose){{NULL}}, row);
      print_message("density %d, %s: %.2f mm at %.1f %.1f %.1f\n", density,
                    models[density].part[row].name, 1e3 * near.distance, 1e3 * near.at[0],
                    1e3 * near.at[1], 1e3 * near.at[2]);
      assert_true(near.distance >= 0.001);
    }
  }
}

static void teeth_are_clear_in_mouth_shapes(void **state) {
  (void)state;
  const head_model m = models[1];
  int nwrong = 0, nshape = 0;
  for (int s = 0; s < m.nshape; s++) {
    const char *name = m.shape[s].name;
    if (!strstr(name, "mouth") && !strstr(name, "jaw") && !strstr(name, "cheekPuff") &&
        !strstr(name, "tongue"))
      continue;
    // mouthClose takes back what jawOpen did to the lips and means nothing alone
    pose p = {{name, !strcmp(name, "mouthClose") ? "jawOpen" : NULL}};
    nshape++;
    for (int row = TEETH_UPPER; row <= TEETH_LOWER; row++) {
      mesh_nearness near = teeth_clearance(&m, &p, row);
      bool is_wrong = near.distance < 0.001;
      nwrong += is_wrong;
      if (near.distance < 0.002)
        print_message("%s %s: %.2f mm at %.1f %.1f %.1f%s\n", name, m.part[row].name,
                      1e3 * near.distance, 1e3 * near.at[0], 1e3 * near.at[1], 1e3 * near.at[2],
                      is_wrong ? " TOO NEAR" : "");
    }
  }
  assert_true(nshape >= 28);
  assert_int_equal(nwrong, 0);
}

// Upper against lower lip; the corners, where they meet, do not count.
static mesh_nearness lip_gap(const head_model *m) {
  const head_part *skin = m->part + SKIN;
  triangle_list lip[2];
  for (int k = 0; k < 2; k++) {
    const float *label = k ? m->label.lip_lower : m->label.lip_upper;
    lip[k] = (triangle_list){skin->position[0], malloc((size_t)skin->ntri * sizeof(int[3])), 0};
    assert_non_null(lip[k].corner);
    for (int t = 0; t < skin->ntri; t++) {
      const int *corner = skin->triangle[t];
      bool is_lip = true;
      for (int c = 0; c < 3; c++)
        is_lip &= label[corner[c]] > 0.5f && fabsf(skin->position[corner[c]][0]) < 0.021f;
      if (is_lip) memcpy(lip[k].corner[lip[k].count++], corner, sizeof(int[3]));
    }
    assert_true(lip[k].count > 50);
  }
  mesh_nearness near = mesh_clearance(lip, lip + 1, REACH);
  free(lip[0].corner);
  free(lip[1].corner);
  return near;
}

static void lips_are_a_hair_apart(void **state) {
  (void)state;
  for (int density = 0; density < 3; density++) {
    mesh_nearness near = lip_gap(models + density);
    print_message("density %d, lips: %.2f mm at %.1f %.1f %.1f\n", density, 1e3 * near.distance,
                  1e3 * near.at[0], 1e3 * near.at[1], 1e3 * near.at[2]);
    assert_true(near.distance > 0.0002 && near.distance < 0.0005);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(teeth_are_clear_at_rest),
                                     cmocka_unit_test(teeth_are_clear_in_mouth_shapes),
                                     cmocka_unit_test(lips_are_a_hair_apart)};
  return cmocka_run_group_tests(tests, make_models, free_models);
}

#include "found.h"

#include "scene.h"

#include <math.h>
#include <string.h>

void found_make(const mien_rig *rig, found *f) {
  mien_error err = {0};
  *f = (found){0};
  mi_arena_init(&f->arena, &rig->host);
  f->remarks.arena = &f->arena;
  if (mi_skin_build(rig, &f->arena, &f->skin, &f->remarks, &err) < 0) fail_msg("%s", err.text);
  if (mi_regions_find(rig, &f->skin, &f->arena, &f->regions, &f->remarks, &err) < 0)
    fail_msg("%s", err.text);
}

void found_free(found *f) {
  mi_arena_free(&f->arena);
}

bool found_says(const found *f, const char *text) {
  for (int k = 0; k < f->remarks.count; k++)
    if (strstr(f->remarks.text[k], text)) return true;
  return false;
}

int found_count(const found *f, int bits) {
  int count = 0;
  for (int i = 0; i < f->skin.nvert; i++) count += (f->regions.bits[i] & bits) == bits;
  return count;
}

static void check_slit(const found *f) {
  const mi_regions *r = &f->regions;
  assert_int_equal(r->has_mouth, r->nslit > 0);
  if (!r->has_mouth) return;
  assert_in_range(r->nslit_upper, 3, r->nslit);
  for (int k = 0; k < r->nslit; k++) {
    int a = r->slit[k], b = r->slit[(k + 1) % r->nslit];
    assert_in_range(a, 0, f->skin.nvert - 1);
    assert_true(mi_topology_edge(&f->skin.topo, a, b) >= 0);
  }
  assert_true(f->skin.position[3 * r->slit[0]] < f->skin.position[3 * r->slit[r->nslit_upper - 1]]);
}

void found_check(const found *f) {
  const mi_regions *r = &f->regions;
  for (int i = 0; i < f->skin.nvert; i++) {
    assert_true(r->jaw[i] >= 0 && r->jaw[i] <= 1);
    assert_true(r->attachment[i] >= 0 && r->attachment[i] <= 1);
    assert_int_equal(r->bits[i] & ~255, 0);
  }
  check_slit(f);
}

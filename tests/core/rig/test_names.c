#include "rig/rig.h"
#include "scenes/scene.h"

static void spellings_fold_together(void **state) {
  (void)state;
  static const char *const same[][4] = {
      {"eyeBlinkLeft", "EyeBlinkLeft", "eye_blink_left", "eyeBlink_L"},
      {"mouthSmileRight", "mouthSmile_R", "mouthSmileR", "head:blendShape1.mouthSmile.R"},
      {"jawOpen", "JawOpen", "jaw_open", "face.jawOpen"},
      {"browInnerUp", "Brow Inner Up", "brow-inner-up", "|head|browInnerUp"},
  };
  for (int i = 0; i < 4; i++) {
    char first[64], other[64];
    mi_name_fold(same[i][0], first, sizeof first);
    for (int k = 1; k < 4; k++) {
      mi_name_fold(same[i][k], other, sizeof other);
      assert_string_equal(other, first);
    }
  }
}

static void different_names_stay_different(void **state) {
  (void)state;
  static const char *const names[] = {
      "jawLeft",       "jawRight",       "jawL2",  "mouthPucker", "mouthFunnel",
      "eyeLookInLeft", "eyeLookInRight", "smileL", "smileR",      "smile"};
  for (int i = 0; i < 10; i++)
    for (int j = 0; j < i; j++) {
      char a[64], b[64];
      mi_name_fold(names[i], a, sizeof a);
      mi_name_fold(names[j], b, sizeof b);
      assert_string_not_equal(a, b);
    }
}

static void short_buffers_are_respected(void **state) {
  (void)state;
  for (size_t size = 1; size < 16; size++) {
    char folded[17];
    for (int i = 0; i < 17; i++) folded[i] = '#';
    mi_name_fold("eyeBlinkLots_L", folded, size);
    assert_int_equal(folded[size], '#');
    mi_name_fold("", folded, size);
    assert_string_equal(folded, "");
  }
}

static void parts_say_what_they_are(void **state) {
  (void)state;
  static const struct {
    const char *name;
    mien_part_kind kind;
  } parts[] = {{"Skull", MIEN_PART_SKULL},
               {"jaw_bone", MIEN_PART_JAW},
               {"upper_teeth", MIEN_PART_TEETH_UPPER},
               {"TeethLower", MIEN_PART_TEETH_LOWER},
               {"eye_L", MIEN_PART_EYE_LEFT},
               {"EyeballRight", MIEN_PART_EYE_RIGHT},
               {"eyelashes_L", MIEN_PART_OTHER},
               {"tongue", MIEN_PART_TONGUE},
               {"head_geo", MIEN_PART_SKIN},
               {"face", MIEN_PART_SKIN},
               {"Object_3", MIEN_PART_AUTO}};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    assert_int_equal(mi_part_kind_from_name(parts[i].name), parts[i].kind);
}

static void action_units_mean_motions(void **state) {
  (void)state;
  static const char *const means[][2] = {{"AU12_L", "mouthsmileleft"},
                                         {"lipCornerPuller_R", "mouthsmileright"},
                                         {"AU15_R", "mouthfrownright"},
                                         {"AU26", "jawopen"}};
  for (int i = 0; i < 4; i++) {
    char meaning[64];
    mi_name_meaning(means[i][0], meaning, sizeof meaning);
    assert_string_equal(meaning, means[i][1]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(spellings_fold_together), cmocka_unit_test(different_names_stay_different),
      cmocka_unit_test(short_buffers_are_respected), cmocka_unit_test(parts_say_what_they_are),
      cmocka_unit_test(action_units_mean_motions)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

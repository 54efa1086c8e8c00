// Names and sentences hold no control characters and are UTF-8, whatever a file says.
#include "rig/rig.h"
#include "scenes/scene.h"

#include <ctype.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>

static const struct {
  const char *given, *sentence, *name;
} texts[] = {
    {"jawOpen", "jawOpen", "jawOpen"},
    {"", "", ""},
    {"Kopf \xc3\xa4 \xe7\x9c\x89 \xf0\x9f\x99\x82", "Kopf \xc3\xa4 \xe7\x9c\x89 \xf0\x9f\x99\x82",
     "Kopf \xc3\xa4 \xe7\x9c\x89 \xf0\x9f\x99\x82"},
    // an escape sequence, a new line, delete
    {"\x1b]0;x\x07", "?]0;x?", "\xe2\x90\x9b]0;x\xe2\x90\x87"},
    {"a\nb\x7f", "a?b?",
     "a\xe2\x90\x8a"
     "b\xe2\x90\xa1"},
    // Latin 1, and a byte that is nothing there
    {"M\xe4"
     "dchen",
     "M?dchen",
     "M\xc3\xa4"
     "dchen"},
    {"\x9b[31m", "?[31m", "\xef\xbf\xbd[31m"},
    // a control character in two bytes; too many bytes for a letter; half a surrogate; cut off
    {"\xc2\x9b", "??", "\xc3\x82\xef\xbf\xbd"},
    {"\xc0\xaf", "??", "\xc3\x80\xc2\xaf"},
    {"\xe0\x80\xaf", "???", "\xc3\xa0\xef\xbf\xbd\xc2\xaf"},
    {"\xed\xa0\x80", "???", "\xc3\xad\xc2\xa0\xef\xbf\xbd"},
    {"\xf4\xa0\xa0\xa0", "????", "\xc3\xb4\xc2\xa0\xc2\xa0\xc2\xa0"},
    {"x\xe7\x9c", "x??", "x\xc3\xa7\xef\xbf\xbd"},
};
enum { NTEXT = sizeof texts / sizeof *texts };

static void texts_are_cleaned(void **state) {
  (void)state;
  mien_host host;
  mi_arena arena;
  assert_int_equal(mi_host_resolve(NULL, &host, NULL), MIEN_OK);
  mi_arena_init(&arena, &host);
  for (size_t k = 0; k < NTEXT; k++) {
    char copy[64];
    snprintf(copy, sizeof copy, "%s", texts[k].given);
    assert_int_equal(mi_text_is_clean(copy), !strcmp(texts[k].given, texts[k].sentence));
    mi_text_clean(copy);
    assert_string_equal(copy, texts[k].sentence);
    assert_true(mi_text_is_clean(copy));
    assert_string_equal(mi_arena_name(&arena, texts[k].given), texts[k].name);
    assert_true(mi_text_is_clean(texts[k].name));
  }
  mi_arena_free(&arena);
}

static char logged[64];

static void keep_log(void *user, mien_log_level level, const char *text) {
  (void)user, (void)level;
  snprintf(logged, sizeof logged, "%s", text);
}

// A sentence that is cut in the middle of a letter is whole, too.
static void sentences_are_clean(void **state) {
  (void)state;
  mien_error err;
  mien_host host;
  mi_arena arena;
  assert_int_equal(mi_fail(&err, MIEN_ERR_FORMAT, "no \"%.4s\"", "ab\xc3\xa4\xc3\xa4"),
                   MIEN_ERR_FORMAT);
  assert_string_equal(err.text, "no \"ab\xc3\xa4\"");
  mi_fail(&err, MIEN_ERR_FORMAT, "no \"%.3s\"\x1b", "ab\xc3\xa4");
  assert_string_equal(err.text, "no \"ab?\"?");
  assert_int_equal(mi_host_resolve(NULL, &host, NULL), MIEN_OK);
  mi_arena_init(&arena, &host);
  mi_remarks remarks = {.arena = &arena};
  assert_true(mi_remark(&remarks, "\"%s\" is odd", "\x1b[2J"));
  assert_string_equal(remarks.text[0], "\"?[2J\" is odd");
  mi_arena_free(&arena);
  host.log = keep_log;
  mi_log(&host, MIEN_LOG_WARNING, "a\rb");
  assert_string_equal(logged, "a?b");
}

// Names mean the same in a host of any locale.
static void names_are_folded_alike(void **state) {
  (void)state;
  char folded[32];
  if (!scene_use_decimal_comma()) {
    print_message("skipped: no localedef\n");
    skip();
  }
  bool is_strange = tolower('I') != 'i' && tolower('A') != 'a';
  mi_name_fold("Brow_INNER_L", folded, sizeof folded);
  setlocale(LC_ALL, "C");
  assert_true(is_strange);
  assert_string_equal(folded, "browinnerleft");
  assert_true(mi_text_is_same("a.GLB", "A.glb"));
  assert_false(mi_text_is_same("a.glb", "a.gl"));
  assert_false(mi_text_is_same("", "a"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(texts_are_cleaned),
      cmocka_unit_test(sentences_are_clean),
      cmocka_unit_test(names_are_folded_alike),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

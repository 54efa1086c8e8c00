// One page about all shots: what failed first, then what is farthest from its pose.
#include "farm.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static double number(const json_t *json, const char *key) {
  return json_number_value(json_object_get(json, key));
}

static void put_text(FILE *file, const char *text) {
  for (; text && *text; text++) { // a record of another's hand may hold anything
    const char *as = *text == '<'   ? "&lt;"
                     : *text == '>' ? "&gt;"
                     : *text == '&' ? "&amp;"
                     : *text == '"' ? "&quot;"
                                    : NULL;
    if (as)
      fputs(as, file);
    else
      fputc(*text, file);
  }
}

// -- A row ----------------------------------------------------------------------------------------

static const char *status_name(farm_status status) {
  static const char *const names[] = {"not done", "not done", "done", "failed"};
  return names[status];
}

static void put_remarks(FILE *file, const farm_shot *shot) {
  const json_t *remarks = json_object_get(shot->result, "remarks");
  const json_t *implausible = json_object_get(shot->result, "implausible_frames");
  if (shot->status != FARM_DONE && shot->why[0]) {
    fputs("<b>", file);
    put_text(file, shot->why);
    fputs("</b><br>", file);
  }
  for (size_t i = 0; i < json_array_size(implausible) && i < 3; i++) {
    const json_t *one = json_array_get(implausible, i);
    const char *cause = json_string_value(json_object_get(one, "cause"));
    fprintf(file, "frame %d is not plausible: ", (int)number(one, "frame"));
    put_text(file, cause);
    fputs("<br>", file);
  }
  if (json_array_size(implausible) > 3)
    fprintf(file, "and %zu more<br>", json_array_size(implausible) - 3);
  if (!json_array_size(remarks)) return;
  fprintf(file, "<details><summary>%zu remarks</summary>", json_array_size(remarks));
  for (size_t i = 0; i < json_array_size(remarks); i++) {
    put_text(file, json_string_value(json_array_get(remarks, i)));
    fputs("<br>", file);
  }
  fputs("</details>", file);
}

static void put_picture(FILE *file, const farm *f, const farm_shot *shot) {
  char path[4096];
  struct stat about;
  farm_name_file(f, shot, "pictures", ".png", path);
  fputs("<td>", file);
  if (stat(path, &about) == 0)
    fprintf(file, "<img src=\"pictures/%s.png\" loading=\"lazy\" width=\"120\" alt=\"\">",
            shot->name);
  fputs("</td>", file);
}

static void put_row(FILE *file, const farm *f, const farm_shot *shot) {
  const json_t *r = shot->result, *times = json_object_get(r, "times");
  const char *host = json_string_value(json_object_get(r, "host"));
  fprintf(file, "<tr class=\"%s\">", shot->status == FARM_DONE ? "done" : "failed");
  put_picture(file, f, shot);
  fputs("<td class=\"name\">", file);
  put_text(file, shot->path);
  fprintf(file, "<br><a href=\"logs/%s.log\">log</a></td><td>%s%s</td>", shot->name,
          status_name(shot->status), shot->status == FARM_DONE && !shot->is_new ? " before" : "");
  if (shot->status == FARM_DONE) {
    int implausible = (int)json_array_size(json_object_get(r, "implausible_frames"));
    fprintf(file,
            "<td>%d<br>%d to %d</td><td>%.2f<br>at %d</td><td>%d</td><td>%d</td><td>%.1f</td>"
            "<td>%.1f</td><td>%.1f</td><td>%.0f</td><td>%d</td><td>",
            (int)number(r, "frames"), (int)number(r, "first_frame"), (int)number(r, "last_frame"),
            number(r, "max_offset_mm"), (int)number(r, "max_offset_frame"), implausible,
            (int)number(r, "frames_with_inverted_tetrahedra"), number(times, "setup"),
            number(times, "bake"), number(times, "cpu"), number(r, "memory_mb"),
            (int)number(r, "failed_attempts"));
    put_text(file, host);
  } else {
    fprintf(
        file,
        "<td></td><td></td><td></td><td></td><td></td><td></td><td></td><td></td><td>%d</td><td>",
        shot->attempts);
  }
  fputs("</td><td>", file);
  put_remarks(file, shot);
  fputs("</td></tr>\n", file);
}

// -- The page -------------------------------------------------------------------------------------

static const char *const HEAD =
    "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>mien farm</title>\n"
    "<style>body{font:14px sans-serif;margin:2em}table{border-collapse:collapse}"
    "th,td{padding:4px 8px;border-bottom:1px solid #ddd;text-align:right;vertical-align:top}"
    "th{position:sticky;top:0;background:#fff}td.name,td:last-child,th:last-child{text-align:left;"
    "max-width:28em;overflow-wrap:anywhere}"
    "tr.failed{background:#fdd}</style>\n";

static const char *const TITLES =
    "<table><tr><th></th><th>shot</th><th></th><th>frames</th><th>worst offset, mm</th>"
    "<th>not plausible</th><th>inverted</th><th>set-up, s</th><th>bake, s</th><th>CPU, s</th>"
    "<th>MB</th><th>failed tries</th><th>host</th><th>remarks</th></tr>\n";

static int by_trouble(const void *a, const void *b) {
  const farm_shot *x = *(farm_shot *const *)a, *y = *(farm_shot *const *)b;
  if ((x->status == FARM_DONE) != (y->status == FARM_DONE)) return x->status == FARM_DONE ? 1 : -1;
  double p = number(x->result, "max_offset_mm"), q = number(y->result, "max_offset_mm");
  return p != q ? (p < q ? 1 : -1) : strcmp(x->path, y->path);
}

static void put_page(FILE *file, const farm *f, farm_shot *const *order) {
  double cpu = 0, frames = 0;
  for (int i = 0; i < f->nshot; i++) {
    cpu += number(json_object_get(f->shots[i].result, "times"), "cpu");
    frames += number(f->shots[i].result, "frames");
  }
  int done = farm_count(f, FARM_DONE), failed = farm_count(f, FARM_FAILED);
  fputs(HEAD, file);
  fprintf(file,
          "<h1>%d shots: %d done, %d failed, %d not done</h1><p>%.0f frames, %.0f s of processor "
          "time. The offset is how far physics moved the skin from the artist's pose; the picture "
          "is of a frame where it is largest.</p>\n",
          f->nshot, done, failed, f->nshot - done - failed, frames, cpu);
  fputs(TITLES, file);
  for (int i = 0; i < f->nshot; i++) put_row(file, f, order[i]);
  fputs("</table></html>\n", file);
}

static json_t *describe(const farm *f) {
  json_t *list = json_array();
  for (int i = 0; i < f->nshot; i++) {
    const farm_shot *shot = f->shots + i;
    json_array_append_new(
        list, json_pack("{s:o, s:s, s:b, s:i, s:o, s:O?}", "shot", cli_json_path(shot->path),
                        "status", status_name(shot->status), "baked_now", shot->is_new,
                        "failed_attempts", shot->attempts, "error",
                        cli_json_path(shot->status == FARM_DONE ? NULL : shot->why), "result",
                        shot->result));
  }
  return list;
}

int farm_write_report(const farm *f) {
  char path[4096];
  farm_shot **order = malloc(((size_t)f->nshot + 1) * sizeof *order);
  if (!order) return cli_fail("out of memory");
  for (int i = 0; i < f->nshot; i++) order[i] = f->shots + i;
  qsort(order, (size_t)f->nshot, sizeof *order, by_trouble);
  snprintf(path, sizeof path, "%s/report.html", f->folder);
  FILE *file = cli_create(path);
  if (file) put_page(file, f, order);
  int code = file ? cli_commit(file, path) : CLI_FAILED;
  free(order);
  if (code) return code;
  snprintf(path, sizeof path, "%s/report.json", f->folder);
  file = cli_create(path);
  json_t *list = describe(f);
  bool is_whole = file && json_dumpf(list, file, JSON_INDENT(1)) == 0;
  json_decref(list);
  if (file && !is_whole) cli_abandon(file, path);
  return is_whole ? cli_commit(file, path)
         : file   ? cli_fail("'%s' could not be written", path)
                  : CLI_FAILED;
}

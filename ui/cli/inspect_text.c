// The report in plain words.
#include "inspect.h"

#include <string.h>

static int count(const json_t *of, const char *key) {
  return (int)json_integer_value(json_object_get(of, key));
}

static double number(const json_t *of, const char *key) {
  return json_number_value(json_object_get(of, key));
}

static double element(const json_t *of, const char *key, size_t i) {
  return json_number_value(json_array_get(json_object_get(of, key), i));
}

static const char *text(const json_t *of, const char *key) {
  const char *found = json_string_value(json_object_get(of, key));
  return found ? found : "";
}

static const char *plural(size_t number_of) {
  return number_of == 1 ? "" : "s";
}

static void print_list(const json_t *report, const char *key, const char *title) {
  const json_t *list = json_object_get(report, key), *item;
  size_t i;
  if (!json_array_size(list)) return;
  printf("\n%s\n", title);
  json_array_foreach(list, i, item) printf("  - %s\n", json_string_value(item));
}

static const char *unit_name(double metres, char *room, size_t size) {
  snprintf(room, size, "%g m", metres);
  if (metres == 1) return "the metre";
  if (metres > 0.00999 && metres < 0.01001) return "the centimetre";
  if (metres > 0.000999 && metres < 0.001001) return "the millimetre";
  if (metres > 0.02539 && metres < 0.02541) return "the inch";
  return room;
}

static void print_parts(const json_t *report) {
  const json_t *part;
  size_t i;
  printf("\nparts\n");
  json_array_foreach(json_object_get(report, "parts"), i, part) {
    int nopen = count(part, "open_edges"), nborder = count(part, "open_borders");
    printf("  %-20s %-12s %7d vertices %7d triangles", text(part, "name"), text(part, "kind"),
           count(part, "vertices"), count(part, "triangles"));
    if (nopen)
      printf("  %d %s (%d edges)\n", nborder, nborder == 1 ? "opening" : "openings", nopen);
    else
      printf("  closed\n");
  }
}

static int longest_name(const json_t *list) {
  const json_t *item;
  size_t i;
  int longest = 8;
  json_array_foreach(list, i, item) {
    int length = (int)strlen(text(item, "name"));
    if (length > longest) longest = length;
  }
  return longest < 40 ? longest : 40;
}

// Two columns of name, vertices moved, largest motion.
static void print_shapes(const json_t *report) {
  const json_t *shapes = json_object_get(report, "shapes");
  size_t total = json_array_size(shapes), rows = (total + 1) / 2;
  int width = longest_name(shapes);
  if (!total) return;
  printf("\n%zu shape%s: vertices moved, largest motion\n", total, plural(total));
  for (size_t row = 0; row < rows; row++)
    for (size_t i = row; i < total; i += rows) {
      const json_t *shape = json_array_get(shapes, i);
      printf("  %-*s %6d %7.2f mm%s", width, text(shape, "name"), count(shape, "vertices"),
             number(shape, "largest_mm"), i + rows < total ? "  " : "\n");
    }
}

static void print_maps(const json_t *report) {
  const json_t *maps = json_object_get(report, "maps"), *map;
  size_t i;
  if (!json_array_size(maps)) return;
  printf("\npainted maps\n");
  json_array_foreach(maps, i, map) printf("  %-20s %s %10.4g to %.4g\n", text(map, "name"),
                                          count(map, "width") == 3 ? "vector" : "number",
                                          number(map, "min"), number(map, "max"));
}

static void print_jaw(const json_t *report) {
  const json_t *jaw = json_object_get(report, "jaw");
  if (!json_is_object(jaw)) {
    printf("  jaw     no hinge is known\n");
    return;
  }
  printf("  jaw     hinge at %.1f %.1f %.1f cm, opens by %.1f degrees\n",
         element(jaw, "hinge_cm", 0), element(jaw, "hinge_cm", 1), element(jaw, "hinge_cm", 2),
         number(jaw, "open_degrees"));
}

static void print_flesh(const json_t *report) {
  const json_t *flesh = json_object_get(report, "flesh"), *regions;
  if (!json_is_object(flesh)) return;
  regions = json_object_get(flesh, "regions");
  printf("\nas a face\n");
  if (json_is_true(json_object_get(flesh, "mouth")))
    printf("  mouth   found: %d vertices along the slit, upper lip %d, lower lip %d, inner %d, "
           "bag %d\n",
           count(flesh, "slit_vertices"), count(regions, "lip_upper"), count(regions, "lip_lower"),
           count(regions, "lip_inner"), count(regions, "mouth_bag"));
  else
    printf("  mouth   not found\n");
  printf("  eyelids %d vertices; can touch: %d; swing freely: %d; follow the jaw: %d\n",
         count(regions, "eyelid"), count(regions, "contact"), count(regions, "passive"),
         count(regions, "jaw"));
  print_jaw(report);
  printf(
      "  flesh   %d tetrahedra under %d skin vertices, %.1f to %.1f mm thick (mean %.1f), %.0f g\n",
      count(flesh, "tetrahedra"), count(flesh, "skin_vertices"), element(flesh, "thickness_mm", 0),
      element(flesh, "thickness_mm", 2), element(flesh, "thickness_mm", 1),
      number(flesh, "mass_g"));
}

static void print_names(const json_t *matching, const char *key, const char *title) {
  const json_t *list = json_object_get(matching, key), *item;
  size_t i;
  if (!json_array_size(list)) return;
  printf("  %s:", title);
  json_array_foreach(list, i, item) printf("%s %s", i ? "," : "", json_string_value(item));
  printf("\n");
}

static void print_matching(const json_t *report) {
  const json_t *matching = json_object_get(report, "matching"), *match;
  size_t i;
  if (!json_is_object(matching)) return;
  printf("\nthe take's channels -> shapes\n");
  json_array_foreach(json_object_get(matching, "matches"), i, match) {
    printf("  %-24s -> %-28s", text(match, "channel"), text(match, "shape"));
    if (number(match, "share") != 1) printf(" x %.2g", number(match, "share"));
    if (strcmp(text(match, "by"), "name")) printf(" by %s", text(match, "by"));
    printf("\n");
  }
  print_names(matching, "missing", "without a shape");
  print_names(matching, "still", "shapes that no channel drives");
}

static void print_rig(const json_t *report) {
  char room[32];
  const json_t *animation = json_object_get(report, "animation");
  printf("%s: a %s called '%s'\n", text(report, "file"),
         strcmp(text(report, "kind"), "face") ? "rig" : "face (a rig with its flesh stored)",
         text(report, "name"));
  size_t npart = json_array_size(json_object_get(report, "parts"));
  size_t nshape = json_array_size(json_object_get(report, "shapes"));
  printf("  %d vertices (%d before welding), %d triangles, %zu part%s, %zu shape%s, %d of 68 "
         "landmarks%s%s\n",
         count(report, "vertices"), count(report, "render_vertices"), count(report, "triangles"),
         npart, plural(npart), nshape, plural(nshape), count(report, "landmarks"),
         json_is_true(json_object_get(report, "has_uvs")) ? ", uvs" : "",
         json_is_true(json_object_get(report, "has_colours")) ? ", colours" : "");
  printf("  %.1f cm wide, %.1f tall, %.1f deep; made in a scene whose unit is %s\n",
         element(report, "size_cm", 0), element(report, "size_cm", 1),
         element(report, "size_cm", 2),
         unit_name(number(report, "source_unit_m"), room, sizeof room));
  printf("  the head turns about %.1f %.1f %.1f cm (%s)\n", element(report, "pivot_cm", 0),
         element(report, "pivot_cm", 1), element(report, "pivot_cm", 2),
         text(report, "pivot_source"));
  if (json_is_object(animation))
    printf("  animation: %d frames at %.4g per second, %.2f s\n", count(animation, "frames"),
           number(animation, "frame_rate"), number(animation, "seconds"));
  print_parts(report);
  print_shapes(report);
  print_maps(report);
  print_flesh(report);
  print_list(report, "remarks", "remarks about the rig");
  print_matching(report);
}

static void print_take(const json_t *report) {
  const json_t *channels = json_object_get(report, "channels"), *channel,
               *head = json_object_get(report, "head");
  size_t i;
  int width = longest_name(channels);
  printf("%s: a take of %d frames at %.4g per second, %.2f s to %.2f s\n", text(report, "file"),
         count(report, "frames"), number(report, "frame_rate"), number(report, "start"),
         number(report, "end"));
  if (json_is_object(head))
    printf("  head: moves up to %.1f cm and turns up to %.1f degrees from where it starts\n",
           number(head, "largest_way_cm"), number(head, "largest_turn_degrees"));
  else
    printf("  head: no motion\n");
  if (!json_array_size(channels)) return;
  printf("\n%zu channels: smallest and largest weight\n", json_array_size(channels));
  json_array_foreach(channels, i, channel)
      printf("  %-*s %6.2f %6.2f\n", width, text(channel, "name"), number(channel, "min"),
             number(channel, "max"));
}

static void print_cache(const json_t *report) {
  printf("%s: a point cache of %d frames from frame %g, %d points\n", text(report, "file"),
         count(report, "frames"), number(report, "first_frame"), count(report, "points"));
  printf("  stays inside %.1f %.1f %.1f to %.1f %.1f %.1f cm; moves at most %.2f mm along an axis "
         "from frame to frame\n",
         element(report, "box_min_cm", 0), element(report, "box_min_cm", 1),
         element(report, "box_min_cm", 2), element(report, "box_max_cm", 0),
         element(report, "box_max_cm", 1), element(report, "box_max_cm", 2),
         number(report, "largest_change_mm"));
}

void inspect_print(const json_t *report) {
  const char *kind = text(report, "kind");
  if (!strcmp(kind, "take"))
    print_take(report);
  else if (!strcmp(kind, "cache"))
    print_cache(report);
  else
    print_rig(report);
  print_list(report, "warnings", "warnings");
}

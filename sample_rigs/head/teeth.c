// Teeth: two rows of twelve, each one closed surface with its gum, swept along the dental arch.
//
// Between two teeth the sweep draws in and the gum comes down, so that the surface is a row of
// teeth and yet has no crossings: rows are rigid colliders for the lips.
#include "parts.h"

enum { NTOOTH = 6, SECTION = 17 }; // teeth in half a row; points round a row

static const float ivory[3] = {0.80f, 0.75f, 0.62f};
static const float gum[3] = {0.55f, 0.20f, 0.19f};

// Millimetres; a height is measured from the biting edge. From the middle outwards: two incisors, a
// canine, two premolars, a molar.
typedef struct tooth {
  double width;   // along the arch, as a share of all
  double height;  // of the gum's edge over the middle of the crown
  double edge;    // thickness where it bites
  double neck;    // thickness at the gum
  double corners; // how much higher than its middle the biting edge lies at the gaps
  double sharp;   // power with which it gets there: 1 = a point, much = a straight edge
  double cusps;   // depth of the furrow across the middle, and of the one along a molar
} tooth;

static const tooth upper_teeth[NTOOTH] = {
    {8.4, 8.6, 1.5, 5.2, 1.2, 5.0, 0.0}, {6.6, 7.9, 1.4, 5.0, 1.3, 4.0, 0.0},
    {7.4, 8.8, 2.0, 6.0, 2.0, 1.2, 0.0}, {6.8, 7.0, 4.4, 6.6, 1.4, 1.4, 0.9},
    {6.6, 6.2, 4.8, 6.8, 1.2, 1.5, 1.0}, {9.0, 5.4, 6.0, 7.4, 0.9, 2.0, 1.2}};
static const tooth lower_teeth[NTOOTH] = {
    {5.4, 5.4, 1.3, 4.6, 0.8, 5.0, 0.0}, {5.8, 5.3, 1.3, 4.6, 0.9, 4.0, 0.0},
    {6.8, 5.6, 1.9, 5.4, 1.4, 1.2, 0.0}, {6.8, 4.8, 4.0, 6.0, 1.0, 1.4, 0.8},
    {6.8, 4.4, 4.4, 6.2, 0.9, 1.5, 0.9}, {9.4, 4.0, 5.4, 6.8, 0.7, 2.0, 1.0}};

typedef struct row {
  const tooth *teeth;
  double width; // x of the end of the last tooth
  double front; // z of the front
  double bend;
  double edge;   // y of the biting edges
  double up;     // +1 upper row, -1 lower row
  double gum[2]; // height of the gum over the edges, at the front and at the molars
} row;

// x where a share of the half arch's length is reached, so that teeth keep their widths.
static double arch_x(const row *a, double share) {
  enum { STEPS = 400 };
  double length[STEPS + 1] = {0.0};
  for (int i = 0; i < STEPS; i++) {
    double slope = 2.0 * a->bend * a->width * (i + 0.5) / STEPS;
    length[i + 1] = length[i] + sqrt(1.0 + slope * slope);
  }
  int i = 0;
  while (i < STEPS - 1 && length[i + 1] < share * length[STEPS]) i++;
  double t = (share * length[STEPS] - length[i]) / (length[i + 1] - length[i]);
  return a->width * (i + t) / STEPS;
}

// A place on the row: a tooth, and where across it, 0 and 1 being its gaps.
typedef struct station {
  const tooth *own, *other; // the tooth on the other side of the nearer gap
  double across;
  double share;  // of the half arch
  double crown;  // 0 in the gap, 1 on most of the crown
  double behind; // 0 at the front, 1 at the molars
  double top;    // of the gum
  int is_end;    // the far side of the last tooth
} station;

static station station_at(const row *a, int k, double s) {
  double total = 0.0, before = 0.0;
  for (int i = 0; i < NTOOTH; i++) {
    if (i < k) before += a->teeth[i].width;
    total += a->teeth[i].width;
  }
  const double turn = 2.0 * acos(-1.0);
  station at = {.own = a->teeth + k, .across = s - 0.75 * sin(turn * s) / turn}; // dense at gaps
  int next = at.across < 0.5 ? k - 1 : k + 1;
  at.is_end = next == NTOOTH;
  at.other = next < 0 || at.is_end ? at.own : a->teeth + next; // across the middle: its twin
  at.share = (before + at.across * at.own->width) / total;
  at.crown = pow(1.0 - pow(fabs(2.0 * at.across - 1.0), 3.0), 1.0 / 3.0);
  at.behind = ramp(0.3, 0.8, at.share);
  at.top = mix(a->gum[0], a->gum[1], ramp(0.0, 1.0, at.share));
  return at;
}

// A measure of the tooth that meets its neighbour's half way in the gap.
static double shared(const station *at, double own, double other) {
  return mix(own, 0.5 * (own + other), 1.0 - at->crown);
}

// Outline of the row at a station: depth behind the front, height above the biting edge.
typedef struct outline {
  double depth[SECTION], rise[SECTION];
} outline;

static const int is_gum[SECTION] = {0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0};

static outline outline_at(const station *at) {
  const tooth *t = at->own, *u = at->other;
  double gap = 1.0 - at->crown, side = fabs(2.0 * at->across - 1.0);
  double bite = t->corners * pow(side, t->sharp) + 0.5 * (u->corners - t->corners) * gap;
  bite += 0.5 * t->cusps * ramp(0.25, 0.0, fabs(at->across - 0.5)); // the furrow across
  double line = shared(at, t->height, u->height) * (0.62 + 0.38 * sin(acos(-1.0) * at->across));
  double top = at->top, tall = line - bite, set = 0.5 * at->behind;
  double in = (at->is_end ? 2.2 : 0.9) * gap; // both sides draw in between two teeth
  double lip = 0.45 + set + in, tongue = 0.45 + set + shared(at, t->edge, u->edge) - 0.45 * in;
  double neck = set + shared(at, t->neck, u->neck), wall = neck - 0.15 - 0.45 * in;
  double waist = mix(0.4, 0.75, at->behind); // of the tongue's side, half way up
  const outline o = {
      {lip, lip - 0.3, set + 0.9 * in, set + 0.8 * in, 0.35 + set + 0.5 * in,
       0.30 + 2.0 * set + 0.3 * in, 0.45 + 2.4 * set, 1.5 + 2.0 * set, 0.55 * neck + set,
       neck - 0.6, neck + 0.2, neck + 0.1 - 0.2 * in, wall, mix(tongue, wall, waist),
       mix(tongue, wall, 0.12), tongue, 0.5 * (lip + tongue)},
      {bite, bite + 0.12 * tall, bite + 0.38 * tall, bite + 0.7 * tall, bite + 0.96 * tall,
       line + 0.25, mix(line, top, 0.5), top - 0.5, top, top - 0.7, mix(line, top, 0.35),
       line + 0.1, bite + 0.92 * tall, bite + 0.5 * tall, bite + 0.15 * tall, bite + 0.1,
       bite + 0.05 + t->cusps * at->crown}};
  return o;
}

typedef struct frame {
  vec3 origin, inwards, up;
} frame;

static vec3 place(const frame *f, double depth, double rise) {
  return v3_madd(v3_madd(f->origin, depth, f->inwards), rise, f->up);
}

static frame frame_at(const row *a, double share, int right) {
  double x = arch_x(a, share) * (right ? -1.0 : 1.0);
  frame f = {v3(x, a->edge, a->front - a->bend * x * x), v3_unit(v3(-2.0 * a->bend * x, 0, -1)),
             v3(0, a->up, 0)};
  return f;
}

static void add_ring(mesh_builder *mesh, const frame *f, const outline *o, int *loop) {
  for (int i = 0; i < SECTION; i++) {
    vec3 p = place(f, o->depth[i], o->rise[i]);
    loop[i] = mesh_builder_vertex(mesh, (float)p.x, (float)p.y, (float)p.z);
    for (int k = 0; k < 3 && loop[i] >= 0; k++)
      mesh->colour[loop[i]][k] = is_gum[i] ? gum[k] : ivory[k];
  }
}

static void add_cap(mesh_builder *mesh, const frame *f, const outline *o, const int *loop,
                    int flip) {
  double depth = 0.0, rise = 0.0;
  int ordered[SECTION];
  for (int i = 0; i < SECTION; i++) {
    depth += o->depth[i] / SECTION;
    rise += o->rise[i] / SECTION;
    ordered[i] = loop[flip ? SECTION - 1 - i : i];
  }
  vec3 p = place(f, depth, rise);
  float centre[3] = {(float)p.x, (float)p.y, (float)p.z};
  int v = mesh_builder_fan(mesh, ordered, SECTION, centre);
  for (int k = 0; k < 3 && v >= 0; k++) mesh->colour[v][k] = gum[k];
}

void build_teeth(mesh_builder *mesh, int upper, int fineness) {
  double line = mouth_line_height();
  // The edges miss each other when the jaw comes forward.
  row a = {upper_teeth, 25.5, mouth_base() - 9.4, 0.036, line - 4.4, 1.0, {15.0, 11.0}};
  if (!upper)
    a = (row){lower_teeth, 23.5, mouth_base() - 13.0, 0.039, line - 4.8, -1.0, {7.7, 5.8}};
  int per_tooth = 4 * fineness, n = NTOOTH * per_tooth;
  int last[SECTION], next[SECTION];
  for (int r = -n; r <= n; r++) {
    int from_middle = r < 0 ? -r : r, k = from_middle == n ? NTOOTH - 1 : from_middle / per_tooth;
    station at = station_at(&a, k, (double)(from_middle - k * per_tooth) / per_tooth);
    frame f = frame_at(&a, at.share, r < 0);
    outline o = outline_at(&at);
    add_ring(mesh, &f, &o, next);
    // Seen from outside the outline runs clockwise in the upper row and counter-clockwise in the
    // mirrored lower row.
    if (r > -n && !upper)
      mesh_builder_bridge(mesh, last, next, SECTION, 1);
    else if (r > -n)
      mesh_builder_bridge(mesh, next, last, SECTION, 1);
    if (from_middle == n) add_cap(mesh, &f, &o, next, (r < 0) != (upper != 0));
    for (int i = 0; i < SECTION; i++) last[i] = next[i];
  }
}

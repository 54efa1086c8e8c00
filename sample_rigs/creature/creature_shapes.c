#include "creature_model.h"

#include <stdlib.h>
#include <string.h>

// A shape is a field: where a skin vertex goes at weight 1. Tentacles are carried afterwards.
typedef struct shape_context {
  const creature_model *model;
  double side; // +1 the subject's left, -1 the right, 0 both
} shape_context;
typedef vec3 shape_field(const shape_context *context, const skin_vertex *s, vec3 p);

// -- Where things are -----------------------------------------------------------------------------

// 1 at `centre`, exactly 0 from `radius` on, smooth to the second derivative.
static double bump(vec3 p, vec3 centre, double radius) {
  vec3 d = v3_sub(p, centre);
  double t = 1.0 - v3_dot(d, d) / (radius * radius);
  return t <= 0.0 ? 0.0 : t * t * t;
}

// The share of a side's shape at x: 1 on that side, 0 on the other, a soft middle.
static double on_side(const shape_context *context, double x) {
  return context->side == 0.0 ? 1.0 : ramp(-0.014, 0.014, context->side * x);
}

static vec3 corner(const shape_context *context) {
  const double half_width = 0.036;
  const creature_model *model = context->model;
  return v3(context->side * half_width, creature_mouth_height(model, half_width),
            creature_mouth_front(model, half_width));
}

// 1 in the middle of a lip, 0 at the corners; lips part along this curve.
static double along_lip(double theta) {
  double quarters = fabs(remainder(theta, 2.0 * acos(-1.0))) / (0.5 * acos(-1.0));
  double to_corner = 1.0 - fabs(1.0 - quarters);
  return pow(fmax(0.0, 1.0 - to_corner * to_corner), 0.85);
}

// +1 on the upper lip, -1 on the lower, 0 at the corners and far from the mouth.
static double lip_sign(const skin_vertex *s) {
  double sign = -copysign(along_lip(s->theta), cos(s->theta));
  if (s->kind == SKIN_LIP) return sign * ramp(17.5, 10.0, s->row);
  return s->kind == SKIN_FACE ? sign * ramp(0.22, 0.0, s->ring) : 0.0;
}

static double around_mouth(const shape_context *context, const skin_vertex *s, vec3 p) {
  double depth = s->kind == SKIN_LIP ? ramp(17.5, 11.0, s->row) : 1.0;
  vec3 centre = context->model->mouth_centre;
  return depth * bump(v3(p.x, centre.y + 1.35 * (p.y - centre.y), p.z), centre, 0.074);
}

// How far a vertex turns with the jaw.
static double jaw_share(const skin_vertex *s) {
  double below = along_lip(s->theta);
  if (s->kind == SKIN_LIP) return cos(s->theta) > 0.0 ? 0.5 + 0.5 * below : 0.5 - 0.5 * below;
  if (s->kind != SKIN_FACE) return 0.0;
  if (cos(s->theta) > 0.0) {
    double chin = ramp(1.05, 0.10, s->ring) * ramp(1.0, 0.85, s->ring),
           cheek = ramp(0.55, 0.0, s->ring);
    return 0.5 * cheek + below * (chin - 0.5 * cheek);
  }
  return (0.5 - 0.5 * below) * ramp(0.45, 0.0, s->ring);
}

// -- Jaw ------------------------------------------------------------------------------------------

static vec3 jaw_turned(const creature_model *model, vec3 p, double share) {
  vec3 arm = v3_sub(p, model->hinge);
  return v3_sub(v3_turn(arm, v3(1, 0, 0), share * model->open_angle), arm);
}

static vec3 jaw_open(const shape_context *context, const skin_vertex *s, vec3 p) {
  return jaw_turned(context->model, p, jaw_share(s));
}

// With jawOpen at the same weight every lip vertex of a column has moved alike, so the lips are as
// closed as at rest: both give way half of the opening.
static vec3 mouth_close(const shape_context *context, const skin_vertex *s, vec3 p) {
  if (s->kind != SKIN_LIP && s->kind != SKIN_FACE) return v3(0, 0, 0);
  double lips = s->kind == SKIN_LIP ? ramp(17.0, 11.5, s->row) : ramp(0.26, 0.0, s->ring);
  double height = creature_mouth_height(context->model, p.x);
  vec3 slit = v3(p.x, height, creature_mouth_front(context->model, p.x));
  vec3 common = jaw_turned(context->model, slit, 0.5);
  return v3_scale(v3_sub(common, jaw_open(context, s, p)), lips);
}

// -- Mouth ----------------------------------------------------------------------------------------

static vec3 pull_corner(const shape_context *context, const skin_vertex *s, vec3 p, vec3 by) {
  double deep = s->kind == SKIN_LIP ? ramp(19.0, 11.0, s->row) : 1.0;
  double share = deep * on_side(context, p.x) * bump(p, corner(context), 0.060);
  return v3_scale(v3(context->side * by.x, by.y, by.z), share);
}

static vec3 smile(const shape_context *context, const skin_vertex *s, vec3 p) {
  vec3 cheek = v3_add(corner(context), v3(0.018 * context->side, 0.030, -0.022));
  vec3 lifted = v3_scale(v3(0.002 * context->side, 0.005, 0.005), bump(p, cheek, 0.042));
  return v3_add(pull_corner(context, s, p, v3(0.009, 0.013, -0.006)), lifted);
}

static vec3 frown(const shape_context *context, const skin_vertex *s, vec3 p) {
  return pull_corner(context, s, p, v3(0.001, -0.012, -0.001));
}

static vec3 pucker(const shape_context *context, const skin_vertex *s, vec3 p) {
  double share = around_mouth(context, s, p);
  double x = 1.0 - 0.42 * share;
  return v3(p.x * (x - 1.0), 0.0008 * share * lip_sign(s), 0.013 * share);
}

static vec3 funnel(const shape_context *context, const skin_vertex *s, vec3 p) {
  double share = around_mouth(context, s, p);
  double open = lip_sign(s) * share;
  return v3(-0.26 * p.x * share, open > 0.0 ? 0.0065 * open : 0.0085 * open, 0.010 * share);
}

static vec3 lift_lip(const shape_context *context, const skin_vertex *s, vec3 p) {
  double share = on_side(context, p.x) * around_mouth(context, s, p) * fmax(0.0, lip_sign(s));
  return v3(0.0, 0.008 * share, 0.001 * share);
}

static vec3 drop_lip(const shape_context *context, const skin_vertex *s, vec3 p) {
  double share = on_side(context, p.x) * around_mouth(context, s, p) * fmax(0.0, -lip_sign(s));
  return v3(0.0, -0.010 * share, 0.001 * share);
}

static vec3 cheek_puff(const shape_context *context, const skin_vertex *s, vec3 p) {
  if (s->kind == SKIN_LID) return v3(0, 0, 0);
  double lips = s->kind == SKIN_LIP ? ramp(4.0, 0.0, s->row) : ramp(0.0, 0.10, s->ring);
  vec3 middle = v3(copysign(0.060, p.x), context->model->mouth_centre.y, 0.046);
  double share = lips * bump(p, middle, 0.055);
  return v3_scale(v3_unit(v3_sub(p, v3(0.0, middle.y, 0.02))), 0.016 * share);
}

// -- Brows and lids -------------------------------------------------------------------------------

static vec3 brow(const shape_context *context, const skin_vertex *s, vec3 p, double at, vec3 by) {
  vec3 above_eye = v3(at, context->model->eye[0].centre.y + 0.026, 0.085 - 4.0 * at * at);
  double lid = s->kind == SKIN_LID ? ramp(3.0, 0.0, s->row) : 1.0; // the margin stays
  return v3_scale(by, lid * bump(p, above_eye, 0.046));
}

static vec3 brow_down(const shape_context *context, const skin_vertex *s, vec3 p) {
  double share = on_side(context, p.x);
  return v3_scale(
      brow(context, s, p, 0.036 * context->side, v3(-0.004 * context->side, -0.010, 0.004)), share);
}

static vec3 brow_inner_up(const shape_context *context, const skin_vertex *s, vec3 p) {
  return brow(context, s, p, 0.0, v3(0.0, 0.014, 0.001));
}

static vec3 brow_outer_up(const shape_context *context, const skin_vertex *s, vec3 p) {
  double share = on_side(context, p.x);
  return v3_scale(brow(context, s, p, 0.060 * context->side, v3(0.001 * context->side, 0.012, 0.0)),
                  share);
}

// Lids slide over the eyeball along its meridians until the margins meet, nearer to the lower one.
static vec3 blink(const shape_context *context, const skin_vertex *s, vec3 p) {
  int side = context->side > 0.0 ? 0 : 1;
  if (s->kind != SKIN_LID || s->feature != side) return v3(0, 0, 0);
  const creature_eye *eye = &context->model->eye[side];
  const double left_open = 0.022; // rad
  double opening = creature_lid_opening(s->theta);
  double meeting = -0.65 * fabs(creature_lid_opening(-fabs(sin(s->theta)) * 0.5 * acos(-1.0)));
  double travel = (opening - meeting) * ramp(0.15, 0.95, fabs(sin(s->theta)));
  travel = travel > 0.0 ? fmax(0.0, travel - left_open) : fmin(0.0, travel + left_open);
  vec3 from = v3_sub(p, eye->centre);
  double distance = v3_length(from);
  double up = asin(v3_dot(from, eye->up) / distance) - travel * ramp(0.0, 3.4, s->row);
  double across = atan2(v3_dot(from, eye->right), v3_dot(from, eye->gaze));
  vec3 to = v3_add(v3_scale(eye->gaze, cos(across)), v3_scale(eye->right, sin(across)));
  to = v3_add(v3_scale(to, cos(up)), v3_scale(eye->up, sin(up)));
  return v3_sub(v3_scale(to, distance), from);
}

// -- The two extremes -----------------------------------------------------------------------------

// The mantle, the cheeks and the throat; not the neck's edge, the lips, the eyes or the chin the
// tentacles hang from.
static double loose_skin(const shape_context *context, const skin_vertex *s, vec3 p) {
  if (s->kind != SKIN_FACE) return 0.0;
  double eyes = 1.0;
  for (int e = 0; e < 2; e++)
    eyes *= ramp(0.020, 0.100, v3_length(v3_sub(p, context->model->eye[e].centre)));
  double chin = ramp(-0.45, 0.45, cos(s->theta)) * ramp(0.75, 0.40, s->ring);
  return eyes * (1.0 - chin) * ramp(1.0, 0.70, s->ring) * ramp(0.03, 0.45, s->ring);
}

static vec3 swell(const shape_context *context, const skin_vertex *s, vec3 p) {
  return v3_scale(p, 0.45 * loose_skin(context, s, p));
}

static vec3 shrink(const shape_context *context, const skin_vertex *s, vec3 p) {
  return v3_scale(v3_unit(p), -0.0105 * loose_skin(context, s, p));
}

// -- All of them ----------------------------------------------------------------------------------

typedef struct shape_entry {
  const char *name;
  shape_field *field;
  double side;
} shape_entry;

static const shape_entry SHAPES[] = {
    {"jawOpen", jaw_open, 0},
    {"mouthClose", mouth_close, 0},
    {"mouthSmileLeft", smile, 1},
    {"mouthSmileRight", smile, -1},
    {"mouthFrownLeft", frown, 1},
    {"mouthFrownRight", frown, -1},
    {"mouthPucker", pucker, 0},
    {"mouthFunnel", funnel, 0},
    {"mouthUpperUpLeft", lift_lip, 1},
    {"mouthUpperUpRight", lift_lip, -1},
    {"mouthLowerDownLeft", drop_lip, 1},
    {"mouthLowerDownRight", drop_lip, -1},
    {"browDownLeft", brow_down, 1},
    {"browDownRight", brow_down, -1},
    {"browInnerUp", brow_inner_up, 0},
    {"browOuterUpLeft", brow_outer_up, 1},
    {"browOuterUpRight", brow_outer_up, -1},
    {"eyeBlinkLeft", blink, 1},
    {"eyeBlinkRight", blink, -1},
    {"cheekPuff", cheek_puff, 0},
    {"swell", swell, 0},
    {"shrink", shrink, 0},
};
enum { NSHAPE = sizeof SHAPES / sizeof SHAPES[0] };

// A tentacle follows the mean motion of its root, less and less, and its free part not at all.
static void carry_tentacles(const creature_model *model, float (*delta)[3]) {
  double mean[CREATURE_TENTACLES][3] = {{0.0}};
  for (int i = 0; i < CREATURE_TENTACLES; i++) {
    for (int j = 0; j < CREATURE_SIDES; j++) {
      for (int a = 0; a < 3; a++) mean[i][a] += delta[model->root_loop[i][j]][a] / CREATURE_SIDES;
    }
  }
  for (int v = 0; v < model->nskin; v++) {
    const skin_vertex *s = &model->skin[v];
    if (s->kind != SKIN_TENTACLE) continue;
    double carried = creature_carried(s->row), own = ramp(0.12, 0.0, s->row);
    for (int a = 0; a < 3; a++) {
      double root = delta[s->root][a];
      delta[v][a] = (float)(carried * (mean[s->feature][a] + own * (root - mean[s->feature][a])));
    }
  }
}

static void carry_jaw(const creature_model *model, float (*delta)[3]) {
  const mien_part *jaw = &model->store->part[model->store->npart - 1];
  for (int v = jaw->first_vertex; v < jaw->first_vertex + jaw->nvert; v++) {
    vec3 d = jaw_turned(model, creature_position(model, v), 1.0);
    delta[v][0] = (float)d.x, delta[v][1] = (float)d.y, delta[v][2] = (float)d.z;
  }
}

int creature_model_shapes(creature_model *model) {
  size_t bytes = (size_t)model->store->mesh.nvert * sizeof(float[3]);
  float(*delta)[3] = malloc(bytes);
  if (!delta) return -1;
  for (int i = 0; i < NSHAPE; i++) {
    memset(delta, 0, bytes);
    shape_context context = {.model = model, .side = SHAPES[i].side};
    for (int v = 0; v < model->nskin; v++) {
      if (model->skin[v].kind == SKIN_TENTACLE) continue;
      vec3 d = SHAPES[i].field(&context, &model->skin[v], creature_position(model, v));
      delta[v][0] = (float)d.x, delta[v][1] = (float)d.y, delta[v][2] = (float)d.z;
    }
    carry_tentacles(model, delta);
    if (SHAPES[i].field == jaw_open) carry_jaw(model, delta);
    rig_store_shape(model->store, SHAPES[i].name, delta);
  }
  free(delta);
  return model->store->failed ? -1 : 0;
}

// Every parameter, one row each: what a struct holds, what an artist sees, what is refused.
//
// To add one: put the field into its struct in mien.h, add a row here, and write the manual anew
// (`mien params --markdown > docs/parameters.md`). Default, range check, command line, JSON,
// Python, Maya and Blender follow.
#include "base/params.h"

#define AT(part, type, field) #part "." #field, offsetof(type, field), sizeof(((type *)0)->field)
#define FACE(field) MIEN_PARAM_FACE, AT(face, mien_face_def, field)
#define STEP(field) MIEN_PARAM_STEP, AT(step, mien_step_opts, field)
#define INPUT(field) MIEN_PARAM_INPUT, AT(input, mien_input, field)
#define PLAY(field) MIEN_PARAM_PLAY, AT(play, mien_play_opts, field)
#define KEY MIEN_PARAM_KEYABLE
#define HOST MIEN_PARAM_OF_HOST
#define SHAPED MIEN_PARAM_PER_SHAPE

// A row of each kind; `where` is FACE(field) and so on.
#define ROW(...) ROW_(__VA_ARGS__)
// clang-format off
#define ROW_(kind_, name_, place_, field_, offset_, size_, group_, unit_, to_si_, flags_, map_,    \
             choices_, a, b, c, least, most, soft_least, soft_most, help_)                         \
  {.name = name_, .field = field_, .group = group_, .unit = unit_, .help = help_,                  \
   .choices = choices_, .map = map_, .kind = kind_, .place = place_, .flags = flags_,              \
   .value = {a, b, c}, .min = least, .max = most, .soft_min = soft_least, .soft_max = soft_most,   \
   .to_si = to_si_, .offset = offset_, .size = size_}
#define NUMBER(name, where, group, unit, to_si, flags, map, value, min, max, soft_min, soft_max, help) \
  ROW(MIEN_PARAM_NUMBER, name, where, group, unit, to_si, flags, map, NULL, value, 0, 0, min, max, \
      soft_min, soft_max, help)
#define WHOLE(name, where, group, unit, flags, value, min, max, soft_min, soft_max, help)          \
  ROW(MIEN_PARAM_WHOLE, name, where, group, unit, 1, flags, NULL, NULL, value, 0, 0, min, max,     \
      soft_min, soft_max, help)
#define SWITCH(name, where, group, flags, value, help)                                             \
  ROW(MIEN_PARAM_SWITCH, name, where, group, "", 1, flags, NULL, NULL, value, 0, 0, 0, 1, 0, 1, help)
#define CHOICE(name, where, group, flags, choices, value, last, help)                              \
  ROW(MIEN_PARAM_CHOICE, name, where, group, "", 1, flags, NULL, choices, value, 0, 0, 0, last, 0, \
      last, help)
#define VECTOR(name, where, group, unit, flags, x, y, z, min, max, soft_min, soft_max, help)       \
  ROW(MIEN_PARAM_VECTOR, name, where, group, unit, 1, flags, NULL, NULL, x, y, z, min, max,        \
      soft_min, soft_max, help)
#define MAP(name, unit, to_si, flags, value, min, max, help)                                       \
  ROW(MIEN_PARAM_NUMBER, name, MIEN_PARAM_MAP, "", 0, 0, "maps", unit, to_si, flags, NULL, NULL,   \
      value, 0, 0, min, max, min, max, help)

const mien_param mi_params[] = {
  // solver
  CHOICE("solver", STEP(solver), "solver", 0, "auto,kinematic,direct,gauss_seidel,gauss_seidel_offline,prefactored,newton", MIEN_SOLVER_AUTO, MIEN_SOLVER_NEWTON, "how the energy is minimised; kinematic = physics off"),
  WHOLE("iterations", STEP(iterations), "solver", "", KEY, 8, 1, 1000, 1, 40, "per frame at most"),
  NUMBER("tolerance", STEP(tolerance), "solver", "", 1, 0, NULL, 0, 0, 0.999, 0, 0.1, "stop when the gradient falls to this share of its start"),
  NUMBER("least_step", STEP(least_step), "solver", "", 1, 0, NULL, 0, 0, 0.01, 0, 1e-3, "stop when the next iteration would move nothing by this share of the face's size; 0 = do them all"),
  NUMBER("time_budget", STEP(time_budget), "solver", "ms", 1e-3, 0, NULL, 0, 0, 1e6, 0, 40, "a step may take; 0 = no limit; with one results depend on the machine's speed"),
  WHOLE("offline_after", STEP(offline_after), "solver", "", 0, 0, 0, 1000000, 0, 100, "gauss_seidel_offline: steps before the factor is used; 0 = once it is ready"),

  // drive
  CHOICE("drive", STEP(drive), "drive", 0, "rest_shape,blendforce,muscle", MIEN_DRIVE_REST_SHAPE, MIEN_DRIVE_MUSCLE, "the pose is the flesh's rest state, or forces made of the shapes or muscles bring the neutral to it"),
  WHOLE("control_iterations", STEP(control_iterations), "drive", "", 0, 2, 1, 100, 1, 20, "blendforce: rounds in which the forces are found"),

  NUMBER("fat", STEP(fat), "drive", "", 1, KEY, NULL, 1, 0.5, 2, 0.9, 1.2, "muscle: passive tissue wants to be so many times as large, muscle does not"),
  NUMBER("muscle_stiffening", STEP(muscle_stiffening), "drive", "", 1, KEY, NULL, 0, 0, 100, 0, 10, "how much stiffer a muscle grows as it shortens, with any drive; 5 = three times as stiff at a contraction of 0.4"),

  // motion
  CHOICE("integrator", STEP(integrator), "motion", 0, "backward_euler,bdf2,implicit_midpoint,stabilised_midpoint,quasi_static", MIEN_INTEGRATOR_BACKWARD_EULER, MIEN_INTEGRATOR_QUASI_STATIC, "from one moment to the next: steady, livelier, lossless, lossless and kept in bounds, no inertia"),
  WHOLE("substeps", STEP(substeps), "motion", "", KEY, 1, 1, 100, 1, 10, "per frame; head, weights, pose and colliders in between"),
  NUMBER("damping", STEP(damping), "motion", "1/s", 1, KEY, NULL, 0, 0, 1e6, 0, 20, "of motion that is not rigid, the same at every frame rate"),
  NUMBER("drag", STEP(drag), "motion", "1/s", 1, KEY, NULL, 0, 0, 1e6, 0, 20, "of all motion against the head"),
  SWITCH("energy_projection", STEP(energy_projection), "motion", 0, 0, "keep energy and momentum: only damping and drag damp; not with the barrier"),
  NUMBER("rebalance", STEP(rebalance), "motion", "", 1, KEY, NULL, 1, 0, 1, 0, 1, "1 = a pose or material that changes stirs up no motion of its own; 0 = flesh swings over to it"),

  // head
  VECTOR("head_translation", STEP(head_translation), "head", "", KEY, 1, 1, 1, 0, 10, 0, 2, "share of the head's motion that the flesh feels, along its own axes: left, up, out of the face"),
  VECTOR("head_rotation", STEP(head_rotation), "head", "", KEY, 1, 1, 1, 0, 10, 0, 2, "and about them: nod, shake, tilt"),

  // time
  NUMBER("dt", STEP(dt), "time", "s", 1, HOST, NULL, 1.0 / 24, 1e-9, 3600, 0.001, 0.1, "time step: one frame"),
  NUMBER("time_scale", STEP(time_scale), "time", "", 1, KEY, NULL, 1, 1e-3, 100, 0.1, 4, "seconds of physics per second of the animation; below 1 flesh looks heavier"),
  NUMBER("space_scale", PLAY(space_scale), "time", "", 1, 0, NULL, 1, 1e-4, 1e4, 0.1, 10, "the face is simulated as if it were so many times as large"),
  WHOLE("start_frame", PLAY(start_frame), "time", "", 0, 1, -1000000, 1000000, 1, 240, "physics begins there; before it the artist's animation"),
  NUMBER("pre_roll", PLAY(pre_roll), "time", "s", 1, 0, NULL, 0, 0, 600, 0, 5, "the first frame is held for so long before it counts, so that flesh hangs"),
  WHOLE("frame_jump_limit", PLAY(frame_jump_limit), "time", "", 0, 10, 1, 10000, 1, 100, "frames a host simulates through when time jumps; a larger jump starts anew"),

  // outer forces
  VECTOR("gravity", STEP(gravity), "forces", "m/s2", KEY, 0, 0, 0, -1e4, 1e4, -20, 20, "in the world; the artist's shapes hang already"),
  VECTOR("wind", STEP(wind), "forces", "m/s", KEY, 0, 0, 0, -1e3, 1e3, -20, 20, "in the world"),
  NUMBER("gust", STEP(gust), "forces", "", 1, KEY, NULL, 0, 0, 1, 0, 1, "how much the wind's speed varies in time and along its way"),

  // flesh
  CHOICE("flesh", FACE(flesh), "flesh", 0, "shell,volume", MIEN_FLESH_SHELL, MIEN_FLESH_VOLUME, "a shell under the skin, or tetrahedra between skin and bones (needs TetGen)"),
  NUMBER("thickness", FACE(thickness), "flesh", "mm", 1e-3, 0, "thickness", 0, 0, 9999, 0, 20, "of the flesh where none is painted; 0 = from the size of the face (5 on a human one)"),
  NUMBER("smoothing", FACE(smoothing), "flesh", "mm", 1e-3, 0, NULL, -1, -1000, 999, -1, 20, "finer features of the inner surface are smoothed away; below 0 = half the thickness"),
  NUMBER("following", FACE(following), "flesh", "", 1, 0, NULL, 0.5, 0, 1, 0, 1, "how closely the inner surface follows the skin's curvature"),
  NUMBER("density", FACE(density), "flesh", "kg/m3", 1, 0, "density", 1100, 1e-3, 99999, 500, 2000, "of the flesh"),
  NUMBER("stiffness", FACE(stiffness), "flesh", "Pa", 1, 0, "stiffness", 8000, 1e-3, 1e9, 1000, 50000, "against stretch and shear"),
  NUMBER("volume_stiffness", FACE(volume_stiffness), "flesh", "Pa", 1, 0, "volume_stiffness", 24000, 0, 1e9, 0, 100000, "against change of volume"),
  NUMBER("attachment_rate", FACE(attachment_rate), "flesh", "Hz", 1, 0, "attachment", 50, 1e-3, 1e5, 1, 200, "how fast firmly held flesh follows its bone; muscles hold lips, lids and cheeks at 7.5 Hz at least"),
  NUMBER("min_quality", FACE(min_quality), "flesh", "", 1, 0, NULL, 0.1, 1e-6, 0.5, 0.01, 0.5, "least share of a straight prism that a tetrahedron keeps"),
  SWITCH("use_stored", FACE(use_stored), "flesh", 0, 1, "take the inner surface and blendvolumes stored in the rig when they still fit"),
  WHOLE("simulate_at", FACE(simulate_at), "flesh", "vertices", 0, 0, -1, 60000, 0, 20000, "skin vertices to simulate; a finer rig is reduced to about so many, what can touch is kept whole; 0 = as its file says, or all; -1 = all"),
  SWITCH("blendvolumes", FACE(blendvolumes), "flesh", 0, 1, "find the inside of the flesh for every shape, so that no shape inverts a tetrahedron"),
  SWITCH("fit_stiffness", FACE(fit_stiffness), "flesh", 0, 0, "find stiffness, volume stiffness and attachment from the shapes: those with which every shape is in balance"),
  SWITCH("muscles", FACE(muscles), "flesh", 0, 0, "put muscles into the flesh, for the drive muscle"),
  WHOLE("muscle_rounds", FACE(muscle_rounds), "flesh", "", 0, 4, 1, 20, 1, 8, "stages in which muscles are fitted to expressions"),

  // contact
  CHOICE("contact", STEP(contact), "contact", 0, "off,plane,barrier", MIEN_CONTACT_OFF, MIEN_CONTACT_BARRIER, "lips, lids and colliders push each other apart"),
  NUMBER("contact_thickness", STEP(thickness), "contact", "mm", 1e-3, KEY, NULL, 0, 0, 1000, 0, 2, "kept between skin and what it touches; 0 = a thousandth of the face's height"),
  NUMBER("friction", STEP(friction), "contact", "", 1, KEY, NULL, 0.3, 0, 100, 0, 1, "of skin on skin and on users' colliders; none on teeth and eyes"),
  CHOICE("barrier_step", STEP(barrier_step), "contact", 0, "woodbury,schur,pcg", MIEN_BARRIER_WOODBURY, MIEN_BARRIER_PCG, "the barrier's linear solve"),
  NUMBER("barrier_stiffness", STEP(barrier_stiffness), "contact", "", 1, 0, NULL, 1, 1e-6, 1e6, 0.1, 10, "of the barrier, times the flesh's own"),

  // sticky lips
  NUMBER("sticky", STEP(sticky), "sticky", "", 1, KEY, "sticky", 0, 0, 1000, 0, 2, "how strongly lips stick: 0 = not at all, 1 = naturally; needs contact"),
  NUMBER("sticky_length", STEP(sticky_length), "sticky", "mm", 1e-3, KEY, NULL, 0, 0, 1000, 0, 10, "where a spring breaks once in ten frames of 1/25 s; 0 = 2 on a human face"),
  NUMBER("humidity", STEP(humidity), "sticky", "", 1, KEY, NULL, 1, 1e-3, 1000, 0.1, 4, "2 = lips hold to twice the length"),
  NUMBER("stick_delay", STEP(stick_delay), "sticky", "s", 1, KEY, NULL, 0.1, 0, 1000, 0, 1, "before lips that came apart can stick again"),
  NUMBER("seal_left", INPUT(seal_left), "sticky", "", 1, KEY, NULL, 0, 0, 1, 0, 1, "lips held together from the left corner to the middle"),
  NUMBER("seal_right", INPUT(seal_right), "sticky", "", 1, KEY, NULL, 0, 0, 1, 0, 1, "lips held together from the right corner to the middle"),
  WHOLE("seed", STEP(seed), "sticky", "", 0, 1, 0, 9e15, 0, 1000, "of the chance by which lips come apart"),

  // maps: the value of unpainted vertices
  MAP("thickness", "mm", 1e-3, SHAPED, 0, 0, 1000, "of the flesh; 0 = the parameter of that name"),
  MAP("stiffness", "", 1, SHAPED, 1, 0.02, 1000, "times the parameter of that name"),
  MAP("volume_stiffness", "", 1, SHAPED, 1, 0.02, 1000, "times the parameter of that name"),
  MAP("density", "", 1, SHAPED, 1, 0.02, 1000, "times the parameter of that name"),
  MAP("damping", "", 1, SHAPED, 1, 0.02, 1000, "times the face's own"),
  MAP("attachment", "", 1, SHAPED, 0, 0, 1, "how firmly the inner surface is held by bone; not painted = found"),
  MAP("jaw", "", 1, 0, 0, 0, 1, "0 moves with the head, 1 with the jaw; not painted = found"),
  MAP("sticky", "", 1, 0, 1, 0, 1, "times the parameter of that name"),
  MAP("region", "", 1, 0, 0, 0, 255, "bits: lips, mouth bag, eyelid, contact, passive, border; not painted = found"),
};
// clang-format on
const int mi_nparam = sizeof mi_params / sizeof *mi_params;

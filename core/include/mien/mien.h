// mien: physics for blendshape faces. The only public header of libmien.
//
//   rig   what the artist made: neutral, shapes, parts, painted maps       never changes, shared
//   face  the rig with flesh under its skin: tetrahedra, masses, regions    never changes, shared
//   state everything that moves: positions, velocities, time                one per character
//   take  a performance: shape weights and head motion over time            never changes, shared
//
// Conventions, said once:
// - Results: 0 done, > 0 done and there is more to know, < 0 refused and nothing was changed. Every
//   function that can fail takes a mien_error as its last argument (NULL is fine) and puts a
//   sentence in it.
// - Units are SI: metres, kilograms, seconds. A rig file's own unit is converted when it is read.
// - Axes: +Y up, +Z out of the face, +X to the subject's left. Right-handed.
// - Words: _create and _free make and end an object; _load and _save are files, _read and _write
//   bytes in memory; a _def says what an object is made of, _opts how a call works, an _info what
//   an object holds.
// - Ownership words: "copied", "borrowed for the call", "valid as long as the object", and
//   "caller frees with". Free functions accept NULL.
// - Threads: rig, face and take are read-only after creation and may be used by any number of
//   threads at once. Any other object must be used by one thread at a time; different objects are
//   independent. The library has little that belongs to the process: a pool of up to 15 threads,
//   started by the first call that works with several and asleep between calls. While one caller
//   uses the pool, another runs on its own thread. mien_host.threads = 1 or a parallel_for of the
//   host's own avoid the pool. A mutex around METIS, which orders matrices, is the process's, too.
//   GAUSS_SEIDEL_OFFLINE starts a thread of its own.
// - Determinism: same build, same input, same bits, for any number of threads. The same build is
//   the same file of the library, with the same version of the C library, on processors that run
//   the same SIMD body (mien_build_info; AVX-512 gives the bits of AVX2). The same input is all
//   that was given since the state was created, reset or read, dt and options included; time_budget
//   and GAUSS_SEIDEL_OFFLINE give it up. Rounding mode, precision, traps and flush-to-zero of the
//   calling thread, its locale and its random numbers do not matter and are left as they are.
// - After fork() a child may use what it inherited, unless another thread was in a call for the
// same
//   object, or a factor was being made for GAUSS_SEIDEL_OFFLINE; the pool is started anew.
//
// How structs grow:
// - Structs with struct_size (_def, _opts, mien_host, mien_input, mien_settings): call the _init
//   function, change what you want, pass the pointer; NULL means defaults. Fields are only ever
//   appended. A program built with an older header passes a smaller struct: what it does not know
//   is at its default. A program built with a newer header passes a larger one: that is accepted
//   while what the library does not know is 0, as _init leaves it, and else refused with
//   MIEN_ERR_OPTIONS. _init is a macro that passes the size of the caller's struct; bindings call
//   the function of the same name with that size.
// - _info structs belong to the library and are only read: fields are only ever appended.
// - All other structs never change.
//
// What is stable from 0.1 on: see the line below each of the three parts.
#ifndef MIEN_MIEN_H
#define MIEN_MIEN_H

#include <stddef.h>
#include <stdint.h>

#if defined(_WIN32) && defined(MIEN_BUILD)
#define MIEN_API __declspec(dllexport)
#elif defined(_WIN32)
#define MIEN_API __declspec(dllimport)
#else
#define MIEN_API __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

// -- Version --------------------------------------------------------------------------------------

#define MIEN_VERSION_MAJOR 0
#define MIEN_VERSION_MINOR 1
#define MIEN_VERSION_PATCH 0
#define MIEN_VERSION (MIEN_VERSION_MAJOR * 1000000 + MIEN_VERSION_MINOR * 1000 + MIEN_VERSION_PATCH)

// The version of the library that is linked; plug-ins compare it with MIEN_VERSION when they load.
MIEN_API int mien_version(void);

// One line saying how the library was built and which SIMD body this processor runs, for example
// "mien 0.1.0, avx2, threads". Valid for ever.
MIEN_API const char *mien_build_info(void);

// -- Results and errors ---------------------------------------------------------------------------

typedef enum mien_result {
  MIEN_OK = 0,
  MIEN_REMARK = 1,        // done, and there is something to say: see the object's remarks
  MIEN_NO_FRAME = 2,      // done, but no new frame has arrived
  MIEN_NO_FACE = 3,       // done, but the frame shows no face
  MIEN_ERR_ARGUMENT = -1, // a pointer is NULL, a count or an index is out of range
  MIEN_ERR_OPTIONS = -2,  // options were not initialised, or a combination is not valid
  MIEN_ERR_MEMORY = -3,   // the allocator returned NULL, or the host's limit was reached
  MIEN_ERR_IO = -4,       // a file could not be opened, read or written
  MIEN_ERR_FORMAT = -5,   // the file is damaged, hostile, or uses a feature we do not read
  MIEN_ERR_MISMATCH = -6, // two objects do not belong together: wrong counts, another face's state
  MIEN_ERR_NOT_FINITE = -7, // NaN or infinity in the input
  MIEN_ERR_CANCELLED = -8   // the host's progress function asked to stop
} mien_result;

typedef struct mien_error {
  mien_result code;
  int line;          // where in libmien, for bug reports
  const char *where; // file name, valid for ever
  char text[240];    // a sentence for the user
} mien_error;

// "not finite", "out of memory", ...: two or three words for a result. Valid for ever.
MIEN_API const char *mien_result_name(mien_result result);

// -- Host: memory, messages, threads --------------------------------------------------------------

// Both functions or neither. `alloc` returns memory aligned to `align` (a power of two) or NULL;
// `release` gets the same size back. They may be called from several threads at once.
typedef struct mien_allocator {
  void *(*alloc)(void *user, size_t size, size_t align);
  void (*release)(void *user, void *memory, size_t size);
  void *user;
} mien_allocator;

typedef enum mien_log_level { MIEN_LOG_INFO = 0, MIEN_LOG_WARNING = 1 } mien_log_level;
typedef void mien_log_fn(void *user, mien_log_level level, const char *text);

// Long work asks now and then: return 0 to go on, anything else to stop (the call then fails with
// MIEN_ERR_CANCELLED). `done` runs from 0 to 1.
typedef int mien_progress_fn(void *user, const char *what, double done);

// Calls job(task, i) once for every i from 0 to count - 1, in any order and on any threads, and
// returns when all calls have returned. Results are the same bits as with mien's own threads. It
// may be called by several threads at once, one for each object that is at work. With `threads` = 1
// it is not called.
typedef void mien_job_fn(void *task, int index);
typedef void mien_parallel_for_fn(void *user, int count, mien_job_fn *job, void *task);

typedef struct mien_host {
  uint32_t struct_size;               // set by mien_host_init
  int threads;                        // 0 = all the machine has, 1 = the caller's alone  default 0
  mien_parallel_for_fn *parallel_for; // NULL = the threads of mien's pool             default NULL
  mien_allocator allocator;           // all NULL = malloc and free                    default NULL
  size_t memory_limit;                // bytes one created object may take, 0 = no limit  default 0
  mien_log_fn *log;                   // NULL = silent                                 default NULL
  mien_progress_fn *progress;         // NULL = none                                   default NULL
  void *user;                         // handed to parallel_for, log and progress      default NULL
} mien_host;
MIEN_API void mien_host_init(mien_host *host, size_t struct_size);
#define mien_host_init(host) mien_host_init((host), sizeof *(host))

// -- Views: arrays of the caller's or of an object's ----------------------------------------------

// Element i is `width` floats starting at data[i * stride]; the width is said where a view is used.
// stride 0 means tightly packed. {NULL, 0, 0} is "none".
typedef struct mien_f32s {
  const float *data;
  int count;
  int stride;
} mien_f32s;

typedef struct mien_i32s {
  const int32_t *data;
  int count;
} mien_i32s;

// A rigid transform: rotate by the unit quaternion (x, y, z, w), then translate.
typedef struct mien_rigid {
  double rotation[4];
  double translation[3]; // m
} mien_rigid;

// =================================================================================================
// Simulation: rig, face, state, step, parameters
// Stable: functions, fields, values and their meanings stay; new ones are only added. A snapshot
// of a state is read by the version that wrote it.
// =================================================================================================

// -- Rig ------------------------------------------------------------------------------------------

typedef struct mien_rig mien_rig;

typedef enum mien_part_kind {
  MIEN_PART_AUTO = 0,  // decide by name, then by what the part looks like
  MIEN_PART_SKIN = 1,  // gets flesh and is simulated
  MIEN_PART_SKULL = 2, // rigid with the head
  MIEN_PART_JAW = 3,   // rigid with the jaw
  MIEN_PART_TEETH_UPPER = 4,
  MIEN_PART_TEETH_LOWER = 5,
  MIEN_PART_EYE_LEFT = 6,
  MIEN_PART_EYE_RIGHT = 7,
  MIEN_PART_TONGUE = 8,
  MIEN_PART_OTHER = 9 // lashes, hair, clothes: carried along by its shapes, never simulated
} mien_part_kind;

typedef struct mien_part {
  const char *name;
  mien_part_kind kind;
  int first_vertex, nvert;
  int first_triangle, ntri; // in a definition: faces
} mien_part;

// One blendshape: position[index[k]] += weight * delta[k].
typedef struct mien_shape {
  const char *name;
  mien_i32s indices; // none in a definition = delta k belongs to vertex k (count = vertices)
  mien_f32s deltas;  // m, width 3
} mien_shape;

// A painted map: one value (width 1) or one vector (width 3) per vertex. mien's own maps are
// "thickness" (m, 0 = not painted), "attachment" (0-1), "sticky" (0-1), "jaw" (0-1), "region" (see
// mien_region), "hypodermis" (m, vector from the skin inwards), and the materials "stiffness",
// "volume_stiffness", "density" and "damping": times the face's own value, 0.02 to 1000, 0 = not
// painted. Any other name is kept unchanged.
//
// Materials, attachment and thickness can be painted for a shape, too: "stiffness:mouthSmileLeft"
// is what the flesh is like at weight 1 of that shape ("stiffness__mouthSmileLeft" where a host's
// names have no colon; the shape may be spelled in any common way, as glTF attributes
// _MIEN_STIFFNESS:... do). 0 = as in the neutral. Weights blend them in every frame.
typedef struct mien_map {
  const char *name;
  int width;
  mien_f32s values;
} mien_map;

// What a skin vertex is. Bits, stored as whole numbers in the map "region".
typedef enum mien_region {
  MIEN_REGION_LIP_UPPER = 1,
  MIEN_REGION_LIP_LOWER = 2,
  MIEN_REGION_LIP_INNER = 4, // the side of a lip that is hidden when the mouth is closed
  MIEN_REGION_MOUTH_BAG = 8, // the cavity behind the lips
  MIEN_REGION_EYELID = 16,
  MIEN_REGION_CONTACT = 32, // can touch another part of the skin
  MIEN_REGION_PASSIVE = 64, // not held by bone: swings freely (tentacles)
  MIEN_REGION_BORDER = 128  // on the open edge of the skin
} mien_region;

typedef struct mien_jaw {
  int is_known;
  float hinge[3];   // m, a point on the axis
  float axis[3];    // unit vector; a positive angle opens
  float open_angle; // rad, at weight 1 of the jaw-open shape
} mien_jaw;

// An axis of a file. KEEP: the file's axes are ours. FIND: from the face itself (eyes above mouth,
// skin that faces out); what was found is said in a remark when it is not what the file's format
// says.
typedef enum mien_axis {
  MIEN_AXIS_KEEP = 0,
  MIEN_AXIS_FIND = 1,
  MIEN_AXIS_X = 2,
  MIEN_AXIS_MINUS_X = 3,
  MIEN_AXIS_Y = 4,
  MIEN_AXIS_MINUS_Y = 5,
  MIEN_AXIS_Z = 6,
  MIEN_AXIS_MINUS_Z = 7
} mien_axis;

// What a rig is made of. Vertices are the host's render vertices: where they are split along UV
// seams (same place, same deltas) they are welded for simulation, and mapped back exactly.
typedef struct mien_rig_def {
  uint32_t struct_size; // set by mien_rig_def_init
  int weld;             // 0 = keep every vertex                                  default 1
  const char *name;
  double metres_per_unit; // multiplies positions, deltas and lengths in maps       default 1
  double source_unit;     // metres per unit of the artist's scene, remembered only; 0 = as above
  mien_f32s positions;    // width 3                                                (nvert)
  mien_f32s uvs;          // width 2, v downwards as in glTF, or none               (nvert)
  mien_f32s colours;      // width 4, linear RGBA 0-1, or none                      (nvert)
  mien_i32s faces;        // vertex indices, polygon after polygon
  mien_i32s face_sizes;   // corners of each polygon; none = all triangles
  const mien_part *parts; // none = one part of everything
  const mien_shape *shapes;
  const mien_map *maps;
  const char *const *remarks; // the reader's, put before our own
  int npart, nshape, nmap, nremark;
  mien_i32s landmarks;   // 68 vertex indices in iBUG order, -1 = unknown; or none
  mien_jaw jaw;          // is_known = 0: found from the jaw-open shape if there is one
  const char *extras;    // a JSON object kept with the rig (glTF extras.mien), or NULL
  mien_axis up, facing;  // of all that is given here: what is +Y and +Z on the rig    default KEEP
  int find_unit;         // 1 = metres_per_unit is a guess; the size of the face decides  default 0
  const char *face_part; // the part that gets flesh; NULL = found                 default NULL
  int has_pivot;         // 0 = found from the face, 1 = given, 2 = from a skeleton    default 0
  double pivot[3];       // where the neck carries the head, in units and axes of positions
  // The way back onto the artist's meshes, for caches of one file per mesh.
  const double *part_spaces; // rows (M | t) that bring positions to a part's own space; NULL = they
                             // are there                                         (npart x 12)
  mien_i32s file_vertices;   // the vertex of its part's mesh that a position is, numbered from 0 in
                             // every part; none = in order                        (nvert)
} mien_rig_def;
MIEN_API void mien_rig_def_init(mien_rig_def *def, size_t struct_size);
#define mien_rig_def_init(def) mien_rig_def_init((def), sizeof *(def))

// Makes a rig; the definition is copied. MIEN_REMARK when the info's remarks say something.
// Caller frees with mien_rig_free.
MIEN_API mien_result mien_rig_create(const mien_rig_def *def, const mien_host *host, mien_rig **out,
                                     mien_error *err);

// How a file is read where it does not say, or says it wrongly.
typedef struct mien_rig_opts {
  uint32_t struct_size;  // set by mien_rig_opts_init
  mien_axis up, facing;  // of the file                                                default FIND
  double unit;           // metres per unit of the file; 0 = what it says, or by the face  default 0
  const char *face_part; // the part that gets flesh; NULL = found                     default NULL
  int has_pivot;         // 0 = from the file, its skeleton or the face                default 0
  double pivot[3];       // where the neck carries the head, in the file's unit and axes
} mien_rig_opts;
MIEN_API void mien_rig_opts_init(mien_rig_opts *opts, size_t struct_size);
#define mien_rig_opts_init(opts) mien_rig_opts_init((opts), sizeof *(opts))
// Reads a rig as mien_rig_load does, with options (NULL = defaults).
MIEN_API mien_result mien_rig_import(const char *path, const mien_rig_opts *opts,
                                     const mien_host *host, mien_rig **out, mien_error *err);

// Reads a rig: .glb, .gltf, .vrm, .obj (no shapes), a folder of .obj (neutral.obj, one per shape).
MIEN_API mien_result mien_rig_load(const char *path, const mien_host *host, mien_rig **out,
                                   mien_error *err);
// The same from the bytes of a .glb file (borrowed for the call).
MIEN_API mien_result mien_rig_read(const void *bytes, size_t size, const mien_host *host,
                                   mien_rig **out, mien_error *err);

// All a rig holds. Valid as long as the rig.
typedef struct mien_rig_info {
  const char *name;
  double source_unit; // metres per unit of the artist's scene
  int nvert, ntri;    // welded: what positions, shapes, maps and triangles use
  int nrender;        // render vertices, before welding
  int npart, nshape, nmap, nremark;
  int nlandmark;                // known landmarks, 0 to 68
  float box_min[3], box_max[3]; // m, at rest
  mien_jaw jaw;
  mien_f32s positions;        // at rest, m, width 3                                (nvert)
  mien_i32s triangles;        // welded corners                                     (ntri x 3)
  mien_i32s render_triangles; // render corners of the same triangles               (ntri x 3)
  mien_i32s render_map;       // render vertex -> welded vertex                     (nrender)
  mien_f32s uvs;              // width 2, or none                                   (nrender)
  mien_f32s colours;          // width 4, or none                                   (nrender)
  mien_i32s landmarks;        // welded vertices, -1 = unknown                      (68)
  const mien_part *parts;     //                                                    (npart)
  const mien_shape *shapes;   //                                                    (nshape)
  const mien_map *maps;       //                                                    (nmap)
  const char *extras;         // a JSON object, "{}" when there is none
  const char *const *remarks; // what a user should know, a sentence each           (nremark)
  double pivot[3];            // m, where the neck carries the head; the origin when nothing tells
  const char *pivot_source;   // "given", "skeleton", "face", or "origin"
  const double *part_spaces;  // rows (M | t) from the rig to a part's own space, unit and axes in
                              // its file                                           (npart x 12)
  mien_i32s file_vertices;    // render vertex -> vertex of its part's mesh in the file (nrender)
  mien_i32s part_render;      // first render vertex of each part, and the end      (npart + 1)
} mien_rig_info;
MIEN_API const mien_rig_info *mien_rig_get_info(const mien_rig *rig);

// Shape or map by name, -1 when there is none. Shape names match in any common spelling:
// "jawOpen", "JawOpen", "jaw_open"; "eyeBlinkLeft", "eyeBlink_L".
MIEN_API int mien_rig_find_shape(const mien_rig *rig, const char *name);
MIEN_API int mien_rig_find_map(const mien_rig *rig, const char *name);

// Plain blendshapes: out[nvert x 3] = rest + sum of weights[i] * shape i. `out` is the caller's.
MIEN_API mien_result mien_rig_pose(const mien_rig *rig, const float *weights, int nweight,
                                   float *out, mien_error *err);

MIEN_API void mien_rig_free(mien_rig *rig);

// -- Face: flesh under the skin -------------------------------------------------------------------

typedef struct mien_face mien_face;

typedef enum mien_flesh {
  MIEN_FLESH_SHELL = 0, // skin and hypodermis, three tetrahedra per triangle (Barrielle & Stoiber)
  MIEN_FLESH_VOLUME = 1 // tetrahedra between skin and bones (Kozlov et al.); needs `tetrahedralise`
} mien_flesh;

// Fills the space between closed surfaces with tetrahedra. The first nvert vertices of the answer
// must be those given, in order. Return 0, or -1 with a sentence in `why`. The arrays of the answer
// come from malloc; mien frees them.
typedef struct mien_surface {
  const double *positions;  // (nvert x 3)
  const int32_t *triangles; // (ntri x 3)
  const double *holes;      // a point inside every bone                                (nhole x 3)
  int nvert, ntri, nhole;
  double max_volume; // m^3 per tetrahedron
} mien_surface;
typedef struct mien_tet_mesh {
  double *positions;
  int32_t *tets;
  int nvert, ntet;
} mien_tet_mesh;
typedef int mien_tetrahedralise_fn(void *user, const mien_surface *surface, mien_tet_mesh *out,
                                   char why[160]);

// A rigid thing the skin must not go through, closed, triangles counter-clockwise seen from
// outside. The rig's own teeth, skull, jaw and eyes are colliders already.
typedef struct mien_collider {
  const char *name;
  mien_f32s positions; // m, in its own space, width 3
  mien_i32s triangles; // (ntri x 3)
} mien_collider;

// One expression of the subject for the fit of muscles: every vertex of the rig, or NaN where a
// scan has a hole.
typedef struct mien_muscle_target {
  const char *name;
  mien_f32s positions; // m, in the head's space, width 3                               (nvert)
} mien_muscle_target;

// A muscle of the user's own instead of the atlas: a closed mesh at rest in the head's space.
typedef struct mien_muscle_mesh {
  const char *name;
  mien_f32s positions; // m, width 3
  mien_i32s triangles; // (ntri x 3)
} mien_muscle_mesh;

typedef struct mien_face_def {
  uint32_t struct_size; // set by mien_face_def_init
  // form
  mien_flesh flesh;   //                                                               default SHELL
  double thickness;   // m, where no map "thickness" says otherwise; 0 = from the size of the face
                      // (5 mm on a human one)                                         default 0
  double smoothing;   // m, features of the hypodermis finer than this are smoothed away
                      // (w_smooth of eq. 13); < 0 = half the thickness                default < 0
  double following;   // 0-1, how closely its curvature follows the skin (w_lap)       default 0.5
  double min_quality; // every tetrahedron keeps this share of the volume of a straight prism's
                      // third                                                         default 0.1
  int simulate_at;    // skin vertices to simulate: a finer rig is reduced to about so many, but
                      // what can touch is kept; 0 = as its file says, or all; < 0 = all  default 0
  int blendvolumes;   // find the inside of the flesh for every shape, so that no shape inverts a
                      // tetrahedron                                                   default 1
  int use_stored;     // take hypodermis and blendvolumes stored in the rig when they still fit
                      //                                                               default 1
  // material
  int fit_stiffness;       // find stiffness, volume stiffness and attachment from the shapes
                           //                                                          default 0
  double density;          // kg / m^3                                                 default 1100
  double stiffness;        // Pa, against stretch and shear                            default 8000
  double volume_stiffness; // Pa, against change of volume                             default 24000
  double attachment_rate;  // Hz: how fast flesh with attachment 1 follows its bone; with less it
                           // is proportionally slower and looser                      default 50
  // what the host brings
  const mien_collider *colliders; // more than the rig's own, copied                   default NULL
  int ncollider;
  mien_tetrahedralise_fn *tetrahedralise; // for MIEN_FLESH_VOLUME                     default NULL
  void *tetrahedralise_user;
  // muscles
  int muscles; // 1 = put muscles into the flesh, for the drive MUSCLE: those of muscle_meshes,
               // or of the atlas; with the shares stored in the rig when they still fit
               //                                                                default 0
  int muscle_rounds; // stages of the fit, each with lower weights                     default 4
  const mien_muscle_mesh *muscle_meshes;    // of the user's own, copied               default NULL
  const mien_muscle_target *muscle_targets; // expressions that the muscles' geometry is fitted to
                                            // (Dinev, 4.2.6), 2 at least              default NULL
  int nmuscle_mesh, nmuscle_target;
  const char *muscle_resume; // file that keeps the fit after each round and that it goes on from,
                             // to the same bits; the caller removes it when what was found is in
                             // another file                                           default NULL
} mien_face_def;
MIEN_API void mien_face_def_init(mien_face_def *def, size_t struct_size);
#define mien_face_def_init(def) mien_face_def_init((def), sizeof *(def))

// Puts flesh under the rig's skin: finds what the rig does not say (mouth, regions, attachment,
// jaw), builds the tetrahedra, none of them inverted. The rig is shared, not copied: freeing the
// caller's rig is fine. Caller frees with mien_face_free.
MIEN_API mien_result mien_face_create(const mien_rig *rig, const mien_face_def *def,
                                      const mien_host *host, mien_face **out, mien_error *err);

// A muscle in the flesh. Its activation is a symmetric 3 x 3 matrix, the shape it wants to have,
// along its fibre, across it and through the skin: ff, fa, ft, aa, at, tt; at rest 1 0 0 1 0 1.
typedef struct mien_muscle {
  const char *name;
  mien_f32s path; // m, its fibre from origin to insertion at rest, width 3; none of a mesh
  double radius;  // m, of the atlas
  double volume;  // m^3: the tetrahedra's, by their shares
  int ntet;       // tetrahedra with a share in it
  // its channel in hosts is its name: a contraction, for mien_input, within these
  double least, most; // -1 and 0.7; what hosts offer by default is 0 to `most`
} mien_muscle;

typedef struct mien_face_info { // valid as long as the face
  const mien_rig *rig;
  uint64_t hash; // of everything a state depends on
  // the flesh
  int nskin;                // simulated skin vertices
  int nfollowing;           // skin vertices of the rig that follow those that are simulated
  int nvert, ntet;          // of the flesh: skin first, then what lies under it
  mien_f32s positions;      // flesh at rest, m, width 3                                 (nvert)
  mien_i32s tets;           // flesh vertices                                            (ntet x 4)
  mien_i32s skin;           // flesh vertex i < nskin -> rig vertex                      (nskin)
  mien_i32s skin_triangles; // flesh vertices of the skin surface               (nskin_tri x 3)
  mien_f32s masses;         // kg                                                        (nvert)
  mien_f32s attachment;     // 0 = free, 1 = held by bone                                (nvert)
  mien_f32s jaw;            // 0 = moves with the head, 1 = with the jaw                 (nvert)
  double mass, volume;      // kg, m^3
  int nattached;            // flesh vertices held by bone
  // what was found on the skin
  int has_mouth;     // the slit between the lips was found or given
  mien_i32s regions; // mien_region bits                                                 (nskin)
  mien_i32s slit;    // flesh vertices along the slit between the lips                   (nslit)
  int nslit;         // vertices along the slit
  int nlip_upper, nlip_lower, nlip_inner, nmouth_bag, neyelid, ncontact, npassive;
  mien_jaw hinge; // the rig's own or found; is_known = 0 when neither
  // quality
  double thickness_min, thickness_mean, thickness_max; // m
  double quality_min, quality_mean; // share of a straight prism's third (see min_quality)
  double shape_min, shape_mean;     // mean ratio, 1 = regular tetrahedron
  int ninverted;                    // always 0
  int nthinned;                     // skin vertices whose thickness was reduced
  int nleft_out;    // skin triangles without flesh: degenerate or folded onto themselves, at rest
                    // or in a shape
  int nmended;      // shapes that would invert tetrahedra, and have a blendvolume instead
  int nmended_tets; // these tetrahedra, in all shapes
  // of fit_stiffness, 0 without it: forces out of balance in all shapes, as a share of the shapes'
  // own, with even and with fitted stiffnesses; how far the conditions of the minimum are violated
  double fit_residual_before, fit_residual, fit_violation;
  double fit_least;                      // the smallest of the weights, all >= 0
  mien_f32s fit_drift_before, fit_drift; // m, of the skin out of each shape, width 1  (nshape)
  int nfit_zero;                         // weights that are 0
  // about building
  int nremark;
  const char *const *remarks; // what was decided and what went wrong, a sentence each
  double seconds_regions, seconds_hypodermis, seconds_tets;
  double seconds_shapes;    // blendvolumes
  double seconds_embedding; // the coarser rig and the way back
  double seconds_fit;       // fit_stiffness
  // muscles, 0 without them
  int nmuscle;
  int is_muscle_fitted;       // from expressions, not as the atlas has it
  const mien_muscle *muscles; //                                                      (nmuscle)
  // The geometry matrix S: entries of tetrahedron t are muscle_first[t] .. [t + 1]; what is missing
  // to 1 is passive tissue. Only muscles within 1 cm have an entry.
  mien_i32s muscle_first;  //                                                        (ntet + 1)
  mien_i32s muscle_index;  // which muscle                                           (entries)
  mien_f32s muscle_share;  // 0-1, width 1                                           (entries)
  mien_f32s muscle_errors; // m, mean distance of skin from each target of the fit, width 1
  mien_f32s muscle_errors_before; // the same with the shares of the atlas: activations alone
  double seconds_muscles;         // landing and fit
} mien_face_info;
MIEN_API const mien_face_info *mien_face_get_info(const mien_face *face);
MIEN_API void mien_face_free(mien_face *face);

// -- State: one per character instance ------------------------------------------------------------

typedef enum mien_solver {
  MIEN_SOLVER_AUTO = 0,      // the fastest of what was measured: DIRECT
  MIEN_SOLVER_KINEMATIC = 1, // physics off: the artist's pose, the flesh carried by skin and bone
  MIEN_SOLVER_DIRECT = 2,    // L-BFGS over a constant factor
  MIEN_SOLVER_GAUSS_SEIDEL = 3,         // L-BFGS over Gauss-Seidel sweeps: needs no factor
  MIEN_SOLVER_GAUSS_SEIDEL_OFFLINE = 4, // the same until a factor made in the background is ready
  MIEN_SOLVER_PREFACTORED = 5,          // plain Projective Dynamics, for comparison
  MIEN_SOLVER_NEWTON = 6                // reference: slow and accurate
} mien_solver;

typedef struct mien_state mien_state;

// A face at rest at time 0. The face is shared, not copied. Caller frees with mien_state_free.
MIEN_API mien_result mien_state_create(const mien_face *face, const mien_host *host,
                                       mien_state **out, mien_error *err);
MIEN_API void mien_state_reset(mien_state *state);
MIEN_API mien_result mien_state_copy(mien_state *to, const mien_state *from, mien_error *err);
// A snapshot is `mien_state_size` bytes; a state that reads one goes on with the same bits.
MIEN_API size_t mien_state_size(const mien_state *state);
MIEN_API mien_result mien_state_write(const mien_state *state, void *bytes, size_t size,
                                      mien_error *err);
MIEN_API mien_result mien_state_read(mien_state *state, const void *bytes, size_t size,
                                     mien_error *err);
MIEN_API uint64_t mien_state_hash(const mien_state *state);
MIEN_API void mien_state_free(mien_state *state);

typedef struct mien_state_info { // valid as long as the state, changed by every step
  mien_f32s positions;           // every vertex of the rig, in the head's space, m, width 3
  mien_f32s flesh;               // every vertex of the flesh, in the head's space, m, width 3
  mien_rigid head;               // head to world
  double time;                   // s
  int64_t nstep;                 // since creation or reset
  // about the last step: what came out
  double max_displacement; // m, skin against the neutral
  double max_offset;       // m, skin against the artist's pose: what physics added
  int ninverted;           // tetrahedra
  int nposed_mended;       // tetrahedra that the sum of shapes would invert in the artist's pose,
  int nposed_inverted;     // and those of them that stay so
  int nmended;             // tetrahedra that motion had inverted
  int nimplausible;        // skin vertices where no face has its skin: a fifth of its size off
                           // the pose (what is passive: the whole of it), or faster than 10 m/s
                           // against the head. Above 0 the step returned MIEN_REMARK
  int implausible_vertex;  // of the rig, the worst of them; -1 = there is none
  double implausible_distance; // m, from its pose
  double implausible_speed;    // m / s, against the head
  // the minimisation
  mien_solver solver; // that was used
  int budget_used_up; // stopped by time_budget: the result depends on the machine's speed
  int iterations, sweeps, line_search_steps;
  int projections;                           // systems solved, or blends tried, to keep the energy
  double residual;                           // |gradient| after / before
  int64_t nsvd_kept, nsvd_taylor, nsvd_full; // singular value decompositions, by kind
  double marker_error; // m, rms over markers that BLENDFORCE leaves, before contact and inertia
  // energies
  double energy_start, energy;                              // J, before and after
  double energy_inertia, energy_elastic, energy_attachment; // J, parts of the latter
  double energy_wanted; // J, against the head, of the last substep that kept its energy
  double energy_error;  // J, what it ended with minus that
  double blend;         // stabilised midpoint: 0 = midpoint, 1 = backward Euler, below 0 = beyond
  // contact
  int ncontact;        // places where the skin touches itself or a collider
  int nstuck, nbroken; // springs between lips that stick; that broke in this step
  int nlimited;        // times a motion was cut short so that nothing crosses
  double least_gap;    // m, of all contacts, below 0 = gone through; 0 without contacts
  int nresolved;       // pairs of triangles that crossed where the step began (contact switched on
                       // over lips that cross, a collider inside the face) and were put apart, or
                       // meet nothing until they are; 0 = the start was free
  // times
  double seconds, seconds_local, seconds_global, seconds_set_up;
  double seconds_drive;                   // finding the forces of BLENDFORCE
  double seconds_contact;                 // finding contacts, and what the barrier pushes
  double seconds_ccd;                     // of these: how far motions may go
  double seconds_pose, seconds_rebalance; // the artist's pose in the head's space; what keeps its
                                          // changes from stirring up motion
  double seconds_output;                  // positions, skin map, counts
} mien_state_info;
MIEN_API const mien_state_info *mien_state_get_info(const mien_state *state);

// What holds and pushes the flesh, as lines for a host to draw.
typedef enum mien_line_kind {
  MIEN_LINE_CONTACT = 0,   // skin that is close to skin or to a collider; value: m between them
  MIEN_LINE_STICKY = 1,    // a spring between lips that stick; value: 0 = new, 1 = it breaks
  MIEN_LINE_ATTACHMENT = 2 // flesh and where bone wants it; value: 0-1, how firmly
} mien_line_kind;
typedef struct mien_line {
  float from[3], to[3]; // m, in the head's space
  float value;
  mien_line_kind kind;
} mien_line;
// How many lines there are of some kinds (bits: 1 << kind), as the last step left them; at most
// `most` are written. With no contact in that step (ncontact 0) there are none of contacts.
MIEN_API int mien_state_lines(const mien_state *state, unsigned kinds, mien_line *lines, int most);

// -- Step -----------------------------------------------------------------------------------------

typedef struct mien_input { // borrowed for the call
  uint32_t struct_size;     // set by mien_input_init
  int has_jaw; // 0 = the jaw turns about its hinge by the weight of the jaw-open shape  default 0
  mien_f32s weights; // one per shape of the rig, width 1; none = all 0
  mien_f32s pose;    // or the posed rig itself, width 3 (nvert): hosts that evaluate their own
                     // deformers
  mien_rigid head;   // head to world                                          default identity
  mien_rigid jaw; // with has_jaw: where it goes in the head's space from its place in the neutral;
                  // flesh on the jaw follows, and with `weights` (not with `pose`, which is final)
                  // so do skin, lower teeth and tongue, by what it does beyond that hinge
  const mien_rigid *colliders; // collider to world, those of the face's definition in their
                               // order; NULL = all where the head is, at its own origin
  int ncollider;
  double seal_left, seal_right; // 0-1: lips held together from that corner to the middle  default 0
  // one per muscle of the face, none = at rest: the drive MUSCLE, and muscle_stiffening with any
  // drive. Both may be given: they add up.
  mien_f32s contractions; // width 1: 0.3 = 30 % shorter along the fibre, thicker by as much; -0.2 =
                          // longer; -1 to 0.7
  mien_f32s activations;  // width 6, see mien_muscle; stretches of 0.2 to 5
} mien_input;
MIEN_API void mien_input_init(mien_input *input, size_t struct_size);
#define mien_input_init(input) mien_input_init((input), sizeof *(input))

typedef enum mien_contact {
  MIEN_CONTACT_OFF = 0,
  MIEN_CONTACT_PLANE = 1,  // what is close is pushed apart by springs, once or twice a step: fast
  MIEN_CONTACT_BARRIER = 2 // by a force that grows without limit, in every iteration (IPC)
} mien_contact;

// How the barrier's stiffness enters the linear solve (Li et al. 2023).
typedef enum mien_barrier_step {
  MIEN_BARRIER_WOODBURY = 0, // a small dense correction
  MIEN_BARRIER_SCHUR = 1,    // one dense matrix of the lips
  MIEN_BARRIER_PCG = 2       // conjugate gradients
} mien_barrier_step;

// How a step gets from one moment to the next (Dinev, 3.2.3.1).
typedef enum mien_integrator {
  MIEN_INTEGRATOR_BACKWARD_EULER = 0,      // steady; the longer the step, the more it damps
  MIEN_INTEGRATOR_BDF2 = 1,                // damps less
  MIEN_INTEGRATOR_IMPLICIT_MIDPOINT = 2,   // damps nothing, and can gain energy; without contact
  MIEN_INTEGRATOR_STABILISED_MIDPOINT = 3, // the same, kept to its energy within 1 %
  MIEN_INTEGRATOR_QUASI_STATIC = 4         // no inertia: flesh at rest under gravity and wind
} mien_integrator;

typedef enum mien_drive {
  MIEN_DRIVE_REST_SHAPE = 0, // the pose of the frame is the rest state of the flesh
  MIEN_DRIVE_BLENDFORCE = 1, // the neutral is; forces made of the shapes bring the skin to markers
                             // on the pose (Barrielle & Stoiber, eq. 10 and 11)
  MIEN_DRIVE_MUSCLE = 2      // the neutral is; muscles that contract pull at it (Dinev, 4)
} mien_drive;

typedef struct mien_step_opts {
  uint32_t struct_size; // set by mien_step_opts_init
  // time
  int substeps; // 1 to 100 a step; head, weights, pose and colliders in between     default 1
  double dt;    // s, 1e-9 to 3600                                                   default 1/24
  double time_scale; // physics' seconds per second of the animation                      default 1
  // solver
  mien_solver solver; //                                                               default AUTO
  int iterations;     // at most, 1 to 1000                                              default 8
  double tolerance;   // stop when |gradient| falls below this share of its start        default 0
  double time_budget; // s a step may take, 0 = no limit; with a limit results depend on the
                      // machine's speed                                                 default 0
  int offline_after;  // GAUSS_SEIDEL_OFFLINE: switch after exactly so many steps, 0 = as soon as
                      // the factor is ready (then results depend on speed)              default 0
  // drive
  int control_iterations; // rounds of BLENDFORCE, 1 to 100                            default 2
  mien_drive drive;       //                                                     default REST_SHAPE
  // motion
  mien_integrator integrator; //                                           default BACKWARD_EULER
  double rebalance;      // 0-1: 1 = a pose or material that changes stirs up no motion of its own,
                         // 0 = flesh stays where it was and swings over (Kozlov et al., 5.2, 7)
                         //                                                            default 1
  double damping;        // 1 / s, of motion that is not rigid, against the head; the same at every
                         // frame rate                                                 default 0
  double drag;           // 1 / s, of all motion against the head                      default 0
  int energy_projection; // 1 = after each substep energy and momentum are what they should be
                         // (Dinev, 3.4): nothing but damping and drag damps. Not with the barrier
                         //                                                            default 0
  // contact
  mien_contact contact; //                                                             default OFF
  mien_barrier_step barrier_step; //                                                default WOODBURY
  double thickness; // m kept between skin and what it touches; 0 = a thousandth of the face's
                    // height (0.2 mm on a human one); where the neutral is closer, that
                    //                                                                 default 0
  double friction;  // Coulomb's coefficient, of skin on skin and on `colliders` of the face; the
                    // rig's own teeth, eyes and bones have none                       default 0.3
  double barrier_stiffness; // times the flesh's own; it adapts                  default 1
  // sticking lips
  double sticky;        // strength, 0 = off, 1 = natural; needs contact               default 0
  double sticky_length; // m at which a spring breaks with probability 0.1 in 1/25 s;
                        // 0 = 2 mm on a human face                                    default 0
  double humidity;      // above 0: 2 = lips hold to twice the length                  default 1
  double stick_delay;   // s before lips that came apart can stick again               default 0.1
  uint64_t seed;        // of the chance by which springs break                        default 1
  // forces
  double gravity[3]; // m / s^2, world; the artist's shapes hang already               default 0
  double wind[3];    // m / s, world                                                   default 0
  double gust;       // 0-1: how much the wind's speed varies, in time and along its way  default 0
  // head
  double head_translation[3]; // share of the head's motion that the flesh feels, along the head's
                              // own axes: left, up, out of the face                  default 1 1 1
  double head_rotation[3];    // and about them: nod, shake, tilt                     default 1 1 1
  // muscles
  double fat; // the drive MUSCLE: passive tissue wants fat^3 times its volume, a shell by
              // growing thicker; muscle does not                                       default 1
  // solver
  double least_step; // stop when the next iteration would move nothing by this share of the face's
                     // size; 0 = do them all                                      default 0
  // muscles
  double muscle_stiffening; // a muscle that is c shorter is 1 + this c times as stiff, with any
                            // drive                                                   default 0
} mien_step_opts;
MIEN_API void mien_step_opts_init(mien_step_opts *opts, size_t struct_size);
#define mien_step_opts_init(opts) mien_step_opts_init((opts), sizeof *(opts))

// Advances a state by opts->dt. After the first step it allocates nothing and does no I/O; with
// several threads it takes locks of the pool to wake threads, but never waits for another caller.
// What came out is in mien_state_get_info. The first step of a state that is new or was reset
// has nothing to come from: its flesh rests on the pose where the head is, and nothing has moved.
// MIEN_REMARK when what came out is not to be shown unseen: numbers that were not finite and were
// forgotten, or skin where no face has it (nimplausible). The error then says where and why.
MIEN_API mien_result mien_step(mien_state *state, const mien_input *input,
                               const mien_step_opts *opts, mien_error *err);

// -- Parameters: everything an artist can set, as data --------------------------------------------

// What hosts and the bake do around the steps of a shot.
typedef struct mien_play_opts {
  uint32_t struct_size; // set by mien_play_opts_init
  int start_frame;      // physics begins there; the artist's animation before          default 1
  int frame_jump_limit; // hosts: a larger jump forward starts anew                     default 10
  double pre_roll;      // s the first frame is held before it counts                   default 0
  double space_scale;   // the face is simulated as if it were so many times as large   default 1
} mien_play_opts;
MIEN_API void mien_play_opts_init(mien_play_opts *opts, size_t struct_size);
#define mien_play_opts_init(opts) mien_play_opts_init((opts), sizeof *(opts))

// All options in one struct: hosts keep one of these and pass its parts on. Its parts may grow, so
// the library finds each by the struct_size of those before it.
typedef struct mien_settings {
  uint32_t struct_size; // set by mien_settings_init
  mien_face_def face;
  mien_step_opts step;
  mien_input input; // what does not come from the animation
  mien_play_opts play;
} mien_settings;
static inline void mien_settings_init(mien_settings *settings) {
  settings->struct_size = (uint32_t)sizeof *settings;
  mien_face_def_init(&settings->face);
  mien_step_opts_init(&settings->step);
  mien_input_init(&settings->input);
  mien_play_opts_init(&settings->play);
}

typedef enum mien_param_kind {
  MIEN_PARAM_NUMBER = 0, // double
  MIEN_PARAM_WHOLE = 1,  // int, or uint64_t when `size` is 8
  MIEN_PARAM_SWITCH = 2, // int, 0 or 1
  MIEN_PARAM_CHOICE = 3, // int (an enum), the place of a name in `choices`
  MIEN_PARAM_VECTOR = 4  // double[3]
} mien_param_kind;

typedef enum mien_param_place {
  MIEN_PARAM_FACE = 0,  // the flesh is built anew when it changes
  MIEN_PARAM_STEP = 1,  // may change from step to step
  MIEN_PARAM_INPUT = 2, // comes with every step
  MIEN_PARAM_PLAY = 3,  // around the steps
  MIEN_PARAM_MAP = 4    // a painted map of the rig: one value per vertex
} mien_param_place;

enum {
  MIEN_PARAM_KEYABLE = 1,  // an artist may animate it
  MIEN_PARAM_OF_HOST = 2,  // set by the host itself (the time step), shown to nobody
  MIEN_PARAM_PER_SHAPE = 4 // of a map: may be painted for every shape ("stiffness:jawOpen")
};

// A row of the table from which command line, JSON, Python, Maya, Blender and the manual are made.
// Values are in the artist's `unit`; value * to_si is what the struct holds.
typedef struct mien_param {
  const char *name;    // "sticky_length"; hosts spell it their way (stickyLength)
  const char *field;   // "step.sticky_length": where it lies in mien_settings; "" for maps
  const char *group;   // heading under which it is shown
  const char *unit;    // "mm", "" = none
  const char *help;    // half a sentence
  const char *choices; // "off,plane,barrier", or NULL
  const char *map;     // painted map that varies it over the skin, or NULL
  mien_param_kind kind;
  mien_param_place place;
  int flags;                 // MIEN_PARAM_KEYABLE and so on
  double value[3];           // default
  double min, max;           // refused outside
  double soft_min, soft_max; // ends of a slider
  double to_si;
  size_t offset, size; // of the field in the struct of its place; 0 for maps
} mien_param;

// The whole table, valid for ever. A map may carry the name of a parameter, else names are unique.
MIEN_API const mien_param *mien_params(int *count);

// One parameter from numbers (three for a vector) in the artist's unit, and back. A field that the
// caller's struct is too old to have cannot be set; its value is the default.
MIEN_API mien_result mien_param_set(const mien_param *param, mien_settings *settings,
                                    const double *values, mien_error *err);
MIEN_API void mien_param_get(const mien_param *param, const mien_settings *settings,
                             double *values);
// One parameter by name from text: "0.5", "0,-9.81,0", "plane", "on".
MIEN_API mien_result mien_settings_set(mien_settings *settings, const char *name, const char *text,
                                       mien_error *err);
// Several from a JSON object {"sticky": 1, "gravity": [0, -9.81, 0], "contact": "plane"}; what it
// does not name stays. The key "about" may hold a sentence. Refused whole when one key is wrong.
MIEN_API mien_result mien_settings_read(mien_settings *settings, const char *json, size_t size,
                                        mien_error *err);
// The JSON of every parameter that is not at its default. Returns the length without the final 0;
// at most size - 1 characters are written. `json` may be NULL.
MIEN_API size_t mien_settings_write(const mien_settings *settings, char *json, size_t size);

// =================================================================================================
// Files over time: take, cache
// Stable as above. What is written stays readable by other programs; new formats may be added.
// =================================================================================================

// -- Take: a performance --------------------------------------------------------------------------

typedef struct mien_take mien_take;

typedef struct mien_take_def {
  uint32_t struct_size; // set by mien_take_def_init
  const char *name;
  const char *const *channels; // shape names                                         (nchannel)
  int nchannel, nframe;
  const double *times;    // s, increasing                                         (nframe)
  const float *weights;   // frame after frame                          (nframe x nchannel)
  const mien_rigid *head; // or NULL                                               (nframe)
  int64_t about_pivot; // 1 = the head turns about the rig's pivot and its translation moves that, 0
                       // = about the origin of the rig                                  default 0
} mien_take_def;
MIEN_API void mien_take_def_init(mien_take_def *def, size_t struct_size);
#define mien_take_def_init(def) mien_take_def_init((def), sizeof *(def))
MIEN_API mien_result mien_take_create(const mien_take_def *def, const mien_host *host,
                                      mien_take **out, mien_error *err); // copied

// Reads a take: Live Link Face CSV, a head-motion CSV (columns Time, HeadX ... HeadRoll), or the
// weight animation of a .glb. MIEN_ERR_FORMAT when the file holds no animation.
MIEN_API mien_result mien_take_load(const char *path, const mien_host *host, mien_take **out,
                                    mien_error *err);
MIEN_API mien_result mien_take_read(const void *bytes, size_t size, const mien_host *host,
                                    mien_take **out, mien_error *err);

typedef enum mien_match_kind {
  MIEN_MATCH_NAME = 0,    // the same name, perhaps spelled differently
  MIEN_MATCH_MEANING = 1, // another convention's name for the same motion
  MIEN_MATCH_STAND_IN = 2 // the rig lacks the motion; a viseme that is mostly that motion follows
} mien_match_kind;

// A channel of a take and a shape of a rig that follows it.
typedef struct mien_match {
  const char *channel, *shape;
  float share; // of the channel's weight
  mien_match_kind kind;
} mien_match;

typedef struct mien_take_info { // valid as long as the take
  const char *name;
  int nchannel, nframe;
  double start, end;           // s
  double frame_rate;           // median, frames per second
  const char *const *channels; //                                                     (nchannel)
  const double *times;         // s                                                   (nframe)
  const float *weights;        //                                          (nframe x nchannel)
  const mien_rigid *head;      // or NULL                                             (nframe)
  int about_pivot;             // as in the definition
  // of a bound take: what drives what, and what is lost
  int nmatch, nmissing, nremark;
  const mien_match *matches;  //                                                     (nmatch)
  const char *const *missing; // channels without a shape                            (nmissing)
  const char *const *remarks; // a sentence each                                     (nremark)
} mien_take_info;
MIEN_API const mien_take_info *mien_take_get_info(const mien_take *take);

// A take whose channels are exactly the rig's shapes, in the rig's order, and whose head turns
// about the origin of the rig. Names match across the usual conventions (ARKit, FACS, VRM,
// visemes). Channels the rig lacks are left out and counted in *unmatched (may be NULL); shapes
// without a channel stay at 0. MIEN_ERR_MISMATCH when a take with weights drives no shape at all.
MIEN_API mien_result mien_take_bind(const mien_take *take, const mien_rig *rig, mien_take **out,
                                    int *unmatched, mien_error *err);
// The take at a time: weights[nchannel] linear between frames, the head's rotation spherical.
// Before the start and after the end the first and last frame hold. NULL outputs are left out.
MIEN_API mien_result mien_take_sample(const mien_take *take, double time, float *weights,
                                      mien_rigid *head, mien_error *err);
MIEN_API void mien_take_free(mien_take *take);

// Every file is written under a temporary name and renamed when it is whole.

// Writes a .glb that Blender, Maya, Unreal and three.js open. With a face its regions, maps and
// hypodermis are stored as custom attributes so that hosts can show and repaint them; with a take
// its weights become the animation. face and take may be NULL.
MIEN_API mien_result mien_rig_save(const mien_rig *rig, const mien_face *face,
                                   const mien_take *take, const char *path, mien_error *err);
// Writes a take as Live Link Face CSV (with head columns in metres added when it has them).
MIEN_API mien_result mien_take_save(const mien_take *take, const char *path, mien_error *err);

// -- Caches: positions over time ------------------------------------------------------------------

typedef struct mien_cache mien_cache;

typedef struct mien_cache_def {
  uint32_t struct_size; // set by mien_cache_def_init
  int welded;           // 0 = one point per render vertex (what hosts show)      default 0
  const mien_rig *rig;  // borrowed until the cache is freed
  int first_frame;      // number of the first frame                              default 1
  double frame_rate;    // frames per second                                      default 24
  int64_t most_frames;  // of a resumed cache: so many are kept; -1 = all that are whole
                        // default -1
  int64_t in_world;     // 1 = the frames hold the head's motion; said in the file    default 0
  // of a .glb
  const mien_take *take; // what drives the artist's shapes, bound to the rig, borrowed as the rig
                         // is; NULL = they stay at 0 and new targets do all       default NULL
  double take_time;      // of the first frame in the take, s                      default 0
  double tolerance;      // m, how far a point may be from its frame               default 5e-5
} mien_cache_def;
MIEN_API void mien_cache_def_init(mien_cache_def *def, size_t struct_size);
#define mien_cache_def_init(def) mien_cache_def_init((def), sizeof *(def))

// Starts a cache; the end of its name says what it is. A .pc2 (Blender, 3ds Max, Maya) is all
// points in metres; with "{mesh}" in its name it becomes one file for every part of the rig, in the
// vertex order, unit, axes and space of that mesh in the rig's file: it drops onto the artist's own
// mesh. .usda, .usdc and .abc hold such a mesh for every part. A .glb is the file the rig was read
// from, all of it, with morph targets and an animation added. Nothing carries that name until
// mien_cache_finish; until then the frames are in "path.part" (not .pc2: "path.frames.part"). The
// destination is looked at now, and while the cache is open another writer of that name is refused.
MIEN_API mien_result mien_cache_create(const char *path, const mien_cache_def *def,
                                       const mien_host *host, mien_cache **out, mien_error *err);
// Goes on with what an interrupted or killed program left; *nframe whole frames are there. Where
// nothing was left it starts one. Whose frames they are is for the caller to know.
MIEN_API mien_result mien_cache_resume(const char *path, const mien_cache_def *def,
                                       const mien_host *host, mien_cache **out, int *nframe,
                                       mien_error *err);
// One frame: every vertex of the rig, width 3, as mien_state_info has it.
MIEN_API mien_result mien_cache_append(mien_cache *cache, mien_f32s positions, mien_error *err);
// Puts all frames so far on the disk: before something is kept that relies on them.
MIEN_API mien_result mien_cache_sync(mien_cache *cache, mien_error *err);
// Ends the file and gives it its name; when that fails the frames stay for mien_cache_resume. Only
// mien_cache_free may follow.
MIEN_API mien_result mien_cache_finish(mien_cache *cache, mien_error *err);
// Stops writing for now: the frames stay for mien_cache_resume. Only mien_cache_free may follow.
MIEN_API mien_result mien_cache_suspend(mien_cache *cache, mien_error *err);
// Frees a cache, written or loaded. Of one that was neither finished nor suspended no file is left.
MIEN_API void mien_cache_free(mien_cache *cache);

// Reads a whole .pc2.
MIEN_API mien_result mien_cache_load(const char *path, const mien_host *host, mien_cache **out,
                                     mien_error *err);
typedef struct mien_cache_info { // valid as long as the cache
  int npoint, nframe;
  double first_frame;
  const float *points; // of a loaded cache, frame after frame, m           (nframe x npoint x 3)
  // of a finished .glb
  int is_in_rig; // 1 = it is the rig's own file
  int ntarget;   // morph targets that were added, over all meshes
  double error;  // m, how far the farthest point of any frame is from what was appended
} mien_cache_info;
MIEN_API const mien_cache_info *mien_cache_get_info(const mien_cache *cache);

// =================================================================================================
// Muscles: activations from expressions
// Not stable yet: these may change in any 0.x; CHANGELOG.md says so.
// =================================================================================================

typedef struct mien_activations mien_activations;

// Finds the activations and the jaw that bring a face's muscles closest to an expression (Dinev,
// 4.2.3), frame after frame of a take. The face, which must have muscles, is shared. Caller frees
// with mien_activations_free.
MIEN_API mien_result mien_activations_create(const mien_face *face, const mien_host *host,
                                             mien_activations **out, mien_error *err);
// The next frame: every vertex of the rig, m, in the head's space, width 3; NaN = not seen. Starts
// from the frame before; `rounds` (0 = 3) of Gauss-Newton with the response of the neutral. -1 =
// then with responses of its own until none wins 1 %, which takes seconds.
MIEN_API mien_result mien_activations_solve(mien_activations *solver, mien_f32s target, int rounds,
                                            mien_error *err);
typedef struct mien_activations_info { // valid as long as the solver, changed by every solve
  int nmuscle;
  mien_f32s activations; // width 6, for mien_input                                   (nmuscle)
  mien_f32s contraction; // what of it lies along the fibre, 0 = rest, width 1        (nmuscle)
  mien_rigid jaw;        // for mien_input, with has_jaw
  double jaw_angles[2], jaw_shift[3]; // its five degrees of freedom: opening and turning to the
                                      // left, rad, about the hinge; m
  mien_f32s positions;                // every vertex of the rig as the muscles have it, m, width 3
  double error;                       // m, mean distance of skin from what was seen of the target
  double residual; // how far the conditions of the minimum are violated, against the start
  int rounds;      // that were made
  double seconds;  // of the last solve
} mien_activations_info;
MIEN_API const mien_activations_info *mien_activations_get_info(const mien_activations *solver);
MIEN_API void mien_activations_free(mien_activations *solver);

// =================================================================================================
// Live: streams, tracker, fit
// Not stable yet: these may change in any 0.x; CHANGELOG.md says so.
// =================================================================================================

// -- Live streams: a phone or another program sends a face, or receives ours ----------------------

typedef enum mien_protocol {
  MIEN_PROTOCOL_LIVE_LINK = 0,    // Live Link Face (Unreal), UDP 11111
  MIEN_PROTOCOL_IFACIALMOCAP = 1, // iFacialMocap, UDP 49983
  MIEN_PROTOCOL_VMC = 2           // Virtual Motion Capture (OSC), UDP 39539
} mien_protocol;

typedef struct mien_stream mien_stream;

typedef struct mien_stream_def {
  uint32_t struct_size; // set by mien_stream_def_init
  mien_protocol protocol;
  int sends;           // 0 = listen, 1 = send                                     default 0
  const char *address; // a number like 192.168.0.12, or "localhost". To listen: of this machine,
                       // "0.0.0.0" lets the whole network in. To send: of the receiver.
                       // NULL = localhost: nobody else is let in                  default NULL
  int port;            // to listen at or to send to; 0 = the protocol's own,
                       // -1 = any free one (to listen)                            default 0
  const char *phone;   // the sender's address: nobody else is heard; iFacialMocap there is asked to
                       // send. NULL = whoever speaks first                        default NULL
} mien_stream_def;
MIEN_API void mien_stream_def_init(mien_stream_def *def, size_t struct_size);
#define mien_stream_def_init(def) mien_stream_def_init((def), sizeof *(def))

// Opens the socket. There is no thread: what arrives is read by mien_stream_latest. One stream must
// be used by one thread at a time. Caller frees with mien_stream_free.
MIEN_API mien_result mien_stream_create(const mien_stream_def *def, const mien_host *host,
                                        mien_stream **out, mien_error *err);

typedef struct mien_stream_info { // valid as long as the stream, changed by mien_stream_latest
  int port;                       // it listens at or sends to
  int nchannel;                   // ARKit's 52 first, then whatever else the sender names
  const char *const *channels;    // "eyeBlinkLeft" ...                                  (nchannel)
  const float *weights;           // 0-1, of the newest frame                            (nchannel)
  int has_head;                   // `head` is the sender's
  mien_rigid head;                // in our axes; Live Link sends no position
  double time;                    // s since the stream was opened, when the newest frame arrived
  double sender_time;             // s, the sender's own clock; 0 when it tells none
  int64_t nframe;                 // whole frames so far, overtaken ones included
  int64_t npacket;                // that arrived, or were sent
  int64_t nmalformed;             // dropped: damaged, hostile or another protocol's
  int64_t nlate;                  // dropped: older than a frame already known
  int64_t nforeign;               // dropped: from a second sender while the first one is there, and
                                  // what the system had no room for
  int is_live;                    // frames arrive: the last one is less than a second old
  int sees_face;                  // the sender's last word was a frame, not "nobody is there"
} mien_stream_info;

// Reads what has arrived, waiting up to `wait` seconds (0 to 10) for a frame when there is none:
// MIEN_OK when a new frame is in the info, MIEN_NO_FRAME when not. Of several frames the newest
// counts.
MIEN_API mien_result mien_stream_latest(mien_stream *stream, double wait, mien_error *err);
MIEN_API const mien_stream_info *mien_stream_get_info(const mien_stream *stream);

// Sends one frame: weights by name, the head or NULL. Nobody need listen. VMC sends every name,
// the others the 52 of ARKit.
MIEN_API mien_result mien_stream_send(mien_stream *stream, const char *const *names,
                                      const float *weights, int nweight, const mien_rigid *head,
                                      double time, mien_error *err);
MIEN_API void mien_stream_free(mien_stream *stream);

// -- Tracking: pictures to points -----------------------------------------------------------------

// One frame of a camera or a video. Borrowed for the call.
typedef struct mien_image {
  const uint8_t *pixels; // row 0 is the top
  int width, height;
  int stride;   // bytes from one row to the next, 0 = tightly packed
  int nchannel; // 1 = grey, 3 = RGB, 4 = RGBA
  double time;  // s, when it was taken
} mien_image;

enum { MIEN_POINTS_MESH = 478, MIEN_POINTS_ERT = 68, MIEN_POINTS_MOST = 478 };

typedef struct mien_point {
  float x, y;       // pixels from the corner of the top left pixel; its centre is (0.5, 0.5)
  float z;          // pixels away from the camera, relative and weak; 0 where unknown
  float sigma;      // pixels: how far off it may be, one standard deviation
  float visibility; // 0 hidden by the head itself .. 1 in plain sight
} mien_point;

// What was seen in one frame, whoever saw it.
//   68   the iBUG order: jaw 0-16, brows 17-26, nose 27-35, eyes 36-47, mouth 48-67
//   478  the order of MediaPipe's face mesh: 468 points of the skin, then five of the subject's
//        right iris (centre, then its edge) and five of the left
typedef struct mien_points {
  double time;       // s, that of the frame
  int width, height; // of the frame
  int count;         // 478, 68, or 0 = no face
  float presence;    // 0..1, the tracker's own belief that this is a face
  float confidence;  // 0..1, presence and steadiness; sinks while a face is being lost
  int is_new;        // 1 = found in this frame: nothing says it is the face of the last one
  int missed;        // frames since a face was last seen
  float iris[2][3];  // x, y, radius in pixels, the subject's right, then left; radius 0 = unknown
  mien_point point[MIEN_POINTS_MOST];
} mien_points;

// Finds a face in pictures and follows it from one to the next. Model files are not part of mien:
// `mien models install` puts them into a folder of the user's.
typedef struct mien_tracker mien_tracker;

typedef enum mien_tracker_kind {
  MIEN_TRACKER_AUTO = 0, // MESH where its files are, else ERT
  MIEN_TRACKER_MESH = 1, // 478 points: a network, with its own detector
  MIEN_TRACKER_ERT = 2   // 68 points: regression trees; needs `find`
} mien_tracker_kind;

typedef struct mien_box {
  float x, y, width, height; // pixels, from the top left corner
} mien_box;
// Fills up to `most` boxes of faces and returns how many, the surest first.
typedef int mien_find_fn(void *user, const mien_image *image, mien_box *box, int most);

typedef struct mien_tracker_def {
  uint32_t struct_size;   // set by mien_tracker_def_init
  mien_tracker_kind kind; //                                                         default AUTO
  int is_chosen;          // 1 = the face nearest to `near`, 0 = the largest         default 0
  float near_x, near_y;   // in parts of the picture's width and height              default 0.5
  const char *models;     // folder of the model files; NULL = $MIEN_MODELS, else
                          // $XDG_CACHE_HOME/mien, else ~/.cache/mien                default NULL
  mien_find_fn *find;     // ERT: a frontal face detector such as OpenCV's           default NULL
  void *find_user;        // handed to find
} mien_tracker_def;
MIEN_API void mien_tracker_def_init(mien_tracker_def *def, size_t struct_size);
#define mien_tracker_def_init(def) mien_tracker_def_init((def), sizeof *(def))

MIEN_API mien_result mien_tracker_create(const mien_tracker_def *def, const mien_host *host,
                                         mien_tracker **out, mien_error *err);
// Looks at the next frame and fills *points; no face is no error but points->count 0. Allocates
// nothing. A face that was lost is looked for in every frame.
MIEN_API mien_result mien_tracker_see(mien_tracker *tracker, const mien_image *image,
                                      mien_points *points, mien_error *err);
MIEN_API void mien_tracker_free(mien_tracker *tracker);

// -- Face fit: points to weights and a head -------------------------------------------------------

typedef struct mien_fit mien_fit;

typedef enum mien_filter {
  MIEN_FILTER_ADAPTIVE = 0, // a window that shortens with speed (Bouaziz, eq. 4.1 and 4.2)
  MIEN_FILTER_ONE_EURO = 1,
  MIEN_FILTER_OFF = 2
} mien_filter;

typedef struct mien_fit_def {
  uint32_t struct_size;    // set by mien_fit_def_init
  mien_filter filter;      // of weights and head over time                        default ADAPTIVE
  double field_of_view;    // degrees, across the longer side of the picture           default 60
  double calibration_time; // s for which the performer looks into the camera with a resting face
                           // at the start                                             default 1
  double sparsity;         // l1: above 0 few shapes are chosen rather than many       default 0
  double smoothness;       // 0 = every frame for itself                               default 0.5
} mien_fit_def;
MIEN_API void mien_fit_def_init(mien_fit_def *def, size_t struct_size);
#define mien_fit_def_init(def) mien_fit_def_init((def), sizeof *(def))

// Fits the rig's own shapes and the head's pose to points of a tracker, for one performer. The rig
// needs at least 40 of its 68 landmarks; it is shared, not copied. Caller frees with mien_fit_free.
MIEN_API mien_result mien_fit_create(const mien_rig *rig, const mien_fit_def *def,
                                     const mien_host *host, mien_fit **out, mien_error *err);

// One frame of points, 478 or 68 or none, in order of time. MIEN_NO_FACE when no face was fitted:
// the expression then stays for a moment and relaxes. Allocates nothing but at the end of
// calibration.
MIEN_API mien_result mien_fit_frame(mien_fit *fit, const mien_points *points, mien_error *err);

typedef struct mien_fit_info { // valid as long as the fit, changed by every frame
  int nweight;
  const float *weights; // 0-1, one per shape of the rig
  mien_rigid head;      // head to world: identity where the performer calibrated
  double time;          // s, of the last frame
  int sees_face;        // the last frame was fitted
  int is_calibrating, calibrated;
  double confidence;      // 0-1
  double rms;             // pixels between points seen and fitted
  int nactive;            // weights above 0.01
  int64_t nframe;         //
  double seconds;         // of the last frame
  mien_rigid camera_pose; // head to camera (+X right, +Y up, +Z towards the viewer)
  double focal;           // pixels
  int npoint;             // points that are fitted
  mien_f32s points;       // where they are in the picture, width 2, pixels            (npoint)
} mien_fit_info;
MIEN_API const mien_fit_info *mien_fit_get_info(const mien_fit *fit);

// The resting face as a JSON file, for the same performer, rig and kind of tracker another day.
MIEN_API mien_result mien_fit_save(const mien_fit *fit, const char *path, mien_error *err);
MIEN_API mien_result mien_fit_load(mien_fit *fit, const char *path, mien_error *err);
MIEN_API void mien_fit_free(mien_fit *fit);

#ifdef __cplusplus
}
#endif

#endif

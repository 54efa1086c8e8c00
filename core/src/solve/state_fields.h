// Everything dynamic of a state, one line a field. Allocating, resetting, saving, restoring,
// copying and hashing walk this list (fields.c); nothing else has to know of a new field.
//
//   VALUE(kind, type, name)                      one value
//   ARRAY(kind, type, name, count, at_rest)      `count` of them; `at_rest`: what a reset copies,
//                                                NULL = what the kind says. Both may use `face`.
//
// The order is that of a snapshot: values before arrays. Included several times; no guard.
// clang-format off
VALUE(NUMBER, double, time)             // s
VALUE(COUNT, int64_t, nstep)            //
VALUE(RIGID, mien_rigid, head)          // head to world, at `time`
VALUE(RIGID, mien_rigid, last_head)     // when the substep before began
VALUE(RIGID, mien_rigid, older_head)    // and the one before that
VALUE(SPAN, double, last_dt)            // s, of the substep before; 0 = there was none
VALUE(SPAN, double, older_dt)           // s, of the one before that
VALUE(ACCOUNT, mi_energy_budget, budget)     // of energy
VALUE(RIGID, mien_rigid, jaw)           // of the last input that had one
VALUE(FLAG, int64_t, has_jaw)           // the last input had one
VALUE(FLAG, int64_t, is_disturbed)      // by more than contact, since flesh last rested on its pose
VALUE(SPAN, double, held_for)           // s since pressed flesh was left alone, at most what it takes to rest

ARRAY(FLOAT, float, posed, 3 * face->info.nvert, face->rest) // m, the flesh as skin and bone carry it
ARRAY(FLOAT, float, offset, 3 * face->info.nvert, NULL)      // m, flesh minus posed
ARRAY(FLOAT, float, velocity, 3 * face->info.nvert, NULL)    // m / s, against the world, in the head's axes
ARRAY(FLOAT, float, rig, 3 * face->rig->info.nvert, face->rig->positions) // m, every rig vertex
ARRAY(FLOAT, float, offset_before, 3 * face->info.nvert, NULL)   // m, a substep ago, where the head is now
ARRAY(FLOAT, float, velocity_before, 3 * face->info.nvert, NULL) // m / s
ARRAY(FLOAT, float, weights, face->rig->info.nshape, NULL)       // of the last input
ARRAY(FLOAT, float, activations, MI_ACTIVATION * face->muscles.count, NULL) // of the last input, minus 1
// m, every vertex of the artist's rig, where a coarser one is simulated
ARRAY(FLOAT, float, render_skin, face->embedding.render_skin ? 3 * face->embedding.render_skin->info.nvert : 0, mi_face_render_skin(face)->positions)
// m, vertices of colliders, where something can touch them: skin may hold them up
ARRAY(FLOAT, float, obstacle, face->contact.nsoft ? 3 * face->colliders.nvert : 0, face->colliders.position)
ARRAY(FLOAT, float, released_for, face->contact.nsoft, NULL)        // s since the pose of the component of a vertex that can touch crosses nothing
ARRAY(STICK, mi_stick, stick, face->contact.nsoft, NULL)            // what each vertex that can touch sticks to
ARRAY(RIGID, mien_rigid, collider, face->colliders.nuser, NULL)     // of the last input, the user's
// clang-format on

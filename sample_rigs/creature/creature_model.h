// What the files of this folder share while the creature is being modelled.
#ifndef CREATURE_MODEL_H
#define CREATURE_MODEL_H

#include "../rig_store.h"
#include "creature_surface.h"

enum {
  CREATURE_COLUMNS = 72, // around the mouth; column 0 below it, 18 the left corner, 36 above
  CREATURE_RINGS = 40,   // from the lips to the neck
  CREATURE_TENTACLES = 8,
  CREATURE_SIDES = 12, // of a tentacle
  CREATURE_LID_SIDES = 24,
  CREATURE_SKIN_MAX = 8192
};

typedef enum skin_kind { SKIN_FACE, SKIN_LIP, SKIN_LID, SKIN_TENTACLE } skin_kind;

typedef struct skin_vertex {
  skin_kind kind;
  double theta; // rad around the mouth: 0 below, pi/2 the left corner; lid: around the gaze
  double ring;  // 0 at the lips to 1 at the neck (face)
  double row;   // rows into the mouth or onto the lid; 0-1 from root to tip on a tentacle
  int feature;  // which eye (0 left) or tentacle
  int root;     // tentacle: the face vertex its column starts from
} skin_vertex;

typedef struct creature_eye {
  vec3 centre, gaze, right, up; // right: the eye's own horizontal, towards +X
  double radius;
  int loop[CREATURE_LID_SIDES]; // rim of the orbit, counter-clockwise seen from outside
} creature_eye;

typedef struct creature_model {
  rig_store *store;
  creature_surface surface;
  skin_vertex skin[CREATURE_SKIN_MAX];
  int nskin;
  int mouth[CREATURE_COLUMNS]; // innermost ring of the face
  creature_eye eye[2];         // left, right
  int root_loop[CREATURE_TENTACLES][CREATURE_SIDES];
  vec3 mouth_centre;
  vec3 hinge;        // of the jaw, axis +X
  double open_angle; // rad
} creature_model;

// Adds a skin vertex; -1 when memory ran out.
int creature_vertex(creature_model *model, vec3 p, skin_vertex what);
vec3 creature_position(const creature_model *model, int v);
void creature_move(creature_model *model, int v, vec3 p);

// The steps of modelling, in order.
void creature_model_face(creature_model *model); // rings from the mouth to the neck, with holes
void creature_model_lips(creature_model *model); // lips and the bag behind them
void creature_model_lids(creature_model *model); // eyelids
void creature_model_tentacles(creature_model *model); // out of the face's holes
void creature_model_melt(creature_model *model);      // smooths where the pieces meet
void creature_model_bones(creature_model *model);     // eyeballs, skull, jaw: parts of their own
void creature_paint(creature_model *model);           // colours and the map "region"
int creature_model_shapes(creature_model *model);     // 0, or -1 when memory ran out

// The height of the line between the closed lips, and the skin's z there.
double creature_mouth_height(const creature_model *model, double x);
double creature_mouth_front(const creature_model *model, double x);

// Elevation of the lid's margin over the eye's axis, rad, at angle phi around the gaze.
double creature_lid_opening(double phi);

// Share of the root's motion a tentacle vertex follows; exactly 0 on its passive part.
double creature_carried(double along_tentacle);

#endif

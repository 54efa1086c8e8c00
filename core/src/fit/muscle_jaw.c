// The jaw's five degrees of freedom (Dinev, 4.2.2): it opens about its hinge, turns to the left
// about the vertical through it, and slides.
#include "fit/muscle_balance.h"

#include "face/carry.h"

mien_rigid mi_jaw_place(const mien_face *face, const double jaw[MI_JAW]) {
  const mien_jaw *hinge = &face->regions.jaw_hinge;
  mi_vec3 axis = mi_unit(mi_vec3_load(hinge->axis)), at = mi_vec3_load(hinge->hinge);
  double so = sin(jaw[0] / 2), co = cos(jaw[0] / 2), st = sin(jaw[1] / 2), ct = cos(jaw[1] / 2);
  // (0, st, 0, ct) times (so axis, co)
  mien_rigid place = {{ct * so * axis.x + st * so * axis.z, ct * so * axis.y + st * co,
                       ct * so * axis.z - st * so * axis.x, ct * co - st * so * axis.y},
                      {0, 0, 0}};
  mi_bone_motion turn = mi_bone_motion_of(&place);
  mi_vec3 back = mi_bone_move(&turn, at);
  place.translation[0] = jaw[2] - back.x;
  place.translation[1] = jaw[3] - back.y;
  place.translation[2] = jaw[4] - back.z;
  return place;
}

mi_vec3 mi_jaw_move(const mien_face *face, const double jaw[MI_JAW], mi_vec3 p) {
  mien_rigid place = mi_jaw_place(face, jaw);
  mi_bone_motion motion = mi_bone_motion_of(&place);
  return mi_bone_move(&motion, p);
}

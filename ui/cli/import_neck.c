// Where the skeleton of a file turns the head: the joint that is the head's by its name, as the
// meshes were bound to it.
#include "import_scene.h"

#include "rig/joint_name.h"

static void place_of(const struct aiBone *bone, const import_piece *piece, double place[3]) {
  const struct aiMatrix4x4 *m = &bone->mOffsetMatrix; // from the mesh to the joint
  const double to_joint[3][4] = {
      {m->a1, m->a2, m->a3, m->a4}, {m->b1, m->b2, m->b3, m->b4}, {m->c1, m->c2, m->c3, m->c4}};
  double back[12];
  import_invert(to_joint, back);
  for (int k = 0; k < 3; k++) {
    const double *row = piece->to_world[k];
    place[k] = row[0] * back[3] + row[1] * back[7] + row[2] * back[11] + row[3];
  }
}

bool import_neck(const import_reader *r, double place[3]) {
  int best = 0;
  for (int i = 0; i < r->npiece; i++)
    for (unsigned b = 0; b < r->piece[i].mesh->mNumBones; b++) {
      const struct aiBone *bone = r->piece[i].mesh->mBones[b];
      int rank = mi_joint_rank(bone->mName.data);
      if (rank <= best) continue;
      best = rank;
      place_of(bone, r->piece + i, place);
    }
  return best > 0;
}

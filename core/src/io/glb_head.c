#include "io/glb_take.h"

// 3 = named head, 2 = has it in its name, 1 = at the top, 0 = neither.
static int rank_node(const mi_glb_scene *scene, int n) {
  const mi_glb_node *node = &scene->node[n];
  if (!node->is_reached || json_object_get(node->json, "matrix")) return 0;
  const char *name = mi_glb_name(node->json);
  for (const char *at = name; at && *at; at++) {
    static const char word[] = "head";
    int k = 0;
    while (word[k] && (at[k] | 0x20) == word[k]) k++;
    if (!word[k]) return at == name && !at[4] ? 3 : 2;
  }
  return node->parent < 0 ? 1 : 0;
}

typedef enum motion { NO_MOTION, ROTATION, TRANSLATION } motion;

static motion channel_motion(const json_t *channel) {
  const json_t *target = json_object_get(channel, "target");
  const char *path = json_string_value(json_object_get(target, "path"));
  if (path && strcmp(path, "rotation") == 0) return ROTATION;
  if (path && strcmp(path, "translation") == 0) return TRANSLATION;
  return NO_MOTION;
}

static mien_result pick_node(mi_glb *glb, const mi_glb_scene *scene, const json_t *channels,
                             int *out) {
  int best = 0;
  *out = -1;
  for (int i = 0; i < mi_glb_length(channels); i++) {
    const json_t *channel = json_array_get(channels, (size_t)i);
    if (channel_motion(channel) == NO_MOTION) continue;
    int node;
    mien_result result =
        mi_glb_index(glb, json_object_get(channel, "target"), "node", glb->nodes, &node);
    if (result < 0) return result;
    int rank = node >= 0 ? rank_node(scene, node) : 0;
    if (rank <= best) continue;
    best = rank;
    *out = node;
  }
  return MIEN_OK;
}

mien_result mi_glb_read_head(mi_glb *glb, const mi_glb_scene *scene, const json_t *animation,
                             mi_glb_head *out) {
  *out = (mi_glb_head){.node = -1};
  const json_t *channels = json_object_get(animation, "channels");
  int picked;
  mien_result result = pick_node(glb, scene, channels, &picked);
  if (result < 0 || picked < 0) return result;
  for (int i = 0; i < mi_glb_length(channels); i++) {
    const json_t *channel = json_array_get(channels, (size_t)i);
    motion what = channel_motion(channel);
    int node;
    result = mi_glb_index(glb, json_object_get(channel, "target"), "node", glb->nodes, &node);
    if (result >= 0 && node == picked && what == ROTATION)
      result = mi_glb_read_track(glb, animation, channel, 4, &out->rotation);
    if (result >= 0 && node == picked && what == TRANSLATION)
      result = mi_glb_read_track(glb, animation, channel, 3, &out->translation);
    if (result < 0) return result;
  }
  const mi_glb_node *node = &scene->node[picked];
  result = mi_glb_read_trs(glb, node->json, out->t, out->q, out->s);
  if (result < 0) return result;
  out->above = node->parent < 0 ? mi_affine_identity() : scene->node[node->parent].world;
  out->at_rest = node->world;
  out->is_plain = mi_affine_is_identity(&out->above) && mi_affine_is_identity(&out->at_rest);
  mi_affine inverse;
  if (mi_affine_invert(&out->at_rest, &inverse)) out->node = picked;
  return MIEN_OK;
}

// The rotation of an affine transform without shear, as a quaternion (Shepperd 1978: start from the
// largest of the four so that nothing is divided by little).
static void quaternion_of(const mi_affine *a, double q[4]) {
  double r[3][3];
  for (int j = 0; j < 3; j++) {
    double length =
        sqrt(a->m[0][j] * a->m[0][j] + a->m[1][j] * a->m[1][j] + a->m[2][j] * a->m[2][j]);
    for (int i = 0; i < 3; i++) r[i][j] = length > 0 ? a->m[i][j] / length : (i == j);
  }
  double trace = r[0][0] + r[1][1] + r[2][2];
  int i = 0;
  if (r[1][1] > r[0][0]) i = 1;
  if (r[2][2] > r[i][i]) i = 2;
  int j = (i + 1) % 3, k = (i + 2) % 3;
  if (trace > r[i][i]) {
    q[3] = 1 + trace;
    q[0] = r[2][1] - r[1][2];
    q[1] = r[0][2] - r[2][0];
    q[2] = r[1][0] - r[0][1];
  } else {
    q[i] = 1 + r[i][i] - r[j][j] - r[k][k];
    q[j] = r[j][i] + r[i][j];
    q[k] = r[k][i] + r[i][k];
    q[3] = r[k][j] - r[j][k];
  }
  double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  bool is_good = length > 0 && isfinite(length);
  for (int n = 0; n < 4; n++) q[n] = is_good ? q[n] / length : (n == 3);
}

void mi_glb_sample_head(const mi_glb_head *head, const double *times, int nframe, mien_rigid *out) {
  mi_affine back = mi_affine_identity();
  mi_affine_invert(&head->at_rest, &back);
  int turn = 0, shift = 0;
  for (int f = 0; f < nframe; f++) {
    double t[3], q[4];
    memcpy(t, head->t, sizeof t);
    memcpy(q, head->q, sizeof q);
    if (head->rotation.nkey) mi_glb_track_at(&head->rotation, times[f], true, &turn, q);
    if (head->translation.nkey) mi_glb_track_at(&head->translation, times[f], false, &shift, t);
    if (head->is_plain) {
      memcpy(out[f].rotation, q, sizeof q);
      memcpy(out[f].translation, t, sizeof t);
      continue;
    }
    // above * local(t) * (above * local at rest)^-1
    mi_affine local = mi_affine_from_trs(t, q, head->s);
    mi_affine world = mi_affine_multiply(&head->above, &local);
    mi_affine moved = mi_affine_multiply(&world, &back);
    quaternion_of(&moved, out[f].rotation);
    for (int i = 0; i < 3; i++) out[f].translation[i] = moved.m[i][3];
  }
}

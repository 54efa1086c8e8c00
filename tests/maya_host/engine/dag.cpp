// Meshes under transforms, and blendShapes in front of them.
#include "engine/deform.h"

namespace host {

Node *Scene::createMesh(const std::string &name, const Mesh &mesh, Node *parent) {
  Node *transform = create("transform", name, parent);
  Node *shape = create("mesh", transform->name + "Shape", transform);
  setMesh(shape->name + ".inMesh", mesh);
  return transform;
}

Node *Scene::shapeOf(Node *node) const {
  if (!node || node->type->isA("mesh")) return node;
  for (auto &n : nodes)
    if (n->alive && n->parent == node && n->type->isA("mesh") &&
        !n->block->find(n->plug("intermediateObject"))->b)
      return n.get();
  return nullptr;
}

Matrix Scene::worldMatrix(Context &c, Node *node) {
  if (!node) return identityMatrix();
  if (node->type->isA("transform")) return pull(c, node->plug("worldMatrix[0]")).matrix;
  return pull(c, node->plug("parentMatrix")).matrix;
}

// what a target does to the neutral, as a blendShape keeps it
static void deltasOf(const Mesh &rest, const Mesh &mesh, DataPtr *out_points, DataPtr *out_ids) {
  auto points = std::make_shared<Data>(), ids = std::make_shared<Data>();
  points->kind = Kind::points;
  ids->kind = Kind::components;
  for (int v = 0; v < rest.nvert(); v++) {
    const float *a = &rest.points[3 * static_cast<size_t>(v)];
    const float *b = &mesh.points[3 * static_cast<size_t>(v)];
    if (a[0] == b[0] && a[1] == b[1] && a[2] == b[2]) continue;
    ids->ints.push_back(v);
    for (int k = 0; k < 3; k++) points->doubles.push_back(static_cast<double>(b[k] - a[k]));
    points->doubles.push_back(1);
  }
  *out_points = points;
  *out_ids = ids;
}

static std::string itemOf(size_t at, int item) {
  return "it[0].itg[" + std::to_string(at) + "].iti[" + std::to_string(item) + "]";
}

void Scene::storeTarget(Node *blend, size_t at, int item, const Mesh &rest, const Mesh &mesh) {
  DataPtr points, ids;
  deltasOf(rest, mesh, &points, &ids);
  change(blend->plug(itemOf(at, item) + ".ipt"), [=](Value &v, int) { v.data = points; });
  change(blend->plug(itemOf(at, item) + ".ict"), [=](Value &v, int) { v.data = ids; });
}

void Scene::addLiveTarget(const std::string &blendShape, int at, const std::string &mesh) {
  Node *blend = find(blendShape);
  std::string item = itemOf(static_cast<size_t>(at), 6000);
  for (const char *part : {".ipt", ".ict"})
    change(blend->plug(item + part), [](Value &v, int) { v.data = nullptr; });
  connectPlugs(shapeOf(find(mesh))->plug("outMesh"), blend->plug(item + ".igt"));
}

void readLiveTarget(const Mesh &rest, const Mesh &mesh, DataPtr *points, DataPtr *ids) {
  deltasOf(rest, mesh, points, ids);
}

Node *Scene::createBlendShape(const std::string &mesh, const std::string &name,
                              const std::vector<std::string> &targets,
                              const std::vector<Mesh> &meshes) {
  Mesh rest = getMesh(mesh);
  Node *blend = createDeformer("blendShape", name, {mesh});
  if (!blend) return nullptr;
  for (size_t i = 0; i < targets.size(); i++) {
    std::string weight = "weight[" + std::to_string(i) + "]";
    blend->alias[weight] = targets[i];
    set(blend->name + "." + weight, 0);
    storeTarget(blend, i, 6000, rest, meshes[i]);
  }
  return blend;
}

} // namespace host

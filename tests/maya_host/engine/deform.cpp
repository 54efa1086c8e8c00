#include "engine/deform.h"

namespace host {

static std::vector<int> membersOf(const Mesh &mesh, const std::string &expression) {
  std::vector<int> all;
  if (expression.empty() || expression == "*") {
    for (int i = 0; i < mesh.nvert(); i++) all.push_back(i);
    return all;
  }
  auto found = mesh.tag.find(expression);
  return found == mesh.tag.end() ? all : found->second;
}

Status GeometryFilter::compute(const Plug &p, Block &block) {
  const BaseAttrs &a = baseAttrs();
  if (p.attr != a.outputGeom || p.isList()) return Status::unknownParameter;
  Scene &scene = *block.node->scene;
  Context &c = *block.context;
  unsigned index = static_cast<unsigned>(p.index[0]);
  Plug in = plugOf(block.node, a.input).element(p.index[0]);
  Value &out = block.make(p);
  out.data = nullptr;
  if (Value *element = block.find(in)) {
    Value &geometry = scene.pull(c, in.child(a.inputGeom));
    if (geometry.data) out.data = std::make_shared<Data>(*geometry.data);
    (void)element;
  }
  Status status = Status::ok;
  int state = static_cast<int>(scene.pull(c, plugOf(block.node, a.nodeState)).s);
  if (out.data && state == 0) {
    std::string tag = scene.pull(c, in.child(a.tagExpression)).text;
    scene.pull(c, in.child(a.groupId));
    Geometry geometry{out.data.get(), membersOf(out.data->mesh, tag), index};
    Node *shape = scene.shownBy(block.node, index);
    Matrix world = shape ? scene.worldMatrix(c, shape) : identityMatrix();
    status = deform(block, geometry, world, index);
  }
  out.dirty = false;
  return status;
}

float weightOf(Block &block, unsigned geometry, unsigned vertex) {
  const BaseAttrs &a = baseAttrs();
  Plug list = plugOf(block.node, a.weightList).element(static_cast<int>(geometry));
  Plug one = list.child(a.weights).element(static_cast<int>(vertex));
  Plug from;
  if (block.node->scene->source(one, &from)) return block.node->scene->pull(*block.context, one).f;
  Value *v = block.find(one);
  return v ? v->f : 1.0f;
}

// the visible mesh at the end of the deformers that follow
Node *Scene::shownBy(Node *deformer, unsigned index) const {
  for (int depth = 0; deformer && depth < 100; depth++) {
    Plug out = plugOf(deformer, baseAttrs().outputGeom).element(static_cast<int>(index));
    Node *next = nullptr;
    for (const Plug &to : destinations(out)) {
      if (to.node->type->isA("mesh")) return to.node;
      if (to.node->type->isA("geometryFilter") && to.attr == baseAttrs().inputGeom) {
        next = to.node;
        index = static_cast<unsigned>(to.index[0]);
      } else { // a node in between, such as polySmooth or groupParts
        Attr *o = to.node->type->find("output");
        if (!o) o = to.node->type->find("outputGeometry");
        for (const Plug &far : o ? destinations(plugOf(to.node, o)) : std::vector<Plug>()) {
          if (far.node->type->isA("mesh")) return far.node;
          if (far.node->type->isA("geometryFilter") && far.attr == baseAttrs().inputGeom) {
            next = far.node;
            index = static_cast<unsigned>(far.index[0]);
          }
        }
      }
    }
    deformer = next;
  }
  return nullptr;
}

Node *Scene::createDeformer(const std::string &typeName, const std::string &name,
                            const std::vector<std::string> &meshes, std::string *why, bool after) {
  std::vector<Node *> shapes;
  for (const std::string &m : meshes) {
    Node *node = find(m);
    if (node && node->type->isA("transform")) node = shapeOf(node);
    if (node && node->type->isA("mesh"))
      shapes.push_back(node);
    else if (why)
      *why = "'" + m + "' is not a mesh";
  }
  if (shapes.empty() || shapes.size() != meshes.size()) {
    say('e', "No deformable objects selected.");
    return nullptr;
  }
  if (!type(typeName) || !type(typeName)->isA("geometryFilter")) {
    say('e', "'" + typeName + "' is not a deformer");
    return nullptr;
  }
  Node *deformer = create(typeName, name.empty() ? typeName + "1" : name);
  const BaseAttrs &a = baseAttrs();
  for (size_t i = 0; i < shapes.size(); i++) {
    Node *shape = shapes[i];
    Plug in = shape->plug("inMesh"), from;
    // A referenced mesh keeps its own shape, whatever deforms it in its file, and the deformed one
    // is a new shape beside it; so it is with -after on a mesh that has deformers.
    if (shape->referenced || (after && source(in, &from))) {
      Node *deformed =
          create("mesh", shape->name.substr(shape->name.find(':') + 1) + "Deformed", shape->parent);
      change(shape->plug("intermediateObject"), [](Value &v, int) { v.b = true; });
      from = shape->plug("outMesh");
      shape = deformed;
      in = shape->plug("inMesh");
    } else if (!source(in, &from)) {
      Node *orig = create("mesh", shape->name + "Orig", shape->parent);
      DataPtr data = shape->block->make(in).data;
      change(orig->plug("inMesh"), [=](Value &v, int) { v.data = data; });
      change(orig->plug("intermediateObject"), [](Value &v, int) { v.b = true; });
      from = orig->plug("outMesh");
    } else {
      disconnectPlug(in);
    }
    if (useDeformerSets) {
      Node *parts = create("groupParts", "groupParts1");
      connectPlugs(from, parts->plug("inputGeometry"));
      from = parts->plug("outputGeometry");
    }
    Plug slot = plugOf(deformer, a.input).element(static_cast<int>(i));
    connectPlugs(from, slot.child(a.inputGeom));
    connectPlugs(plugOf(deformer, a.outputGeom).element(static_cast<int>(i)), in);
  }
  return deformer;
}

} // namespace host

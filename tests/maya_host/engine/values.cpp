// Setting and reading values by name, as setAttr and getAttr do.
#include "engine/scene.h"

#include <algorithm>

namespace host {

static bool canSet(Scene &scene, const Plug &p, const std::string &path) {
  if (p.isNull()) {
    scene.say('e', "No object matches name: " + path);
    return false;
  }
  Plug from;
  if (scene.source(p, &from)) {
    scene.say('e', "The attribute '" + path + "' is locked or connected and cannot be modified.");
    return false;
  }
  if (!p.attr->writable || p.isList()) {
    scene.say('e', "The attribute '" + path + "' cannot be set.");
    return false;
  }
  return true;
}

bool Scene::set(const std::string &path, double value) {
  Plug p = plug(path);
  if (!canSet(*this, p, path)) return false;
  const Attr *a = p.attr;
  if (!a->isNumber()) {
    say('e', "'" + path + "' is not a number");
    return false;
  }
  if ((a->hasMin && value < a->min) || (a->hasMax && value > a->max)) {
    say('e', "Cannot set '" + path + "' past its minimum or maximum value.");
    return false;
  }
  change(p, [=](Value &v, int part) { v.setNumber(value, part); });
  return true;
}

bool Scene::setText(const std::string &path, const std::string &text) {
  Plug p = plug(path);
  if (!canSet(*this, p, path)) return false;
  change(p, [=](Value &v, int) { v.text = text; });
  return true;
}

bool Scene::setMatrix(const std::string &path, const Matrix &matrix) {
  Plug p = plug(path);
  if (!canSet(*this, p, path)) return false;
  change(p, [=](Value &v, int) { v.matrix = matrix; });
  return true;
}

bool Scene::setMesh(const std::string &path, const Mesh &mesh) {
  Plug p = plug(path);
  if (!canSet(*this, p, path)) return false;
  auto data = std::make_shared<Data>();
  data->kind = Kind::mesh;
  data->mesh = mesh;
  change(p, [=](Value &v, int) { v.data = data; });
  return true;
}

bool Scene::removeElement(const std::string &path) {
  Plug p = plug(path);
  if (p.isNull() || !p.attr->array || p.index.back() < 0) return false;
  Plug list = p;
  list.index.back() = -1;
  unsigned at = static_cast<unsigned>(p.index.back());
  change(list, [=](Value &v, int) { v.element.erase(at); });
  return true;
}

double Scene::get(const std::string &path) {
  Plug p = plug(path);
  if (p.isNull()) {
    say('e', "No object matches name: " + path);
    return 0;
  }
  Value &v = pull(normal, p);
  return v.number(p.attr->component);
}

std::string Scene::getText(const std::string &path) {
  Plug p = plug(path);
  return p.isNull() ? "" : pull(normal, p).text;
}

Matrix Scene::getMatrix(const std::string &path) {
  Plug p = plug(path);
  return p.isNull() ? identityMatrix() : pull(normal, p).matrix;
}

static Plug meshPlug(const Scene &scene, const std::string &path) {
  if (path.find('.') != std::string::npos) return scene.plug(path);
  Node *node = scene.find(path);
  if (node && node->type->isA("transform")) node = scene.shapeOf(node);
  return node ? node->plug("outMesh") : Plug();
}

Mesh Scene::getMesh(const std::string &path) {
  Plug p = meshPlug(*this, path);
  if (p.isNull()) return {};
  Value &v = pull(*context(), p);
  return v.data ? v.data->mesh : Mesh();
}

std::vector<int> Scene::elements(const std::string &path) const {
  std::vector<int> list;
  Plug p = plug(path);
  Value *v = p.isNull() ? nullptr : p.node->block->find(p);
  if (!v) return list;
  for (auto &e : v->element) list.push_back(static_cast<int>(e.first));
  return list;
}

void Scene::say(char level, const std::string &text) {
  static std::mutex lock; // nodes speak from any thread
  std::lock_guard<std::mutex> hold(lock);
  messages.push_back({level, text});
}

int Scene::count(char level, const std::string &containing) const {
  return static_cast<int>(std::count_if(messages.begin(), messages.end(), [&](const Message &m) {
    return m.level == level && m.text.find(containing) != std::string::npos;
  }));
}

} // namespace host

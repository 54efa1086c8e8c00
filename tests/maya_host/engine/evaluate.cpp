// Pull evaluation: dirty flags run downstream, values are fetched upstream.
#include "engine/scene.h"

#include <algorithm>

namespace host {

NodeType *Scene::type(const std::string &name) const {
  for (auto &t : types)
    if (t->name == name) return t.get();
  return nullptr;
}

NodeType *Scene::typeOf(unsigned id) const {
  for (auto &t : types)
    if (t->id == id && id) return t.get();
  return nullptr;
}

bool Scene::unregisterType(unsigned id) {
  for (auto t = types.begin(); t != types.end(); ++t)
    if ((*t)->id == id) {
      for (auto &n : nodes)
        if (n->alive && n->type == t->get()) return false;
      for (auto &n : nodes) // deleted ones go with their code
        if (n->type == t->get()) n->behaviour.reset();
      (*t)->creator = nullptr;
      (*t)->name += " (removed)";
      (*t)->id = 0;
      return true;
    }
  return false;
}

bool Scene::source(const Plug &dest, Plug *from) const {
  auto found = into.find(dest);
  if (found == into.end()) return false;
  *from = found->second;
  return true;
}

std::vector<Plug> Scene::destinations(const Plug &source) const {
  auto found = outOf.find(source);
  return found == outOf.end() ? std::vector<Plug>() : found->second;
}

// the plug and, for a list or a compound, everything in it that is a source
std::vector<Plug> Scene::outputs(const Plug &p) const {
  std::vector<Plug> list;
  for (auto &pair : outOf) {
    if (pair.first.node != p.node || pair.second.empty()) continue;
    for (Plug up = pair.first; !up.isNull(); up = up.parent()) {
      Plug whole = up;
      if (whole.attr->array && !whole.index.empty()) whole.index.back() = -1;
      if (up == p || whole == p) {
        list.push_back(pair.first);
        break;
      }
    }
  }
  return list;
}

// An output that is dirty already has told everybody.
void Scene::markDirty(const Plug &p) {
  Value *v = p.node->block->find(p);
  if (v && p.node->type->isComputed(p.attr)) {
    bool was = v->dirty;
    for (auto &e : v->element) was = was && e.second->dirty;
    if (was && !graphIsNew) return;
  }
  if (v) v->setDirty(true);
  for (const Plug &from : outputs(p))
    for (const Plug &to : destinations(from)) {
      if (Value *w = to.node->block->find(to)) w->setDirty(true);
      dirty(to);
    }
}

void Scene::dirty(const Plug &changed) {
  Node *node = changed.node;
  std::vector<Plug> more;
  node->behaviour->dirtied(changed, more);
  for (Attr *a : node->type->affectedBy(changed.attr)) markDirty(plugOf(node, a));
  for (const Plug &p : more) markDirty(p);
  if (!node->type->isComputed(changed.attr)) // a value that is also a source
    for (const Plug &from : outputs(changed))
      for (const Plug &to : destinations(from)) {
        if (Value *w = to.node->block->find(to)) w->setDirty(true);
        dirty(to);
      }
}

void Scene::copyFlow(Value &to, int part, const Plug &from, Context &c) {
  Value &v = pull(c, from);
  int fromPart = from.attr->component;
  if (part >= 0 || fromPart >= 0 || (to.attr->isNumber() && to.attr->kind != v.attr->kind))
    to.setNumber(v.number(fromPart), part);
  else if (to.attr->isVector())
    for (int k = 0; k < 3; k++) to.setNumber(v.number(k), k);
  else
    to.copyFrom(v, false);
}

void Scene::computePlug(Context &c, const Plug &p) {
  Context *outer = swapContext(&c);
  p.node->ncompute++;
  computing()++;
  Status status = p.node->behaviour->compute(p, c.block(p.node));
  computing()--;
  swapContext(outer);
  Value *made = c.block(p.node).find(p);
  if (status == Status::ok && made && made->dirty)
    say('e', p.name() + " was computed but not set clean: every look at it computes it again");
  if (status == Status::unknownParameter)
    if (Value *v = c.block(p.node).find(p)) v->dirty = false; // nobody computes it: as it is
}

// Makes a value up to date in a context and returns it.
Value &Scene::pull(Context &c, const Plug &p) {
  Block &block = c.block(p.node);
  int part;
  Value &v = block.make(p, &part);
  Plug from;
  if (source(p, &from)) {
    if (v.dirty || part >= 0) copyFlow(v, part, from, c);
    if (part < 0) v.dirty = false;
    return v;
  }
  if (p.attr->component >= 0) {
    pull(c, p.parent());
    return v;
  }
  if (v.isList) {
    std::vector<unsigned> at;
    for (auto &e : v.element) at.push_back(e.first);
    for (unsigned k : at) pull(c, p.element(static_cast<int>(k)));
    v.dirty = false;
    return v;
  }
  if (v.dirty && p.node->type->isComputed(p.attr)) {
    computePlug(c, p);
    return v;
  }
  if (v.dirty && p.attr->isVector())
    for (Attr *a : p.attr->children)
      if (source(p.child(a), &from)) copyFlow(v, a->component, from, c);
  for (Attr *a : v.child.empty() ? std::vector<Attr *>() : p.attr->children) pull(c, p.child(a));
  v.dirty = false;
  return v;
}

void Scene::draw() {
  for (size_t i = 0; i < nodes.size(); i++) {
    Node *n = nodes[i].get();
    if (!n->alive || !n->type->isA("mesh")) continue;
    if (!n->block->find(n->plug("intermediateObject"))->b) pull(normal, n->plug("outMesh"));
  }
}

void Scene::evaluate(double frame) {
  normal.ticks = frameTicks(frame);
  Plug out = find("time1")->plug("outTime");
  Value &v = out.node->block->make(out);
  v.ticks = normal.ticks;
  v.dirty = false;
  if (mode == Mode::em && !graphIsNew) {
    evaluateManaged();
  } else {
    dirty(out); // setDependentsDirty is called everywhere
    graphIsNew = false;
  }
  draw();
}

void Scene::idle() {
  for (auto &n : nodes) {
    if (!n->alive) continue;
    std::vector<Plug> news;
    n->behaviour->idle(news);
    for (const Plug &p : news) {
      markDirty(p);
      dirty(p); // and what it affects
    }
  }
}

bool Scene::drag(const std::string &path, double value) {
  Plug p = plug(path);
  if (p.isNull()) return false;
  int part;
  Value &v = p.node->block->make(p, &part);
  v.setNumber(value, part);
  v.dirty = false;
  std::map<Node *, Evaluated> changed;
  changed[p.node].dirty.push_back(p);
  collect(p, changed);
  for (auto &level : schedule(changed)) runLevel(level);
  draw();
  return true;
}

} // namespace host

// The Evaluation Manager: everything that time moves, in order, nodes beside each other in threads.
// Nodes are told by preEvaluation; setDependentsDirty is not called.
#include "engine/scene.h"

#include <algorithm>
#include <thread>

namespace host {

// Everything downstream of a plug: its values become dirty and each node learns which.
void Scene::collect(const Plug &p, std::map<Node *, Evaluated> &out) {
  auto spread = [&](const Plug &from) {
    for (const Plug &s : outputs(from))
      for (const Plug &to : destinations(s)) {
        if (Value *w = to.node->block->find(to)) w->setDirty(true);
        auto &known = out[to.node].dirty;
        if (std::find(known.begin(), known.end(), to) != known.end()) continue;
        known.push_back(to);
        collect(to, out);
      }
  };
  spread(p);
  for (Attr *a : p.node->type->affectedBy(p.attr)) {
    Plug list = plugOf(p.node, a);
    if (Value *v = p.node->block->find(list)) v->setDirty(true);
    auto &known = out[p.node].dirty;
    if (std::find(known.begin(), known.end(), list) != known.end()) continue;
    known.push_back(list);
    spread(list);
  }
}

// Levels of nodes that do not wait for each other. A deformer also waits for the transform of the
// mesh it deforms, whose matrix it is handed.
std::vector<std::vector<Evaluated>> Scene::schedule(std::map<Node *, Evaluated> &changed) const {
  std::map<Node *, std::set<Node *>> waits;
  for (auto &one : changed) {
    one.second.node = one.first;
    waits[one.first];
  }
  for (auto &pair : into) {
    Node *to = pair.first.node, *from = pair.second.node;
    if (to != from && changed.count(to) && changed.count(from)) waits[to].insert(from);
  }
  for (auto &one : changed)
    if (one.first->type->isA("geometryFilter"))
      for (int k : elements(one.first->name + ".outputGeometry")) {
        Node *shape = shownBy(one.first, static_cast<unsigned>(k));
        for (Node *up = shape ? shape->parent : nullptr; up; up = up->parent)
          if (changed.count(up)) waits[one.first].insert(up);
      }
  std::vector<std::vector<Evaluated>> levels;
  while (!waits.empty()) {
    std::vector<Evaluated> level;
    for (auto &w : waits)
      if (w.second.empty()) level.push_back(changed[w.first]);
    if (level.empty()) break; // a cycle: Maya would warn
    for (const Evaluated &e : level) waits.erase(e.node);
    for (auto &w : waits)
      for (const Evaluated &e : level) w.second.erase(e.node);
    levels.push_back(std::move(level));
  }
  return levels;
}

void Scene::runNode(Evaluated &one) {
  one.node->behaviour->before(normal, one);
  for (const Plug &p : one.dirty)
    if (one.node->type->isComputed(p.attr) && !outputs(p).empty()) pull(normal, p);
  one.node->behaviour->after(normal, one);
}

void Scene::runLevel(std::vector<Evaluated> &level) {
  std::vector<Evaluated *> beside, alone;
  for (Evaluated &e : level)
    (e.node->behaviour->scheduling() == Scheduling::parallel ? beside : alone).push_back(&e);
  std::atomic<size_t> next{0};
  auto work = [&] {
    for (size_t k = next++; k < beside.size(); k = next++) runNode(*beside[k]);
  };
  std::vector<std::thread> pool;
  for (int t = 1; t < threads && beside.size() > 1; t++) pool.emplace_back(work);
  work();
  for (std::thread &t : pool) t.join();
  for (Evaluated *e : alone) runNode(*e);
}

void Scene::evaluateManaged() {
  Plug out = find("time1")->plug("outTime");
  std::map<Node *, Evaluated> changed;
  collect(out, changed);
  for (auto &level : schedule(changed)) runLevel(level);
}

} // namespace host

// Other contexts on other threads, and Cached Playback built from them.
#include "engine/scene.h"

#include <algorithm>
#include <future>
#include <limits>

namespace host {

void Scene::gatherUpstream(Node *node, std::set<Node *> &seen) const {
  if (!seen.insert(node).second) return;
  for (auto &pair : into)
    if (pair.first.node == node) gatherUpstream(pair.second.node, seen);
  if (node->type->isA("geometryFilter"))
    for (int k : elements(node->name + ".outputGeometry"))
      if (Node *shape = shownBy(node, static_cast<unsigned>(k)))
        for (Node *up = shape; up; up = up->parent) gatherUpstream(up, seen);
}

// Copied while nothing runs, so that the thread that uses it shares no value with the user's.
std::unique_ptr<Context> Scene::contextFor(const Plug &p, double frame) {
  auto c = std::make_unique<Context>();
  c->normal = false;
  c->ticks = frameTicks(frame);
  std::set<Node *> upstream;
  gatherUpstream(p.node, upstream);
  for (Node *n : upstream) c->block(n);
  if (Node *clock = find("time1")) {
    Value &v = c->block(clock).make(clock->plug("outTime"));
    v.ticks = c->ticks;
    v.dirty = false;
  }
  return c;
}

void Scene::startBackground(const std::string &path, double frame) {
  Node *node = find(path);
  if (node && node->type->isA("transform")) node = shapeOf(node);
  if (!node) return;
  Plug p = node->plug("outMesh");
  std::shared_ptr<Context> c = contextFor(p, frame);
  auto future = std::make_shared<std::future<Mesh>>(std::async(std::launch::async, [this, c, p] {
    Context *outer = swapContext(c.get());
    Value &v = pull(*c, p);
    swapContext(outer);
    return v.data ? v.data->mesh : Mesh();
  }));
  pending.push_back([future] { return future->get(); });
}

std::vector<Mesh> Scene::join() {
  std::vector<Mesh> list;
  for (auto &wait : pending) list.push_back(wait());
  pending.clear();
  return list;
}

Mesh Scene::background(const std::string &path, double frame) {
  startBackground(path, frame);
  std::vector<Mesh> all = join();
  return all.empty() ? Mesh() : all.back();
}

CacheSetup Scene::cacheSetup(const std::string &name) {
  Node *node = find(name);
  Evaluated all;
  all.node = node;
  return node ? node->behaviour->cacheSetup(all) : CacheSetup();
}

int Scene::fillCache(const std::string &shape, int first, int last, int most) {
  Node *node = find(shape);
  if (node && node->type->isA("transform")) node = shapeOf(node);
  if (!node) return 0;
  std::set<Node *> upstream;
  gatherUpstream(node, upstream);
  bool forward = false;
  for (Node *n : upstream) {
    CacheSetup setup = cacheSetup(n->name);
    if (setup.disabled) return 0;
    forward = forward || setup.simulation;
  }
  std::vector<int> wanted;
  for (int f = first; f <= last; f++)
    if (!cache[shape].count(f)) wanted.push_back(f);
  if (!forward) std::reverse(wanted.begin(), wanted.end());
  int filled = 0;
  for (int f : wanted) {
    if (filled == most) break;
    cache[shape][f] = background(shape, f);
    filled++;
  }
  return filled;
}

bool Scene::cached(const std::string &shape, int frame, Mesh *mesh) const {
  auto s = cache.find(shape);
  if (s == cache.end()) return false;
  auto f = s->second.find(frame);
  if (f == s->second.end()) return false;
  if (mesh) *mesh = f->second;
  return true;
}

void Scene::dropCached(const std::string &shape, int frame) {
  cache[shape].erase(frame);
}

// A key moved: every node downstream may widen the span of time that is no longer true.
void Scene::invalidate(const Plug &p, Span span) {
  struct Step {
    Plug plug;
    Span span;
  };
  std::vector<Step> open{{p, span}};
  std::set<Node *> seen;
  Span widest = span;
  while (!open.empty()) {
    Step s = open.back();
    open.pop_back();
    Span mine = s.plug.node->behaviour->invalidated(s.plug, s.span);
    widest = {std::min(widest.first, mine.first), std::max(widest.last, mine.last)};
    if (!seen.insert(s.plug.node).second) continue;
    for (auto &pair : outOf)
      if (pair.first.node == s.plug.node)
        for (const Plug &to : pair.second) open.push_back({to, mine});
  }
  for (auto &shape : cache)
    for (auto f = shape.second.begin(); f != shape.second.end();) {
      std::int64_t t = frameTicks(f->first);
      f = t >= widest.first && t <= widest.last ? shape.second.erase(f) : std::next(f);
    }
}

void Scene::setKey(const std::string &path, double frame, double value) {
  Plug p = plug(path), from;
  if (p.isNull()) return;
  if (!source(p, &from)) {
    std::string name = path;
    for (char &c : name)
      if (c == '.' || c == '[' || c == ']') c = '_';
    Node *curve = create("animCurveTU", name);
    connect("time1.outTime", curve->name + ".input");
    from = curve->plug("output");
    connectPlugs(from, p);
  }
  std::string curve = from.node->name;
  std::vector<int> keys = elements(curve + ".keyTimeValue");
  int at = keys.empty() ? 0 : keys.back() + 1;
  for (int k : keys)
    if (get(curve + ".ktv[" + std::to_string(k) + "].kt") == frame) at = k;
  std::string key = curve + ".ktv[" + std::to_string(at) + "]";
  set(key + ".kt", frame);
  set(key + ".kv", value);
  Span span{frameTicks(frame), frameTicks(frame)};
  double before = -1e6, after = 1e6;
  for (int k : keys) {
    double t = get(curve + ".ktv[" + std::to_string(k) + "].kt");
    if (t < frame) before = std::max(before, t);
    if (t > frame) after = std::min(after, t);
  }
  span = {frameTicks(before), frameTicks(after)};
  invalidate(from, span);
}

} // namespace host

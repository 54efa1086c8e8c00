#include "engine/graph.h"

#include <algorithm>
#include <tuple>

namespace host {

std::vector<Attr *> lineage(Attr *a) {
  std::vector<Attr *> line;
  for (; a; a = a->parent) line.insert(line.begin(), a);
  return line;
}

Plug plugOf(Node *node, Attr *a) {
  Plug p{node, a, {}};
  for (Attr *step : lineage(a))
    if (step->array) p.index.push_back(-1);
  return p;
}

bool Plug::operator<(const Plug &o) const {
  return std::tie(node, attr, index) < std::tie(o.node, o.attr, o.index);
}

Plug Plug::element(int logical) const {
  Plug p = *this;
  p.index.back() = logical;
  return p;
}

Plug Plug::child(Attr *a) const {
  Plug p{node, a, index};
  if (a->array) p.index.push_back(-1);
  return p;
}

Plug Plug::parent() const {
  if (!attr || !attr->parent) return {};
  Plug p{node, attr->parent, index};
  if (attr->array) p.index.pop_back();
  return p;
}

std::string Plug::attributeName(bool shortNames) const {
  std::string text;
  size_t depth = 0;
  for (Attr *step : lineage(attr)) {
    if (!text.empty()) text += '.';
    text += shortNames ? step->shortName : step->longName;
    if (!step->array) continue;
    int at = depth < index.size() ? index[depth] : -1;
    depth++;
    if (at >= 0) text += '[' + std::to_string(at) + ']';
  }
  return text;
}

std::string Plug::name() const {
  return node ? node->name + '.' + attributeName() : "";
}

Block::Block(Node *n, Context *c) : node(n), context(c) {
  for (Attr *a : n->type->all()) top[a] = std::make_unique<Value>(a, a->array, nullptr);
}

Value *Block::walk(const Plug &p, bool create, int *part) {
  if (part) *part = -1;
  Value *at = nullptr;
  size_t depth = 0;
  for (Attr *step : lineage(p.attr)) {
    if (step->component >= 0) {
      if (part) *part = step->component;
      return at;
    }
    if (!at) {
      auto found = top.find(step);
      at = found == top.end() ? nullptr : found->second.get();
    } else {
      at = at->childOf(step);
    }
    if (!at) return nullptr;
    if (!step->array) continue;
    int index = depth < p.index.size() ? p.index[depth] : -1;
    depth++;
    if (index < 0) return at;
    Value *element = at->at(static_cast<unsigned>(index));
    if (!element && create) element = &at->make(static_cast<unsigned>(index));
    if (!element) return nullptr;
    at = element;
  }
  return at;
}

// Another context starts from the values the user sees; what flows in or is computed is dirty.
Block &Context::block(Node *node) {
  if (normal) return *node->block;
  auto &mine = own[node];
  if (mine) return *mine;
  mine = std::make_unique<Block>(node, this);
  for (auto &t : node->block->top) {
    mine->top[t.first]->copyFrom(*t.second, true);
    mine->top[t.first]->setDirty(true);
  }
  return *mine;
}

bool Evaluated::isDirty(const Attr *a) const {
  for (const Plug &p : dirty)
    for (const Attr *step = p.attr; step; step = step->parent)
      if (step == a) return true;
  return false;
}

std::vector<Attr *> NodeType::all() const {
  std::vector<Attr *> list = base ? base->all() : std::vector<Attr *>();
  list.insert(list.end(), attrs.begin(), attrs.end());
  return list;
}

Attr *NodeType::find(const std::string &wanted) const {
  for (Attr *a : all())
    if (Attr *found = a->find(wanted)) return found;
  return nullptr;
}

bool NodeType::isA(const std::string &type) const {
  return name == type || (base && base->isA(type));
}

static void listNames(Attr *a, std::vector<Attr *> &out) {
  out.push_back(a);
  for (Attr *c : a->children) listNames(c, out);
}

// Maya refuses a name that is taken, long or short, also by an inherited attribute.
bool NodeType::add(Attr *a, std::string *why) {
  if (a->owner) {
    *why = "attribute '" + a->longName + "' is added twice";
    return false;
  }
  std::vector<Attr *> added;
  listNames(a, added);
  std::set<std::string> seen;
  for (Attr *one : added)
    for (const std::string &text : {one->longName, one->shortName})
      if (find(text) || (!seen.insert(text).second && one->longName != one->shortName)) {
        *why = "the attribute name '" + text + "' is taken";
        return false;
      }
  for (Attr *one : added) one->owner = this;
  attrs.push_back(a);
  return true;
}

bool NodeType::has(Attr *a) const {
  for (Attr *one : all())
    for (Attr *up = a; up; up = up->parent)
      if (one == up) return true;
  return false;
}

bool NodeType::addAffects(Attr *from, Attr *to, std::string *why) {
  if (!has(from) || !has(to)) {
    *why = "attributeAffects of '" + from->longName + "' on '" + to->longName +
           "': one of them is not an attribute of " + name;
    return false;
  }
  affects[from].push_back(to);
  return true;
}

// What a change of an attribute makes dirty: also what its children affect, and the vector it is
// part of. What its compound affects counts for Maya's own nodes alone: a plug-in has to say it
// itself.
std::vector<Attr *> NodeType::affectedBy(Attr *a) const {
  std::vector<Attr *> out = base ? base->affectedBy(a) : std::vector<Attr *>();
  std::vector<Attr *> family;
  for (Attr *up : lineage(a))
    if (up == a || plugin.empty() || up->kind != Kind::compound) family.push_back(up);
  listNames(a, family);
  for (Attr *one : family) {
    auto found = affects.find(one);
    if (found == affects.end()) continue;
    for (Attr *to : found->second)
      if (std::find(out.begin(), out.end(), to) == out.end()) out.push_back(to);
  }
  return out;
}

bool NodeType::isComputed(Attr *a) const {
  for (auto &pair : affects)
    for (Attr *to : pair.second)
      for (Attr *up = a; up; up = up->parent)
        if (to == up) return true;
  return base && base->isComputed(a);
}

// "attr[3].child" after the node's name; understands aliases
Plug Node::plug(const std::string &path, std::string *why) {
  std::string rest = path;
  for (auto &a : alias)
    if (a.second == path) rest = a.first;
  Plug p{this, nullptr, {}};
  size_t at = 0;
  while (at <= rest.size() && !rest.empty()) {
    size_t end = rest.find('.', at);
    std::string step = rest.substr(at, end == std::string::npos ? end : end - at);
    int index = -1;
    size_t bracket = step.find('[');
    if (bracket != std::string::npos) {
      index = std::atoi(step.c_str() + bracket + 1);
      step.resize(bracket);
    }
    Attr *found = nullptr;
    if (!p.attr) found = type->find(step);
    for (Attr *c : p.attr ? p.attr->children : std::vector<Attr *>())
      if (c->longName == step || c->shortName == step) found = c;
    if (!found) {
      if (why) *why = "there is no attribute '" + path + "' on '" + name + "'";
      return {};
    }
    if (!p.attr && found->parent)
      p = plugOf(this, found); // a child named on its own
    else {
      p.attr = found;
      if (found->array) p.index.push_back(index);
    }
    if (found->array && index >= 0) p.index.back() = index;
    if (end == std::string::npos) break;
    at = end + 1;
  }
  return p;
}

} // namespace host

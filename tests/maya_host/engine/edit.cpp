// Changing the scene: nodes, connections, values; every change knows its way back.
#include "engine/scene.h"

#include <algorithm>

namespace host {

void EditList::redo() {
  for (Edit &e : edits) e.redo();
}

void EditList::undo() {
  for (auto e = edits.rbegin(); e != edits.rend(); ++e) e->undo();
}

EditList *Scene::record(EditList *to) {
  std::swap(recorder, to);
  return to;
}

void Scene::apply(Edit edit) {
  edit.redo();
  if (recorder) recorder->edits.push_back(std::move(edit));
}

void Scene::pushUndo(UndoItem item) {
  done.push_back(std::move(item));
  undone.clear();
}

bool Scene::undo() {
  if (done.empty()) return false;
  UndoItem item = std::move(done.back());
  done.pop_back();
  EditList *outer = record(nullptr);
  item.undo();
  record(outer);
  undone.push_back(std::move(item));
  return true;
}

bool Scene::redo() {
  if (undone.empty()) return false;
  UndoItem item = std::move(undone.back());
  undone.pop_back();
  EditList *outer = record(nullptr);
  item.redo();
  record(outer);
  done.push_back(std::move(item));
  return true;
}

std::string Scene::unique(const std::string &name) const {
  if (!find(name)) return name;
  size_t end = name.find_last_not_of("0123456789");
  std::string stem = name.substr(0, end + 1);
  for (int i = 1;; i++)
    if (!find(stem + std::to_string(i))) return stem + std::to_string(i);
}

Node *Scene::find(const std::string &name) const {
  std::string leaf = name.substr(name.rfind('|') + 1);
  for (auto &n : nodes)
    if (n->alive && n->name == leaf) return n.get();
  return nullptr;
}

Plug Scene::plug(const std::string &path, std::string *why) const {
  size_t dot = path.find('.');
  Node *node = find(path.substr(0, dot));
  if (!node || dot == std::string::npos) {
    if (why) *why = "no object matches name: " + path;
    return {};
  }
  return node->plug(path.substr(dot + 1), why);
}

void Scene::revive(Node *node) {
  node->alive = true;
  graphIsNew = true;
  for (auto &tell : nodeAdded) tell(node);
}

void Scene::bury(Node *node) {
  for (auto &tell : node->aboutToDelete) tell();
  if (node->behaviour) node->behaviour->stop();
  node->alive = false;
  graphIsNew = true;
}

Node *Scene::create(const std::string &typeName, const std::string &name, Node *parent) {
  NodeType *t = type(typeName);
  if (!t || !t->creator) {
    say('e', "Unknown object type: " + typeName);
    return nullptr;
  }
  nodes.push_back(std::make_unique<Node>());
  Node *node = nodes.back().get();
  std::string called = name.empty() ? typeName + "1" : name;
  bool isSpaced = currentSpace.empty() || called.find(':') != std::string::npos;
  node->name = unique(isSpaced ? called : currentSpace + ":" + called);
  node->type = t;
  node->scene = this;
  node->parent = parent;
  node->block = std::make_unique<Block>(node, &normal);
  node->behaviour = t->creator();
  node->behaviour->created(node);
  apply({[=] { revive(node); }, [=] { bury(node); }});
  if (parent && parent->type->isA("transform"))
    connectPlugs(parent->plug("worldMatrix[0]"), node->plug("parentMatrix"));
  return node;
}

bool Scene::remove(Node *node) {
  if (node->referenced) {
    say('e', "'" + node->name + "' is read only: it is in a referenced file.");
    return false;
  }
  for (auto &n : nodes)
    if (n->alive && n->parent == node) remove(n.get());
  std::vector<Plug> cut;
  for (auto &pair : into)
    if (pair.first.node == node || pair.second.node == node) cut.push_back(pair.first);
  for (const Plug &to : cut) disconnectPlug(to);
  apply({[=] { bury(node); }, [=] { revive(node); }});
  return true;
}

void Scene::rename(Node *node, const std::string &name) {
  std::string before = node->name, after = unique(name);
  apply({[=] { node->name = after; }, [=] { node->name = before; }});
}

void Scene::link(const Plug &from, const Plug &to) {
  from.node->block->make(from);
  to.node->block->make(to);
  into[to] = from;
  outOf[from].push_back(to);
  graphIsNew = true;
  from.node->behaviour->connected(from, to, true, true);
  to.node->behaviour->connected(to, from, false, true);
  markDirty(to);
  dirty(to);
}

void Scene::unlink(const Plug &to) {
  auto found = into.find(to);
  if (found == into.end()) return;
  Plug from = found->second;
  into.erase(found);
  auto &list = outOf[from];
  list.erase(std::remove(list.begin(), list.end(), to), list.end());
  graphIsNew = true;
  from.node->behaviour->connected(from, to, true, false);
  to.node->behaviour->connected(to, from, false, false);
  // geometry does not stay behind, numbers do
  Kind kind = to.attr->kind;
  if (kind == Kind::mesh || kind == Kind::points || kind == Kind::components)
    to.node->block->make(to).setDefault();
  dirty(to);
}

static bool fits(const Attr *from, const Attr *to) {
  if (from->kind == to->kind) return true;
  return (from->isNumber() && to->isNumber()) || (from->isVector() && to->isVector());
}

bool Scene::connectPlugs(const Plug &from, const Plug &to, std::string *why) {
  std::string text;
  if (from.isNull() || to.isNull())
    text = "a plug to connect does not exist";
  else if (from.isList() || to.isList())
    text = "'" + from.name() + "' or '" + to.name() + "' is an array; name an element";
  else if (!from.attr->readable || !to.attr->writable || !from.attr->connectable)
    text = "'" + from.name() + "' cannot be connected to '" + to.name() + "'";
  else if (!fits(from.attr, to.attr))
    text = "the data types of '" + from.name() + "' and '" + to.name() + "' are not compatible";
  else if (into.count(to))
    text = "'" + to.name() + "' already has an incoming connection from '" + into[to].name() + "'";
  if (!text.empty()) {
    say('e', text);
    if (why) *why = text;
    return false;
  }
  Value &old = to.node->block->make(to);
  auto before = std::make_shared<Value>(old.attr, false, nullptr);
  before->copyFrom(old, false);
  auto undo = [=] {
    unlink(to);
    to.node->block->make(to).copyFrom(*before, false); // what the connection hid
  };
  apply({[=] { link(from, to); }, undo});
  return true;
}

void Scene::disconnectPlug(const Plug &to) {
  auto found = into.find(to);
  if (found == into.end()) return;
  Plug from = found->second;
  apply({[=] { unlink(to); }, [=] { link(from, to); }});
}

bool Scene::connect(const std::string &from, const std::string &to, std::string *why) {
  return connectPlugs(plug(from, why), plug(to, why), why);
}

bool Scene::disconnect(const std::string &to) {
  Plug p = plug(to);
  if (p.isNull() || !into.count(p)) return false;
  disconnectPlug(p);
  return true;
}

// The value before is kept whole; an element that did not exist is removed again by undo.
void Scene::change(const Plug &p, std::function<void(Value &, int)> how) {
  Block &block = *p.node->block;
  Value *old = block.find(p);
  std::shared_ptr<Value> before;
  if (old) {
    before = std::make_shared<Value>(old->attr, old->isList, nullptr);
    before->copyFrom(*old, true);
  }
  auto tell = [=] {
    dirty(p);
    p.node->behaviour->changed(p);
  };
  auto redo = [=] {
    int part;
    Value &v = p.node->block->make(p, &part);
    how(v, part);
    v.dirty = p.node->type->isComputed(p.attr);
    tell();
  };
  auto undo = [=] {
    if (before) {
      p.node->block->make(p).copyFrom(*before, true);
    } else {
      Plug list = p;
      list.index.back() = -1;
      Value *holder = p.node->block->find(list);
      if (holder) holder->element.erase(static_cast<unsigned>(p.index.back()));
    }
    tell();
  };
  apply({redo, undo});
}

} // namespace host

// Nodes, plugs, contexts: the dependency graph and what a node type must answer.
#ifndef HOST_GRAPH_H
#define HOST_GRAPH_H

#include "engine/data.h"

#include <atomic>
#include <functional>
#include <set>

namespace host {

struct Node;
class Scene;

enum class Status { ok, failure, unknownParameter };
enum class Scheduling { parallel, serialize, globallySerialize, untrusted };

// A value of a node: its attribute, and one index per array among the attribute's ancestors and
// itself, outermost first; -1 stands for the whole list.
struct Plug {
  Node *node = nullptr;
  Attr *attr = nullptr;
  std::vector<int> index;
  bool operator<(const Plug &o) const;
  bool operator==(const Plug &o) const {
    return node == o.node && attr == o.attr && index == o.index;
  }
  bool isNull() const { return !attr; }
  bool isList() const { return attr && attr->array && !index.empty() && index.back() < 0; }
  Plug element(int logical) const; // of a list
  Plug child(Attr *a) const;
  Plug parent() const;      // the compound it is in; null at the top
  std::string name() const; // node.attr[0].child
  std::string attributeName(bool shortNames = false) const;
};
std::vector<Attr *> lineage(Attr *a); // outermost first
Plug plugOf(Node *node, Attr *a);     // every index -1

struct Context;

// The values of one node in one context.
struct Block {
  Node *node;
  Context *context;
  std::map<Attr *, std::unique_ptr<Value>> top;
  Block(Node *n, Context *c);
  Value *find(const Plug &p, int *part = nullptr) { return walk(p, false, part); }
  Value &make(const Plug &p, int *part = nullptr) { return *walk(p, true, part); }

private:
  Value *walk(const Plug &p, bool create, int *part);
};

// Normal: the time the user sees. Any other has its own copy of every value it touches.
struct Context {
  bool normal = true;
  std::int64_t ticks = 0;
  std::map<Node *, std::unique_ptr<Block>> own;
  Block &block(Node *node);
};

// What one evaluation of a node by the Evaluation Manager was caused by.
struct Evaluated {
  Node *node = nullptr;
  std::vector<Plug> dirty;
  bool isDirty(const Attr *a) const;
};

struct Span { // of time, in ticks, both ends included
  std::int64_t first, last;
};

struct CacheSetup {
  bool simulation = false, wanted = false, disabled = false;
  std::string reason;
  std::vector<std::string> monitored; // attributes whose change asks again
};

// What a node does. Built-in nodes derive from this; the API wraps an MPxNode in one.
struct Behaviour {
  virtual ~Behaviour() = default;
  virtual Status compute(const Plug &, Block &) { return Status::unknownParameter; }
  virtual void created(Node *) {}
  virtual void dirtied(const Plug &, std::vector<Plug> &) {}
  virtual void before(Context &, const Evaluated &) {}
  virtual void after(Context &, const Evaluated &) {}
  virtual Scheduling scheduling() const { return Scheduling::parallel; }
  virtual CacheSetup cacheSetup(const Evaluated &) const { return {}; }
  virtual Span invalidated(const Plug &, Span span) const { return span; }
  virtual void connected(const Plug &, const Plug &, bool, bool) {}
  virtual void changed(const Plug &) {}     // a value was set by hand
  virtual void stop() {}                    // ends threads of its own
  virtual void idle(std::vector<Plug> &) {} // plugs for which news arrived
  virtual void *user() { return nullptr; }
};

struct NodeType {
  std::string name;
  unsigned id = 0;
  NodeType *base = nullptr;
  std::string plugin; // that registered it
  std::vector<Attr *> attrs;
  std::map<Attr *, std::vector<Attr *>> affects;
  std::function<std::unique_ptr<Behaviour>()> creator;
  bool isDag = false;
  Attr *find(const std::string &name) const;
  bool add(Attr *a, std::string *why);
  bool addAffects(Attr *from, Attr *to, std::string *why);
  std::vector<Attr *> all() const; // inherited first
  std::vector<Attr *> affectedBy(Attr *a) const;
  bool isComputed(Attr *a) const;
  bool isA(const std::string &type) const;

private:
  bool has(Attr *a) const;
};

struct Node {
  std::string name;
  NodeType *type = nullptr;
  Scene *scene = nullptr;
  std::unique_ptr<Behaviour> behaviour;
  std::unique_ptr<Block> block; // normal
  Node *parent = nullptr;       // of a transform or a shape
  bool alive = false, referenced = false;
  std::string nameSpace;
  std::atomic<int> ncompute{0};
  std::map<std::string, std::string> alias;         // attribute text -> name
  std::vector<std::function<void()>> aboutToDelete; // callbacks, by MNodeMessage
  std::map<std::string, std::string> baseline;      // values a referenced file gave it
  Plug plug(const std::string &path, std::string *why = nullptr);
};

} // namespace host

#endif

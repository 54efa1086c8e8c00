// The nodes every scene has: time, transform, mesh, animation curve, blendShape and the bases of
// plug-in nodes.
#include "engine/geometry_cache.h"

#include <algorithm>
#include <cmath>

namespace host {

Attr *newAttr(const std::string &longName, const std::string &shortName, Kind kind) {
  static std::vector<std::unique_ptr<Attr>>
      pool; // attributes outlive scenes, as static MObjects do
  static std::mutex lock;
  std::lock_guard<std::mutex> hold(lock);
  pool.push_back(std::make_unique<Attr>());
  Attr *a = pool.back().get();
  a->longName = longName;
  a->shortName = shortName;
  a->kind = kind;
  return a;
}

static Attr *output(Attr *a) {
  a->writable = a->storable = false;
  return a;
}

static Attr *child(Attr *parent, Attr *a) {
  a->parent = parent;
  parent->children.push_back(a);
  return a;
}

static Attr *list(Attr *a) {
  a->array = a->usesBuilder = true;
  return a;
}

static Attr *vector(const std::string &longName, const std::string &shortName, double value) {
  Attr *v = newAttr(longName, shortName, Kind::vec3d);
  for (int k = 0; k < 3; k++) {
    v->defaultVector[k] = value;
    Attr *part = child(v, newAttr(longName + "XYZ"[k], shortName + "xyz"[k], Kind::real64));
    part->component = k;
    part->keyable = true;
  }
  return v;
}

struct Prototypes {
  std::vector<std::unique_ptr<NodeType>> types;
  BaseAttrs base;
  NodeType *make(const std::string &name, NodeType *from, std::vector<Attr *> attrs) {
    types.push_back(std::make_unique<NodeType>());
    types.back()->name = name;
    types.back()->base = from;
    types.back()->attrs = std::move(attrs);
    return types.back().get();
  }
  Prototypes();
  void makeBases();
  void makeDag();
  void makeOthers();
};

static Prototypes &prototypes() {
  static Prototypes all;
  return all;
}

// known while the prototypes are being made, too
static BaseAttrs *madeSoFar = nullptr;

const BaseAttrs &baseAttrs() {
  if (madeSoFar) return *madeSoFar;
  return prototypes().base;
}

void Prototypes::makeBases() {
  BaseAttrs &b = base;
  b.message = output(newAttr("message", "msg", Kind::message));
  b.caching = newAttr("caching", "cch", Kind::boolean);
  b.frozen = newAttr("frozen", "fzn", Kind::boolean);
  b.historical = newAttr("isHistoricallyInteresting", "ihi", Kind::int32);
  b.nodeState = newAttr("nodeState", "nds", Kind::enumeration);
  Attr *bins = newAttr("binMembership", "bnm", Kind::message);
  NodeType *node =
      make("node", nullptr, {b.message, b.caching, b.frozen, b.historical, b.nodeState, bins});
  b.input = list(newAttr("input", "ip", Kind::compound));
  b.inputGeom = child(b.input, newAttr("inputGeometry", "ig", Kind::mesh));
  b.groupId = child(b.input, newAttr("groupId", "gi", Kind::int32));
  b.tagExpression = child(b.input, newAttr("componentTagExpression", "gtg", Kind::text));
  b.inputGeom->storable = false;
  b.outputGeom = list(output(newAttr("outputGeometry", "og", Kind::mesh)));
  b.originalGeometry = list(newAttr("originalGeometry", "orggeom", Kind::mesh));
  b.envelope = newAttr("envelope", "en", Kind::real32);
  b.envelope->defaultNumber = 1;
  b.envelope->keyable = true;
  // of no use here, but their names are taken: an attribute of a plug-in may not have them
  Attr *functions = newAttr("function", "f", Kind::compound);
  for (const char *k : {"1", "2", "3"})
    child(functions, newAttr(std::string("fchild") + k, std::string("f") + k, Kind::real64));
  Attr *weighted = list(output(newAttr("envelopeWeightsList", "ocw", Kind::compound)));
  list(child(weighted, newAttr("envelopeWeights", "owt", Kind::real32)));
  Attr *perGeometry = list(newAttr("weightFunction", "wfl", Kind::mesh));
  Attr *blocked = newAttr("blockGPU", "bgp", Kind::boolean);
  Attr *indices = newAttr("map64BitIndices", "map", Kind::doubles);
  for (Attr *a : {functions, perGeometry, indices}) a->storable = false;
  NodeType *filter = make("geometryFilter", node,
                          {b.input, b.outputGeom, b.originalGeometry, b.envelope, functions,
                           weighted, perGeometry, blocked, indices});
  for (Attr *a : {b.input, b.envelope, b.nodeState}) filter->affects[a] = {b.outputGeom};
  b.weightList = list(newAttr("weightList", "wl", Kind::compound));
  b.weights = list(child(b.weightList, newAttr("weights", "w", Kind::real32)));
  b.weights->defaultNumber = 1;
  NodeType *deformer = make("deformer", filter, {b.weightList});
  deformer->affects[b.weightList] = {b.outputGeom};
  b.live = newAttr("live", "live", Kind::boolean);
  b.deviceFrameRate = newAttr("frameRate", "fr", Kind::real64);
  b.deviceFrameRate->defaultNumber = 30;
  b.threadState = output(newAttr("threadingState", "ts", Kind::boolean));
  make("threadedDevice", node, {b.live, b.deviceFrameRate, b.threadState});
}

struct Transform : Behaviour {
  static Matrix local(Block &b) {
    auto part = [&](const char *name, int k) {
      return b.node->scene->pull(*b.context, b.node->plug(name)).d3[k];
    };
    Matrix m = identityMatrix();
    for (int k = 0; k < 3; k++) m[5 * k] = part("scale", k);
    for (int k = 0; k < 3; k++) {
      double angle = part("rotate", k) * std::acos(-1.0) / 180;
      int i = (k + 1) % 3, j = (k + 2) % 3;
      Matrix turn = identityMatrix();
      turn[5 * i] = turn[5 * j] = std::cos(angle);
      turn[4 * i + j] = std::sin(angle);
      turn[4 * j + i] = -std::sin(angle);
      m = multiply(m, turn);
    }
    for (int k = 0; k < 3; k++) m[12 + k] = part("translate", k);
    return m;
  }
  Status compute(const Plug &p, Block &b) override {
    Value &out = b.make(p);
    out.matrix = local(b);
    if (p.attr->longName == "worldMatrix")
      out.matrix = multiply(out.matrix,
                            b.node->scene->pull(*b.context, b.node->plug("parentMatrix")).matrix);
    out.dirty = false;
    return Status::ok;
  }
};

struct MeshNode : Behaviour {
  Status compute(const Plug &p, Block &b) override {
    Value &in = b.node->scene->pull(*b.context, b.node->plug("inMesh"));
    Value &out = b.make(p);
    out.data = in.data;
    if (in.data && p.attr->longName == "worldMesh") {
      Matrix m = b.node->scene->pull(*b.context, b.node->plug("parentMatrix")).matrix;
      out.data = std::make_shared<Data>(*in.data);
      float *at = out.data->mesh.points.data();
      for (int i = 0; i < out.data->mesh.nvert(); i++) transformPoint(m, at + 3 * i, at + 3 * i);
    }
    out.dirty = false;
    return Status::ok;
  }
};

struct AnimCurve : Behaviour {
  Status compute(const Plug &p, Block &b) override {
    double t = b.node->scene->pull(*b.context, b.node->plug("input")).number();
    Value &keys = b.node->scene->pull(*b.context, b.node->plug("keyTimeValue"));
    std::map<double, double> at;
    for (auto &k : keys.element) at[k.second->child[0]->number()] = k.second->child[1]->number();
    double value = 0;
    auto after = at.lower_bound(t);
    if (after == at.end() && !at.empty())
      value = at.rbegin()->second;
    else if (after == at.begin() && !at.empty())
      value = after->second;
    else if (!at.empty()) {
      auto before = std::prev(after);
      double share = (t - before->first) / (after->first - before->first);
      value = before->second + share * (after->second - before->second);
    }
    Value &out = b.make(p);
    out.setNumber(value);
    out.dirty = false;
    return Status::ok;
  }
};

struct BlendShape : GeometryFilter {
  static void add(Mesh &mesh, const Value &item, float share) {
    const DataPtr &points = item.child[0]->data, &ids = item.child[1]->data;
    for (size_t k = 0; points && ids && k < ids->ints.size(); k++)
      for (size_t c = 0; c < 3; c++) {
        size_t at = 3 * static_cast<size_t>(ids->ints[k]) + c;
        mesh.points[at] += share * static_cast<float>(points->doubles[4 * k + c]);
      }
  }
  // between two items linear; beyond the last it goes on
  static void addTarget(Mesh &mesh, const Value &items, float weight) {
    float low = 0, high = 0;
    const Value *under = nullptr, *over = nullptr;
    for (auto &i : items.element) {
      if (over && high >= weight) break;
      under = over, low = high;
      over = i.second.get(), high = (static_cast<float>(i.first) - 5000) / 1000;
    }
    if (!over) return;
    float share = (weight - low) / (high - low);
    add(mesh, *over, share);
    if (under) add(mesh, *under, 1 - share);
  }
  Status deform(Block &b, Geometry &g, const Matrix &, unsigned index) override {
    Scene &scene = *b.node->scene;
    Value &weights = scene.pull(*b.context, b.node->plug("weight"));
    Value *target = b.top.at(b.node->type->find("inputTarget"))->at(index);
    if (!target) return Status::ok;
    scene.pull(*b.context, b.node->plug("inputTarget[" + std::to_string(index) + "]"));
    Mesh rest = g.data->mesh;
    for (auto &group : target->child[0]->element) {
      Value *w = weights.at(group.first);
      for (auto &item : group.second->child[0]->element)
        if (const DataPtr &live = item.second->child[2]->data)
          readLiveTarget(rest, live->mesh, &item.second->child[0]->data,
                         &item.second->child[1]->data);
      if (w && w->f != 0) addTarget(g.data->mesh, *group.second->child[0], w->f);
    }
    return Status::ok;
  }
};

// A node that changes the topology on its way, as polySmooth and its like do.
struct PolyModifier : Behaviour {
  Status compute(const Plug &p, Block &b) override {
    Value &in = b.node->scene->pull(*b.context, b.node->plug("inputPolymesh"));
    int drop = b.node->scene->pull(*b.context, b.node->plug("dropFaces")).i;
    Value &out = b.make(p);
    out.data = in.data;
    if (in.data && drop > 0) {
      out.data = std::make_shared<Data>(*in.data);
      Mesh &m = out.data->mesh;
      for (int k = 0; k < drop && !m.counts.empty(); k++) {
        m.corners.resize(m.corners.size() - static_cast<size_t>(m.counts.back()));
        m.counts.pop_back();
      }
      int most = m.corners.empty() ? -1 : *std::max_element(m.corners.begin(), m.corners.end());
      m.points.resize(3 * static_cast<size_t>(most + 1));
    }
    out.dirty = false;
    return Status::ok;
  }
};

// Hands geometry on: which vertices the deformer behind it works on is all it says.
struct GroupParts : Behaviour {
  Status compute(const Plug &p, Block &b) override {
    Value &out = b.make(p);
    out.data = b.node->scene->pull(*b.context, b.node->plug("inputGeometry")).data;
    out.dirty = false;
    return Status::ok;
  }
};

void Prototypes::makeDag() {
  NodeType *node = types[0].get();
  Attr *parent = newAttr("parentMatrix", "pm", Kind::matrix);
  parent->storable = false;
  NodeType *dag = make("dagNode", node, {parent});
  dag->isDag = true;
  Attr *t = vector("translate", "t", 0), *r = vector("rotate", "r", 0),
       *s = vector("scale", "s", 1);
  Attr *m = output(newAttr("matrix", "m", Kind::matrix));
  Attr *w = list(output(newAttr("worldMatrix", "wm", Kind::matrix)));
  NodeType *transform = make("transform", dag, {t, r, s, m, w});
  for (Attr *a : {t, r, s}) transform->affects[a] = {m, w};
  transform->affects[parent] = {w};
  transform->creator = [] { return std::make_unique<Transform>(); };
  Attr *in = newAttr("inMesh", "i", Kind::mesh);
  Attr *out = output(newAttr("outMesh", "o", Kind::mesh));
  Attr *world = list(output(newAttr("worldMesh", "w", Kind::mesh)));
  Attr *hidden = newAttr("intermediateObject", "io", Kind::boolean);
  NodeType *mesh = make("mesh", dag, {in, out, world, hidden});
  mesh->affects[in] = {out, world};
  mesh->affects[parent] = {world};
  mesh->creator = [] { return std::make_unique<MeshNode>(); };
  transform->isDag = mesh->isDag = true;
}

void Prototypes::makeOthers() {
  NodeType *node = types[0].get(), *filter = types[1].get();
  make("time", node, {newAttr("outTime", "o", Kind::time)})->creator = [] {
    return std::make_unique<Behaviour>();
  };
  Attr *in = newAttr("input", "i", Kind::time), *out = newAttr("output", "o", Kind::real64);
  Attr *keys = list(newAttr("keyTimeValue", "ktv", Kind::compound));
  child(keys, newAttr("keyTime", "kt", Kind::time));
  child(keys, newAttr("keyValue", "kv", Kind::real64));
  NodeType *curve = make("animCurveTU", node, {in, keys, output(out)});
  curve->affects[in] = curve->affects[keys] = {out};
  curve->creator = [] { return std::make_unique<AnimCurve>(); };
  Attr *weight = list(newAttr("weight", "w", Kind::real32));
  weight->keyable = true;
  Attr *target = list(newAttr("inputTarget", "it", Kind::compound));
  Attr *group = list(child(target, newAttr("inputTargetGroup", "itg", Kind::compound)));
  Attr *item = list(child(group, newAttr("inputTargetItem", "iti", Kind::compound)));
  child(item, newAttr("inputPointsTarget", "ipt", Kind::points));
  child(item, newAttr("inputComponentsTarget", "ict", Kind::components));
  child(item, newAttr("inputGeomTarget", "igt", Kind::mesh))->storable = false;
  NodeType *blend = make("blendShape", filter, {weight, target});
  blend->affects[weight] = blend->affects[target] = {base.outputGeom};
  blend->creator = [] { return std::make_unique<BlendShape>(); };
  Attr *polyIn = newAttr("inputPolymesh", "ip", Kind::mesh);
  Attr *drop = newAttr("dropFaces", "df", Kind::int32);
  Attr *polyOut = output(newAttr("output", "out", Kind::mesh));
  polyIn->storable = false;
  NodeType *poly = make("polyModifier", node, {polyIn, drop, polyOut});
  poly->affects[polyIn] = poly->affects[drop] = {polyOut};
  poly->creator = [] { return std::make_unique<PolyModifier>(); };
  Attr *partsIn = newAttr("inputGeometry", "ig", Kind::mesh);
  Attr *partsOut = output(newAttr("outputGeometry", "og", Kind::mesh));
  partsIn->storable = false;
  NodeType *parts = make("groupParts", node, {partsIn, partsOut});
  parts->affects[partsIn] = {partsOut};
  madeSoFar = &base;
  addCacheTypes(make("cacheFile", node, {}), make("historySwitch", filter, {}));
  madeSoFar = nullptr;
  parts->creator = [] { return std::make_unique<GroupParts>(); };
}

Prototypes::Prototypes() {
  makeBases();
  makeDag();
  makeOthers();
}

void addBuiltInTypes(Scene &scene) {
  for (auto &t : prototypes().types) {
    auto copy = std::make_unique<NodeType>(*t);
    copy->base = t->base ? scene.type(t->base->name) : nullptr;
    scene.registerType(std::move(copy));
  }
}

} // namespace host

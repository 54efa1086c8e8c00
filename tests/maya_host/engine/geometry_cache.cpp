// Maya's geometry cache as its documents describe it: the nodes cacheFile and historySwitch, the
// command cacheFile and the procedure createHistorySwitch. The files are a stand-in of the host's:
// an .xml that says the range, and an .mcx that holds the points.
#include "engine/geometry_cache.h"

#include <cstdio>
#include <fstream>

namespace host {

struct CacheFile {
  double first = 0, last = -1;
  std::vector<std::vector<double>> frames; // x y z of every point
};

static bool readCache(const std::string &stem, CacheFile *out) {
  std::ifstream text(stem + ".xml"), data(stem + ".mcx", std::ios::binary);
  size_t npoint = 0;
  if (!(text >> out->first >> out->last >> npoint) || !data) return false;
  for (double f = out->first; f <= out->last; f++) {
    out->frames.emplace_back(3 * npoint);
    data.read(reinterpret_cast<char *>(out->frames.back().data()),
              static_cast<std::streamsize>(3 * npoint * sizeof(double)));
  }
  return static_cast<bool>(data);
}

static bool writeCache(const std::string &stem, const CacheFile &cache) {
  std::ofstream text(stem + ".xml"), data(stem + ".mcx", std::ios::binary);
  text << cache.first << ' ' << cache.last << ' ' << cache.frames[0].size() / 3 << '\n';
  for (auto &f : cache.frames)
    data.write(reinterpret_cast<const char *>(f.data()),
               static_cast<std::streamsize>(f.size() * sizeof(double)));
  return text && data;
}

// Plays a file; outside of its range it says so.
struct CacheFileNode : Behaviour {
  Status compute(const Plug &p, Block &b) override {
    Scene &scene = *b.node->scene;
    auto value = [&](const char *name) -> Value & {
      return scene.pull(*b.context, b.node->plug(name));
    };
    CacheFile file;
    bool isThere = readCache(value("cachePath").text + value("cacheName").text, &file);
    double frame = tickFrames(value("time").ticks);
    bool inRange = isThere && frame >= file.first && frame <= file.last;
    Value &out = b.make(p);
    if (p.attr->longName == "inRange") {
      out.b = inRange;
    } else {
      out.data = std::make_shared<Data>();
      out.data->kind = Kind::vectors;
      if (inRange) out.data->doubles = file.frames[static_cast<size_t>(frame - file.first)];
    }
    out.dirty = false;
    return Status::ok;
  }
};

// With playFromCache the history is not evaluated at all.
struct HistorySwitch : GeometryFilter {
  Status compute(const Plug &p, Block &b) override {
    Scene &scene = *b.node->scene;
    bool isCached = scene.pull(*b.context, b.node->plug("playFromCache")).b;
    if (!isCached || p.attr != baseAttrs().outputGeom || p.isList())
      return GeometryFilter::compute(p, b);
    std::string at = "[" + std::to_string(p.index[0]) + "]";
    Value &shape = scene.pull(*b.context, b.node->plug("undeformedGeometry" + at));
    Value &points = scene.pull(*b.context, b.node->plug("inPositions" + at));
    Value &out = b.make(p);
    if (shape.data && points.data) {
      out.data = std::make_shared<Data>(*shape.data);
      for (size_t k = 0; k < out.data->mesh.points.size() && k < points.data->doubles.size(); k++)
        out.data->mesh.points[k] = static_cast<float>(points.data->doubles[k]);
    }
    out.dirty = false;
    return Status::ok;
  }
  Status deform(Block &, Geometry &, const Matrix &, unsigned) override { return Status::ok; }
};

void addCacheTypes(NodeType *file, NodeType *history) {
  auto output = [](Attr *a) {
    a->writable = a->storable = false;
    return a;
  };
  auto list = [](Attr *a) {
    a->array = a->usesBuilder = true;
    return a;
  };
  Attr *path = newAttr("cachePath", "cp", Kind::text),
       *name = newAttr("cacheName", "cn", Kind::text);
  Attr *time = newAttr("time", "tim", Kind::time);
  Attr *inRange = output(newAttr("inRange", "ir", Kind::boolean));
  Attr *data = list(output(newAttr("outCacheData", "ocd", Kind::vectors)));
  file->attrs = {path, name, time, inRange, data};
  for (Attr *a : {path, name, time}) file->affects[a] = {inRange, data};
  file->creator = [] { return std::make_unique<CacheFileNode>(); };
  Attr *positions = list(newAttr("inPositions", "inp", Kind::vectors));
  Attr *plays = newAttr("playFromCache", "pfc", Kind::boolean);
  Attr *plain = list(newAttr("undeformedGeometry", "ug", Kind::mesh));
  history->attrs = {positions, plays, plain};
  for (Attr *a : {positions, plays, plain}) history->affects[a] = {baseAttrs().outputGeom};
  history->creator = [] { return std::make_unique<HistorySwitch>(); };
}

static bool refuse(Scene &scene, const std::string &text) {
  scene.say('e', text);
  return false;
}

// cacheFile -fileName -directory -startTime -endTime -points SHAPE: Maya goes through the frames
// and leaves the time where it ended.
static bool writeFrames(Scene &scene, const Words &w, const std::string &stem) {
  Node *shape = scene.find(melFlag(w, "pts", "points"));
  if (!shape || !shape->type->isA("mesh")) return refuse(scene, "cacheFile: -points is no shape");
  CacheFile file;
  file.first = std::atof(melFlag(w, "st", "startTime").c_str());
  file.last = std::atof(melFlag(w, "et", "endTime").c_str());
  for (double f = file.first; f <= file.last; f++) {
    scene.evaluate(f);
    std::vector<float> points = scene.getMesh(shape->name).points;
    file.frames.emplace_back(points.begin(), points.end());
  }
  return !file.frames.empty() && writeCache(stem, file);
}

bool melCacheFile(Scene &scene, const Words &w, std::string *result) {
  std::string name = melFlag(w, "f", "fileName"), folder = melFlag(w, "dir", "directory");
  if (name.empty() || folder.empty()) return refuse(scene, "cacheFile needs a name and a folder");
  if (melFlag(w, "cf", "cacheFormat") != "mcx") return refuse(scene, "only mcx is known here");
  if (folder.back() != '/') folder += '/';
  *result = name;
  bool attaches = false;
  for (const std::string &word : w) attaches = attaches || word == "-attachFile" || word == "-af";
  if (!attaches) return writeFrames(scene, w, folder + name);
  Plug to = scene.plug(melFlag(w, "ia", "inAttr"));
  CacheFile file;
  if (to.isNull() || !readCache(folder + name, &file))
    return refuse(scene, "cacheFile: cannot attach " + folder + name);
  Node *node = scene.create("cacheFile", name + "Cache1");
  scene.setText(node->name + ".cachePath", folder);
  scene.setText(node->name + ".cacheName", name);
  scene.connect("time1.outTime", node->name + ".time");
  *result = node->name;
  return scene.connectPlugs(node->plug("outCacheData[0]"), to);
}

// createHistorySwitch SHAPE 0: between the last deformer and the shape.
bool melHistorySwitch(Scene &scene, const Words &w, std::string *result) {
  Node *shape = w.size() == 3 ? scene.find(w[1]) : nullptr;
  Plug from, first;
  if (!shape || !scene.source(shape->plug("inMesh"), &from))
    return refuse(scene, "createHistorySwitch: no shape with a history");
  for (first = from; first.node->type->isA("geometryFilter");) {
    Plug in = plugOf(first.node, baseAttrs().input).element(first.index[0]);
    if (!scene.source(in.child(baseAttrs().inputGeom), &first)) break;
  }
  Node *made = scene.create("historySwitch", "cacheSwitch1");
  Plug slot = plugOf(made, baseAttrs().input).element(0);
  scene.disconnectPlug(shape->plug("inMesh"));
  *result = made->name;
  return scene.connectPlugs(from, slot.child(baseAttrs().inputGeom)) &&
         scene.connectPlugs(first, made->plug("undeformedGeometry[0]")) &&
         scene.connectPlugs(made->plug("outputGeometry[0]"), shape->plug("inMesh"));
}

} // namespace host

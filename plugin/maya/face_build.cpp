// From what the scene says to rig, flesh and state.
#include "face_solver.h"

#include <algorithm>

namespace mien_maya {

template <class T> static uint64_t mix(const std::vector<T> &list, uint64_t hash) {
  uint64_t count = list.size();
  hash = hashBytes(&count, sizeof count, hash);
  return hashBytes(list.data(), list.size() * sizeof(T), hash);
}

uint64_t RigSource::hash(bool withMaps) const {
  uint64_t h = mix(corners, mix(counts, mix(rest, hashBytes("rig", 3))));
  h = hashBytes(extras.data(), extras.size(), h);
  for (const ShapeSource &s : shapes)
    h = mix(s.deltas, mix(s.indices, hashBytes(s.name.data(), s.name.size(), h)));
  // a collider is rigid: that its mesh is evaluated anew with every frame builds nothing
  for (const ColliderSource &c : colliders) h = mix(c.triangles, h);
  for (const MapSource &m : maps) {
    if (!withMaps) break;
    h = hashBytes(m.name.data(), m.name.size(), h);
    for (auto &v : m.values)
      h = hashBytes(&v.second, sizeof v.second, hashBytes(&v.first, sizeof v.first, h));
  }
  return h;
}

FaceSolver::~FaceSolver() {
  free();
}

void FaceSolver::free() {
  mien_state_free(state_);
  mien_face_free(face_);
  state_ = nullptr;
  face_ = nullptr;
  rig_.reset();
  snapshots_.clear();
}

void FaceSolver::reset() {
  std::lock_guard<std::mutex> hold(lock_);
  snapshots_.clear();
}

static mien_f32s view(const std::vector<float> &list, int width) {
  return {list.data(), static_cast<int>(list.size()) / width, width};
}
static mien_i32s view(const std::vector<int32_t> &list) {
  return {list.data(), static_cast<int>(list.size())};
}

bool FaceSolver::make(const RigSource &source, const Settings &settings, mien_rig **rig,
                      mien_face **face, std::string *why) const {
  // A target that moves nothing keeps its place and its weight; without indices libmien would
  // expect a delta for every vertex.
  static const int32_t kFirst[1] = {0};
  static const float kStill[3] = {0, 0, 0};
  std::vector<mien_shape> shapes;
  for (const ShapeSource &s : source.shapes) {
    mien_shape shape = {s.name.c_str(), view(s.indices), view(s.deltas, 3)};
    if (s.indices.empty()) shape = {s.name.c_str(), {kFirst, 1}, {kStill, 1, 3}};
    shapes.push_back(shape);
  }
  std::vector<std::vector<float>> dense; // of the maps that are painted
  std::vector<mien_map> maps;
  size_t nvert = source.rest.size() / 3;
  for (const MapSource &m : source.maps) {
    if (m.values.empty()) continue;
    bool isContact = m.name == "contact"; // a bit of the regions
    auto found = automatic_.find(isContact ? "region" : m.name);
    dense.push_back(found != automatic_.end() ? found->second : std::vector<float>(nvert, 0.0f));
    for (auto &v : m.values) {
      if (v.first < 0 || static_cast<size_t>(v.first) >= nvert) continue;
      float &at = dense.back()[static_cast<size_t>(v.first)];
      int others = static_cast<int>(at) & ~MIEN_REGION_CONTACT;
      at = !isContact ? v.second
                      : static_cast<float>(others | (v.second > 0.5f ? MIEN_REGION_CONTACT : 0));
    }
  }
  size_t at = 0;
  for (const MapSource &m : source.maps)
    if (!m.values.empty())
      maps.push_back({m.name == "contact" ? "region" : m.name.c_str(), 1, view(dense[at++], 1)});
  std::vector<mien_collider> colliders;
  for (const ColliderSource &c : source.colliders)
    colliders.push_back({"collider", view(c.points, 3), view(c.triangles)});

  mien_rig_def def;
  mien_rig_def_init(&def);
  def.name = source.name.c_str();
  def.source_unit = 0.01; // Maya's centimetre
  def.positions = view(source.rest, 3);
  def.faces = view(source.corners);
  def.face_sizes = view(source.counts);
  def.shapes = shapes.data();
  def.nshape = static_cast<int>(shapes.size());
  def.maps = maps.data();
  def.nmap = static_cast<int>(maps.size());
  def.weld = 0; // Maya does not split vertices; pose and result keep its numbers
  if (!source.extras.empty()) def.extras = source.extras.c_str();
  mien_face_def flesh = settings.mien.face;
  flesh.colliders = colliders.data();
  flesh.ncollider = static_cast<int>(colliders.size());
  mien_error err;
  if (mien_rig_create(&def, nullptr, rig, &err) < 0 ||
      mien_face_create(*rig, &flesh, nullptr, face, &err) < 0) {
    mien_rig_free(*rig);
    *rig = nullptr;
    *why = err.text;
    return false;
  }
  return true;
}

// what mien found on its own, per vertex of the mesh
static std::map<std::string, std::vector<float>> found(const mien_face *face, size_t nvert) {
  const mien_face_info *info = mien_face_get_info(face);
  std::map<std::string, std::vector<float>> out;
  std::vector<float> attachment(nvert, 0.0f), jaw(nvert, 0.0f), contact(nvert, 0.0f),
      region(nvert, 0.0f);
  // bone holds the inner surface, which in a shell follows the skin in the same order
  int under = info->nvert == 2 * info->nskin ? info->nskin : 0;
  for (int i = 0; i < info->nskin; i++) {
    size_t v = static_cast<size_t>(info->skin.data[i]);
    auto at = [&](const mien_f32s &list) {
      return list.data[(under + i) * std::max(1, list.stride)];
    };
    attachment[v] = at(info->attachment);
    jaw[v] = at(info->jaw);
    region[v] = static_cast<float>(info->regions.data[i]);
    contact[v] = info->regions.data[i] & MIEN_REGION_CONTACT ? 1.0f : 0.0f;
  }
  for (const PaintedMap &map : paintedMaps())
    out[map.core] = std::vector<float>(nvert, static_cast<float>(map.row.value[0] * map.row.to_si));
  out["attachment"] = attachment;
  out["jaw"] = jaw;
  out["contact"] = contact;
  out["region"] = region;
  return out;
}

bool FaceSolver::build(const RigSource &source, const Settings &settings, std::string *why) {
  std::lock_guard<std::mutex> hold(lock_);
  uint64_t flesh = settingsHash(settings, true);
  uint64_t key = hashBytes(&flesh, sizeof flesh, source.hash(true));
  if (state_ && key == built_from_) return true;
  mien_rig *rig = nullptr;
  mien_face *face = nullptr;
  // painted vertices are set into what mien finds for the bare mesh
  uint64_t bare_key = source.hash(false);
  if (automatic_.empty() || automatic_from_ != bare_key) {
    RigSource bare = source;
    bare.maps.clear();
    if (!make(bare, settings, &rig, &face, why)) return free(), false;
    automatic_ = found(face, source.rest.size() / 3);
    automatic_from_ = bare_key;
  }
  bool painted = std::any_of(source.maps.begin(), source.maps.end(),
                             [](const MapSource &m) { return !m.values.empty(); });
  if (painted || !face) {
    mien_face_free(face);
    mien_rig_free(rig);
    rig = nullptr;
    face = nullptr;
    if (!make(source, settings, &rig, &face, why)) return free(), false;
  }
  mien_error err;
  mien_state *state = nullptr;
  if (mien_state_create(face, nullptr, &state, &err) < 0) {
    *why = err.text;
    mien_face_free(face);
    mien_rig_free(rig);
    return free(), false;
  }
  free();
  rig_ = std::shared_ptr<const mien_rig>(rig, [rig](const mien_rig *) { mien_rig_free(rig); });
  face_ = face;
  state_ = state;
  built_from_ = key;
  made_with_ = settings;
  neutral_ = source.rest;
  return true;
}

std::vector<std::string> FaceSolver::remarks() const {
  std::lock_guard<std::mutex> hold(lock_);
  std::vector<std::string> list;
  const mien_face_info *info = mien_face_get_info(face_);
  for (int i = 0; info && i < info->nremark; i++) list.push_back(info->remarks[i]);
  return list;
}

std::shared_ptr<const mien_rig> FaceSolver::rig() const {
  std::lock_guard<std::mutex> hold(lock_);
  return rig_;
}

std::vector<float> FaceSolver::automaticMap(const std::string &name) const {
  std::lock_guard<std::mutex> hold(lock_);
  auto it = automatic_.find(name);
  return it == automatic_.end() ? std::vector<float>() : it->second;
}

} // namespace mien_maya

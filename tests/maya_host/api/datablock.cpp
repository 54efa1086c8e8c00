// Data blocks, handles and builders. Arrays are sparse: an element that was never made is not
// there.
#include "api/bridge.h"

#include <cstring>

#include <maya/MAngle.h>
#include <maya/MDistance.h>
#include <maya/MFloatVector.h>
#include <maya/MMatrix.h>
#include <maya/MVector.h>

using host::Kind;
using host::Plug;
using host::Value;

MAYA_HOST_OPEN

static const Kind kDataKinds[] = {Kind::mesh,   Kind::doubles, Kind::floats,    Kind::ints,
                                  Kind::points, Kind::vectors, Kind::components};

MFnData::Type MDataHandle::type() const {
  if (!held) return MFnData::kInvalid;
  switch (held->attr->kind) {
  case Kind::mesh:
    return MFnData::kMesh;
  case Kind::text:
    return MFnData::kString;
  case Kind::matrix:
    return MFnData::kMatrix;
  case Kind::doubles:
    return MFnData::kDoubleArray;
  case Kind::floats:
    return MFnData::kFloatArray;
  case Kind::ints:
    return MFnData::kIntArray;
  case Kind::points:
    return MFnData::kPointArray;
  case Kind::vectors:
    return MFnData::kVectorArray;
  case Kind::components:
    return MFnData::kComponentList;
  default:
    return MFnData::kNumeric;
  }
}

bool MDataHandle::isNumeric() const {
  return type() == MFnData::kNumeric;
}

// The wrong accessor for a type reads wrong memory in Maya; here it is an error in the log.
static void expect(const MDataHandle &h, std::initializer_list<Kind> kinds, const char *what) {
  if (h.held)
    for (Kind k : kinds)
      if (h.held->attr->kind == k) return;
  theScene().say('e', std::string("wrong accessor: ") + what + " of " +
                          (h.held ? h.held->attr->longName : "nothing"));
}

// a handle to nothing must not bring the test down
static Value &solid(const MDataHandle &h) {
  static host::Attr none;
  static thread_local Value nothing(&none, false, nullptr);
  return h.held ? *h.held : nothing;
}

bool &MDataHandle::asBool() const {
  expect(*this, {Kind::boolean}, "asBool");
  return solid(*this).b;
}
short &MDataHandle::asShort() const {
  expect(*this, {Kind::int16, Kind::enumeration}, "asShort");
  return solid(*this).s;
}
int &MDataHandle::asInt() const {
  expect(*this, {Kind::int32}, "asInt");
  return solid(*this).i;
}
float &MDataHandle::asFloat() const {
  expect(*this, {Kind::real32, Kind::vec3f}, "asFloat");
  return component >= 0 ? solid(*this).f3[component] : solid(*this).f;
}
double &MDataHandle::asDouble() const {
  expect(*this, {Kind::real64, Kind::vec3d, Kind::distance, Kind::angle}, "asDouble");
  return component >= 0 ? solid(*this).d3[component] : solid(*this).d;
}
MTime MDataHandle::asTime() const {
  expect(*this, {Kind::time}, "asTime");
  return MTime::make(solid(*this).ticks);
}
MDistance MDataHandle::asDistance() const {
  return MDistance(solid(*this).d);
}
MAngle MDataHandle::asAngle() const {
  return MAngle(solid(*this).d);
}
float3 &MDataHandle::asFloat3() const {
  expect(*this, {Kind::vec3f}, "asFloat3");
  return solid(*this).f3;
}
double3 &MDataHandle::asDouble3() const {
  expect(*this, {Kind::vec3d}, "asDouble3");
  return solid(*this).d3;
}
MVector &MDataHandle::asVector() const {
  expect(*this, {Kind::vec3d}, "asVector");
  return reinterpret_cast<MVector &>(solid(*this).d3);
}
MFloatVector &MDataHandle::asFloatVector() const {
  expect(*this, {Kind::vec3f}, "asFloatVector");
  return reinterpret_cast<MFloatVector &>(solid(*this).f3);
}
MMatrix &MDataHandle::asMatrix() const {
  expect(*this, {Kind::matrix}, "asMatrix");
  return reinterpret_cast<MMatrix &>(solid(*this).matrix);
}
MString &MDataHandle::asString() const {
  expect(*this, {Kind::text}, "asString");
  return reinterpret_cast<MString &>(solid(*this).text);
}
MObject MDataHandle::asMesh() const {
  expect(*this, {Kind::mesh}, "asMesh");
  return held && held->data ? MObject(held->data) : MObject();
}
MObject MDataHandle::asMeshTransformed() const {
  return asMesh();
}
MObject MDataHandle::data() {
  return held && held->data ? MObject(held->data) : MObject();
}
MObject MDataHandle::attribute() {
  return held ? MObject(held->attr) : MObject();
}

MDataHandle MDataHandle::child(const MObject &attribute) {
  if (!held || !attribute.attr) return {};
  if (attribute.attr->component >= 0) return {held, block, attribute.attr->component};
  return {held->childOf(attribute.attr), block};
}
MDataHandle MDataHandle::child(const MPlug &plug) {
  return child(plug.attribute());
}

void MDataHandle::set(bool to) {
  asBool() = to;
}
void MDataHandle::set(short to) {
  asShort() = to;
}
void MDataHandle::set(int to) {
  asInt() = to;
}
void MDataHandle::set(float to) {
  asFloat() = to;
}
void MDataHandle::set(double to) {
  asDouble() = to;
}
void MDataHandle::set(const MString &to) {
  asString() = to;
}
void MDataHandle::set(const MMatrix &to) {
  asMatrix() = to;
}
void MDataHandle::set(const MTime &to) {
  solid(*this).ticks = to.hostTicks();
}
void MDataHandle::set(float a, float b, float c) {
  float3 &v = asFloat3();
  v[0] = a, v[1] = b, v[2] = c;
}
void MDataHandle::set(double a, double b, double c) {
  double3 &v = asDouble3();
  v[0] = a, v[1] = b, v[2] = c;
}
MStatus MDataHandle::set(const MObject &object) {
  if (!held || !object.data) return MStatus::kInvalidParameter;
  for (Kind k : kDataKinds)
    if (k == held->attr->kind && k != object.data->kind) return MStatus::kInvalidParameter;
  held->data = object.data;
  held->text = object.data->text;
  held->matrix = object.data->matrix;
  return MStatus();
}
MStatus MDataHandle::setMObject(const MObject &object) {
  return set(object);
}
void MDataHandle::setMTime(const MTime &to) {
  set(to);
}
void MDataHandle::setFloat(float to) {
  set(to);
}
void MDataHandle::setDouble(double to) {
  set(to);
}
void MDataHandle::setInt(int to) {
  set(to);
}
void MDataHandle::setBool(bool to) {
  set(to);
}
void MDataHandle::setString(const MString &to) {
  set(to);
}
MStatus MDataHandle::copy(const MDataHandle &from) {
  if (!held || !from.held) return MStatus::kFailure;
  held->copyFrom(*from.held, false);
  return MStatus();
}
void MDataHandle::setClean() {
  if (held) held->setDirty(false);
}

MArrayDataBuilder::MArrayDataBuilder(MDataBlock *b, const MObject &attribute, unsigned int,
                                     MStatus *status)
    : list(std::make_shared<Value>(attribute.attr, true, nullptr)), block(b->block) {
  answer(status, MStatus::kSuccess);
}
MArrayDataBuilder::MArrayDataBuilder(host::Block *b, const Value *copied)
    : list(std::make_shared<Value>(copied->attr, true, nullptr)), block(b) {
  list->copyFrom(*copied, true);
}
MDataHandle MArrayDataBuilder::addElement(unsigned int index, MStatus *status) {
  answer(status, MStatus::kSuccess);
  return {&list->make(index), block};
}
MDataHandle MArrayDataBuilder::addLast(MStatus *status) {
  return addElement(list->element.empty() ? 0 : list->element.rbegin()->first + 1, status);
}
MArrayDataHandle MArrayDataBuilder::addElementArray(unsigned int index, MStatus *status) {
  return MArrayDataHandle(addElement(index, status), status);
}
MStatus MArrayDataBuilder::removeElement(unsigned int index) {
  return list->element.erase(index) ? MStatus::kSuccess : MStatus::kFailure;
}
MStatus MArrayDataBuilder::growArray(unsigned int by) {
  for (unsigned int k = 0; k < by; k++) addLast();
  return MStatus();
}
unsigned int MArrayDataBuilder::elementCount(MStatus *) const {
  return static_cast<unsigned>(list->element.size());
}

MArrayDataHandle::MArrayDataHandle(const MDataHandle &handle, MStatus *status) {
  bool ok = handle.held && handle.held->isList;
  if (ok) list = handle.held, block = handle.block;
  answer(status, ok ? MStatus::kSuccess : MStatus::kInvalidParameter);
}

Value *MArrayDataHandle::here(MStatus *status) {
  bool ok = list && position_ < list->element.size();
  answer(status, ok ? MStatus::kSuccess : MStatus::kFailure);
  return ok ? std::next(list->element.begin(), static_cast<long>(position_))->second.get()
            : nullptr;
}

MDataHandle MArrayDataHandle::inputValue(MStatus *status) {
  Value *v = here(status);
  if (!v) return {};
  theScene().pull(*block->context, plugOfValue(*block, v));
  return {v, block};
}
MDataHandle MArrayDataHandle::outputValue(MStatus *status) {
  return {here(status), block};
}
MArrayDataHandle MArrayDataHandle::inputArrayValue(MStatus *status) {
  return MArrayDataHandle(inputValue(status), status);
}
MArrayDataHandle MArrayDataHandle::outputArrayValue(MStatus *status) {
  return MArrayDataHandle(outputValue(status), status);
}
MStatus MArrayDataHandle::next() {
  if (!list || position_ + 1 >= list->element.size()) return MStatus::kFailure;
  position_++;
  return MStatus();
}
unsigned int MArrayDataHandle::elementCount(MStatus *status) {
  answer(status, list ? MStatus::kSuccess : MStatus::kFailure);
  return list ? static_cast<unsigned>(list->element.size()) : 0;
}
unsigned int MArrayDataHandle::elementIndex(MStatus *status) {
  Value *v = here(status);
  return v ? v->logical : 0;
}
MStatus MArrayDataHandle::jumpToElement(unsigned int logical) {
  if (!list) return MStatus::kFailure;
  auto found = list->element.find(logical);
  if (found == list->element.end()) return MStatus::kInvalidParameter;
  position_ = static_cast<unsigned>(std::distance(list->element.begin(), found));
  return MStatus();
}
MStatus MArrayDataHandle::jumpToArrayElement(unsigned int physical) {
  if (!list || physical >= list->element.size()) return MStatus::kInvalidParameter;
  position_ = physical;
  return MStatus();
}
MStatus MArrayDataHandle::setClean() {
  if (Value *v = here(nullptr)) v->setDirty(false);
  return MStatus();
}
MStatus MArrayDataHandle::setAllClean() {
  if (list) list->setDirty(false);
  return MStatus();
}
MArrayDataBuilder MArrayDataHandle::builder(MStatus *status) {
  bool ok = list && list->attr->usesBuilder;
  answer(status, ok ? MStatus::kSuccess : MStatus::kFailure);
  if (!ok) theScene().say('e', "builder() needs setUsesArrayDataBuilder(true)");
  static host::Attr none;
  static const Value nothing(&none, true, nullptr);
  return MArrayDataBuilder(block, list ? list : &nothing);
}
MStatus MArrayDataHandle::set(MArrayDataBuilder &from) {
  if (!list || from.list->attr != list->attr || !list->attr->usesBuilder) return MStatus::kFailure;
  list->copyFrom(*from.list, true);
  return MStatus();
}

MDataHandle MDataBlock::handle(const Plug &p, bool evaluate, MStatus *status) {
  int part;
  Value *v = p.attr ? block->find(p, &part) : nullptr;
  bool ok = v && !v->isList;
  for (int i : p.index) ok = ok && i >= 0; // a child of an array needs its element
  answer(status, ok ? MStatus::kSuccess : MStatus::kInvalidParameter);
  if (!ok) return {};
  if (evaluate) theScene().pull(*block->context, p);
  return {v, block, part};
}

MArrayDataHandle MDataBlock::arrayHandle(const Plug &p, bool evaluate, MStatus *status) {
  Value *v = p.attr ? block->find(p) : nullptr;
  bool ok = v && v->isList;
  for (size_t k = 0; k + 1 < p.index.size(); k++) ok = ok && p.index[k] >= 0;
  answer(status, ok ? MStatus::kSuccess : MStatus::kInvalidParameter);
  MArrayDataHandle out;
  if (!ok) return out;
  if (evaluate) theScene().pull(*block->context, p); // every element
  out.list = v;
  out.block = block;
  return out;
}

static Plug plugIn(host::Block *block, const MObject &attribute) {
  return attribute.attr ? host::plugOf(block->node, attribute.attr) : Plug();
}
MDataHandle MDataBlock::inputValue(const MObject &a, MStatus *s) {
  return handle(plugIn(block, a), true, s);
}
MDataHandle MDataBlock::inputValue(const MPlug &p, MStatus *s) {
  return handle(p.hostPlug(), true, s);
}
MDataHandle MDataBlock::outputValue(const MObject &a, MStatus *s) {
  return handle(plugIn(block, a), false, s);
}
MDataHandle MDataBlock::outputValue(const MPlug &p, MStatus *s) {
  return handle(p.hostPlug(), false, s);
}
MArrayDataHandle MDataBlock::inputArrayValue(const MObject &a, MStatus *s) {
  return arrayHandle(plugIn(block, a), true, s);
}
MArrayDataHandle MDataBlock::inputArrayValue(const MPlug &p, MStatus *s) {
  return arrayHandle(p.hostPlug(), true, s);
}
MArrayDataHandle MDataBlock::outputArrayValue(const MObject &a, MStatus *s) {
  return arrayHandle(plugIn(block, a), false, s);
}
MArrayDataHandle MDataBlock::outputArrayValue(const MPlug &p, MStatus *s) {
  return arrayHandle(p.hostPlug(), false, s);
}

static MStatus clean(host::Block *block, const Plug &p) {
  Value *v = p.attr ? block->find(p) : nullptr;
  if (!v) return MStatus::kInvalidParameter;
  v->setDirty(false);
  return MStatus();
}
MStatus MDataBlock::setClean(const MObject &a) {
  return clean(block, plugIn(block, a));
}
MStatus MDataBlock::setClean(const MPlug &p) {
  return clean(block, p.hostPlug());
}
bool MDataBlock::isClean(const MObject &a, MStatus *) {
  Value *v = block->find(plugIn(block, a));
  return v && !v->dirty;
}
bool MDataBlock::isClean(const MPlug &p) {
  Value *v = block->find(p.hostPlug());
  return v && !v->dirty;
}
MDGContext MDataBlock::context(MStatus *) {
  return MDGContext(block->context);
}

MAYA_HOST_CLOSE

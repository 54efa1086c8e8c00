// Meshes, the geometry iterator and data objects.
#include "api/bridge.h"

#include <cstring>

#include <maya/MDagPath.h>
#include <maya/MFloatPointArray.h>
#include <maya/MFnComponentListData.h>
#include <maya/MFnDoubleArrayData.h>
#include <maya/MFnIntArrayData.h>
#include <maya/MFnMatrixData.h>
#include <maya/MFnMesh.h>
#include <maya/MFnMeshData.h>
#include <maya/MFnPointArrayData.h>
#include <maya/MFnSingleIndexedComponent.h>
#include <maya/MFnStringData.h>
#include <maya/MItGeometry.h>
#include <maya/MMatrix.h>
#include <maya/MPointArray.h>

using host::Data;
using host::DataPtr;
using host::Kind;
using host::Mesh;

MAYA_HOST_OPEN

MFnBase::MFnBase() : object_(*new MObject) {}
MFnBase::~MFnBase() {
  delete &object_;
}
MStatus MFnBase::setObject(const MObject &object) {
  return object_ = object, MStatus();
}
bool MFnBase::hasObj(const MObject &object) const {
  return !object.isNull();
}
MObject MFnBase::object(MStatus *status) const {
  answer(status, object_.isNull() ? MStatus::kFailure : MStatus::kSuccess);
  return object_;
}

static float *vertex(Mesh &m, int v) {
  return &m.points[3 * static_cast<size_t>(v)];
}
static MPoint pointOf(const Mesh &m, int v) {
  const float *p = &m.points[3 * static_cast<size_t>(v)];
  return {static_cast<double>(p[0]), static_cast<double>(p[1]), static_cast<double>(p[2])};
}
static void place(Mesh &m, int v, const MPoint &p) {
  float *at = vertex(m, v);
  for (unsigned k = 0; k < 3; k++) at[k] = static_cast<float>(p[k]);
}

// Constructed by hand it walks over everything.
MItGeometry::MItGeometry(MDataHandle &handle, unsigned int, bool readOnly, MStatus *status)
    : MItGeometry(handle, readOnly, status) {}
MItGeometry::MItGeometry(MDataHandle &handle, bool, MStatus *status)
    : geometry_(nullptr), own_(std::make_shared<host::Geometry>()) {
  geometry_ = own_.get();
  bool ok = handle.held && handle.held->data && handle.held->data->kind == Kind::mesh;
  answer(status, ok ? MStatus::kSuccess : MStatus::kFailure);
  if (!ok) return;
  own_->data = handle.held->data.get();
  for (int i = 0; i < own_->data->mesh.nvert(); i++) own_->members.push_back(i);
}

bool MItGeometry::isDone(MStatus *) const {
  return at_ >= geometry_->members.size();
}
MStatus MItGeometry::next() {
  if (isDone()) return MStatus::kFailure;
  at_++;
  return MStatus();
}
MStatus MItGeometry::reset() {
  return at_ = 0, MStatus();
}
int MItGeometry::index(MStatus *) const {
  return isDone() ? -1 : geometry_->members[at_];
}
int MItGeometry::positionIndex(MStatus *) const {
  return static_cast<int>(at_);
}
int MItGeometry::count(MStatus *) const {
  return static_cast<int>(geometry_->members.size());
}
int MItGeometry::exactCount(MStatus *status) {
  return count(status);
}
MPoint MItGeometry::position(MSpace::Space, MStatus *status) const {
  answer(status, isDone() ? MStatus::kFailure : MStatus::kSuccess);
  return isDone() ? MPoint() : pointOf(geometry_->data->mesh, geometry_->members[at_]);
}
MStatus MItGeometry::setPosition(const MPoint &p, MSpace::Space) {
  if (isDone()) return MStatus::kFailure;
  place(geometry_->data->mesh, geometry_->members[at_], p);
  return MStatus();
}
MStatus MItGeometry::allPositions(MPointArray &points, MSpace::Space) const {
  points.setLength(static_cast<unsigned>(geometry_->members.size()));
  for (unsigned i = 0; i < points.length(); i++)
    points[i] = pointOf(geometry_->data->mesh, geometry_->members[i]);
  return MStatus();
}
MStatus MItGeometry::setAllPositions(const MPointArray &points, MSpace::Space) {
  if (points.length() != geometry_->members.size()) return MStatus::kInvalidParameter;
  for (unsigned i = 0; i < points.length(); i++)
    place(geometry_->data->mesh, geometry_->members[i], points[i]);
  return MStatus();
}

MFnMesh::MFnMesh(const MObject &object, MStatus *status) {
  object_ = object;
  bool ok = object.hasFn(MFn::kMesh);
  answer(status, ok ? MStatus::kSuccess : MStatus::kInvalidParameter);
}
MFnMesh::MFnMesh(const MDagPath &path, MStatus *status) : MFnMesh(path.node(), status) {}

DataPtr MFnMesh::data(MStatus *status) const {
  DataPtr found = object_.data;
  if (object_.node && object_.node->type->isA("mesh"))
    found = theScene().pull(*host::Scene::context(), object_.node->plug("outMesh")).data;
  answer(status, found ? MStatus::kSuccess : MStatus::kFailure);
  return found;
}
int MFnMesh::numVertices(MStatus *status) const {
  DataPtr d = data(status);
  return d ? d->mesh.nvert() : 0;
}
int MFnMesh::numPolygons(MStatus *status) const {
  DataPtr d = data(status);
  return d ? static_cast<int>(d->mesh.counts.size()) : 0;
}

static MMatrix spaceMatrix(const MObject &object, MSpace::Space space) {
  MMatrix m;
  if (space != MSpace::kWorld || !object.node) return m;
  host::Matrix w = theScene().worldMatrix(*host::Scene::context(), object.node);
  std::memcpy(m.matrix, w.data(), sizeof m.matrix);
  return m;
}

MStatus MFnMesh::getPoints(MPointArray &points, MSpace::Space space) const {
  MStatus status;
  DataPtr d = data(&status);
  if (!d) return status;
  MMatrix m = spaceMatrix(object_, space);
  points.setLength(static_cast<unsigned>(d->mesh.nvert()));
  for (unsigned i = 0; i < points.length(); i++)
    points[i] = pointOf(d->mesh, static_cast<int>(i)) * m;
  return status;
}
MStatus MFnMesh::getPoints(MFloatPointArray &points, MSpace::Space space) const {
  MPointArray exact;
  MStatus status = getPoints(exact, space);
  points.setLength(exact.length());
  for (unsigned i = 0; i < exact.length(); i++)
    for (unsigned k = 0; k < 4; k++) points[i][k] = static_cast<float>(exact[i][k]);
  return status;
}
MStatus MFnMesh::setPoints(MPointArray &points, MSpace::Space) {
  MStatus status;
  DataPtr d = data(&status);
  if (!d || d->mesh.nvert() != static_cast<int>(points.length())) return MStatus::kFailure;
  for (unsigned i = 0; i < points.length(); i++) place(d->mesh, static_cast<int>(i), points[i]);
  return status;
}
const float *MFnMesh::getRawPoints(MStatus *status) const {
  DataPtr d = data(status);
  return d && !d->mesh.points.empty() ? d->mesh.points.data() : nullptr;
}
MStatus MFnMesh::getVertices(MIntArray &counts, MIntArray &ids) const {
  MStatus status;
  DataPtr d = data(&status);
  if (!d) return status;
  counts = MIntArray(d->mesh.counts.data(), static_cast<unsigned>(d->mesh.counts.size()));
  ids = MIntArray(d->mesh.corners.data(), static_cast<unsigned>(d->mesh.corners.size()));
  return status;
}

static MObject wrap(const DataPtr &d, MObject &object, MStatus *status) {
  answer(status, MStatus::kSuccess);
  return object = MObject(d);
}
static DataPtr fresh(Kind kind) {
  auto d = std::make_shared<Data>();
  d->kind = kind;
  return d;
}
static bool holds(const MObject &object, Kind kind, MStatus *status) {
  bool ok = object.data && object.data->kind == kind;
  answer(status, ok ? MStatus::kSuccess : MStatus::kInvalidParameter);
  return ok;
}

MObject MFnMeshData::create(MStatus *status) {
  return wrap(fresh(Kind::mesh), object_, status);
}

MFnDoubleArrayData::MFnDoubleArrayData(const MObject &object, MStatus *status) {
  if (holds(object, Kind::doubles, status)) object_ = object;
}
MObject MFnDoubleArrayData::create(const MDoubleArray &values, MStatus *status) {
  DataPtr d = fresh(Kind::doubles);
  for (unsigned i = 0; i < values.length(); i++) d->doubles.push_back(values[i]);
  return wrap(d, object_, status);
}
MDoubleArray MFnDoubleArrayData::array(MStatus *status) {
  answer(status, object_.data ? MStatus::kSuccess : MStatus::kFailure);
  return object_.data ? MDoubleArray(object_.data->doubles.data(), length()) : MDoubleArray();
}
unsigned int MFnDoubleArrayData::length(MStatus *) const {
  return object_.data ? static_cast<unsigned>(object_.data->doubles.size()) : 0;
}

MFnIntArrayData::MFnIntArrayData(const MObject &object, MStatus *status) {
  if (holds(object, Kind::ints, status)) object_ = object;
}
MObject MFnIntArrayData::create(const MIntArray &values, MStatus *status) {
  DataPtr d = fresh(Kind::ints);
  for (unsigned i = 0; i < values.length(); i++) d->ints.push_back(values[i]);
  return wrap(d, object_, status);
}
MIntArray MFnIntArrayData::array(MStatus *status) {
  answer(status, object_.data ? MStatus::kSuccess : MStatus::kFailure);
  return object_.data ? MIntArray(object_.data->ints.data(), length()) : MIntArray();
}
unsigned int MFnIntArrayData::length(MStatus *) const {
  return object_.data ? static_cast<unsigned>(object_.data->ints.size()) : 0;
}

MFnPointArrayData::MFnPointArrayData(const MObject &object, MStatus *status) {
  if (holds(object, Kind::points, status)) object_ = object;
}
MObject MFnPointArrayData::create(const MPointArray &values, MStatus *status) {
  DataPtr d = fresh(Kind::points);
  for (unsigned i = 0; i < values.length(); i++)
    for (unsigned k = 0; k < 4; k++) d->doubles.push_back(values[i][k]);
  return wrap(d, object_, status);
}
MPointArray MFnPointArrayData::array(MStatus *status) {
  answer(status, object_.data ? MStatus::kSuccess : MStatus::kFailure);
  MPointArray out(length(), MPoint());
  for (unsigned i = 0; i < out.length(); i++)
    for (unsigned k = 0; k < 4; k++) out[i][k] = object_.data->doubles[4 * i + k];
  return out;
}
unsigned int MFnPointArrayData::length(MStatus *) const {
  return object_.data ? static_cast<unsigned>(object_.data->doubles.size() / 4) : 0;
}

MFnStringData::MFnStringData(const MObject &object, MStatus *status) {
  if (holds(object, Kind::text, status)) object_ = object;
}
MObject MFnStringData::create(const MString &value, MStatus *status) {
  DataPtr d = fresh(Kind::text);
  d->text = text(value);
  return wrap(d, object_, status);
}
MString MFnStringData::string(MStatus *) const {
  return object_.data ? object_.data->text.c_str() : "";
}

MFnMatrixData::MFnMatrixData(const MObject &object, MStatus *status) {
  if (holds(object, Kind::matrix, status)) object_ = object;
}
MObject MFnMatrixData::create(const MMatrix &value, MStatus *status) {
  DataPtr d = fresh(Kind::matrix);
  std::memcpy(d->matrix.data(), value.matrix, sizeof value.matrix);
  return wrap(d, object_, status);
}
const MMatrix &MFnMatrixData::matrix(MStatus *status) const {
  answer(status, object_.data ? MStatus::kSuccess : MStatus::kFailure);
  if (!object_.data) return MMatrix::identity;
  return reinterpret_cast<const MMatrix &>(object_.data->matrix);
}

// A component list here has one component: a set of vertices.
MFnComponentListData::MFnComponentListData() = default;
MFnComponentListData::MFnComponentListData(const MObject &object, MStatus *status) {
  if (holds(object, Kind::components, status)) object_ = object;
}
unsigned int MFnComponentListData::length(MStatus *) const {
  return object_.data ? 1 : 0;
}
MObject MFnComponentListData::operator[](unsigned int index) const {
  return index < length() ? object_ : MObject();
}
MFnSingleIndexedComponent::MFnSingleIndexedComponent(const MObject &object, MStatus *status) {
  if (holds(object, Kind::components, status)) object_ = object;
}
MStatus MFnSingleIndexedComponent::getElements(MIntArray &elements) const {
  if (!object_.data) return MStatus::kFailure;
  elements = MIntArray(object_.data->ints.data(), static_cast<unsigned>(object_.data->ints.size()));
  return MStatus();
}

MAYA_HOST_CLOSE

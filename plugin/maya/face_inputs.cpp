// Reading the scene: plugs in, plain arrays in metres out.
//
// Three spaces. Object: the mesh's own, centimetres. Head: the axes of the world as it was when the
// face was attached, with the mesh's pivot of that moment as origin, carried along by the head's
// rigid motion since then; metres. World. Numbers in the head's space are small wherever in the
// world the face is. With no headMatrix the mesh's own transform is the head.
#include "mien_face_node.h"

#include <cmath>
#include <map>

#include <maya/MFnComponentListData.h>
#include <maya/MFnMesh.h>
#include <maya/MFnPointArrayData.h>
#include <maya/MFnSingleIndexedComponent.h>
#include <maya/MPointArray.h>
#include <maya/MTime.h>

namespace mien_maya {

// Scenes may count in seconds, minutes or hours; those are no frames.
double frameSeconds() {
  double length = MTime(1, MTime::uiUnit()).as(MTime::kSeconds);
  return length > 0.002 && length < 0.5 ? length : 1.0 / 24;
}

bool MienFaceNode::readSettings(MDataBlock &block, Settings *settings, std::string *why) const {
  settingsInit(settings);
  for (size_t k = 0; k < parameters().size(); k++) {
    const Parameter &p = parameters()[k];
    MDataHandle handle = block.inputValue(aParameters[static_cast<unsigned>(k)]);
    double values[3] = {0, 0, 0};
    switch (p.row.kind) {
    case MIEN_PARAM_NUMBER:
      values[0] = handle.asDouble();
      break;
    case MIEN_PARAM_SWITCH:
      values[0] = handle.asBool();
      break;
    case MIEN_PARAM_CHOICE:
      values[0] = handle.asShort();
      break;
    case MIEN_PARAM_VECTOR:
      for (int c = 0; c < 3; c++) values[c] = handle.asDouble3()[c];
      break;
    default:
      values[0] = handle.asInt();
    }
    // a connection may bring what setAttr would refuse
    if (!settingsSet(settings, p, values, why)) return false;
  }
  return true;
}

// One element of perGeometry or its like, up to date; false when there is none.
static bool elementOf(MDataBlock &block, const MObject &of, unsigned int index, MDataHandle *out) {
  MStatus status;
  MArrayDataHandle list = block.inputArrayValue(of, &status);
  if (!status || !list.jumpToElement(index)) return false;
  *out = list.inputValue(&status);
  return status == MS::kSuccess;
}

// The mesh that flows in. Maya has fetched it before it calls deform; asking for the input array as
// an input would evaluate the geometries of all other indices, too.
static MObject incomingMesh(MDataBlock &block, unsigned int index) {
  MStatus status;
  MArrayDataHandle list = block.outputArrayValue(MPxDeformerNode::input, &status);
  if (!status || !list.jumpToElement(index)) return MObject();
  return list.outputValue().child(MPxDeformerNode::inputGeom).asMesh();
}

static MMatrix withoutTranslation(MMatrix m) {
  for (unsigned int k = 0; k < 3; k++) m(3, k) = 0;
  return m;
}

// Does a matrix turn what is left into what is right? Polygons then go round the other way.
static bool mirrors(const MMatrix &m) {
  MVector row[3];
  for (unsigned int r = 0; r < 3; r++) row[r] = MVector(m(r, 0), m(r, 1), m(r, 2));
  return (row[0] ^ row[1]) * row[2] < 0;
}

// Corner `c` of a polygon of `count` that begins at `first`, counter-clockwise from outside. The
// first stays the first: polygons are cut into the same triangles.
static unsigned int cornerOf(unsigned int first, unsigned int count, unsigned int c,
                             bool isMirrored) {
  return isMirrored && c > 0 ? first + count - c : first + c;
}

static void appendScaled(const MVector &v, double scale, std::vector<float> *out) {
  for (unsigned int k = 0; k < 3; k++) out->push_back(static_cast<float>(v[k] * scale));
}

// What a target that is a mesh of its own does to the neutral.
static bool readLiveShape(const MObject &mesh, const MPointArray &rest, const MMatrix &to_head,
                          double metres, ShapeSource *out) {
  MPointArray points;
  MFnMesh(mesh).getPoints(points);
  if (points.length() != rest.length()) return false;
  for (unsigned int i = 0; i < points.length(); i++) {
    MVector moved = points[i] - rest[i];
    if (moved.x == 0 && moved.y == 0 && moved.z == 0) continue;
    out->indices.push_back(static_cast<int32_t>(i));
    appendScaled(moved * to_head, metres, &out->deltas);
  }
  return true;
}

static bool readShape(MDataHandle &element, unsigned int number, const MPointArray &rest,
                      const MMatrix &to_head, double metres, ShapeSource *out) {
  MString name = element.child(MienFaceNode::aShapeName).asString();
  out->name = name.length() ? name.asChar() : "shape" + std::to_string(number);
  MObject mesh = element.child(MienFaceNode::aShapeMesh).asMesh();
  if (!mesh.isNull()) return readLiveShape(mesh, rest, to_head, metres, out);
  MObject points = element.child(MienFaceNode::aShapePoints).data();
  MObject components = element.child(MienFaceNode::aShapeComponents).data();
  if (points.isNull() || components.isNull()) return true; // a target that moves nothing
  MStatus status;
  MFnPointArrayData fnPoints(points, &status);
  if (!status) return false;
  MFnComponentListData fnList(components, &status);
  if (!status) return false;
  MPointArray deltas = fnPoints.array();
  for (unsigned int c = 0; c < fnList.length(); c++) {
    MFnSingleIndexedComponent fn(fnList[c], &status);
    MIntArray ids;
    if (!status || !fn.getElements(ids)) return false;
    for (unsigned int i = 0; i < ids.length(); i++) out->indices.push_back(ids[i]);
  }
  if (out->indices.size() != deltas.length()) return false;
  for (unsigned int i = 0; i < deltas.length(); i++)
    appendScaled((deltas[i] - MPoint()) * to_head, metres, &out->deltas);
  return true;
}

// Elements that were never painted are not in the array, or hold what no map has.
static void readMap(MDataHandle &element, const MObject &attribute, double to_si, MapSource *out) {
  MStatus status;
  MArrayDataHandle values(element.child(attribute), &status);
  if (!status) return;
  for (unsigned int k = 0; k < values.elementCount(); k++, values.next()) {
    double value = static_cast<double>(values.inputValue().asFloat());
    if (value >= 0)
      out->values[static_cast<int>(values.elementIndex())] = static_cast<float>(value * to_si);
  }
}

// "thickness:jawOpen" is in the unit of the map thickness
static double shapeMapUnit(const std::string &name) {
  int map = mapNamed(name.substr(0, name.find(':')));
  return map < 0 ? 1 : paintedMaps()[static_cast<size_t>(map)].row.to_si;
}

// Materials of single shapes: those stored, and the one that is under the brush.
static void readShapeMaps(MDataHandle &element, std::vector<MapSource> *maps) {
  std::string painted = element.child(MienFaceNode::aBrushTarget).asString().asChar();
  MArrayDataHandle list(element.child(MienFaceNode::aShapeMaps));
  for (unsigned int k = 0; k < list.elementCount(); k++, list.next()) {
    MDataHandle one = list.inputValue();
    MapSource map;
    map.name = one.child(MienFaceNode::aShapeMapName).asString().asChar();
    if (map.name.empty() || map.name == painted) continue;
    readMap(one, MienFaceNode::aShapeMapValues, shapeMapUnit(map.name), &map);
    maps->push_back(map);
  }
  if (painted.empty()) return;
  maps->emplace_back();
  maps->back().name = painted;
  readMap(element, MienFaceNode::aBrushMap, shapeMapUnit(painted), &maps->back());
}

bool MienFaceNode::readRig(MDataBlock &block, unsigned int index, const Settings &settings,
                           RigSource *source, std::string *why) const {
  MDataHandle element;
  MObject mesh;
  if (elementOf(block, aPerGeometry, index, &element)) mesh = element.child(aRestMesh).asMesh();
  if (mesh.isNull()) {
    *why = "has no rest mesh; run 'mien' on the mesh, or connect the neutral to perGeometry[" +
           std::to_string(index) + "].restMesh";
    return false;
  }
  MFnMesh fn(mesh);
  MPointArray points;
  MIntArray counts, corners;
  fn.getPoints(points);
  fn.getVertices(counts, corners);
  MMatrix to_head = withoutTranslation(element.child(aRestMatrix).asMatrix());
  double metres = settings.metres();
  source->name = name().asChar();
  source->extras = element.child(aFittedMuscles).asString().asChar();
  for (unsigned int i = 0; i < points.length(); i++)
    appendScaled(points[i] * to_head - MPoint(), metres, &source->rest);
  bool isMirrored = mirrors(to_head);
  for (unsigned int f = 0, at = 0; f < counts.length(); f++) {
    unsigned int count = static_cast<unsigned int>(counts[f]);
    source->counts.push_back(counts[f]);
    for (unsigned int c = 0; c < count; c++)
      source->corners.push_back(corners[cornerOf(at, count, c, isMirrored)]);
    at += count;
  }
  MArrayDataHandle shapes(element.child(aShapes));
  for (unsigned int k = 0; k < shapes.elementCount(); k++, shapes.next()) {
    MDataHandle one = shapes.inputValue();
    ShapeSource shape;
    if (!readShape(one, shapes.elementIndex(), points, to_head, metres, &shape)) {
      *why = "cannot read shape '" + shape.name + "'";
      return false;
    }
    source->shapes.push_back(shape);
  }
  for (size_t k = 0; k < paintedMaps().size(); k++) {
    source->maps.emplace_back();
    source->maps.back().name = paintedMaps()[k].core;
    readMap(element, aMaps[static_cast<unsigned>(k)], paintedMaps()[k].row.to_si,
            &source->maps.back());
  }
  readShapeMaps(element, &source->maps);
  std::vector<mien_rigid> places;
  readColliders(block, metres, &source->colliders, &places);
  return true;
}

// The nearest rotation to the upper 3x3 of a matrix (Gram-Schmidt: the rows are all but orthogonal)
// as a quaternion, and its translation. Scale and shear are no motion of a head.
static void toRigid(const MMatrix &m, double metres, mien_rigid *out) {
  MVector x = MVector(m(0, 0), m(0, 1), m(0, 2)).normal();
  MVector y(m(1, 0), m(1, 1), m(1, 2));
  y = (y - x * (x * y)).normal();
  MVector z = x ^ y;
  double r[3][3] = {{x[0], y[0], z[0]}, {x[1], y[1], z[1]}, {x[2], y[2], z[2]}}; // columns
  double *q = out->rotation;
  double trace = r[0][0] + r[1][1] + r[2][2];
  if (trace > 0) {
    double s = 2 * std::sqrt(trace + 1);
    q[3] = s / 4;
    q[0] = (r[2][1] - r[1][2]) / s, q[1] = (r[0][2] - r[2][0]) / s, q[2] = (r[1][0] - r[0][1]) / s;
  } else {
    int i = r[0][0] > r[1][1] ? (r[0][0] > r[2][2] ? 0 : 2) : (r[1][1] > r[2][2] ? 1 : 2);
    int j = (i + 1) % 3, k = (i + 2) % 3;
    double s = 2 * std::sqrt(1 + r[i][i] - r[j][j] - r[k][k]);
    q[i] = s / 4;
    q[3] = (r[k][j] - r[j][k]) / s, q[j] = (r[j][i] + r[i][j]) / s, q[k] = (r[k][i] + r[i][k]) / s;
  }
  for (unsigned int k = 0; k < 3; k++) out->translation[k] = m(3, k) * metres;
}

static MMatrix toMatrix(const mien_rigid &a, double metres) {
  double x = a.rotation[0], y = a.rotation[1], z = a.rotation[2], w = a.rotation[3];
  MMatrix m;
  m(0, 0) = 1 - 2 * (y * y + z * z), m(0, 1) = 2 * (x * y + z * w), m(0, 2) = 2 * (x * z - y * w);
  m(1, 0) = 2 * (x * y - z * w), m(1, 1) = 1 - 2 * (x * x + z * z), m(1, 2) = 2 * (y * z + x * w);
  m(2, 0) = 2 * (x * z + y * w), m(2, 1) = 2 * (y * z - x * w), m(2, 2) = 1 - 2 * (x * x + y * y);
  for (unsigned int k = 0; k < 3; k++) m(3, k) = a.translation[k] / metres;
  return m;
}

static bool isIdentity(const MMatrix &m) {
  for (unsigned int r = 0; r < 4; r++)
    for (unsigned int c = 0; c < 4; c++)
      if (!(std::fabs(m(r, c) - (r == c)) < 1e-12)) return false;
  return true;
}

// Triangles and points of the colliders, and where they are. The transform's scale goes into the
// points: what is left is rigid. Elements without a mesh are left out.
void MienFaceNode::readColliders(MDataBlock &block, double metres,
                                 std::vector<ColliderSource> *sources,
                                 std::vector<mien_rigid> *places) const {
  MStatus status;
  MArrayDataHandle list = block.inputArrayValue(aColliders, &status);
  for (unsigned int k = 0; status && k < list.elementCount(); k++, list.next()) {
    MDataHandle element = list.inputValue();
    MObject mesh = element.child(aColliderMesh).asMesh();
    if (mesh.isNull()) continue;
    MMatrix matrix = element.child(aColliderMatrix).asMatrix();
    mien_rigid place;
    toRigid(matrix, metres, &place);
    places->push_back(place);
    if (!sources) continue;
    MMatrix shape = matrix * toMatrix(place, metres).inverse();
    MFnMesh fn(mesh);
    MPointArray points;
    MIntArray counts, corners;
    fn.getPoints(points);
    fn.getVertices(counts, corners);
    sources->emplace_back();
    for (unsigned int i = 0; i < points.length(); i++)
      appendScaled(points[i] * shape - MPoint(), metres, &sources->back().points);
    bool isMirrored = mirrors(shape);
    for (unsigned int f = 0, at = 0; f < counts.length(); f++) {
      unsigned int count = static_cast<unsigned int>(counts[f]);
      for (unsigned int c = 2; c < count; c++)
        for (unsigned int corner : {0u, c - 1, c})
          sources->back().triangles.push_back(corners[cornerOf(at, count, corner, isMirrored)]);
      at += count;
    }
  }
}

// Head and jaw; returns the matrix from the mesh's space to the head's.
MMatrix MienFaceNode::readHead(MDataBlock &block, unsigned int index, const MMatrix &localToWorld,
                               FrameInput *frame, double metres) const {
  MMatrix now = block.inputValue(aHeadMatrix).asMatrix();
  MMatrix then = block.inputValue(aHeadRestMatrix).asMatrix();
  MMatrix rest;
  MDataHandle element;
  if (elementOf(block, aPerGeometry, index, &element)) rest = element.child(aRestMatrix).asMatrix();
  if (!MPlug(thisMObject(), aHeadMatrix).isDestination()) {
    then = rest;
    now = localToWorld;
  }
  // seen from the origin of the head's space
  for (unsigned int k = 0; k < 3; k++) then(3, k) -= rest(3, k);
  toRigid(then.inverse() * now, metres, &frame->head);
  MMatrix back = toMatrix(frame->head, metres).inverse();
  frame->has_jaw = MPlug(thisMObject(), aJawMatrix).isDestination();
  if (frame->has_jaw) {
    // from the head's space to the world of then, with the jaw, and back from the world of now
    MMatrix pivot;
    for (unsigned int k = 0; k < 3; k++) pivot(3, k) = rest(3, k);
    MMatrix jaw = block.inputValue(aJawMatrix).asMatrix();
    MMatrix jaw_then = block.inputValue(aJawRestMatrix).asMatrix();
    toRigid(pivot * jaw_then.inverse() * jaw * back, metres, &frame->jaw);
  }
  // a mesh that hangs on its head as it did is left alone, not turned by a rounding
  MMatrix to_head = localToWorld * back;
  return isIdentity(to_head) ? MMatrix() : to_head;
}

void MienFaceNode::readFrame(MDataBlock &block, unsigned int index, const MMatrix &to_head,
                             const Settings &settings, FrameInput *frame) const {
  double metres = settings.metres();
  readColliders(block, metres, nullptr, &frame->colliders);
  frame->time = block.inputValue(aTime).asTime().as(MTime::kSeconds);
  frame->start = block.inputValue(aStartTime).asTime().as(MTime::kSeconds);
  frame->frame_length = frameSeconds();
  MObject mesh = incomingMesh(block, index);
  if (!mesh.isNull()) {
    MFnMesh fn(mesh);
    MPointArray points;
    fn.getPoints(points);
    frame->pose.reserve(3 * points.length());
    for (unsigned int i = 0; i < points.length(); i++)
      appendScaled(points[i] * to_head - MPoint(), metres, &frame->pose);
  }
  readWeights(block, index, &frame->weights);
  readContractions(block, &frame->contractions);
}

// Elements that are not there are muscles at rest.
void MienFaceNode::readContractions(MDataBlock &block, std::vector<float> *out) const {
  MStatus status;
  MArrayDataHandle list = block.inputArrayValue(aContraction, &status);
  for (unsigned int k = 0; status && k < list.elementCount(); k++, list.next()) {
    size_t at = list.elementIndex();
    if (at >= out->size()) out->resize(at + 1, 0.0f);
    (*out)[at] = list.inputValue().asFloat();
  }
}

// The share of every shape in one channel at its weight: in-betweens divide it among neighbours, as
// the blendShape does; beyond the ends the last goes on.
static void shareOut(double weight, const std::map<double, size_t> &full,
                     std::vector<float> *shares) {
  auto above = full.lower_bound(weight);
  if (above == full.end()) --above;
  double high = above->first, low = above == full.begin() ? 0 : std::prev(above)->first;
  double share = (weight - low) / (high - low);
  (*shares)[above->second] = static_cast<float>(share);
  if (above != full.begin()) (*shares)[std::prev(above)->second] = static_cast<float>(1 - share);
}

void MienFaceNode::readWeights(MDataBlock &block, unsigned int index,
                               std::vector<float> *shares) const {
  MDataHandle element;
  if (!elementOf(block, aPerGeometry, index, &element)) return;
  std::map<int, std::map<double, size_t>> channels; // of each: where its shapes are full
  MArrayDataHandle shapes(element.child(aShapes));
  for (unsigned int k = 0; k < shapes.elementCount(); k++, shapes.next()) {
    MDataHandle one = shapes.inputValue();
    double full = one.child(aShapeFull).asDouble();
    if (full > 0) channels[one.child(aShapeChannel).asInt()][full] = k;
  }
  shares->assign(shapes.elementCount(), 0.0f);
  if (!elementOf(block, aShapeWeights, index, &element)) return;
  MArrayDataHandle values(element.child(aShapeWeight));
  for (auto &channel : channels)
    if (values.jumpToElement(static_cast<unsigned int>(channel.first)))
      shareOut(static_cast<double>(values.inputValue().asFloat()), channel.second, shares);
}

} // namespace mien_maya

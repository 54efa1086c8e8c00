// Reading the scene: plugs in, plain arrays in metres out.
//
// Three spaces. Object: the mesh's own, centimetres. Head: the axes of the world as it was when the
// face was attached, with the mesh's pivot of that moment as origin, carried along by the head's
// rigid motion since then; metres. World. Numbers in the head's space are small wherever in the
// world the face is. With no headMatrix the mesh's own transform is the head.
#include "mien_face_node.h"

#include <cmath>

#include <maya/MFnComponentListData.h>
#include <maya/MFnMesh.h>
#include <maya/MFnPointArrayData.h>
#include <maya/MFnSingleIndexedComponent.h>
#include <maya/MPointArray.h>
#include <maya/MTime.h>

namespace mien_maya {

static const double kMetresPerUnit = 0.01; // the API speaks centimetres whatever the user sees

Settings MienFaceNode::readSettings(MDataBlock &block) const {
  Settings settings;
  settingsInit(&settings);
  for (int k = 0; k < kParameterCount; k++) {
    const Parameter &p = kParameters[k];
    MDataHandle handle = block.inputValue(aParameters[static_cast<unsigned>(k)]);
    double values[3] = {0, 0, 0};
    switch (p.kind) {
    case Kind::real:
      values[0] = handle.asDouble();
      break;
    case Kind::toggle:
      values[0] = handle.asBool();
      break;
    case Kind::choice:
      values[0] = handle.asShort();
      break;
    case Kind::vector:
      for (int c = 0; c < 3; c++) values[c] = handle.asDouble3()[c];
      break;
    default:
      values[0] = handle.asInt();
    }
    settingsSet(&settings, p, values);
  }
  return settings;
}

// One element of perGeometry, up to date; false when there is none.
static bool elementOf(MDataBlock &block, unsigned int index, MDataHandle *out) {
  MStatus status;
  MArrayDataHandle list = block.inputArrayValue(MienFaceNode::aPerGeometry, &status);
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

static void appendScaled(const MVector &v, double scale, std::vector<float> *out) {
  for (unsigned int k = 0; k < 3; k++) out->push_back(static_cast<float>(v[k] * scale));
}

static bool readShape(MDataHandle &element, unsigned int number, const MMatrix &to_head,
                      double metres, ShapeSource *out) {
  MString name = element.child(MienFaceNode::aShapeName).asString();
  out->name = name.length() ? name.asChar() : "shape" + std::to_string(number);
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
    MFnSingleIndexedComponent fn(fnList.get(c), &status);
    MIntArray ids;
    if (!status || !fn.getElements(ids)) return false;
    for (unsigned int i = 0; i < ids.length(); i++) out->indices.push_back(ids[i]);
  }
  if (out->indices.size() != deltas.length()) return false;
  for (unsigned int i = 0; i < deltas.length(); i++)
    appendScaled((deltas[i] - MPoint()) * to_head, metres, &out->deltas);
  return true;
}

// Elements that were never painted are not in the array.
static void readMap(MDataHandle &element, const MObject &attribute, const PaintedMap &map,
                    MapSource *out) {
  out->name = map.core;
  MStatus status;
  MArrayDataHandle values(element.child(attribute), &status);
  if (!status) return;
  for (unsigned int k = 0; k < values.elementCount(); k++, values.next())
    out->values[static_cast<int>(values.elementIndex())] =
        static_cast<float>(static_cast<double>(values.inputValue().asFloat()) * map.to_si);
}

bool MienFaceNode::readRig(MDataBlock &block, unsigned int index, const Settings &settings,
                           RigSource *source, std::string *why) const {
  MDataHandle element;
  MObject mesh;
  if (elementOf(block, index, &element)) mesh = element.child(aRestMesh).asMesh();
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
  double metres = kMetresPerUnit * settings.space_scale;
  source->name = name().asChar();
  for (unsigned int i = 0; i < points.length(); i++)
    appendScaled(points[i] * to_head - MPoint(), metres, &source->rest);
  for (unsigned int i = 0; i < counts.length(); i++) source->counts.push_back(counts[i]);
  for (unsigned int i = 0; i < corners.length(); i++) source->corners.push_back(corners[i]);
  MArrayDataHandle shapes(element.child(aShapes));
  for (unsigned int k = 0; k < shapes.elementCount(); k++, shapes.next()) {
    MDataHandle one = shapes.inputValue();
    ShapeSource shape;
    if (!readShape(one, shapes.elementIndex(), to_head, metres, &shape)) {
      *why = "cannot read shape '" + shape.name + "'";
      return false;
    }
    source->shapes.push_back(shape);
  }
  for (int k = 0; k < kMapCount; k++) {
    source->maps.emplace_back();
    readMap(element, aMaps[static_cast<unsigned>(k)], kMaps[k], &source->maps.back());
  }
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

static void rotationVector(const mien_rigid &a, double out[3]) {
  double s = std::sqrt(a.rotation[0] * a.rotation[0] + a.rotation[1] * a.rotation[1] +
                       a.rotation[2] * a.rotation[2]);
  double angle = 2 * std::atan2(s, a.rotation[3]);
  if (angle > 3.14159265358979) angle -= 2 * 3.14159265358979;
  for (int k = 0; k < 3; k++) out[k] = s > 0 ? a.rotation[k] / s * angle : 0;
}

// Head and jaw; returns the matrix from the mesh's space to the head's.
MMatrix MienFaceNode::readHead(MDataBlock &block, unsigned int index, const MMatrix &localToWorld,
                               FrameInput *frame, double metres) const {
  MMatrix now = block.inputValue(aHeadMatrix).asMatrix();
  MMatrix then = block.inputValue(aHeadRestMatrix).asMatrix();
  MMatrix rest;
  MDataHandle element;
  if (elementOf(block, index, &element)) rest = element.child(aRestMatrix).asMatrix();
  if (!MPlug(thisMObject(), aHeadMatrix).isDestination()) {
    then = rest;
    now = localToWorld;
  }
  // seen from the origin of the head's space
  for (unsigned int k = 0; k < 3; k++) then(3, k) -= rest(3, k);
  toRigid(then.inverse() * now, metres, &frame->head);
  MMatrix back = toMatrix(frame->head, metres).inverse();
  MMatrix jaw = block.inputValue(aJawMatrix).asMatrix();
  MMatrix jaw_then = block.inputValue(aJawRestMatrix).asMatrix();
  frame->has_jaw = MPlug(thisMObject(), aJawMatrix).isDestination();
  if (frame->has_jaw) {
    mien_rigid turn;
    toRigid(withoutTranslation(jaw_then).inverse() * withoutTranslation(jaw) *
                withoutTranslation(back),
            metres, &turn);
    rotationVector(turn, frame->jaw_turn);
  }
  return localToWorld * back;
}

void MienFaceNode::readFrame(MDataBlock &block, unsigned int index, const MMatrix &to_head,
                             const Settings &settings, FrameInput *frame) const {
  double metres = kMetresPerUnit * settings.space_scale;
  frame->time = block.inputValue(aTime).asTime().as(MTime::kSeconds);
  frame->start = block.inputValue(aStartTime).asTime().as(MTime::kSeconds);
  frame->frame_length = MTime(1, MTime::uiUnit()).as(MTime::kSeconds);
  MObject mesh = incomingMesh(block, index);
  if (!mesh.isNull()) {
    MFnMesh fn(mesh);
    MPointArray points;
    fn.getPoints(points);
    frame->pose.reserve(3 * points.length());
    for (unsigned int i = 0; i < points.length(); i++)
      appendScaled(points[i] * to_head - MPoint(), metres, &frame->pose);
  }
  MDataHandle element;
  if (!elementOf(block, index, &element)) return;
  MArrayDataHandle shapes(element.child(aShapes));
  for (unsigned int k = 0; k < shapes.elementCount(); k++, shapes.next())
    frame->weights.push_back(shapes.inputValue().child(aShapeWeight).asFloat());
}

} // namespace mien_maya

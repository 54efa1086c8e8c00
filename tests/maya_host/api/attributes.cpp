// Function sets that make attributes.
#include "api/bridge.h"

#include <cstring>

#include <maya/MFnCompoundAttribute.h>
#include <maya/MFnEnumAttribute.h>
#include <maya/MFnMatrixAttribute.h>
#include <maya/MFnMessageAttribute.h>
#include <maya/MFnNumericAttribute.h>
#include <maya/MFnTypedAttribute.h>
#include <maya/MFnUnitAttribute.h>
#include <maya/MMatrix.h>
#include <maya/MObject.h>
#include <maya/MTypeId.h>

using host::Attr;
using host::Kind;

MAYA_HOST_OPEN

MFnAttribute::MFnAttribute(const MObject &object, MStatus *status) {
  object_ = object;
  answer(status, object.attr ? MStatus::kSuccess : MStatus::kInvalidParameter);
}
Attr *MFnAttribute::attr() const {
  static Attr none;
  return object_.attr ? object_.attr : &none;
}
MObject MFnAttribute::make(const MString &full, const MString &brief, int kind, MStatus *status) {
  bool ok = full.length() > 0 && brief.length() > 0;
  answer(status, ok ? MStatus::kSuccess : MStatus::kInvalidParameter);
  object_ =
      ok ? MObject(host::newAttr(text(full), text(brief), static_cast<Kind>(kind))) : MObject();
  return object_;
}
MString MFnAttribute::name(MStatus *) const {
  return attr()->longName.c_str();
}
MString MFnAttribute::shortName(MStatus *) const {
  return attr()->shortName.c_str();
}
bool MFnAttribute::isKeyable(MStatus *) const {
  return attr()->keyable;
}
bool MFnAttribute::isStorable(MStatus *) const {
  return attr()->storable;
}
bool MFnAttribute::isArray(MStatus *) const {
  return attr()->array;
}
bool MFnAttribute::isWritable(MStatus *) const {
  return attr()->writable;
}

// what an attribute is cannot change once a node type has it
MStatus MFnAttribute::flag(bool Attr::*which, bool state) {
  if (object_.isNull() || (attr()->owner && which == &Attr::array)) return MStatus::kFailure;
  attr()->*which = state;
  return MStatus();
}
MStatus MFnAttribute::setReadable(bool s) {
  return flag(&Attr::readable, s);
}
MStatus MFnAttribute::setWritable(bool s) {
  return flag(&Attr::writable, s);
}
MStatus MFnAttribute::setConnectable(bool s) {
  return flag(&Attr::connectable, s);
}
MStatus MFnAttribute::setStorable(bool s) {
  return flag(&Attr::storable, s);
}
MStatus MFnAttribute::setCached(bool s) {
  return flag(&Attr::cached, s);
}
MStatus MFnAttribute::setArray(bool s) {
  return flag(&Attr::array, s);
}
MStatus MFnAttribute::setIndexMatters(bool s) {
  return flag(&Attr::indexMatters, s);
}
MStatus MFnAttribute::setChannelBox(bool s) {
  return flag(&Attr::channelBox, s);
}
MStatus MFnAttribute::setHidden(bool s) {
  return flag(&Attr::hidden, s);
}
MStatus MFnAttribute::setUsedAsFilename(bool s) {
  return flag(&Attr::usedAsFilename, s);
}
MStatus MFnAttribute::setUsesArrayDataBuilder(bool s) {
  return flag(&Attr::usesBuilder, s);
}
MStatus MFnAttribute::setInternal(bool s) {
  return flag(&Attr::internal, s);
}
MStatus MFnAttribute::setKeyable(bool s) {
  for (Attr *c : attr()->children) c->keyable = s;
  return flag(&Attr::keyable, s);
}
MStatus MFnAttribute::setNiceNameOverride(const MString &name) {
  attr()->niceName = text(name);
  return MStatus();
}

static Kind kindOf(MFnNumericData::Type type) {
  switch (type) {
  case MFnNumericData::kBoolean:
    return Kind::boolean;
  case MFnNumericData::kShort:
    return Kind::int16;
  case MFnNumericData::kInt:
    return Kind::int32;
  case MFnNumericData::kFloat:
    return Kind::real32;
  case MFnNumericData::k3Float:
    return Kind::vec3f;
  case MFnNumericData::k3Double:
    return Kind::vec3d;
  default:
    return Kind::real64;
  }
}

static void addPart(Attr *to, Attr *part) {
  part->parent = to;
  part->component = static_cast<int>(to->children.size());
  to->defaultVector[part->component] = part->defaultNumber;
  to->children.push_back(part);
}

MObject MFnNumericAttribute::create(const MString &full, const MString &brief,
                                    MFnNumericData::Type type, double value, MStatus *status) {
  Kind kind = kindOf(type);
  MObject made = make(full, brief, static_cast<int>(kind), status);
  if (made.isNull()) return made;
  made.attr->defaultNumber = value;
  Kind partKind = kind == Kind::vec3f ? Kind::real32 : Kind::real64;
  for (int k = 0; k < 3 && made.attr->isVector(); k++) {
    Attr *part =
        host::newAttr(text(full) + std::to_string(k), text(brief) + std::to_string(k), partKind);
    part->defaultNumber = value;
    addPart(made.attr, part);
  }
  return made;
}
MObject MFnNumericAttribute::create(const MString &full, const MString &brief, const MObject &c1,
                                    const MObject &c2, const MObject &c3, MStatus *status) {
  bool ok = c1.attr && c2.attr && c3.attr && c1.attr->kind == c2.attr->kind &&
            c2.attr->kind == c3.attr->kind;
  if (!ok) {
    answer(status, MStatus::kInvalidParameter);
    return MObject();
  }
  Kind kind = c1.attr->kind == Kind::real32 ? Kind::vec3f : Kind::vec3d;
  MObject made = make(full, brief, static_cast<int>(kind), status);
  for (const MObject *c : {&c1, &c2, &c3}) addPart(made.attr, c->attr);
  return made;
}

static MStatus limit(Attr *a, bool Attr::*has, double Attr::*which, double value) {
  a->*has = true;
  a->*which = value;
  return MStatus();
}
MStatus MFnNumericAttribute::setMin(double v) {
  return limit(attr(), &Attr::hasMin, &Attr::min, v);
}
MStatus MFnNumericAttribute::setMax(double v) {
  return limit(attr(), &Attr::hasMax, &Attr::max, v);
}
MStatus MFnNumericAttribute::setSoftMin(double v) {
  return limit(attr(), &Attr::hasSoftMin, &Attr::softMin, v);
}
MStatus MFnNumericAttribute::setSoftMax(double v) {
  return limit(attr(), &Attr::hasSoftMax, &Attr::softMax, v);
}
MStatus MFnNumericAttribute::setDefault(double v) {
  return attr()->defaultNumber = v, MStatus();
}
MStatus MFnNumericAttribute::setDefault(bool v) {
  return setDefault(static_cast<double>(v));
}
MStatus MFnNumericAttribute::setDefault(int v) {
  return setDefault(static_cast<double>(v));
}
MStatus MFnNumericAttribute::setDefault(float v) {
  return setDefault(static_cast<double>(v));
}
MStatus MFnNumericAttribute::setDefault(double a, double b, double c) {
  double v[] = {a, b, c};
  for (size_t k = 0; k < attr()->children.size() && k < 3; k++)
    attr()->defaultVector[k] = attr()->children[k]->defaultNumber = v[k];
  return MStatus();
}
MStatus MFnNumericAttribute::setDefault(float a, float b, float c) {
  return setDefault(static_cast<double>(a), static_cast<double>(b), static_cast<double>(c));
}

MObject MFnUnitAttribute::create(const MString &full, const MString &brief, Type type, double value,
                                 MStatus *status) {
  Kind kind = type == kTime ? Kind::time : type == kAngle ? Kind::angle : Kind::distance;
  MObject made = make(full, brief, static_cast<int>(kind), status);
  if (made.attr) made.attr->defaultNumber = value;
  return made;
}
MObject MFnUnitAttribute::create(const MString &full, const MString &brief, const MTime &value,
                                 MStatus *status) {
  return create(full, brief, kTime, value.as(MTime::kSeconds), status);
}
MStatus MFnUnitAttribute::setMin(double v) {
  return limit(attr(), &Attr::hasMin, &Attr::min, v);
}
MStatus MFnUnitAttribute::setMax(double v) {
  return limit(attr(), &Attr::hasMax, &Attr::max, v);
}

MObject MFnTypedAttribute::create(const MString &full, const MString &brief, MFnData::Type type,
                                  MObject value, MStatus *status) {
  static const std::pair<MFnData::Type, Kind> known[] = {
      {MFnData::kString, Kind::text},
      {MFnData::kMatrix, Kind::matrix},
      {MFnData::kDoubleArray, Kind::doubles},
      {MFnData::kFloatArray, Kind::floats},
      {MFnData::kIntArray, Kind::ints},
      {MFnData::kPointArray, Kind::points},
      {MFnData::kVectorArray, Kind::vectors},
      {MFnData::kMesh, Kind::mesh},
      {MFnData::kComponentList, Kind::components}};
  for (auto &k : known)
    if (k.first == type) {
      MObject made = make(full, brief, static_cast<int>(k.second), status);
      if (made.attr) made.attr->defaultData = value.data;
      return made;
    }
  answer(status, MStatus::kInvalidParameter);
  return MObject();
}

MObject MFnEnumAttribute::create(const MString &full, const MString &brief, short value,
                                 MStatus *status) {
  MObject made = make(full, brief, static_cast<int>(Kind::enumeration), status);
  if (made.attr) made.attr->defaultNumber = value;
  return made;
}
MStatus MFnEnumAttribute::addField(const MString &name, short index) {
  attr()->fields.push_back({text(name), index});
  return MStatus();
}
short MFnEnumAttribute::fieldIndex(const MString &name, MStatus *status) const {
  for (auto &f : attr()->fields)
    if (f.first == text(name)) return answer(status, MStatus::kSuccess), f.second;
  answer(status, MStatus::kFailure);
  return -1;
}
MString MFnEnumAttribute::fieldName(short index, MStatus *status) const {
  for (auto &f : attr()->fields)
    if (f.second == index) return answer(status, MStatus::kSuccess), MString(f.first.c_str());
  answer(status, MStatus::kFailure);
  return MString();
}
MStatus MFnEnumAttribute::setDefault(short value) {
  return attr()->defaultNumber = value, MStatus();
}

MObject MFnCompoundAttribute::create(const MString &full, const MString &brief, MStatus *status) {
  return make(full, brief, static_cast<int>(Kind::compound), status);
}
// after addAttribute it is too late
MStatus MFnCompoundAttribute::addChild(const MObject &child) {
  if (!child.attr || attr()->owner || child.attr->owner || child.attr->parent)
    return MStatus::kFailure;
  child.attr->parent = attr();
  attr()->children.push_back(child.attr);
  return MStatus();
}
unsigned int MFnCompoundAttribute::numChildren(MStatus *) const {
  return static_cast<unsigned>(attr()->children.size());
}

MObject MFnMatrixAttribute::create(const MString &full, const MString &brief, Type,
                                   MStatus *status) {
  return make(full, brief, static_cast<int>(Kind::matrix), status);
}
MStatus MFnMatrixAttribute::setDefault(const MMatrix &value) {
  std::memcpy(attr()->defaultMatrix.data(), value.matrix, sizeof value.matrix);
  return MStatus();
}

MObject MFnMessageAttribute::create(const MString &full, const MString &brief, MStatus *status) {
  return make(full, brief, static_cast<int>(Kind::message), status);
}

MAYA_HOST_CLOSE

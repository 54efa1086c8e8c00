// Plugs.
#include "api/bridge.h"

#include <maya/MIntArray.h>
#include <maya/MPlugArray.h>

using host::Kind;
using host::Plug;
using host::Value;

host::Plug plugOfValue(const host::Block &block, const Value *value) {
  Plug p{block.node, value->attr, {}};
  for (const Value *v = value; v; v = v->parent) {
    if (!v->attr->array) continue;
    if (v->isList && v == value) p.index.insert(p.index.begin(), -1);
    if (!v->isList) p.index.insert(p.index.begin(), static_cast<int>(v->logical));
  }
  return p;
}

bool setObject(const Plug &plug, const MObject &value) {
  if (!value.data || plug.isNull()) return false;
  auto data = value.data;
  theScene().change(plug, [data](Value &v, int) {
    v.data = data;
    v.text = data->text;
    v.matrix = data->matrix;
  });
  return true;
}

MAYA_HOST_OPEN

MPlug::MPlug() : plug_(new Plug) {}
MPlug::MPlug(const Plug &p) : plug_(new Plug(p)) {}
MPlug::MPlug(const MPlug &o) : plug_(new Plug(*o.plug_)) {}
MPlug::MPlug(const MObject &node, const MObject &attribute)
    : plug_(new Plug(node.node && attribute.attr ? host::plugOf(node.node, attribute.attr)
                                                 : Plug())) {}
MPlug &MPlug::operator=(const MPlug &o) {
  *plug_ = *o.plug_;
  return *this;
}
MPlug::~MPlug() = default;

MObject MPlug::attribute(MStatus *status) const {
  answer(status, plug_->attr ? MStatus::kSuccess : MStatus::kFailure);
  return plug_->attr ? MObject(plug_->attr) : MObject();
}
MObject MPlug::node(MStatus *status) const {
  answer(status, plug_->node ? MStatus::kSuccess : MStatus::kFailure);
  return plug_->node ? MObject(plug_->node) : MObject();
}
MString MPlug::name(MStatus *status) const {
  answer(status, MStatus::kSuccess);
  return plug_->name().c_str();
}
MString MPlug::info(MStatus *status) const {
  return name(status);
}
MString MPlug::partialName(bool withNode, bool, bool, bool useAlias, bool, bool longNames,
                           MStatus *status) const {
  answer(status, plug_->attr ? MStatus::kSuccess : MStatus::kFailure);
  if (!plug_->attr) return MString();
  std::string out = plug_->attributeName(!longNames);
  auto alias = plug_->node->alias.find(plug_->attributeName());
  if (useAlias && alias != plug_->node->alias.end()) out = alias->second;
  return ((withNode ? plug_->node->name + "." : "") + out).c_str();
}

bool MPlug::isNull(MStatus *) const {
  return plug_->isNull();
}
bool MPlug::isArray(MStatus *) const {
  return plug_->isList();
}
bool MPlug::isElement(MStatus *) const {
  return plug_->attr && plug_->attr->array && !plug_->isList();
}
bool MPlug::isCompound(MStatus *) const {
  return plug_->attr && !plug_->attr->children.empty();
}
bool MPlug::isChild(MStatus *) const {
  return plug_->attr && plug_->attr->parent && !isElement();
}
bool MPlug::isKeyable(MStatus *) const {
  return plug_->attr && plug_->attr->keyable;
}
bool MPlug::isDestination(MStatus *) const {
  return theScene().into.count(*plug_) != 0;
}
bool MPlug::isConnected(MStatus *) const {
  return isDestination() || !theScene().destinations(*plug_).empty();
}
MPlug MPlug::source(MStatus *status) const {
  Plug from;
  theScene().source(*plug_, &from);
  answer(status, MStatus::kSuccess);
  return MPlug(from);
}

unsigned int MPlug::logicalIndex(MStatus *status) const {
  answer(status, isElement() ? MStatus::kSuccess : MStatus::kFailure);
  return isElement() ? static_cast<unsigned>(plug_->index.back()) : 0xffffffffu;
}

MStatus MPlug::selectAncestorLogicalIndex(unsigned int index, const MObject &attribute) {
  size_t depth = 0;
  for (host::Attr *a : host::lineage(plug_->attr)) {
    if (!a->array) continue;
    if (a == attribute.attr || (attribute.isNull() && a == plug_->attr)) {
      plug_->index[depth] = static_cast<int>(index);
      return MStatus();
    }
    depth++;
  }
  return MStatus::kInvalidParameter;
}

static Value *listValue(const Plug &p) {
  return p.isList() ? host::Scene::context()->block(p.node).find(p) : nullptr;
}

unsigned int MPlug::getExistingArrayAttributeIndices(MIntArray &out, MStatus *status) {
  out.clear();
  // a node that walks its plugs in compute is slow there, and reads what belongs to another thread
  if (host::Scene::computing()) theScene().say('e', plug_->name() + " is walked in compute");
  Value *list = listValue(*plug_);
  answer(status, plug_->isList() ? MStatus::kSuccess : MStatus::kFailure);
  if (list) // in no promised order: here the last comes first
    for (auto e = list->element.rbegin(); e != list->element.rend(); ++e)
      out.append(static_cast<int>(e->first));
  return out.length();
}
unsigned int MPlug::numElements(MStatus *status) const {
  Value *list = listValue(*plug_);
  answer(status, plug_->isList() ? MStatus::kSuccess : MStatus::kFailure);
  return list ? static_cast<unsigned>(list->element.size()) : 0;
}
unsigned int MPlug::evaluateNumElements(MStatus *status) {
  if (plug_->isList()) theScene().pull(*host::Scene::context(), *plug_);
  return numElements(status);
}
unsigned int MPlug::numChildren(MStatus *) const {
  return plug_->attr ? static_cast<unsigned>(plug_->attr->children.size()) : 0;
}

MPlug MPlug::child(MObject &attribute, MStatus *status) const {
  bool ok = attribute.attr && attribute.attr->parent == plug_->attr && !plug_->isList();
  if (ok && attribute.ofPlugins) ok = !plug_->node->type->plugin.empty();
  answer(status, ok ? MStatus::kSuccess : MStatus::kInvalidParameter);
  return ok ? MPlug(plug_->child(attribute.attr)) : MPlug();
}
MPlug MPlug::child(unsigned int index, MStatus *status) const {
  bool ok = index < numChildren() && !plug_->isList();
  answer(status, ok ? MStatus::kSuccess : MStatus::kInvalidParameter);
  return ok ? MPlug(plug_->child(plug_->attr->children[index])) : MPlug();
}
MPlug MPlug::parent(MStatus *status) const {
  answer(status, plug_->attr && plug_->attr->parent ? MStatus::kSuccess : MStatus::kFailure);
  return MPlug(plug_->parent());
}
MPlug MPlug::array(MStatus *status) const {
  answer(status, isElement() ? MStatus::kSuccess : MStatus::kFailure);
  return isElement() ? MPlug(plug_->element(-1)) : MPlug();
}
MPlug MPlug::elementByLogicalIndex(unsigned int index, MStatus *status) const {
  answer(status, plug_->isList() ? MStatus::kSuccess : MStatus::kFailure);
  if (!plug_->isList()) return MPlug();
  Plug element = plug_->element(static_cast<int>(index));
  // an element of one of Maya's own nodes is made by asking for it
  bool isWhole = true;
  for (int at : element.index) isWhole = isWhole && at >= 0;
  if (isWhole && element.node->type->plugin.empty() && !host::Scene::computing())
    element.node->block->make(element);
  return MPlug(element);
}
MPlug MPlug::elementByPhysicalIndex(unsigned int index, MStatus *status) const {
  MIntArray all;
  MPlug(*this).getExistingArrayAttributeIndices(all);
  answer(status, index < all.length() ? MStatus::kSuccess : MStatus::kInvalidParameter);
  return index < all.length() ? MPlug(plug_->element(all[index])) : MPlug();
}

bool MPlug::connectedTo(MPlugArray &list, bool asDst, bool asSrc, MStatus *status) const {
  list.clear();
  Plug from;
  if (asDst && theScene().source(*plug_, &from)) list.append(MPlug(from));
  if (asSrc)
    for (const Plug &to : theScene().destinations(*plug_)) list.append(MPlug(to));
  answer(status, MStatus::kSuccess);
  return list.length() > 0;
}

bool MPlug::operator==(const MPlug &o) const {
  return *plug_ == *o.plug_;
}
bool MPlug::operator==(const MObject &attribute) const {
  return plug_->attr == attribute.attr;
}

static Value *pulled(const Plug &p, MStatus *status) {
  bool ok = p.attr && !p.isList();
  if (host::Scene::isDeviceThread())
    theScene().say('e', "the plug " + p.name() + " was read in the thread of a device");
  answer(status, ok ? MStatus::kSuccess : MStatus::kFailure);
  return ok ? &theScene().pull(*host::Scene::context(), p) : nullptr;
}

double MPlug::asDouble(MStatus *status) const {
  Value *v = pulled(*plug_, status);
  return v ? v->number(plug_->attr->component) : 0;
}
float MPlug::asFloat(MStatus *status) const {
  return static_cast<float>(asDouble(status));
}
int MPlug::asInt(MStatus *status) const {
  return static_cast<int>(asDouble(status));
}
short MPlug::asShort(MStatus *status) const {
  return static_cast<short>(asDouble(status));
}
bool MPlug::asBool(MStatus *status) const {
  return asDouble(status) != 0;
}
MTime MPlug::asMTime(MStatus *status) const {
  Value *v = pulled(*plug_, status);
  return MTime::make(v ? v->ticks : 0);
}
MString MPlug::asString(MStatus *status) const {
  Value *v = pulled(*plug_, status);
  return v ? v->text.c_str() : "";
}
MObject MPlug::asMObject(MStatus *status) const {
  Value *v = pulled(*plug_, status);
  if (v && plug_->attr->kind == Kind::matrix) {
    auto data = std::make_shared<host::Data>();
    data->kind = Kind::matrix;
    data->matrix = v->matrix;
    return MObject(data);
  }
  if (!v || !v->data) {
    answer(status, MStatus::kFailure);
    return MObject();
  }
  return MObject(v->data);
}

// setting a plug is not undoable in Maya either: a command uses a modifier
MStatus MPlug::setNumber(double value) {
  Plug from;
  if (!plug_->attr || plug_->isList() || theScene().source(*plug_, &from)) return MStatus::kFailure;
  host::EditList *outer = theScene().record(nullptr);
  theScene().change(*plug_, [value](Value &v, int part) { v.setNumber(value, part); });
  theScene().record(outer);
  return MStatus();
}
MStatus MPlug::setDouble(double value) {
  return setNumber(value);
}
MStatus MPlug::setFloat(float value) {
  return setNumber(static_cast<double>(value));
}
MStatus MPlug::setInt(int value) {
  return setNumber(value);
}
MStatus MPlug::setShort(short value) {
  return setNumber(value);
}
MStatus MPlug::setBool(bool value) {
  return setNumber(value);
}
MStatus MPlug::setMTime(const MTime &value) {
  return setNumber(value.as(MTime::uiUnit()));
}
MStatus MPlug::setString(const MString &value) {
  if (!plug_->attr) return MStatus::kFailure;
  std::string to = text(value);
  host::EditList *outer = theScene().record(nullptr);
  theScene().change(*plug_, [to](Value &v, int) { v.text = to; });
  theScene().record(outer);
  return MStatus();
}
MStatus MPlug::setMObject(const MObject &value) {
  host::EditList *outer = theScene().record(nullptr);
  bool ok = setObject(*plug_, value);
  theScene().record(outer);
  return ok ? MStatus::kSuccess : MStatus::kFailure;
}

MAYA_HOST_CLOSE

// Function sets of nodes, paths and selections.
#include "api/bridge.h"

#include <cstring>

#include <maya/MDagPath.h>
#include <maya/MFnDagNode.h>
#include <maya/MMatrix.h>
#include <maya/MPlugArray.h>
#include <maya/MSelectionList.h>
#include <maya/MStringArray.h>

using host::Node;

MAYA_HOST_OPEN

MFnDependencyNode::MFnDependencyNode(const MObject &object, MStatus *status) {
  object_ = object;
  answer(status, object.node ? MStatus::kSuccess : MStatus::kInvalidParameter);
}
MPlug MFnDependencyNode::findPlug(const MString &name, bool, MStatus *status) const {
  host::Plug p = object_.node ? object_.node->plug(text(name)) : host::Plug();
  answer(status, p.attr ? MStatus::kSuccess : MStatus::kInvalidParameter);
  return MPlug(p);
}
MPlug MFnDependencyNode::findPlug(const MObject &attribute, bool, MStatus *status) const {
  bool ok = object_.node && attribute.attr &&
            object_.node->type->find(attribute.attr->longName) == attribute.attr;
  answer(status, ok ? MStatus::kSuccess : MStatus::kInvalidParameter);
  return ok ? MPlug(object_, attribute) : MPlug();
}
MString MFnDependencyNode::name(MStatus *) const {
  return object_.node ? object_.node->name.c_str() : "";
}
MTypeId MFnDependencyNode::typeId(MStatus *) const {
  return object_.node ? object_.node->type->id : 0;
}
MString MFnDependencyNode::typeName(MStatus *) const {
  return object_.node ? object_.node->type->name.c_str() : "";
}
MPxNode *MFnDependencyNode::userNode(MStatus *) const {
  return object_.node ? static_cast<MPxNode *>(object_.node->behaviour->user()) : nullptr;
}
bool MFnDependencyNode::hasAttribute(const MString &name, MStatus *) const {
  return object_.node && object_.node->type->find(text(name));
}
MObject MFnDependencyNode::attribute(const MString &name, MStatus *status) const {
  host::Attr *a = object_.node ? object_.node->type->find(text(name)) : nullptr;
  answer(status, a ? MStatus::kSuccess : MStatus::kFailure);
  return a ? MObject(a) : MObject();
}
MString MFnDependencyNode::plugsAlias(const MPlug &plug, MStatus *) {
  if (!object_.node) return MString();
  auto found = object_.node->alias.find(plug.hostPlug().attributeName());
  return found == object_.node->alias.end() ? MString() : MString(found->second.c_str());
}
MStatus MFnDependencyNode::getConnections(MPlugArray &plugs) const {
  plugs.clear();
  for (auto &pair : theScene().into) {
    if (pair.first.node == object_.node) plugs.append(MPlug(pair.first));
    if (pair.second.node == object_.node) plugs.append(MPlug(pair.second));
  }
  return plugs.length() ? MStatus::kSuccess : MStatus::kFailure;
}
bool MFnDependencyNode::isFromReferencedFile(MStatus *) const {
  return object_.node && object_.node->referenced;
}

MFnDagNode::MFnDagNode(const MObject &object, MStatus *status)
    : MFnDependencyNode(object, status) {}
MFnDagNode::MFnDagNode(const MDagPath &path, MStatus *status)
    : MFnDependencyNode(path.node(), status) {}
MStatus MFnDagNode::getPath(MDagPath &path) {
  return MDagPath::getAPathTo(object_, path);
}
static std::string fullName(const Node *n) {
  return n ? fullName(n->parent) + "|" + n->name : "";
}
MString MFnDagNode::fullPathName(MStatus *) const {
  return fullName(object_.node).c_str();
}
MString MFnDagNode::partialPathName(MStatus *status) const {
  return name(status);
}
bool MFnDagNode::isIntermediateObject(MStatus *) const {
  if (!object_.node || !object_.node->type->isA("mesh")) return false;
  return object_.node->block->find(object_.node->plug("intermediateObject"))->b;
}

bool MDagPath::isValid(MStatus *) const {
  return node_ && node_->alive;
}
MObject MDagPath::node(MStatus *status) const {
  answer(status, node_ ? MStatus::kSuccess : MStatus::kFailure);
  return node_ ? MObject(node_) : MObject();
}
MObject MDagPath::transform(MStatus *status) const {
  Node *n = node_ && node_->type->isA("mesh") ? node_->parent : node_;
  answer(status, n ? MStatus::kSuccess : MStatus::kFailure);
  return n ? MObject(n) : MObject();
}
bool MDagPath::hasFn(MFn::Type type, MStatus *) const {
  if (node().hasFn(type)) return true;
  Node *shape = theScene().shapeOf(node_); // Maya looks at the shape below, too
  return shape && MObject(shape).hasFn(type);
}
MFn::Type MDagPath::apiType(MStatus *) const {
  return node().apiType();
}
MStatus MDagPath::extendToShape() {
  Node *shape = theScene().shapeOf(node_);
  if (!shape) return MStatus::kFailure;
  node_ = shape;
  return MStatus();
}
MStatus MDagPath::pop(unsigned int n) {
  for (; n > 0; n--) {
    if (!node_) return MStatus::kFailure;
    node_ = node_->parent;
  }
  return MStatus();
}
MStatus MDagPath::push(const MObject &child) {
  if (!child.node || child.node->parent != node_) return MStatus::kFailure;
  node_ = child.node;
  return MStatus();
}
MMatrix MDagPath::inclusiveMatrix(MStatus *status) const {
  answer(status, node_ ? MStatus::kSuccess : MStatus::kFailure);
  MMatrix m;
  host::Matrix w = theScene().worldMatrix(*host::Scene::context(), node_);
  std::memcpy(m.matrix, w.data(), sizeof m.matrix);
  return m;
}
MString MDagPath::fullPathName(MStatus *) const {
  return fullName(node_).c_str();
}
MString MDagPath::partialPathName(MStatus *) const {
  return node_ ? node_->name.c_str() : "";
}
MStatus MDagPath::getAPathTo(const MObject &object, MDagPath &path) {
  if (!object.node || !object.node->type->isDag) return MStatus::kFailure;
  path = MDagPath(object.node);
  return MStatus();
}

MStatus MSelectionList::add(const MString &name, bool) {
  host::Plug p = theScene().plug(text(name));
  Node *node = theScene().find(text(name));
  if (!node && p.isNull()) return MStatus::kFailure;
  list_.push_back({node ? node : p.node, MPlug(node ? host::Plug() : p)});
  return MStatus();
}
MStatus MSelectionList::add(const MObject &object, bool) {
  if (!object.node) return MStatus::kFailure;
  list_.push_back({object.node, MPlug()});
  return MStatus();
}
MStatus MSelectionList::add(const MDagPath &path, const MObject &, bool merge) {
  return add(path.node(), merge);
}
unsigned int MSelectionList::length(MStatus *) const {
  return static_cast<unsigned>(list_.size());
}
MStatus MSelectionList::clear() {
  return list_.clear(), MStatus();
}
MStatus MSelectionList::getDagPath(unsigned int index, MDagPath &path) const {
  if (index >= list_.size()) return MStatus::kFailure;
  return MDagPath::getAPathTo(MObject(list_[index].node), path);
}
MStatus MSelectionList::getDagPath(unsigned int index, MDagPath &path, MObject &component) const {
  component = MObject();
  return getDagPath(index, path);
}
MStatus MSelectionList::getDependNode(unsigned int index, MObject &node) const {
  if (index >= list_.size()) return MStatus::kFailure;
  node = MObject(list_[index].node);
  return MStatus();
}
MStatus MSelectionList::getPlug(unsigned int index, MPlug &plug) const {
  if (index >= list_.size() || list_[index].plug.isNull()) return MStatus::kFailure;
  plug = list_[index].plug;
  return MStatus();
}
MStatus MSelectionList::getSelectionStrings(MStringArray &names) const {
  names.clear();
  for (const Item &i : list_)
    names.append(i.plug.isNull() ? MString(i.node->name.c_str()) : i.plug.name());
  return MStatus();
}

MAYA_HOST_CLOSE

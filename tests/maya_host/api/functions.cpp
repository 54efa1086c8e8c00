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
MStatus MFnDagNode::getPath(MDagPath &path) const {
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
// The first shape below, an intermediate one as well; a path that is a shape has none below.
MStatus MDagPath::extendToShape() {
  if (!node_ || !node_->type->isA("transform")) return MStatus::kFailure;
  for (auto &n : theScene().nodes)
    if (n->alive && n->parent == node_ && n->type->isA("mesh")) {
      node_ = n.get();
      return MStatus();
    }
  return MStatus::kFailure;
}
unsigned int MDagPath::childCount(MStatus *) const {
  unsigned int count = 0;
  for (auto &n : theScene().nodes) count += n->alive && node_ && n->parent == node_;
  return count;
}
MObject MDagPath::child(unsigned int index, MStatus *status) const {
  for (auto &n : theScene().nodes)
    if (n->alive && node_ && n->parent == node_ && index-- == 0)
      return answer(status, MStatus::kSuccess), MObject(n.get());
  return answer(status, MStatus::kInvalidParameter), MObject();
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

struct MSelectionList::Items {
  struct Item {
    host::Node *node;
    MPlug plug;
  };
  std::vector<Item> list;
};
MSelectionList::MSelectionList() : items_(new Items) {}
MSelectionList::MSelectionList(const MSelectionList &o) : items_(new Items(*o.items_)) {}
MSelectionList::~MSelectionList() = default;
MSelectionList &MSelectionList::operator=(const MSelectionList &o) {
  *items_ = *o.items_;
  return *this;
}

// A name of a plug in a list makes the element, as asking Maya for it does. Components such as
// face.vtx[3] stand for their shape.
MStatus MSelectionList::add(const MString &name, bool) {
  std::string word = text(name);
  size_t vertices = word.find(".vtx[");
  if (vertices != std::string::npos) {
    Node *shape = theScene().shapeOf(theScene().find(word.substr(0, vertices)));
    return shape ? add(MObject(shape)) : MStatus(MStatus::kFailure);
  }
  host::Plug p = theScene().plug(word);
  Node *node = theScene().find(word);
  if (!node && p.isNull()) return MStatus::kFailure;
  if (!node && !p.isList()) p.node->block->make(p);
  items_->list.push_back({node ? node : p.node, MPlug(node ? host::Plug() : p)});
  return MStatus();
}
MStatus MSelectionList::add(const MObject &object, bool) {
  if (!object.node) return MStatus::kFailure;
  items_->list.push_back({object.node, MPlug()});
  return MStatus();
}
MStatus MSelectionList::add(const MDagPath &path, const MObject &, bool merge) {
  return add(path.node(), merge);
}
unsigned int MSelectionList::length(MStatus *) const {
  return static_cast<unsigned>(items_->list.size());
}
bool MSelectionList::isEmpty(MStatus *) const {
  return items_->list.empty();
}
MStatus MSelectionList::clear() {
  return items_->list.clear(), MStatus();
}
MStatus MSelectionList::getDagPath(unsigned int index, MDagPath &path, MObject &) const {
  if (index >= length()) return MStatus::kFailure;
  return MDagPath::getAPathTo(MObject(items_->list[index].node), path);
}
MStatus MSelectionList::getDependNode(unsigned int index, MObject &node) const {
  if (index >= length()) return MStatus::kFailure;
  node = MObject(items_->list[index].node);
  return MStatus();
}
MStatus MSelectionList::getPlug(unsigned int index, MPlug &plug) const {
  if (index >= length() || items_->list[index].plug.isNull()) return MStatus::kFailure;
  plug = items_->list[index].plug;
  return MStatus();
}
MStatus MSelectionList::getSelectionStrings(MStringArray &names) const {
  names.clear();
  for (const Items::Item &i : items_->list)
    names.append(i.plug.isNull() ? MString(i.node->name.c_str()) : i.plug.name());
  return MStatus();
}

MAYA_HOST_CLOSE

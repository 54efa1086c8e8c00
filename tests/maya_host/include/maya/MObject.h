#ifndef HOST_MOBJECT_H
#define HOST_MOBJECT_H

#include <maya/MFn.h>
#include <maya/MTypes.h>
#include <memory>

MAYA_HOST_OPEN

class MObject {
public:
  MObject() = default;
  bool isNull() const { return !node && !attr && !data && !plugin; }
  bool hasFn(MFn::Type type) const;
  MFn::Type apiType() const;
  bool operator==(const MObject &o) const {
    return node == o.node && attr == o.attr && data == o.data && plugin == o.plugin;
  }
  bool operator!=(const MObject &o) const { return !(*this == o); }
  static MObject kNullObj;

private:
  MObject(host::Node *n) : node(n) {}
  MObject(host::Attr *a) : attr(a) {}
  MObject(const std::shared_ptr<host::Data> &d) : data(d) {}
  host::Node *node = nullptr;
  host::Attr *attr = nullptr;
  host::Plugin *plugin = nullptr;
  bool ofPlugins = false; // an attribute object of plug-ins' classes: unproven on Maya's own nodes
  std::shared_ptr<host::Data> data;
};

MAYA_HOST_CLOSE

#endif

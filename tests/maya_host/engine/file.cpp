// Scene files as text in the manner of .ma: createNode, setAttr, connectAttr; only what is stored.
#include "engine/mel.h"

#include <cstdio>
#include <fstream>
#include <sstream>

namespace host {

static std::string number(double v) {
  char text[40];
  std::snprintf(text, sizeof text, "%.17g", v);
  return text;
}

template <class T> static std::string numbers(const std::vector<T> &list, size_t width = 1) {
  std::string out = " " + std::to_string(list.size() / width);
  for (T v : list) out += " " + number(static_cast<double>(v));
  return out;
}

static std::string meshText(const Mesh &m) {
  std::string out = "-type \"mesh\"" + numbers(m.points, 3) + numbers(m.counts) +
                    numbers(m.corners) + " " + std::to_string(m.tag.size());
  for (auto &t : m.tag) out += " " + melQuoted(t.first) + numbers(t.second);
  return out;
}

std::string melValue(const Value &v) {
  const Attr *a = v.attr;
  if (a->isVector())
    return "-type \"double3\" " + number(v.number(0)) + " " + number(v.number(1)) + " " +
           number(v.number(2));
  if (a->isNumber()) return number(v.number());
  if (a->kind == Kind::text) return "-type \"string\" " + melQuoted(v.text);
  if (a->kind == Kind::matrix) {
    std::string out = "-type \"matrix\"";
    for (double d : v.matrix) out += " " + number(d);
    return out;
  }
  if (!v.data) return "";
  switch (a->kind) {
  case Kind::mesh:
    return meshText(v.data->mesh);
  case Kind::points:
    return "-type \"pointArray\"" + numbers(v.data->doubles, 4);
  case Kind::vectors:
    return "-type \"vectorArray\"" + numbers(v.data->doubles, 3);
  case Kind::doubles:
    return "-type \"doubleArray\"" + numbers(v.data->doubles);
  case Kind::floats:
    return "-type \"floatArray\"" + numbers(v.data->floats);
  case Kind::ints:
    return "-type \"Int32Array\"" + numbers(v.data->ints);
  case Kind::components:
    return "-type \"componentList\"" + numbers(v.data->ints);
  default:
    return "";
  }
}

// Walks the words behind setAttr; running out of them is an error, not a crash.
struct Reader {
  const Words &words;
  size_t at;
  bool ok = true;
  std::string text() {
    if (at < words.size()) return words[at++];
    ok = false;
    return "";
  }
  double real() { return std::atof(text().c_str()); }
  template <class T> void list(std::vector<T> &out, size_t width = 1) {
    double n = real();
    if (n < 0 || n * static_cast<double>(width) > static_cast<double>(words.size())) ok = false;
    for (size_t k = 0; ok && k < static_cast<size_t>(n) * width; k++)
      out.push_back(static_cast<T>(real()));
  }
};

static DataPtr readData(Reader &r, Kind kind) {
  auto d = std::make_shared<Data>();
  d->kind = kind;
  switch (kind) {
  case Kind::mesh: {
    r.list(d->mesh.points, 3);
    r.list(d->mesh.counts);
    r.list(d->mesh.corners);
    double ntag = r.real();
    for (int k = 0; r.ok && k < static_cast<int>(ntag); k++) {
      std::string name = r.text();
      r.list(d->mesh.tag[name]);
    }
    break;
  }
  case Kind::points:
  case Kind::vectors:
    r.list(d->doubles, kind == Kind::points ? 4 : 3);
    break;
  case Kind::doubles:
    r.list(d->doubles);
    break;
  case Kind::floats:
    r.list(d->floats);
    break;
  default:
    r.list(d->ints);
  }
  return d;
}

bool melSetValue(Scene &scene, const Plug &p, const Words &words, size_t at, std::string *why) {
  Plug from;
  if (p.isList() || scene.source(p, &from) || !p.attr->writable) {
    *why = "The attribute '" + p.name() + "' is locked or connected and cannot be modified.";
    return false;
  }
  if (at < words.size() && words[at] == "-type") at += 2;
  Reader r{words, at};
  const Attr *a = p.attr;
  if (a->isVector() || a->isNumber()) {
    double v[3] = {0, 0, 0};
    for (int k = 0; k < (a->isVector() ? 3 : 1); k++) v[k] = r.real();
    if (!r.ok) return *why = "setAttr: values are missing for '" + p.name() + "'", false;
    if (a->isNumber()) return scene.set(p.name(), v[0]) || (*why = "setAttr refused", false);
    scene.change(p, [=](Value &x, int) {
      for (int k = 0; k < 3; k++) x.setNumber(v[k], k);
    });
  } else if (a->kind == Kind::text) {
    std::string text = r.text();
    scene.change(p, [=](Value &x, int) { x.text = text; });
  } else if (a->kind == Kind::matrix) {
    Matrix m;
    for (double &d : m) d = r.real();
    if (r.ok) scene.change(p, [=](Value &x, int) { x.matrix = m; });
  } else {
    DataPtr data = readData(r, a->kind);
    if (r.ok) scene.change(p, [=](Value &x, int) { x.data = data; });
  }
  if (!r.ok) *why = "setAttr: values are missing for '" + p.name() + "'";
  return r.ok;
}

using Lines = std::vector<std::pair<std::string, std::string>>; // attribute, value

static void valueLines(const Scene &scene, const Plug &p, const Value &v, Lines &out) {
  Plug from;
  if (!p.attr->storable || !p.attr->writable || scene.source(p, &from)) return;
  if (v.isList) {
    for (auto &e : v.element) {
      Plug one = p.element(static_cast<int>(e.first));
      if (scene.source(one, &from)) continue;
      std::string text = v.attr->kind == Kind::compound ? "" : melValue(*e.second);
      if (!text.empty())
        out.push_back({one.attributeName(), text});
      else
        valueLines(scene, one, *e.second, out);
    }
    return;
  }
  for (auto &c : v.child) valueLines(scene, p.child(c->attr), *c, out);
  if (!v.child.empty() || v.isDefault()) return;
  std::string text = melValue(v);
  if (!text.empty()) out.push_back({p.attributeName(), text});
}

static Lines nodeLines(const Scene &scene, Node *n) {
  Lines lines;
  for (Attr *a : n->type->all()) valueLines(scene, plugOf(n, a), *n->block->top.at(a), lines);
  return lines;
}

std::string Scene::write() const {
  std::ostringstream out;
  std::set<std::string> needed;
  for (auto &n : nodes)
    if (n->alive && !n->type->plugin.empty()) needed.insert(n->type->plugin);
  for (const std::string &p : needed) out << "requires " << melQuoted(p) << ";\n";
  for (auto &r : references)
    out << "file -r -ns " << melQuoted(r.first) << " " << melQuoted(r.second) << ";\n";
  for (auto &n : nodes) {
    if (!n->alive) continue;
    if (!n->referenced && n->name != "time1") {
      out << "createNode " << n->type->name << " -n " << melQuoted(n->name);
      if (n->parent) out << " -p " << melQuoted(n->parent->name);
      out << ";\n";
      for (auto &a : n->alias)
        out << "\taliasAttr " << melQuoted(a.second) << " " << melQuoted(n->name + "." + a.first)
            << ";\n";
    }
    for (auto &line : nodeLines(*this, n.get())) {
      auto known = n->baseline.find(line.first);
      if (known != n->baseline.end() && known->second == line.second) continue;
      out << "\tsetAttr " << melQuoted(n->name + "." + line.first) << " " << line.second << ";\n";
    }
  }
  std::set<std::string> kept;
  std::set<std::string> made; // in the order of names: a file does not change by being saved
  for (auto &pair : into) {
    Node *to = pair.first.node, *from = pair.second.node;
    std::string text = melQuoted(pair.second.name()) + " " + melQuoted(pair.first.name());
    auto known = to->baseline.find("connect " + text);
    if (to->referenced && known != to->baseline.end()) {
      kept.insert(text);
      continue;
    }
    if (from->alive && pair.first.attr->longName != "parentMatrix")
      made.insert("connectAttr " + text + ";\n");
  }
  for (auto &n : nodes)
    for (auto &line : n->baseline)
      if (n->alive && line.first.rfind("connect ", 0) == 0 && !kept.count(line.first.substr(8)))
        out << "disconnectAttr " << line.first.substr(8) << ";\n";
  for (const std::string &line : made) out << line;
  return out.str();
}

// Puts the name space in front of every name that the file itself makes.
static void qualify(Words &w, const std::string &nameSpace, const std::set<std::string> &made) {
  for (size_t i = 1; i < w.size(); i++) {
    if (i > 1 && w[0] == "setAttr") break; // values are not names
    std::string node = w[i].substr(0, w[i].find('.'));
    if (made.count(node)) w[i] = nameSpace + ":" + w[i];
  }
}

bool Scene::read(const std::string &text, const std::string &nameSpace) {
  std::vector<Words> all = melStatements(text);
  std::set<std::string> made;
  for (const Words &w : all)
    if (w[0] == "createNode") made.insert(melFlag(w, "n", "name"));
  size_t first = nodes.size();
  bool ok = true;
  EditList *outer = record(nullptr); // loading is not undoable
  for (Words &w : all) {
    if (!nameSpace.empty()) qualify(w, nameSpace, made);
    std::string line;
    for (const std::string &word : w) line += melQuoted(word) + " ";
    ok = run(line) && ok;
  }
  record(outer);
  for (size_t i = first; i < nodes.size() && !nameSpace.empty(); i++) {
    Node *n = nodes[i].get();
    n->referenced = true;
    n->nameSpace = nameSpace;
    for (auto &line : nodeLines(*this, n)) n->baseline[line.first] = line.second;
    for (auto &pair : into)
      if (pair.first.node == n)
        n->baseline["connect " + melQuoted(pair.second.name()) + " " +
                    melQuoted(pair.first.name())] = "";
  }
  return ok;
}

bool Scene::save(const std::string &path) const {
  std::ofstream file(path);
  file << write();
  return file.good();
}

static bool slurp(const std::string &path, std::string *text) {
  std::ifstream file(path);
  std::ostringstream all;
  all << file.rdbuf();
  *text = all.str();
  return file.good();
}

bool Scene::load(const std::string &path) {
  std::string text;
  if (!slurp(path, &text)) return false;
  clear();
  return read(text);
}

bool Scene::reference(const std::string &path, const std::string &nameSpace) {
  std::string text;
  if (!slurp(path, &text)) return false;
  references.push_back({nameSpace, path});
  return read(text, nameSpace);
}

} // namespace host

// A few commands of MEL, enough for what plug-ins execute and what scene files hold.
#include "engine/geometry_cache.h"

#include <algorithm>
#include <cctype>
#include <charconv>

namespace host {

std::vector<Words> melStatements(const std::string &text) {
  std::vector<Words> all(1);
  std::string word;
  bool inWord = false;
  auto endWord = [&] {
    if (inWord) all.back().push_back(word);
    word.clear();
    inWord = false;
  };
  for (size_t i = 0; i < text.size(); i++) {
    char c = text[i];
    if (c == '/' && i + 1 < text.size() && text[i + 1] == '/' && !inWord) {
      while (i < text.size() && text[i] != '\n') i++;
    } else if (c == '"') {
      inWord = true;
      for (i++; i < text.size() && text[i] != '"'; i++) {
        if (text[i] == '\\' && i + 1 < text.size())
          i++, word += text[i] == 'n' ? '\n' : text[i];
        else
          word += text[i];
      }
    } else if (c == ';') {
      endWord();
      all.emplace_back();
    } else if (std::isspace(static_cast<unsigned char>(c))) {
      endWord();
    } else {
      inWord = true;
      word += c;
    }
  }
  endWord();
  all.erase(std::remove_if(all.begin(), all.end(), [](const Words &w) { return w.empty(); }),
            all.end());
  return all;
}

std::string melQuoted(const std::string &text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (c == '\n')
      out += "\\n";
    else
      out += c;
  }
  return out + '"';
}

std::string melFlag(const Words &words, const std::string &brief, const std::string &full) {
  for (size_t i = 1; i + 1 < words.size(); i++)
    if (words[i] == "-" + brief || words[i] == "-" + full) return words[i + 1];
  return "";
}

static bool has(const Words &words, const std::string &flag) {
  return std::find(words.begin(), words.end(), flag) != words.end();
}

// words that are neither flags nor the values of the flags named
static Words plain(const Words &words, const Words &valued) {
  Words out;
  for (size_t i = 1; i < words.size(); i++) {
    bool flag = words[i].size() > 1 && words[i][0] == '-' && std::isalpha(words[i][1]);
    if (!flag)
      out.push_back(words[i]);
    else if (std::find(valued.begin(), valued.end(), words[i]) != valued.end())
      i++;
  }
  return out;
}

static bool fail(Scene &scene, const std::string &text) {
  scene.say('e', text);
  return false;
}

static bool doDeformer(Scene &scene, const Words &w, std::string *result) {
  Words objects = plain(w, {"-type", "-typ", "-n", "-name"});
  if (objects.empty()) objects = scene.selection;
  for (const std::string &name : objects) // what Maya does then is not documented
    if (std::count(objects.begin(), objects.end(), name) > 1)
      return fail(scene, "'" + name + "' is named twice");
  Node *made = scene.createDeformer(melFlag(w, "typ", "type"), melFlag(w, "n", "name"), objects,
                                    nullptr, has(w, "-after") || has(w, "-af"));
  if (made) *result = made->name;
  return made != nullptr;
}

static bool doSetAttr(Scene &scene, const Words &w, std::string *) {
  if (w.size() < 2) return fail(scene, "setAttr needs a plug");
  std::string why;
  Plug p = scene.plug(w[1], &why);
  if (p.isNull()) return fail(scene, why);
  return melSetValue(scene, p, w, 2, &why) || fail(scene, why);
}

static bool doGetAttr(Scene &scene, const Words &w, std::string *result) {
  Plug p = w.size() > 1 ? scene.plug(w[1]) : Plug();
  if (p.isNull()) return fail(scene, "No object matches name: " + (w.size() > 1 ? w[1] : ""));
  char text[64];
  std::snprintf(text, sizeof text, "%.17g", scene.get(w[1]));
  *result = p.attr->kind == Kind::text ? scene.getText(w[1]) : text;
  return true;
}

static bool doConnect(Scene &scene, const Words &w, std::string *) {
  Words two = plain(w, {});
  if (two.size() != 2) return fail(scene, "connectAttr needs two plugs");
  if (has(w, "-f") || has(w, "-force")) scene.disconnect(two[1]);
  return scene.connect(two[0], two[1]);
}

static bool doDisconnect(Scene &scene, const Words &w, std::string *) {
  Words two = plain(w, {});
  return (two.size() == 2 && scene.disconnect(two[1])) || fail(scene, "disconnectAttr failed");
}

static bool doCreate(Scene &scene, const Words &w, std::string *result) {
  std::string parent = melFlag(w, "p", "parent");
  Words type = plain(w, {"-n", "-name", "-p", "-parent"});
  Node *made =
      type.empty() ? nullptr : scene.create(type[0], melFlag(w, "n", "name"), scene.find(parent));
  if (made) *result = made->name;
  return made != nullptr;
}

static bool doDelete(Scene &scene, const Words &w, std::string *) {
  Words names = plain(w, {});
  for (const std::string &name : names.empty() ? scene.selection : names) {
    Node *node = scene.find(name);
    if (!node) return fail(scene, "No object matches name: " + name);
    if (!scene.remove(node)) return false;
  }
  return true;
}

static bool doSelect(Scene &scene, const Words &w, std::string *) {
  scene.selection = plain(w, {});
  return true;
}

static bool doTime(Scene &scene, const Words &w, std::string *result) {
  if (w.size() > 1 && w[1] != "-q" && w[1] != "-query") {
    double frame = 0; // MEL has a point in every language
    const char *end = w[1].data() + w[1].size();
    if (std::from_chars(w[1].data(), end, frame).ptr != end) return fail(scene, "Syntax error");
    scene.evaluate(frame);
  }
  char text[64];
  std::snprintf(text, sizeof text, "%g", scene.frame());
  *result = text;
  return true;
}

static bool doRename(Scene &scene, const Words &w, std::string *result) {
  Node *node = w.size() == 3 ? scene.find(w[1]) : nullptr;
  if (!node) return fail(scene, "rename failed");
  scene.rename(node, w[2]);
  *result = node->name;
  return true;
}

// aliasAttr NAME PLUG
static bool doAlias(Scene &scene, const Words &w, std::string *) {
  Plug p = w.size() == 3 ? scene.plug(w[2]) : Plug();
  if (p.isNull()) return fail(scene, "aliasAttr failed");
  Node *node = p.node;
  std::string plug = p.attributeName(), name = w[1], before = node->alias[plug];
  for (auto &a : node->alias) // whether the same once more is fine is not documented
    if (a.second == name) return fail(scene, "The alias '" + name + "' is already in use.");
  if (node->type->find(name)) return fail(scene, "'" + name + "' is an attribute.");
  auto undo = [=] {
    if (before.empty())
      node->alias.erase(plug);
    else
      node->alias[plug] = before;
  };
  scene.apply({[=] { node->alias[plug] = name; }, undo});
  return true;
}

static bool doFile(Scene &scene, const Words &w, std::string *) {
  if (!has(w, "-r")) return fail(scene, "only file -r is known here");
  return scene.reference(w.back(), melFlag(w, "ns", "namespace"));
}

// dgdirty NODE: everything it computes
static bool doDirty(Scene &scene, const Words &w, std::string *) {
  Node *node = w.size() == 2 ? scene.find(w[1]) : nullptr;
  if (!node) return fail(scene, "dgdirty: no such node");
  for (Attr *a : node->type->all())
    if (!node->type->isComputed(a)) scene.dirty(plugOf(node, a));
  return true;
}

// Commands of the user interface: nothing to do without one, but they are on record.
static bool doNothing(Scene &, const Words &, std::string *) {
  return true;
}

using Handler = bool(Scene &, const Words &, std::string *);
static Handler *handlerOf(const std::string &name) {
  static const std::map<std::string, Handler *> known{
      {"deformer", doDeformer},      {"setAttr", doSetAttr},
      {"getAttr", doGetAttr},        {"connectAttr", doConnect},
      {"createNode", doCreate},      {"disconnectAttr", doDisconnect},
      {"delete", doDelete},          {"select", doSelect},
      {"currentTime", doTime},       {"rename", doRename},
      {"aliasAttr", doAlias},        {"file", doFile},
      {"requires", doNothing},       {"fileInfo", doNothing},
      {"makePaintable", doNothing},  {"evalDeferred", doNothing},
      {"source", doNothing},         {"mienCreateMenu", doNothing},
      {"mienDeleteMenu", doNothing}, {"dgdirty", doDirty},
      {"cacheFile", melCacheFile},   {"createHistorySwitch", melHistorySwitch}};
  auto found = known.find(name);
  return found == known.end() ? nullptr : found->second;
}

bool Scene::run(const std::string &text, std::string *result) {
  std::string answer;
  for (const Words &w : melStatements(text)) {
    answer.clear();
    auto command = commands.find(w[0]);
    Handler *handler = handlerOf(w[0]);
    if (command != commands.end()) {
      if (!command->second.run(w, &answer)) return false;
    } else if (!handler) {
      return fail(*this, "Cannot find procedure \"" + w[0] + "\".");
    } else if (!handler(*this, w, &answer)) {
      return false;
    }
  }
  if (result) *result = answer;
  return true;
}

// As typed by the user: undo takes it back whole.
bool Scene::mel(const std::string &text, std::string *result) {
  std::vector<Words> all = melStatements(text);
  if (all.size() == 1 && commands.count(all[0][0])) return run(text, result); // pushes its own
  auto edits = std::make_shared<EditList>();
  EditList *outer = record(edits.get());
  bool ok = run(text, result);
  record(outer);
  if (!edits->edits.empty())
    pushUndo({text, [edits] { edits->undo(); }, [edits] { edits->redo(); }});
  return ok;
}

} // namespace host

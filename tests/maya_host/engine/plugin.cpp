// A scene from its beginning to its end. Plug-ins are opened with dlopen; the API library they are
// linked with knows how to start them.
#include "engine/plugin.h"

#include <algorithm>
#include <cstdlib>
#include <dlfcn.h>

namespace host {

static thread_local Context *threadContext = nullptr;
static Scene *onlyScene = nullptr;

// One at a time, as in Maya: the static attributes of a plug-in belong to it.
Scene::Scene() {
  if (onlyScene) std::abort();
  onlyScene = this;
  framesPerSecond() = 24;
  addBuiltInTypes(*this);
  create("time", "time1");
}

Scene *Scene::current() {
  return onlyScene;
}
Context *Scene::context() {
  return threadContext ? threadContext : &onlyScene->normal;
}

bool &Scene::isDeviceThread() {
  static thread_local bool is = false;
  return is;
}

int &Scene::computing() {
  static thread_local int depth = 0;
  return depth;
}

Context *Scene::swapContext(Context *to) {
  std::swap(threadContext, to);
  return to;
}

static std::string stemOf(const std::string &path) {
  std::string leaf = path.substr(path.rfind('/') + 1);
  return leaf.substr(0, leaf.find('.'));
}

bool Scene::loadPlugin(const std::string &path, std::string *why) {
  std::string text;
  auto plugin = std::make_unique<Plugin>();
  plugin->path = path;
  plugin->name = stemOf(path);
  plugin->handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!plugin->handle) {
    text = dlerror();
  } else {
    auto open = reinterpret_cast<PluginEntry *>(dlsym(plugin->handle, "mayaHostOpen"));
    if (!open)
      text = "the plug-in is not linked with an API library of the host";
    else if (!open(this, plugin.get(), &text) && text.empty())
      text = "initializePlugin failed";
  }
  if (!text.empty()) {
    say('e', path + ": " + text);
    if (why) *why = text;
    if (plugin->handle) dlclose(plugin->handle);
    return false;
  }
  plugins.push_back(std::move(plugin));
  return true;
}

bool Scene::unloadPlugin(const std::string &path) {
  for (auto p = plugins.begin(); p != plugins.end(); ++p) {
    if ((*p)->path != path && (*p)->name != path) continue;
    for (auto &n : nodes)
      if (n->alive && n->type->plugin == (*p)->name) {
        say('w', "Plug-in, \"" + (*p)->name + "\", cannot be unloaded because it is still in use");
        return false;
      }
    done.clear(); // commands and deleted nodes in the undo queue hold its code
    undone.clear();
    std::string text;
    auto close = reinterpret_cast<PluginEntry *>(dlsym((*p)->handle, "mayaHostClose"));
    bool ok = close && close(this, p->get(), &text);
    if (!ok) say('e', "uninitializePlugin failed " + text);
    for (auto &t : types)
      if (t->plugin == (*p)->name) {
        say('e', "node type " + t->name + " was not deregistered");
        ok = false;
      }
    for (auto &c : commands) ok = ok && c.second.plugin != (*p)->name;
    dlclose((*p)->handle);
    plugins.erase(p);
    return ok;
  }
  return false;
}

void Scene::clear() {
  join();
  for (auto &n : nodes) {
    if (n->alive && n->behaviour) {
      for (auto &tell : n->aboutToDelete) tell();
      n->behaviour->stop();
    }
  }
  done.clear();
  undone.clear();
  into.clear();
  outOf.clear();
  cache.clear();
  references.clear();
  selection.clear();
  nodes.clear();
  graphIsNew = true;
  normal.ticks = 0;
  create("time", "time1");
}

Scene::~Scene() {
  clear();
  while (!plugins.empty()) {
    std::string path = plugins.back()->path;
    size_t before = plugins.size();
    unloadPlugin(path);
    if (plugins.size() == before) break;
  }
  onlyScene = nullptr;
}

} // namespace host

// MGlobal, messages, and how a plug-in is started and ended.
#include "api/bridge.h"
#include "engine/mel.h"
#include "engine/plugin.h"

#include <dlfcn.h>

#define MNoVersionString
#define MNoPluginEntry
#include <maya/MArgList.h>
#include <maya/MComputation.h>
#include <maya/MDGMessage.h>
#include <maya/MFnPlugin.h>
#include <maya/MGlobal.h>
#include <maya/MNodeMessage.h>
#include <maya/MPxCommand.h>
#include <maya/MSelectionList.h>
#include <maya/MSyntax.h>

using host::Scene;

const char *baseOf(int kind); // nodes.cpp

MAYA_HOST_OPEN

MGlobal::MMayaState MGlobal::mayaState(MStatus *) {
  return theScene().interactive ? kInteractive : kBatch;
}
int MGlobal::apiVersion() {
  return MAYA_HOST_VERSION;
}
MString MGlobal::mayaVersion() {
  return std::to_string(MAYA_HOST_VERSION / 10000).c_str();
}
void MGlobal::displayInfo(const MString &s) {
  theScene().say('i', text(s));
}
void MGlobal::displayWarning(const MString &s) {
  theScene().say('w', text(s));
}
void MGlobal::displayError(const MString &s) {
  theScene().say('e', text(s));
}

MStatus MGlobal::executeCommand(const MString &command, MString &result, bool, bool undo) {
  theScene().recorded.push_back(text(command));
  std::string out;
  host::EditList *outer = undo ? nullptr : theScene().record(nullptr);
  bool ok = theScene().run(text(command), &out);
  if (!undo) theScene().record(outer);
  result = out.c_str();
  return ok ? MStatus::kSuccess : MStatus::kFailure;
}
MStatus MGlobal::executeCommand(const MString &command, bool display, bool undo) {
  MString result;
  return executeCommand(command, result, display, undo);
}
MStatus MGlobal::executeCommand(const MString &command, int &result, bool display, bool undo) {
  MString word;
  MStatus status = executeCommand(command, word, display, undo);
  result = word.asInt();
  return status;
}
MStatus MGlobal::executeCommand(const MString &command, double &result, bool display, bool undo) {
  MString word;
  MStatus status = executeCommand(command, word, display, undo);
  result = word.asDouble();
  return status;
}
MStatus MGlobal::executeCommandOnIdle(const MString &command, bool display) {
  return executeCommand(command, display);
}
MStatus MGlobal::getActiveSelectionList(MSelectionList &list, bool) {
  list.clear();
  for (const std::string &s : theScene().selection) list.add(s.c_str());
  return MStatus();
}
MStatus MGlobal::getSelectionListByName(const MString &name, MSelectionList &list) {
  return list.add(name);
}
bool MGlobal::isYAxisUp(MStatus *) {
  return true;
}
bool MGlobal::isZAxisUp(MStatus *) {
  return false;
}

void MComputation::beginComputation(bool, bool isInterruptable, bool) {
  runs_ = true;
  canEnd_ = isInterruptable;
}
bool MComputation::isInterruptRequested() {
  int &left = theScene().escapeAfter;
  if (!runs_ || !canEnd_ || left < 0) return false;
  return left == 0 || --left == 0;
}
void MComputation::endComputation() {
  runs_ = false;
}
MStatus MComputation::setProgressRange(int min, int max) {
  hasRange_ = min <= max;
  return hasRange_ ? MStatus::kSuccess : MStatus::kInvalidParameter;
}
MStatus MComputation::setProgress(int) {
  if (!runs_ || !hasRange_) return MStatus::kFailure;
  theScene().progressShown++;
  return MStatus();
}

// Callbacks: kept by number so that they can be removed.
struct Callback {
  MCallbackId id;
  host::Node *node;
  MMessage::MNodeFunction fn;
  void *data;
  std::string type;
};
static std::vector<Callback> &callbacks() {
  static std::vector<Callback> all;
  return all;
}
static MCallbackId keep(host::Node *node, MMessage::MNodeFunction fn, void *data,
                        const std::string &type) {
  static MCallbackId next = 0;
  callbacks().push_back({++next, node, fn, data, type});
  return next;
}
static void callBack(MCallbackId id, host::Node *node) {
  std::vector<Callback> all = callbacks(); // they may remove themselves
  for (Callback &c : all) {
    if (c.id != id) continue;
    if (!c.type.empty() && c.type != "dependNode" && !node->type->isA(c.type)) continue;
    MObject object(node);
    c.fn(object, c.data);
  }
}

MStatus MMessage::removeCallback(MCallbackId id) {
  auto &all = callbacks();
  for (auto c = all.begin(); c != all.end(); ++c)
    if (c->id == id) return all.erase(c), MStatus();
  return MStatus::kFailure;
}
MCallbackId MNodeMessage::addNodePreRemovalCallback(MObject &object, MNodeFunction fn, void *data,
                                                    MStatus *status) {
  host::Node *node = object.node;
  answer(status, node ? MStatus::kSuccess : MStatus::kFailure);
  if (!node) return 0;
  MCallbackId id = keep(node, fn, data, "");
  node->aboutToDelete.push_back([id, node] { callBack(id, node); });
  return id;
}
MCallbackId MDGMessage::addNodeAddedCallback(MNodeFunction fn, const MString &type, void *data,
                                             MStatus *status) {
  MCallbackId id = keep(nullptr, fn, data, text(type));
  theScene().nodeAdded.push_back([id](host::Node *n) { callBack(id, n); });
  answer(status, MStatus::kSuccess);
  return id;
}

static host::NodeType *initializing = nullptr;

MStatus MPxNode::addAttribute(const MObject &attribute) {
  std::string why = "addAttribute outside of initialize()";
  if (initializing && attribute.attr && initializing->add(attribute.attr, &why)) return MStatus();
  theScene().say('e', why);
  return MStatus::kFailure;
}
MStatus MPxNode::attributeAffects(const MObject &from, const MObject &to) {
  std::string why = "attributeAffects with an attribute that does not exist";
  if (initializing && from.attr && to.attr && initializing->addAffects(from.attr, to.attr, &why))
    return MStatus();
  theScene().say('e', why);
  return MStatus::kFailure;
}

MFnPlugin::MFnPlugin(MObject &object, const char *vendor, const char *version, const char *,
                     MStatus *status) {
  object_ = object;
  if (object.plugin) object.plugin->vendor = vendor, object.plugin->version = version;
  answer(status, object.plugin ? MStatus::kSuccess : MStatus::kFailure);
}
MString MFnPlugin::name(MStatus *) const {
  return object_.plugin->name.c_str();
}
MString MFnPlugin::vendor(MStatus *) const {
  return object_.plugin->vendor.c_str();
}
MString MFnPlugin::version(MStatus *) const {
  return object_.plugin->version.c_str();
}
MString MFnPlugin::loadPath(MStatus *) const {
  return object_.plugin->path.substr(0, object_.plugin->path.rfind('/')).c_str();
}

MStatus MFnPlugin::registerNode(const MString &type, const MTypeId &id, MCreatorFunction creator,
                                MInitializeFunction initialize, MPxNode::Type kind,
                                const MString *) {
  if (theScene().type(text(type)) || theScene().typeOf(id.id()) || !id.id()) {
    theScene().say('e', "node type '" + text(type) + "' or its id is taken");
    return MStatus::kFailure;
  }
  auto made = std::make_unique<host::NodeType>();
  made->name = text(type);
  made->id = id.id();
  made->base = theScene().type(baseOf(kind));
  made->plugin = object_.plugin->name;
  made->creator = [=] { return adapt(static_cast<MPxNode *>(creator()), kind); };
  initializing = made.get();
  MStatus status = initialize ? initialize() : MStatus();
  initializing = nullptr;
  if (status) theScene().registerType(std::move(made));
  return status;
}
MStatus MFnPlugin::deregisterNode(const MTypeId &id) {
  host::NodeType *t = theScene().typeOf(id.id());
  if (!t || !theScene().unregisterType(id.id())) return MStatus::kFailure;
  t->plugin.clear();
  return MStatus();
}

std::string &commandResult();

static bool runCommand(MCreatorFunction creator, MCreateSyntaxFunction syntax,
                       const host::Words &words, std::string *result) {
  std::shared_ptr<MPxCommand> command(static_cast<MPxCommand *>(creator()));
  MSyntax own = syntax ? syntax() : MSyntax();
  command->hostSyntax = &own; // asked for while doIt runs
  MArgList args;
  for (size_t i = 1; i < words.size(); i++) args.words.push_back(words[i]);
  commandResult().clear();
  // what a command does to the scene is its own to undo
  host::EditList *outer = theScene().record(nullptr);
  MStatus status = command->doIt(args);
  theScene().record(outer);
  *result = commandResult();
  if (!status) return false;
  if (command->isUndoable())
    theScene().pushUndo(
        {words[0], [command] { command->undoIt(); }, [command] { command->redoIt(); }});
  return true;
}

MStatus MFnPlugin::registerCommand(const MString &name, MCreatorFunction creator,
                                   MCreateSyntaxFunction syntax) {
  if (theScene().commands.count(text(name))) return MStatus::kFailure;
  theScene().commands[text(name)] = {object_.plugin->name,
                                     [=](const host::Words &words, std::string *result) {
                                       return runCommand(creator, syntax, words, result);
                                     }};
  return MStatus();
}
MStatus MFnPlugin::deregisterCommand(const MString &name) {
  return theScene().commands.erase(text(name)) ? MStatus::kSuccess : MStatus::kFailure;
}

MAYA_HOST_CLOSE

// The entry points are C++ functions: their symbols carry the version's name space.
static std::string entrySymbol(const char *function) {
  std::string space = "OpenMaya" + std::to_string(MAYA_HOST_VERSION);
  return "_Z" + std::to_string(std::string(function).size()) + function + "N8Autodesk4Maya" +
         std::to_string(space.size()) + space + "7MObjectE";
}

static bool callEntry(host::Plugin *plugin, const char *function, std::string *why) {
  using Entry = MStatus(MObject);
  auto entry = reinterpret_cast<Entry *>(dlsym(plugin->handle, entrySymbol(function).c_str()));
  if (!entry) {
    *why = std::string(function) + " is not exported";
    return false;
  }
  MObject object;
  object.plugin = plugin;
  return entry(object);
}

extern "C" bool mayaHostOpen(Scene *, host::Plugin *plugin, std::string *why) {
  if (!dlsym(plugin->handle, "MApiVersion")) {
    *why = "MFnPlugin.h is included nowhere: there is no MApiVersion";
    return false;
  }
  return callEntry(plugin, "initializePlugin", why);
}

extern "C" bool mayaHostClose(Scene *, host::Plugin *plugin, std::string *why) {
  return callEntry(plugin, "uninitializePlugin", why);
}

// The driver of the test host: one scene, as an artist and a farm use it. Tests see this class; the
// API in api/ is built on the same functions.
#ifndef HOST_SCENE_H
#define HOST_SCENE_H

#include "engine/graph.h"

#include <mutex>

namespace host {

struct Edit {
  std::function<void()> redo, undo;
};

struct EditList {
  std::vector<Edit> edits;
  void redo();
  void undo();
};

struct UndoItem {
  std::string name;
  std::function<void()> undo, redo;
};

struct Message {
  char level; // 'i', 'w', 'e'
  std::string text;
};

struct Command { // registered by a plug-in; returns false on failure
  std::string plugin;
  std::function<bool(const std::vector<std::string> &words, std::string *result)> run;
};

struct Plugin;

enum class Mode { dg, em };

class Scene {
public:
  Scene();
  ~Scene();
  Scene(const Scene &) = delete;
  static Scene *current();

  // -- Plug-ins: each brings the API library of its Maya version along
  bool loadPlugin(const std::string &path, std::string *why = nullptr);
  bool unloadPlugin(const std::string &path);
  bool interactive = false; // what MGlobal::mayaState says
  int escapeAfter = -1;     // times a plug-in may ask before the user has pressed Esc; -1 = never
  int progressShown = 0;    // how often a plug-in has said how far it is

  // -- Building
  Node *create(const std::string &type, const std::string &name, Node *parent = nullptr);
  bool remove(Node *node);
  void rename(Node *node, const std::string &name);
  Node *find(const std::string &name) const;
  Plug plug(const std::string &path, std::string *why = nullptr) const;
  bool connect(const std::string &source, const std::string &dest, std::string *why = nullptr);
  bool disconnect(const std::string &dest);
  Node *createMesh(const std::string &name, const Mesh &mesh, Node *parent = nullptr);
  // A blendShape in front of a mesh's shape, with an original shape behind it.
  Node *createBlendShape(const std::string &mesh, const std::string &name,
                         const std::vector<std::string> &targets, const std::vector<Mesh> &meshes);
  // A deformer after all others of the meshes; one geometry index each.
  Node *createDeformer(const std::string &type, const std::string &name,
                       const std::vector<std::string> &meshes, std::string *why = nullptr,
                       bool after = false);
  // A target that is still a mesh of its own: deltas are there once the blendShape was evaluated.
  void addLiveTarget(const std::string &blendShape, int at, const std::string &mesh);
  // Deltas of one item of a target: [6000] is full at 1, others are in-betweens.
  void storeTarget(Node *blend, size_t at, int item, const Mesh &rest, const Mesh &mesh);
  std::string currentSpace; // the current name space: new nodes are called in it
  void setKey(const std::string &path, double frame, double value);

  // -- Values; set is undoable inside a chunk
  bool set(const std::string &path, double value);
  bool setText(const std::string &path, const std::string &text);
  bool setMatrix(const std::string &path, const Matrix &matrix);
  bool setMesh(const std::string &path, const Mesh &mesh);
  bool removeElement(const std::string &path);
  double get(const std::string &path);
  std::string getText(const std::string &path);
  Matrix getMatrix(const std::string &path);
  Mesh getMesh(const std::string &path); // pulls; a mesh's transform or shape is enough
  std::vector<int> elements(const std::string &path) const;

  // -- Scenes of before component tags: a groupParts in front of every deformer
  bool useDeformerSets = false;

  // -- Evaluation
  Mode mode = Mode::dg;
  int threads = 4;
  void evaluate(double frame); // goes to a frame and draws every shape
  double frame() const { return tickFrames(normal.ticks); }
  void idle(); // devices that have news make their outputs dirty
  // As a manipulator drags a value: the Evaluation Manager is told, setDependentsDirty is not.
  bool drag(const std::string &path, double value);
  // In a context of its own on another thread, the user's frame stays.
  Mesh background(const std::string &path, double frame);
  // Starts the same without waiting; `join` waits for all and returns them in order.
  void startBackground(const std::string &path, double frame);
  std::vector<Mesh> join();

  // -- Cached Playback of one shape: fills frames, at most `most` of them; returns how many.
  // Nodes that simulate get consecutive frames forward, others the worst order.
  int fillCache(const std::string &shape, int first, int last, int most = 1 << 20);
  bool cached(const std::string &shape, int frame, Mesh *mesh = nullptr) const;
  void dropCached(const std::string &shape, int frame);
  CacheSetup cacheSetup(const std::string &node);

  // -- Commands
  bool mel(const std::string &text, std::string *result = nullptr); // one undo chunk
  bool run(const std::string &text, std::string *result = nullptr); // recorded where it runs
  bool undo();
  bool redo();
  std::vector<std::string> recorded; // every command executed by a plug-in
  std::vector<std::string> selection;
  std::map<std::string, Command> commands;

  // -- Files
  std::string write() const;
  bool read(const std::string &text, const std::string &nameSpace = "");
  bool save(const std::string &path) const;
  bool load(const std::string &path);
  bool reference(const std::string &path, const std::string &nameSpace);
  void clear(); // file -new

  // -- What was said
  std::vector<Message> messages;
  int count(char level, const std::string &containing = "") const;
  void say(char level, const std::string &text);

  // -- For the API and the built-in nodes
  Context normal;
  static Context *context(); // of this thread
  static Context *swapContext(Context *to);
  static bool &isDeviceThread(); // this thread is one of a device
  static int &computing();       // how many nodes are being computed on this thread
  Value &pull(Context &c, const Plug &p);
  bool source(const Plug &dest, Plug *from) const;
  std::vector<Plug> destinations(const Plug &source) const;
  void apply(Edit edit);
  void change(const Plug &p, std::function<void(Value &, int part)> how);
  bool connectPlugs(const Plug &from, const Plug &to, std::string *why = nullptr);
  void disconnectPlug(const Plug &to);
  void dirty(const Plug &changed); // as setAttr does: tells the nodes
  EditList *record(EditList *to);  // returns the one before
  void pushUndo(UndoItem item);
  NodeType *type(const std::string &name) const;
  NodeType *typeOf(unsigned id) const;
  void registerType(std::unique_ptr<NodeType> t) { types.push_back(std::move(t)); }
  bool unregisterType(unsigned id);
  Matrix worldMatrix(Context &c, Node *shape);
  Node *shapeOf(Node *node) const; // the visible shape of a transform
  Node *shownBy(Node *deformer, unsigned index) const;
  std::vector<std::unique_ptr<Node>> nodes; // also the deleted ones, for undo
  std::map<Plug, Plug> into;                // destination -> source
  std::vector<std::function<void(Node *)>> nodeAdded;

private:
  std::vector<std::unique_ptr<NodeType>> types;
  std::map<Plug, std::vector<Plug>> outOf;
  std::vector<UndoItem> undone, done;
  EditList *recorder = nullptr;
  bool graphIsNew = true;
  std::vector<std::pair<std::string, std::string>> references; // name space, path
  std::map<std::string, std::map<int, Mesh>> cache;
  std::vector<std::unique_ptr<Plugin>> plugins;
  std::vector<std::function<Mesh()>> pending;

  std::string unique(const std::string &name) const;
  void revive(Node *node);
  void bury(Node *node);
  void link(const Plug &from, const Plug &to);
  void unlink(const Plug &to);
  void markDirty(const Plug &p);
  void copyFlow(Value &to, int part, const Plug &from, Context &c);
  void computePlug(Context &c, const Plug &p);
  void draw();
  void evaluateManaged();
  std::vector<std::vector<Evaluated>> schedule(std::map<Node *, Evaluated> &changed) const;
  void runLevel(std::vector<Evaluated> &level);
  void runNode(Evaluated &one);
  void collect(const Plug &p, std::map<Node *, Evaluated> &out);
  void invalidate(const Plug &p, Span span);
  std::vector<Plug> outputs(const Plug &p) const;
  std::unique_ptr<Context> contextFor(const Plug &p, double frame);
  void gatherUpstream(Node *node, std::set<Node *> &seen) const;
};

void addBuiltInTypes(Scene &scene); // builtin.cpp

} // namespace host

#endif

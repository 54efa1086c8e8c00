// The API: the example plug-in of one version, loaded with dlopen and driven through its life.
// usage: test_plugin PLUGIN YEAR
#include "check.h"

#include <unistd.h>

using namespace host;

static std::string plugin;

static void attach(Scene &scene, const std::string &mesh = "face", int n = 3) {
  CHECK(scene.loadPlugin(plugin), "the plug-in does not load");
  scene.createMesh(mesh, grid(n));
  std::string out;
  CHECK(scene.mel("exampleAttach -n \"lift\" " + mesh, &out), "exampleAttach failed");
  CHECK(out == "lift", "the command answered '%s'", out.c_str());
}

static void loading() {
  Scene scene;
  std::string why;
  CHECK(scene.loadPlugin(plugin, &why), "%s", why.c_str());
  CHECK(!scene.recorded.empty() && scene.recorded[0].find("makePaintable") == 0,
        "makePaintable was not recorded");
  CHECK(!scene.loadPlugin(plugin), "the same types registered twice");
  scene.create("exampleSum", "s");
  CHECK(!scene.unloadPlugin("example"), "unloaded while in use");
  scene.clear();
  CHECK(scene.unloadPlugin("example"), "cannot unload");
  CHECK(scene.create("exampleSum", "s") == nullptr, "a type outlived its plug-in");
}

static void arrays() {
  Scene scene;
  scene.loadPlugin(plugin);
  scene.create("exampleSum", "s");
  CHECK(near(scene.get("s.sum"), 0), "an empty array has a sum");
  scene.set("s.values[2]", 3);
  scene.set("s.values[100000]", 4);
  CHECK(near(scene.get("s.sum"), 7), "%g", scene.get("s.sum"));
  CHECK(scene.elements("s.doubled") == (std::vector<int>{2, 100000}), "logical indices were lost");
  CHECK(near(scene.get("s.doubled[100000]"), 8), "%g", scene.get("s.doubled[100000]"));
  CHECK(!scene.set("s.sum", 1), "an output was set");
}

static void deforming() {
  Scene scene;
  attach(scene);
  CHECK(near(height(scene.getMesh("face"), 4), 1), "%g", height(scene.getMesh("face"), 4));
  scene.set("lift.amount", 2);
  scene.set("lift.envelope", 0.5);
  CHECK(near(height(scene.getMesh("face"), 4), 1), "the envelope is ignored");
  scene.set("lift.perGeometry[0].liftMap[4]", 0.25);
  CHECK(near(height(scene.getMesh("face"), 4), 0.25), "the map is ignored");
  CHECK(near(height(scene.getMesh("face"), 5), 1), "an unpainted vertex is not at the default");
  scene.set("lift.weightList[0].weights[5]", 0);
  CHECK(near(height(scene.getMesh("face"), 5), 0), "the painted weight is ignored");
  CHECK(!scene.set("lift.amount", 500), "a value past the maximum was taken");
  scene.set("lift.nodeState", 1);
  CHECK(near(height(scene.getMesh("face"), 0), 0), "HasNoEffect has an effect");
}

static void membersAndMatrix() {
  Scene scene;
  scene.loadPlugin(plugin);
  Mesh m = grid(3);
  m.tag["corner"] = {0, 8};
  scene.createMesh("face", m);
  scene.set("face.rotateZ", 90); // up in the world is along -x... of the object
  scene.mel("exampleAttach -n \"lift\" face");
  scene.setText("lift.input[0].componentTagExpression", "corner");
  Mesh out = scene.getMesh("face");
  CHECK(near(out.points[0], 1) && near(out.points[1], 0), "local to world is ignored: %g %g",
        static_cast<double>(out.points[0]), static_cast<double>(out.points[1]));
  CHECK(near(out.points[3 * 4], 1) && near(out.points[3 * 8], 3), "members are wrong");
}

static void manyGeometries() {
  Scene scene;
  scene.loadPlugin(plugin);
  scene.createMesh("a", grid(2));
  scene.createMesh("b", grid(4));
  scene.mel("exampleAttach -n \"lift\" a b");
  scene.set("lift.perGeometry[1].liftMap[15]", 3);
  CHECK(near(height(scene.getMesh("a"), 3), 1), "geometry 0 uses the map of geometry 1");
  CHECK(near(height(scene.getMesh("b"), 15), 3), "geometry 1 has no map");
}

static void evaluationModes() {
  Scene scene;
  attach(scene);
  scene.setKey("lift.amount", 1, 1);
  scene.setKey("lift.amount", 11, 11);
  std::vector<std::vector<float>> dg;
  for (int f = 1; f <= 11; f++) {
    scene.evaluate(f);
    dg.push_back(scene.getMesh("face").points);
  }
  Node *node = scene.find("lift");
  scene.mode = Mode::em;
  scene.evaluate(1);
  int before = node->ncompute;
  for (int f : {7, 3, 11, 3, 3, 1}) {
    scene.evaluate(f);
    CHECK(scene.getMesh("face").points == dg[static_cast<size_t>(f - 1)],
          "EM and DG differ at frame %d", f);
  }
  CHECK(node->ncompute - before == 6, "computed %d times for 6 frames", node->ncompute - before);
  scene.set("lift.envelope", 0.5);
  scene.evaluate(3);
  CHECK(near(height(scene.getMesh("face"), 0), 1.5), "%g", height(scene.getMesh("face"), 0));
  scene.drag("lift.envelope", 0.25);
  CHECK(near(height(scene.getMesh("face"), 0), 0.75), "dragging is not seen");
}

static void manyInThreads() {
  Scene scene;
  scene.loadPlugin(plugin);
  scene.mode = Mode::em;
  for (int k = 0; k < 12; k++) {
    std::string name = "m" + std::to_string(k);
    scene.createMesh(name, grid(8));
    scene.mel("exampleAttach -n \"lift" + std::to_string(k) + "\" " + name);
    scene.setKey("lift" + std::to_string(k) + ".amount", 1, k);
    scene.setKey("lift" + std::to_string(k) + ".amount", 20, k + 1);
  }
  for (int f = 1; f <= 20; f++) scene.evaluate(f);
  for (int k = 0; k < 12; k++)
    CHECK(near(height(scene.getMesh("m" + std::to_string(k)), 9), k + 1), "mesh %d is wrong", k);
}

static void backgroundContexts() {
  Scene scene;
  attach(scene);
  scene.setKey("lift.amount", 1, 1);
  scene.setKey("lift.amount", 11, 11);
  scene.evaluate(5);
  for (int f : {9, 2, 7}) scene.startBackground("face", f);
  Mesh now = scene.getMesh("face"); // while they run
  std::vector<Mesh> there = scene.join();
  CHECK(near(height(now, 0), 5), "the user's frame was disturbed");
  CHECK(near(height(there[0], 0), 9) && near(height(there[1], 0), 2) &&
            near(height(there[2], 0), 7),
        "%g %g %g", height(there[0], 0), height(there[1], 0), height(there[2], 0));
  CHECK(scene.frame() == 5, "the time moved");
}

static void cachedPlayback() {
  Scene scene;
  attach(scene);
  scene.setKey("lift.amount", 1, 1);
  scene.setKey("lift.amount", 11, 11);
  CHECK(scene.cacheSetup("lift").simulation, "getCacheSetup was not asked");
  CHECK(scene.fillCache("face", 1, 11, 4) == 4 && scene.cached("face", 4), "not filled forward");
  CHECK(!scene.cached("face", 5), "more than asked for");
  CHECK(scene.fillCache("face", 1, 11) == 7, "does not go on");
  scene.setKey("lift.amount", 6, 0); // the node widens the change to the end of time
  CHECK(!scene.cached("face", 11) && !scene.cached("face", 1), "stale frames were kept");
}

static void commandsAndUndo() {
  Scene scene;
  attach(scene);
  Node *made = scene.find("lift");
  scene.undo();
  CHECK(!scene.find("lift") && near(height(scene.getMesh("face"), 0), 0), "undo left the deformer");
  scene.redo();
  CHECK(scene.find("lift") == made, "redo made another node");
  CHECK(near(height(scene.getMesh("face"), 0), 1), "redo did not connect it");
  Plug from;
  CHECK(scene.source(scene.plug("lift.time"), &from), "redo lost the time");
  CHECK(!scene.mel("exampleAttach -nonsense face"), "an unknown flag was taken");
  CHECK(!scene.mel("exampleAttach nobody"), "an unknown object was taken");
  CHECK(!scene.mel("exampleAttach"), "nothing selected was enough");
  scene.mel("select face");
  CHECK(scene.mel("exampleAttach -n \"second\" -am 3"), "the selection was not used");
  CHECK(near(scene.get("second.amount"), 3), "the flag was not used");
}

static void saving() {
  std::string path = "/tmp/maya_host_plugin_" + std::to_string(getpid()) + ".ma";
  Scene scene;
  attach(scene);
  scene.set("lift.perGeometry[0].liftMap[4]", 0.25);
  scene.set("lift.amount", 2);
  Mesh before = scene.getMesh("face");
  scene.save(path);
  CHECK(scene.write().find("outCount") == std::string::npos, "an output is stored");
  CHECK(scene.load(path), "does not load");
  CHECK(scene.getMesh("face").points == before.points, "not the same after loading");
  CHECK(scene.elements("lift.perGeometry[0].liftMap") == std::vector<int>{4}, "the map grew");
  unlink(path.c_str());
}

static void devices() {
  Scene scene;
  scene.loadPlugin(plugin);
  scene.create("exampleDevice", "d");
  CHECK(near(scene.get("d.ticks"), 0), "a device that is off has data");
  scene.set("d.live", 1);
  double first = 0;
  for (int k = 0; k < 2000 && first == 0; k++) {
    usleep(1000);
    scene.idle();
    first = scene.get("d.ticks");
  }
  CHECK(first > 0, "nothing came from the device in two seconds");
  scene.set("d.live", 0);
  scene.idle();
  double last = scene.get("d.ticks");
  usleep(5000);
  scene.idle();
  CHECK(scene.get("d.ticks") == last, "a device that is off goes on");
  scene.set("d.live", 1);
  scene.mel("delete d"); // ends the thread
  CHECK(!scene.find("d"), "not deleted");
}

int main(int argc, char **argv) {
  if (argc < 3) return 2;
  plugin = argv[1];
  loading();
  arrays();
  deforming();
  membersAndMatrix();
  manyGeometries();
  evaluationModes();
  manyInThreads();
  backgroundContexts();
  cachedPlayback();
  commandsAndUndo();
  saving();
  devices();
  return verdict();
}

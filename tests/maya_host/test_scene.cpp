// The engine as a scene: deformers, files, references, undo, commands.
#include "check.h"

#include <unistd.h>

using namespace host;

static std::string scratch(const char *name) {
  return "/tmp/maya_host_" + std::to_string(getpid()) + "_" + name + ".ma";
}

static Mesh lifted(const Mesh &m, float by) {
  Mesh out = m;
  for (size_t i = 1; i < out.points.size(); i += 3) out.points[i] += by;
  return out;
}

static void blendShapes() {
  Scene scene;
  scene.createMesh("face", grid(3));
  Node *blend = scene.createBlendShape("face", "shapes", {"up", "upMore"},
                                       {lifted(grid(3), 1), lifted(grid(3), 10)});
  CHECK(blend && blend->name == "shapes", "no blendShape");
  CHECK(near(height(scene.getMesh("face"), 4), 0), "not at rest");
  scene.set("shapes.up", 0.5);
  scene.set("shapes.upMore", 0.1);
  CHECK(near(height(scene.getMesh("face"), 4), 1.5), "%g", height(scene.getMesh("face"), 4));
  CHECK(scene.find("faceShapeOrig") != nullptr, "no original shape");
}

static void topologyChange() {
  Scene scene;
  scene.createMesh("face", grid(3));
  scene.createBlendShape("face", "shapes", {"up"}, {lifted(grid(3), 1)});
  Node *poly = scene.create("polyModifier", "poly");
  scene.disconnect("shapes.input[0].inputGeometry");
  scene.connect("faceShapeOrig.outMesh", "poly.inputPolymesh");
  scene.connect("poly.output", "shapes.input[0].inputGeometry");
  CHECK(scene.getMesh("face").nvert() == 9, "%d vertices", scene.getMesh("face").nvert());
  scene.set("poly.dropFaces", 2);
  CHECK(scene.getMesh("face").nvert() == 6, "%d vertices", scene.getMesh("face").nvert());
  CHECK(poly->alive, "gone");
}

static void files() {
  std::string path = scratch("file");
  Mesh before;
  {
    Scene scene;
    Mesh m = grid(3);
    m.tag["half"] = {0, 1, 2};
    scene.createMesh("face", m);
    scene.createBlendShape("face", "shapes", {"up"}, {lifted(m, 1)});
    scene.set("shapes.input[0].gi", 3);
    scene.setText("shapes.input[0].gtg", "half");
    scene.setKey("shapes.weight[0]", 1, 0);
    scene.setKey("shapes.weight[0]", 3, 1);
    scene.set("face.translateY", 1.0 / 3);
    scene.evaluate(2);
    before = scene.getMesh("face");
    CHECK(scene.save(path), "cannot write %s", path.c_str());
  }
  Scene scene;
  CHECK(scene.load(path), "the file does not load");
  printMessages(scene);
  scene.evaluate(2);
  CHECK(scene.getMesh("face").points == before.points, "not the same points after loading");
  CHECK(scene.get("face.translateY") == 1.0 / 3, "a double lost bits");
  CHECK(scene.getMesh("face").tag.count("half"), "tags were lost");
  CHECK(scene.plug("shapes.up") == scene.plug("shapes.weight[0]"), "the alias was lost");
  std::string once = scene.write();
  scene.save(path);
  scene.load(path);
  CHECK(scene.write() == once, "a file that is loaded and saved changes");
  unlink(path.c_str());
}

static void references() {
  std::string rig = scratch("rig"), shot = scratch("shot");
  {
    Scene scene;
    scene.createMesh("face", grid(3));
    scene.createBlendShape("face", "shapes", {"up"}, {lifted(grid(3), 1)});
    scene.save(rig);
  }
  {
    Scene scene;
    CHECK(scene.reference(rig, "hero"), "cannot reference");
    CHECK(scene.find("hero:faceShape") != nullptr, "no name space");
    CHECK(!scene.remove(scene.find("hero:face")), "a referenced node was deleted");
    scene.set("hero:shapes.up", 0.5);
    scene.createDeformer("blendShape", "more", {"hero:face"});
    scene.set("more.envelope", 0.25);
    scene.save(shot);
  }
  Scene scene;
  CHECK(scene.load(shot), "the shot does not load");
  printMessages(scene);
  CHECK(near(scene.get("hero:shapes.up"), 0.5), "the edit of a referenced value was lost");
  CHECK(near(scene.get("more.envelope"), 0.25), "the shot's own node was lost");
  CHECK(near(height(scene.getMesh("hero:face"), 0), 0.5), "%g",
        height(scene.getMesh("hero:face"), 0));
  CHECK(scene.write().find("createNode mesh -n \"hero:faceShape\"") == std::string::npos,
        "referenced nodes are written into the shot");
  unlink(rig.c_str());
  unlink(shot.c_str());
}

static void undoing() {
  Scene scene;
  scene.createMesh("face", grid(3));
  CHECK(scene.mel("deformer -type blendShape -n \"d\" face"), "deformer failed");
  Node *made = scene.find("d");
  CHECK(made != nullptr, "no node");
  CHECK(scene.mel("setAttr d.weight[4] 0.5; setAttr d.envelope 0.2"), "setAttr failed");
  scene.undo();
  CHECK(scene.elements("d.weight").empty(), "undo left an element of a sparse array");
  CHECK(near(scene.get("d.envelope"), 1), "undo left a value");
  scene.undo();
  CHECK(!scene.find("d") && !scene.find("faceShapeOrig"), "undo left nodes");
  CHECK(scene.getMesh("face").nvert() == 9, "undo broke the mesh");
  scene.redo();
  CHECK(scene.find("d") == made, "redo made another node");
  scene.redo();
  CHECK(near(scene.get("d.weight[4]"), 0.5), "redo lost a value");
  CHECK(scene.mel("delete d"), "delete failed");
  scene.undo();
  CHECK(scene.find("d") == made && near(scene.get("d.weight[4]"), 0.5), "undelete lost something");
}

static void commands() {
  Scene scene;
  std::string out;
  CHECK(scene.mel("createNode transform -n \"t\"", &out) && out == "t", "%s", out.c_str());
  CHECK(scene.mel("setAttr t.tx 2.5;getAttr t.tx", &out) && out == "2.5", "%s", out.c_str());
  CHECK(!scene.mel("polyFrobnicate"), "an unknown command succeeded");
  CHECK(scene.count('e', "polyFrobnicate") == 1, "nothing was said");
  CHECK(!scene.mel("setAttr t.nothing 1"), "an unknown attribute was set");
  CHECK(scene.mel("currentTime 12") && scene.frame() == 12, "frame %g", scene.frame());
  CHECK(!scene.mel("setAttr t.t 1 2"), "a vector of two numbers was taken");
}

static void badFiles() {
  Scene scene;
  CHECK(!scene.read("createNode mesh -n \"m\"; setAttr \"m.i\" -type \"mesh\" 5 1 2;"),
        "a mesh cut short loaded");
  CHECK(!scene.read("createNode nonsense -n \"m2\";"), "an unknown type loaded");
  CHECK(!scene.load("/nowhere/at/all.ma"), "a missing file loaded");
}

int main() {
  blendShapes();
  topologyChange();
  files();
  references();
  undoing();
  commands();
  badFiles();
  return verdict();
}

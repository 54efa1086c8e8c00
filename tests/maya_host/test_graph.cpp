// The engine: values, names, attribute registry, dirty flags and pulling.
#include "check.h"
#include "engine/deform.h"

using namespace host;

static void matrices() {
  Matrix m = identityMatrix();
  m[0] = 2, m[5] = 3, m[10] = 4, m[12] = 5, m[1] = 0.5;
  Matrix one = multiply(m, inverse(m));
  double worst = 0;
  for (size_t k = 0; k < 16; k++) worst = std::max(worst, std::fabs(one[k] - identityMatrix()[k]));
  CHECK(worst < 1e-12, "inverse is off by %g", worst);
  CHECK(tickFrames(frameTicks(12.5)) == 12.5, "half frames are not exact");
  CHECK(frameTicks(24) == kTicksPerSecond, "24 frames are not a second");
}

static void registry() {
  NodeType base, derived;
  derived.base = &base;
  std::string why;
  CHECK(base.add(newAttr("stiffness", "st", Kind::real64), &why), "%s", why.c_str());
  CHECK(!derived.add(newAttr("other", "st", Kind::real64), &why),
        "an inherited short name is free");
  CHECK(!derived.add(newAttr("stiffness", "xx", Kind::real64), &why), "a long name is free");
  Attr *twice = newAttr("mass", "ma", Kind::real64);
  CHECK(derived.add(twice, &why), "%s", why.c_str());
  CHECK(!derived.add(twice, &why), "an attribute is added twice");
  Attr *stranger = newAttr("stranger", "sg", Kind::real64);
  CHECK(!derived.addAffects(twice, stranger, &why), "an unknown attribute is affected");
}

static void sparseArrays() {
  Scene scene;
  Node *blend = scene.create("blendShape", "b");
  CHECK(scene.elements("b.weight").empty(), "a new array has elements");
  scene.set("b.weight[7]", 0.5);
  scene.set("b.weight[3]", 0.25);
  std::vector<int> at = scene.elements("b.weight");
  CHECK(at == (std::vector<int>{3, 7}), "%zu elements", at.size());
  CHECK(!blend->block->find(scene.plug("b.weight[4]")), "an element nobody set exists");
  scene.removeElement("b.weight[3]");
  CHECK(scene.elements("b.weight").size() == 1, "the element is still there");
}

static void names() {
  Scene scene;
  Node *blend = scene.create("blendShape", "b");
  blend->alias["weight[2]"] = "jawOpen";
  CHECK(scene.plug("b.jawOpen") == scene.plug("b.weight[2]"), "aliases are not understood");
  CHECK(scene.plug("b.it[1].itg[2].iti[6000].ipt").name() ==
            "b.inputTarget[1].inputTargetGroup[2].inputTargetItem[6000].inputPointsTarget",
        "%s", scene.plug("b.it[1].itg[2].iti[6000].ipt").name().c_str());
  CHECK(scene.plug("b.nothing").isNull(), "an unknown attribute was found");
  Node *again = scene.create("blendShape", "b");
  CHECK(again->name == "b1", "the second b is called %s", again->name.c_str());
}

static void pulling() {
  Scene scene;
  Node *t = scene.create("transform", "t"), *child = scene.create("transform", "c", t);
  scene.set("t.translateX", 3);
  scene.set("c.translateX", 4);
  CHECK(near(scene.getMatrix("c.worldMatrix[0]")[12], 7), "the parent is left out");
  int before = child->ncompute;
  scene.getMatrix("c.worldMatrix[0]");
  CHECK(child->ncompute == before, "a clean plug was computed again");
  scene.set("t.translateX", 10);
  CHECK(near(scene.getMatrix("c.worldMatrix[0]")[12], 14), "the change did not arrive");
  CHECK(child->ncompute == before + 1, "computed %d times", child->ncompute - before);
}

static void connections() {
  Scene scene;
  scene.create("transform", "a");
  scene.create("transform", "b");
  CHECK(scene.connect("a.translateX", "b.translateY"), "two numbers do not connect");
  CHECK(!scene.connect("a.translateZ", "b.translateY"), "a second source was taken");
  CHECK(!scene.connect("a.translate", "b.matrix"), "an output was written to");
  CHECK(!scene.connect("a.worldMatrix", "b.parentMatrix"), "a whole array was connected");
  scene.set("a.translateX", 5);
  CHECK(near(scene.get("b.translateY"), 5), "the value did not flow");
  CHECK(!scene.set("b.translateY", 1), "a connected plug was set");
  scene.disconnect("b.translateY");
  CHECK(near(scene.get("b.translateY"), 5), "a number does not stay when disconnected");
}

static void keys() {
  Scene scene;
  scene.create("transform", "t");
  scene.setKey("t.translateX", 1, 0);
  scene.setKey("t.translateX", 11, 20);
  scene.evaluate(6);
  CHECK(near(scene.get("t.translateX"), 10), "%g at frame 6", scene.get("t.translateX"));
  scene.evaluate(100);
  CHECK(near(scene.get("t.translateX"), 20), "keys do not hold at the end");
  scene.setKey("t.translateX", 11, 40);
  CHECK(scene.elements("t_translateX.ktv").size() == 2, "a key was doubled");
}

int main() {
  matrices();
  registry();
  sparseArrays();
  names();
  pulling();
  connections();
  keys();
  return verdict();
}

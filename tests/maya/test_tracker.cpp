// The live device: frames over UDP on this machine drive a blendShape. usage: test_tracker PLUGIN
#include "face_scene.h"

#include <mien/mien.h>

using namespace host;

std::string plugin;

// what a phone would send
static mien_stream *phone(mien_protocol protocol, int port) {
  mien_stream_def def;
  mien_stream *out = nullptr;
  mien_error err;
  mien_stream_def_init(&def);
  def.protocol = protocol;
  def.sends = 1;
  def.port = port;
  CHECK(mien_stream_create(&def, nullptr, &out, &err) >= 0, "%s", err.text);
  return out;
}

static bool waitFor(Scene &scene, const std::string &plug, double wanted, mien_stream *from,
                    float open) {
  const char *names[] = {"jawOpen", "cheekPuff"};
  for (int k = 0; k < 1000; k++) {
    float weights[] = {open, 0.25f};
    mien_rigid head = {{0, std::sin(0.1), 0, std::cos(0.1)}, {0, 0, 0}};
    if (from) mien_stream_send(from, names, weights, 2, &head, 0.02 * k, nullptr);
    usleep(3000);
    scene.idle();
    if (near(scene.get(plug), wanted, 2e-3)) return true;
  }
  return false;
}

static void live(mien_protocol protocol) {
  Scene scene;
  buildFace(scene, false);
  std::string name;
  CHECK(scene.mel("mien -tracker shapes -name \"phone\"", &name) && name == "phone", "no tracker");
  printMessages(scene);
  Plug from;
  CHECK(scene.source(scene.plug("shapes.weight[1]"), &from) && from.node->name == "phone",
        "jawOpen is not connected");
  scene.set("phone.protocol", protocol);
  scene.set("phone.port", -1); // any that is free
  scene.set("phone.live", 1);
  for (int k = 0; k < 1000 && scene.get("phone.outPort") == 0; k++) {
    usleep(2000);
    scene.idle();
  }
  int port = static_cast<int>(scene.get("phone.outPort"));
  CHECK(port > 0, "no port");
  CHECK(scene.get("phone.receiving") == 0, "receives from nobody");
  mien_stream *sender = phone(protocol, port);
  CHECK(waitFor(scene, "shapes.weight[1]", 0.75, sender, 0.75f), "jawOpen is %g",
        scene.get("shapes.weight[1]"));
  CHECK(scene.get("phone.receiving") == 1 && scene.get("phone.frames") > 0, "not receiving");
  auto open = scene.getMesh("face").points;
  CHECK(apart(open, faceMesh().points) > 0.5, "the mesh does not follow");
  CHECK(waitFor(scene, "shapes.weight[1]", 0.5, sender, 0.5f), "it does not go on");
  double turn = scene.get("phone.headRotateY");
  CHECK(near(turn, 0.2 * 180 / std::acos(-1.0), 0.2) || near(turn, 0.2, 4e-3), "turned by %g",
        turn);
  scene.set("phone.live", 0);
  scene.idle();
  double last = scene.get("phone.frames");
  mien_stream_free(sender);
  CHECK(scene.get("shapes.weight[1]") > 0.4, "switched off, the pose is gone");
  CHECK(scene.get("phone.frames") == last, "goes on when off");
}

// A tracker that is live, and what sends to it.
static mien_stream *listening(Scene &scene) {
  buildFace(scene, false);
  CHECK(scene.mel("mien -tracker shapes -name \"phone\""), "no tracker");
  scene.set("phone.port", -1);
  scene.set("phone.live", 1);
  for (int k = 0; k < 1000 && scene.get("phone.outPort") == 0; k++) {
    usleep(2000);
    scene.idle();
  }
  mien_stream *sender =
      phone(MIEN_PROTOCOL_LIVE_LINK, static_cast<int>(scene.get("phone.outPort")));
  CHECK(waitFor(scene, "shapes.weight[1]", 0.1, sender, 0.1f), "nothing comes");
  return sender;
}

static void send(mien_stream *sender, float open, double at) {
  const char *names[] = {"jawOpen"};
  mien_stream_send(sender, names, &open, 1, nullptr, at, nullptr);
}

// Frames wait while Maya is busy; the next look shows the newest, not the oldest.
static void newestFirst() {
  Scene scene;
  mien_stream *sender = listening(scene);
  for (int k = 2; k <= 8; k++) { // nobody looks meanwhile
    send(sender, 0.1f * static_cast<float>(k), k);
    usleep(60000);
  }
  scene.idle();
  CHECK(near(scene.get("shapes.weight[1]"), 0.8, 2e-3), "shows %g of 0.8: an old frame",
        scene.get("shapes.weight[1]"));
  scene.set("phone.live", 0);
  CHECK(scene.count('e') == 0, "%s", "errors were said");
  mien_stream_free(sender);
}

// Maya is busy for so long that all buffers are full when the sender goes: it is told afterwards.
static void busy() {
  Scene scene;
  mien_stream *sender = listening(scene);
  for (int k = 0; k < 40; k++) { // nobody looks meanwhile
    send(sender, 0.01f * static_cast<float>(20 + k), k);
    usleep(40000);
  }
  mien_stream_free(sender);
  usleep(1500000); // the sender counts as gone after a second
  CHECK(waitFor(scene, "phone.receiving", 0, nullptr, 0), "the sender is never gone");
  CHECK(near(scene.get("shapes.weight[1]"), 0.59, 2e-3), "shows %g of 0.59",
        scene.get("shapes.weight[1]"));
  scene.set("phone.live", 0);
}

// What is received belongs to no frame: no cache while it is.
static void neverCached() {
  Scene scene;
  mien_stream_free(listening(scene));
  CHECK(scene.cacheSetup("phone").disabled, "a cache would hold the performance of before");
  CHECK(scene.cacheSetup("phone").monitored == std::vector<std::string>{"live"}, "not asked again");
  scene.set("phone.live", 0);
  CHECK(!scene.cacheSetup("phone").disabled, "no cache although nothing is live");
}

// A port that is taken: one warning, no crash; deleting a live device ends its thread.
static void portTaken() {
  Scene scene;
  buildFace(scene, false);
  mien_stream_def def;
  mien_stream *taken = nullptr;
  mien_stream_def_init(&def);
  def.port = -1;
  CHECK(mien_stream_create(&def, nullptr, &taken, nullptr) >= 0, "no socket");
  scene.interactive = true;
  CHECK(scene.mel("mien -tracker shapes -name \"phone\""), "no tracker");
  CHECK(scene.count('w', "in batch") == 0, "warns of batch in a window");
  scene.set("phone.port", mien_stream_get_info(taken)->port);
  scene.set("phone.live", 1);
  for (int k = 0; k < 500 && scene.count('w') == 0; k++) {
    usleep(2000);
    scene.idle();
    scene.get("phone.frames");
  }
  CHECK(scene.count('w', "phone receives nothing") == 1, "%d warnings", scene.count('w'));
  scene.mel("delete phone");
  CHECK(!scene.find("phone") && scene.count('e') == 0, "not deleted");
  scene.undo();
  mien_stream_free(taken);
}

static void undoing() {
  Scene other;
  buildFace(other, false);
  CHECK(other.mel("mien -tracker shapes -name \"phone\""), "no tracker");
  CHECK(other.count('w', "in batch") == 1, "does not say that a tracker stands still in batch");
  other.undo();
  Plug from;
  CHECK(!other.find("phone") && !other.source(other.plug("shapes.weight[1]"), &from),
        "undo left something");
  CHECK(!other.mel("mien -tracker nobody"), "tracked nobody");
  other.setKey("shapes.weight[1]", 1, 0); // the animator's stays
  CHECK(!other.mel("mien -tracker shapes"), "an animated target was taken");
}

int main(int argc, char **argv) {
  if (argc < 2) return 2;
  plugin = argv[1];
  live(MIEN_PROTOCOL_LIVE_LINK);
  live(MIEN_PROTOCOL_VMC);
  newestFirst();
  busy();
  neverCached();
  portTaken();
  undoing();
  return verdict();
}

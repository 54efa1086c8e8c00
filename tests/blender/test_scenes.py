"""Faces in scenes as productions have them: hidden, excluded, in several view layers, among thousands of
objects, driven by NLA, rendered with motion blur and persistent data."""

import os
import sys
import tempfile
import time
import types

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import bpy
import numpy as np

import attached_face
import face_scene as fs
from attached_face import attached, play, status, without_mien
from mien_blender import faces, handlers, nodes, session, vectors

WORK = tempfile.mkdtemp(prefix="mien_scenes_")


def test_nla():
    """Strips, pushed down, shifted and slowed: the pose is Blender's, flesh follows."""
    scene, obj = attached(10)
    keyed = play(scene, obj, 10)
    for owner in (obj, obj.data.shape_keys):
        data = owner.animation_data
        action, data.action = data.action, None
        strip = data.nla_tracks.new().strips.new(action.name, 1, action)
        strip.extrapolation = "HOLD"
    bpy.context.view_layer.update()
    scene.frame_set(1)
    pushed = play(scene, obj, 10)
    assert np.array_equal(pushed[9], keyed[9]), f"strips: {np.abs(pushed[9] - keyed[9]).max()}"
    for owner in (obj, obj.data.shape_keys):
        owner.animation_data.nla_tracks[0].strips[0].scale = 2
    bpy.context.view_layer.update()
    scene.frame_set(1)
    slow = play(scene, obj, 10)
    assert not np.array_equal(slow[9], keyed[9]), "a slowed strip is not noticed"
    assert np.abs(slow[9] - keyed[9]).max() < 0.05


def test_hidden_and_excluded():
    """What a view layer does not show is not simulated there, without a complaint; shown again it is right."""
    scene, obj = attached(8)
    expected = play(scene, obj, 8)
    home = bpy.data.collections.new("character")
    scene.collection.children.link(home)
    home.objects.link(obj)
    scene.collection.objects.unlink(obj)
    layer = bpy.context.view_layer.layer_collection.children["character"]
    for hide in (
        lambda on: setattr(layer, "exclude", on),
        lambda on: setattr(obj, "hide_viewport", on),
        lambda on: setattr(home, "hide_viewport", on),
    ):
        hide(True)
        bpy.context.view_layer.update()
        for frame in (2, 5, 3):
            scene.frame_set(frame)
            assert not status(obj).is_error, status(obj).text
        hide(False)
        bpy.context.view_layer.update()
        scene.frame_set(8)
        assert not status(obj).is_error, status(obj).text
        assert np.array_equal(fs.shown(obj), expected[7]), "shown again"


def test_second_scene_and_view_layer():
    scene, obj = attached(6)
    expected = play(scene, obj, 6)
    other = bpy.data.scenes.new("other")
    other.frame_end = 6
    other.frame_set(3)  # without the face: nothing to do
    assert not faces.of_scene(other)
    other.collection.objects.link(obj)
    other.view_layers[0].update()
    assert [o.name for o in faces.of_scene(other)] == ["face"]
    scene.view_layers.new("second")
    scene.frame_set(1)
    scene.frame_set(6)
    assert np.array_equal(fs.shown(obj), expected[5])


def test_thousands_of_objects():
    """What a frame costs does not grow with the objects beside the face (a search through them would)."""
    scene, obj = attached(6)
    play(scene, obj, 6)

    def cost():
        best = np.inf
        for _ in range(30):
            begin = time.thread_time()
            faces.known(scene, bpy.context.evaluated_depsgraph_get())
            best = min(best, time.thread_time() - begin)
        return best

    alone = cost()
    empty = bpy.data.meshes.new("empty")
    for k in range(3000):
        scene.collection.objects.link(bpy.data.objects.new(f"a{k}", empty))
    scene.frame_set(6)
    among = cost()
    assert among < 10 * alone + 2e-5, f"{1e6 * alone:.0f} us alone, {1e6 * among:.0f} us among 3000"
    assert [o.name for o in faces.of_scene(scene)] == ["face"]


def test_motion_blur_and_persistent_data():
    """Sub-frames of a blurred render step nothing, and data kept between frames is not stale."""
    scene, obj = attached(4)
    play(scene, obj, 4)
    playback = session.get(obj).playback
    expected = {frame: known.positions for frame, known in playback.frames.items()}
    camera = bpy.data.objects.new("camera", bpy.data.cameras.new("camera"))
    camera.location, camera.rotation_euler = (0.0, -0.85, -0.02), (np.pi / 2, 0, 0)
    scene.collection.objects.link(camera)
    scene.camera = camera
    scene.world = bpy.data.worlds.new("grey")
    scene.render.engine, scene.cycles.samples, scene.cycles.use_denoising = "CYCLES", 1, False
    scene.render.resolution_x = scene.render.resolution_y = 48
    scene.render.use_motion_blur = True
    pictures = {}
    for persistent in (False, True):
        scene.render.use_persistent_data = persistent
        scene.render.filepath = os.path.join(WORK, f"{persistent}_")
        playback = session.get(obj).playback
        playback.forget()
        scene.frame_set(1)
        before = playback.nstep
        bpy.ops.render.render(animation=True)
        assert playback.nstep - before <= 4, f"{playback.nstep - before} steps for 4 frames"
        for frame in range(1, 5):
            assert np.array_equal(playback.frames[frame].positions, expected[frame]), (persistent, frame)
        image = bpy.data.images.load(os.path.join(WORK, f"{persistent}_0004.png"))
        pictures[persistent] = np.array(image.pixels[:], np.float32)
    assert np.ptp(pictures[True]) > 0.05, "a blank picture"
    assert np.abs(pictures[True] - pictures[False]).max() < 0.02, "persistent data shows another face"


def test_file_of_an_earlier_add_on():
    """Its node group counts in other axes: it is replaced before anything is written to its carrier."""
    scene, obj = attached(6)
    expected = play(scene, obj, 6)
    modifier = nodes.find_modifier(obj)
    nodes.set_input(modifier, "Factor", 0.75)
    scene.frame_set(6)
    share = fs.shown(obj)
    old = modifier.node_group.copy()
    old["mien_version"] = 1
    for link in list(old.links):
        old.links.remove(link)  # it would show nothing at all
    modifier.node_group = old
    path = os.path.join(WORK, "earlier.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.open_mainfile(filepath=path)
    scene, obj = bpy.context.scene, bpy.data.objects["face"]
    for frame in range(1, 7):
        scene.frame_set(frame)
    modifier = nodes.find_modifier(obj)
    assert modifier.node_group["mien_version"] == nodes.VERSION and nodes.get_input(modifier, "Factor") == 0.75
    assert np.array_equal(fs.shown(obj), share) and not np.array_equal(share, expected[5])


def test_keys_out_of_order():
    """Shapes go by name: a key that mien does not know, and one moved to the end."""
    scene, obj = attached(6)
    expected = play(scene, obj, 6)
    s = session.get(obj)
    assert s.keys.is_in_order and (s.read(obj, bpy.context.evaluated_depsgraph_get())[0].weights > 0).any()
    first, second = (s.read(obj, bpy.context.evaluated_depsgraph_get())[0].weights for _ in range(2))
    assert not np.shares_memory(first, second), "one frame's weights are another's"
    obj.active_shape_key_index = 1
    bpy.ops.object.shape_key_move(type="BOTTOM")
    handlers.refresh(scene)
    assert np.abs(play(scene, obj, 6)[5] - expected[5]).max() < 1e-6
    weights = s.read(obj, bpy.context.evaluated_depsgraph_get())[0].weights
    named = dict(zip(s.face.rig.shape_names, weights))
    blocks = obj.data.shape_keys.evaluated_get(bpy.context.evaluated_depsgraph_get()).key_blocks
    assert all(named[b.name] == np.float32(b.value) for b in blocks[1:]), named
    # shapes in another order than the keys, and one key that is no shape
    names = [b.name for b in blocks[1:]][::-1][:-1]
    keys, weights = session.Keys(blocks, {name: k for k, name in enumerate(names)}), np.full(len(names), 9, np.float32)
    keys.read(blocks, weights)
    assert not keys.is_in_order and weights.tolist() == [named[name] for name in names] and weights.any()


def test_without_simulating_when_scrubbing():
    """A change leaves what is known on the screen, and says so; what was never simulated is the plain rig."""
    scene, obj = attached(8)
    expected = play(scene, obj, 6)
    obj.mien.catch_up = False
    obj.update_tag()
    bpy.context.view_layer.update()
    for frame in (6, 4):
        scene.frame_set(frame)
        assert np.array_equal(fs.shown(obj), expected[frame - 1]), status(obj).text
        assert "play from frame 1" in status(obj).text and not status(obj).is_error
    scene.frame_set(8)
    assert np.array_equal(fs.shown(obj), without_mien(obj)) and "not simulated" in status(obj).text
    assert np.array_equal(play(scene, obj, 6)[5], expected[5]) and "Frame 6" in status(obj).text


def test_little_memory():
    """Frames that were forgotten to save memory are simulated again; what is shown never is half of two frames."""
    scene, obj = attached(24)
    expected = play(scene, obj, 24)
    s = session.get(obj)
    s.playback.memory = 3 * s.playback.frames[1].size()
    s.playback.forget()
    for frame in (24, 3, 20, 19, 24):
        scene.frame_set(frame)
        assert np.array_equal(fs.shown(obj), expected[frame - 1]), f"frame {frame}: {status(obj).text}"
    assert len(s.playback.frames) < 12, len(s.playback.frames)
    # at a frame whose past is gone, and nothing may be visited: what was shown stays
    scene.frame_set(19)
    with handlers.quiet():
        obj.data.shape_keys.key_blocks["mouthSmileLeft"].value = 0.7
        before, depsgraph = fs.shown(obj), bpy.context.evaluated_depsgraph_get()
        for known in s.playback.frames.values():
            known.snapshot = None
        s.playback._at = s.playback._hot = None
        del s.playback.frames[19]
        s.playback.trusted = 18
        handlers.evaluate(obj, scene, depsgraph, may_catch_up=False)
        assert s.playback.trusted < 18 and np.array_equal(fs.shown(obj), before), "a pose and another one's place"


def test_vectors_by_both_doors():
    """Copied in one piece or carried by Blender: the same numbers, and never where they do not lie in one piece."""
    mesh = bpy.data.meshes.new("vectors")
    mesh.vertices.add(50)
    data = mesh.attributes.new("a", "FLOAT_VECTOR", "POINT").data
    values = np.random.default_rng(5).random((50, 3), np.float32)
    was = vectors.is_whole
    for vectors.is_whole in (was, False):
        for count in (50, 20):
            data.foreach_set("vector", np.zeros(150, np.float32))
            vectors.Door(data, 50).write(values)
            out, by_blender = np.zeros((count, 3), np.float32), np.zeros((50, 3), np.float32)
            vectors.Door(data, count).read(out)
            data.foreach_get("vector", by_blender.reshape(-1))
            assert np.array_equal(out, values[:count]) and np.array_equal(by_blender, values), vectors.is_whole
    vectors.is_whole = True

    class Scattered(list):
        """Elements of 16 bytes, as an attribute of another kind might have."""

        def __getitem__(self, k):
            return types.SimpleNamespace(as_pointer=lambda: 4096 + 16 * k)

    assert vectors._start(Scattered(range(50)), 50) == 0
    assert vectors._start(data, 50) == data[0].as_pointer()
    vectors.is_whole = was
    bpy.data.meshes.remove(mesh)


def test_fixed_parameters_are_read_again():
    """Those that no curve moves are not read in every frame; whoever sets one is seen at once."""
    scene, obj = attached(6)
    play(scene, obj, 6)
    s = session.get(obj)
    before = s.settings["contact"]
    other = "off" if before != "off" else "plane"
    obj.mien.contact = other
    scene.frame_set(5)  # no update in between, as scripts do it
    assert s.settings["contact"] == other, s.settings["contact"]
    obj.mien.stiffness *= 0.5
    scene.frame_set(6)
    assert abs(s.flesh_key["stiffness"] - obj.mien.stiffness) < 1e-3 * obj.mien.stiffness, "flesh of before"


attached_face.run(globals())
print("scenes: all checks passed in Blender", bpy.app.version_string)

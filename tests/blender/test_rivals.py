"""What other add-ons got wrong about rigs, each as a check: odd shape keys, armatures, shared meshes,
libraries, duplicates, undo, changed topology, scaled and mirrored objects, colliders, painted maps.
"""

import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import bpy
import numpy as np

import attached_face
import face_scene as fs
from attached_face import attached, move_first, play, status, without_mien
from mien_blender import carrier, faces, maps, mien, session

WORK = tempfile.mkdtemp(prefix="mien_rivals_")


def test_odd_shape_keys():
    """Muted, masked, relative to another key, pinned, absolute: Blender blends them, mien reads that.

    With a still head and no contact the result is Blender's own, to the last bit."""
    scene, obj = attached(8, moving=False)
    obj.mien.contact = "off"
    keys = obj.data.shape_keys
    blocks = keys.key_blocks
    fs.key(obj, "mouthSmileLeft", {1: 0, 8: 0.9})
    fs.key(obj, "cheekPuff", {1: 0.2, 8: 0.4})
    mask = obj.vertex_groups.new(name="half")
    mask.add(list(range(0, len(obj.data.vertices), 2)), 0.5, "REPLACE")
    steps = (
        ("muted", lambda: setattr(blocks["cheekPuff"], "mute", True)),
        ("masked", lambda: setattr(blocks["mouthSmileLeft"], "vertex_group", "half")),
        ("relative to another key", lambda: setattr(blocks["mouthSmileLeft"], "relative_key", blocks["jawOpen"])),
        ("pinned", lambda: (setattr(obj, "active_shape_key_index", 3), setattr(obj, "show_only_shape_key", True))),
        ("absolute", lambda: (setattr(obj, "show_only_shape_key", False), setattr(keys, "use_relative", False))),
    )
    for name, change in steps:
        change()
        keys.eval_time = 15
        obj.data.update_tag()
        bpy.context.view_layer.update()
        for frame in (1, 3, 6):
            scene.frame_set(frame)
            assert not status(obj).is_error, (name, status(obj).text)
            points = fs.shown(obj)
            error = np.abs(points - without_mien(obj)).max()
            assert error == 0, f"{name}: {error}"


def test_armature_and_head_bone():
    """An armature before mien is part of the pose; with its bone as head its motion shakes the flesh."""
    scene = fs.empty_scene(16)
    obj, _ = fs.head(mien)
    armature = bpy.data.armatures.new("rig")
    rig = bpy.data.objects.new("rig", armature)
    scene.collection.objects.link(rig)
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    bone = armature.edit_bones.new("head")
    bone.head, bone.tail = (0, 0, -0.1), (0, 0, 0.1)
    bpy.ops.object.mode_set(mode="OBJECT")
    group = obj.vertex_groups.new(name="head")
    group.add(list(range(len(obj.data.vertices))), 1.0, "REPLACE")
    obj.modifiers.new("Subdivision", "SUBSURF").levels = 1
    deform = obj.modifiers.new("Armature", "ARMATURE")
    deform.object = rig
    posed = rig.pose.bones["head"]
    posed.rotation_mode = "XYZ"
    for frame in range(1, 17, 3):
        posed.rotation_euler = (0, 0.5 * np.sin(frame), 0)
        posed.keyframe_insert("rotation_euler", frame=frame)
    scene.frame_set(1)
    bpy.context.view_layer.objects.active = obj
    move_first(obj, "Armature")
    assert bpy.ops.mien.attach() == {"FINISHED"}
    assert [m.type for m in obj.modifiers] == ["ARMATURE", "NODES", "SUBSURF"], "after deformers, before the rest"
    obj.modifiers["Subdivision"].show_viewport = False
    obj.mien.contact = "off"
    play(scene, obj, 10)
    still = np.abs(fs.shown(obj) - without_mien(obj)).max()
    obj.mien.head_target, obj.mien.head_bone = rig, "head"
    scene.frame_set(1)
    play(scene, obj, 10)
    shaken = np.abs(fs.shown(obj) - without_mien(obj)).max()
    assert shaken > 2e-4, (still, shaken)
    assert np.abs(fs.shown(obj)).max() < 0.5
    check_jaw_bone(scene, obj, rig, fs.shown(obj))
    obj.mien.head_bone = "neck"
    scene.frame_set(3)
    assert status(obj).is_error and "neck" in status(obj).text
    same_as_plain = np.abs(fs.shown(obj) - without_mien(obj)).max()
    assert same_as_plain == 0, "an error shows the plain rig"


def check_jaw_bone(scene, obj, rig, expected):
    """A bone that opens the jaw, and the same shot by the command line, to the last bit."""
    jaw = bpy.data.objects.new("jaw", None)
    scene.collection.objects.link(jaw)
    jaw.parent, jaw.parent_type, jaw.parent_bone = rig, "BONE", "head"
    scene.frame_set(1)
    obj.mien.jaw_target = jaw
    for frame, turn in ((1, 0.0), (10, 0.3)):
        jaw.rotation_euler = (turn, 0, 0)
        jaw.keyframe_insert("rotation_euler", frame=frame)
    scene.frame_set(1)
    points = play(scene, obj, 10)
    assert np.abs(points[-1] - expected).max() > 1e-4, "the jaw bone moves no flesh"
    folder = os.path.join(WORK, "jaw_shot")
    scene.frame_end = 10
    assert bpy.ops.mien.export_shot(directory=folder) == {"FINISHED"}
    environment = dict(os.environ, MIEN=os.path.join(fs.BUILD, "bin/mien"))
    subprocess.run([os.path.join(folder, "bake.sh")], check=True, env=environment, capture_output=True)
    baked = mien.CacheReader(os.path.join(folder, "out.pc2")).points
    s = session.get(obj)
    for frame in range(1, 11):
        assert np.array_equal(baked[frame - 1], s.playback.frames[frame].positions), f"`mien bake`, frame {frame}"
    obj.mien.jaw_target = None


def test_subdivision_after_mien():
    scene, obj = attached(6)
    expected = play(scene, obj, 6)[-1]
    obj.modifiers.new("Subdivision", "SUBSURF").levels = 1
    scene.frame_set(1)
    play(scene, obj, 6)
    smooth = fs.shown(obj)
    assert len(smooth) > 3 * len(expected)
    obj.modifiers["Subdivision"].show_viewport = False
    bpy.context.view_layer.update()
    assert np.array_equal(fs.shown(obj), expected)


def test_generative_modifier_before():
    """A modifier that changes the mesh before mien: a sentence and the plain mesh, no crash."""
    scene, obj = attached(6)
    decimate = obj.modifiers.new("Decimate", "DECIMATE")
    decimate.ratio = 0.5
    move_first(obj, "Decimate")
    scene.frame_set(2)
    assert status(obj).is_error and "vertices" in status(obj).text, status(obj).text
    obj.modifiers.remove(decimate)
    scene.frame_set(1)
    scene.frame_set(3)
    assert not status(obj).is_error, status(obj).text


def test_changed_topology():
    scene, obj = attached(6)
    play(scene, obj, 3)
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.mesh.select_all(action="SELECT")
    bpy.ops.mesh.subdivide(number_cuts=1)
    bpy.ops.object.mode_set(mode="OBJECT")
    bpy.context.view_layer.update()
    scene.frame_set(4)
    assert not status(obj).is_error, status(obj).text
    assert len(fs.shown(obj)) == len(obj.data.vertices) == session.get(obj).source.nskin


def test_two_objects_share_a_mesh():
    scene, obj = attached(8)
    other = bpy.data.objects.new("twin", obj.data)
    scene.collection.objects.link(other)
    bpy.context.view_layer.objects.active = other
    assert bpy.ops.mien.attach() == {"FINISHED"}
    moved = 0
    for frame in range(1, 9):
        scene.frame_set(frame)
        moved = max(moved, np.abs(fs.shown(obj) - fs.shown(other)).max())
        assert not status(obj).is_error and not status(other).is_error
    assert moved > 1e-4, f"the still twin shakes with the other: {moved}"
    assert carrier.of(obj) != carrier.of(other)


def test_duplicate():
    scene, obj = attached(8)
    expected = play(scene, obj, 8)
    bpy.ops.object.select_all(action="DESELECT")
    obj.select_set(True)
    bpy.ops.object.duplicate()
    copy = bpy.context.object
    assert copy != obj
    bpy.context.view_layer.update()
    scene.frame_set(5)
    assert copy.mien.uid != obj.mien.uid and carrier.of(copy) != carrier.of(obj)
    for one in (obj, copy):
        assert np.array_equal(fs.shown(one), expected[4]), one.name
    copy.mien.attachment_rate = 5
    scene.frame_set(6)
    assert np.array_equal(fs.shown(obj), expected[5])
    assert not np.array_equal(fs.shown(copy), expected[5])


def test_linked_and_overridden():
    scene, obj = attached(8)
    expected = play(scene, obj, 8)
    path = os.path.join(WORK, "character.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    for override in (False, True):
        scene = fs.empty_scene(8)
        with bpy.data.libraries.load(path, link=True) as (there, here):
            here.objects = ["face"]
        obj = here.objects[0]
        if override:
            obj = obj.override_create(remap_local_usages=True)
        scene.collection.objects.link(obj)
        faces.look_again()
        scene.frame_set(1)
        for frame in (1, 4, 8):
            scene.frame_set(frame)
            is_same = np.array_equal(fs.shown(obj), expected[frame - 1])
            assert is_same == (override or frame == 1), ("linked", override, frame, status(obj).text)
    obj.mien.attachment_rate = 4
    scene.frame_set(8)
    assert not np.array_equal(fs.shown(obj), expected[7]), "parameters of an override"
    again = os.path.join(WORK, "shot.blend")
    bpy.ops.wm.save_as_mainfile(filepath=again)
    changed = fs.shown(obj)
    bpy.ops.wm.open_mainfile(filepath=again)
    scene = bpy.context.scene
    obj = next(o for o in scene.objects if o.type == "MESH")
    scene.frame_set(1)
    scene.frame_set(8)
    assert np.array_equal(fs.shown(obj), changed), "an override after reload"


def test_scaled_and_mirrored():
    """The face is as large as it is: scale and units of the scene count, a mirrored one is no puzzle."""
    scene, obj = attached(8)
    expected = play(scene, obj, 8)[-1]
    for scale in ((0.1, 0.1, 0.1), (-1, 1, 1)):
        scene = fs.empty_scene(8)
        obj, _ = fs.head(mien)
        factor = abs(scale[0])
        if factor != 1:  # a head ten times as large in a scene ten times as small
            for block in obj.data.shape_keys.key_blocks:
                for point in block.data:
                    point.co /= factor
        obj.scale = scale
        fs.shake(obj, 8)
        fs.key(obj, "jawOpen", {1: 0, 8: 0.6})
        scene.frame_set(1)
        assert bpy.ops.mien.attach() == {"FINISHED"}
        points = play(scene, obj, 8)[-1]
        info = session.get(obj).face.info
        assert info.has_mouth and 0.4 < info.mass < 3, info.mass
        if factor != 1:
            off = np.abs(factor * points - expected).max()
            assert off < 3e-4, off


def test_colliders():
    """A ball that is pressed against the lips pushes them in."""
    scene, obj = attached(8, moving=False)
    expected = play(scene, obj, 8)[-1]
    bpy.ops.mesh.primitive_ico_sphere_add(subdivisions=3, radius=0.03)
    ball = bpy.context.object
    hands = bpy.data.collections.new("hands")
    scene.collection.children.link(hands)
    hands.objects.link(ball)
    info = session.get(obj).face.info
    lips = expected[info.skin[(info.regions & 3) != 0]]
    for frame, away in ((1, 0.12), (8, 0.027)):  # three millimetres into the lips
        ball.location = (0, lips[:, 1].min() - away, lips[:, 2].mean())
        ball.keyframe_insert("location", frame=frame)
    obj.mien.colliders = hands
    bpy.context.view_layer.update()
    scene.frame_set(1)
    pushed = play(scene, obj, 8)[-1]
    s = session.get(obj)
    assert s.face.ncollider == 1 and s.playback.state.info.ncontact > 0
    center = np.array(ball.matrix_world.translation)

    def inside(points):
        return 0.03 - np.linalg.norm(points - center, axis=1).min()

    assert inside(lips) > 1e-3, "the ball does not reach the lips"
    pushed = pushed[info.skin[(info.regions & 3) != 0]]
    assert inside(pushed) < 6e-4, f"{1e3 * inside(pushed):.2f} mm inside the ball"


def test_map_of_one_shape():
    """Stiffness painted for a smile: nothing changes until somebody smiles."""
    scene, obj = attached(8)
    obj.mien.contact = "off"
    plain = play(scene, obj, 8)
    assert bpy.ops.mien.paint(map="stiffness", shape="mouthSmileLeft", enter=False) == {"FINISHED"}
    group = obj.vertex_groups["mien stiffness:mouthSmileLeft"]
    assert abs(group.weight(0) - 0.5) < 1e-6, "it begins with no change"
    group.add(list(range(len(obj.data.vertices))), 1.0, "REPLACE")
    obj.data.update_tag()
    bpy.context.view_layer.update()
    scene.frame_set(1)
    serious = play(scene, obj, 8)
    assert np.abs(serious[-1] - plain[-1]).max() < 1e-5
    fs.key(obj, "mouthSmileLeft", {1: 1.0})
    smile = play(scene, obj, 8)
    obj.vertex_groups.remove(group)
    scene.frame_set(1)
    soft = play(scene, obj, 8)
    assert np.abs(smile[-1] - soft[-1]).max() > 1e-5, "a stiff smile moves as a soft one"
    try:
        bpy.ops.mien.paint(map="jaw", shape="mouthSmileLeft")
        assert False, "jaw was painted per shape"
    except RuntimeError as error:
        assert "per shape" in str(error)


def test_paint_mode():
    scene, obj = attached(6)
    expected = play(scene, obj, 5)
    assert bpy.ops.mien.paint(map="thickness") == {"FINISHED"}
    assert obj.mode == "WEIGHT_PAINT" and obj.vertex_groups.active.name == "mien thickness"
    scene.frame_set(3)  # paused: the last shape stays
    assert not status(obj).is_error
    bpy.ops.object.mode_set(mode="OBJECT")
    for index in range(len(obj.data.vertices)):
        obj.vertex_groups.active.add([index], 0.4, "REPLACE")
    obj.data.update_tag()
    bpy.context.view_layer.update()
    scene.frame_set(1)
    points = play(scene, obj, 5)[-1]
    assert not np.array_equal(points, expected[-1])
    weights = maps.weights(obj.data, maps.groups(obj))["thickness"]
    assert np.allclose(weights, 0.4)


def test_bad_meshes():
    scene = fs.empty_scene(4)
    for name, vertices, polygons in (
        ("empty", [], []),
        ("points", [(0, 0, 0), (1, 0, 0)], []),
        ("line", [(0, 0, 0), (0, 0, 0), (0, 0, 0)], [(0, 1, 2)]),
    ):
        mesh = bpy.data.meshes.new(name)
        mesh.from_pydata(vertices, [], polygons)
        obj = bpy.data.objects.new(name, mesh)
        scene.collection.objects.link(obj)
        bpy.context.view_layer.objects.active = obj
        try:
            bpy.ops.mien.attach()
            assert name == "line", name + " was taken for a face"
        except RuntimeError as error:
            assert "Error" in str(error) and "Traceback" not in str(error), str(error)
            assert not obj.mien.is_attached and not obj.modifiers


def test_undo():
    scene, obj = attached(8)
    expected = play(scene, obj, 8)
    bpy.ops.ed.undo_push(message="start")
    obj.mien.attachment_rate = 3
    bpy.ops.ed.undo_push(message="parameter")
    scene.frame_set(8)
    assert not np.array_equal(fs.shown(obj), expected[7])
    bpy.ops.ed.undo()
    obj, scene = bpy.data.objects["face"], bpy.context.scene
    scene.frame_set(8)
    assert obj.mien.attachment_rate == 50 and np.array_equal(fs.shown(obj), expected[7]), "undone parameter"
    bpy.ops.ed.redo()
    obj, scene = bpy.data.objects["face"], bpy.context.scene
    scene.frame_set(8)
    assert obj.mien.attachment_rate == 3 and not np.array_equal(fs.shown(obj), expected[7])
    for _ in range(2):  # a storm
        bpy.ops.ed.undo()
        bpy.ops.ed.redo()
    bpy.ops.ed.undo()
    bpy.context.view_layer.objects.active = bpy.data.objects["face"]
    bpy.ops.mien.detach()
    bpy.ops.ed.undo_push(message="detach")
    bpy.ops.ed.undo()
    obj, scene = bpy.data.objects["face"], bpy.context.scene
    assert obj.mien.is_attached and carrier.of(obj) is not None, "undone detach"
    scene.frame_set(8)
    assert np.array_equal(fs.shown(obj), expected[7])


attached_face.run(globals())
print("rivals: all checks passed in Blender", bpy.app.version_string)

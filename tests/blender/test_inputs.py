"""Everything a frame depends on is noticed, whoever changed it: curves, scripts that update nothing, the artist."""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import bpy
import numpy as np

import attached_face
import face_scene as fs
from attached_face import attached, play, status, without_mien
from mien_blender import mien, session


def curve_of(path, index=0):
    return next(c for c in fs.curves() if c.data_path == path and c.array_index == index)


def raise_keys(curve, by):
    for point in curve.keyframe_points:
        point.co.y += by
    curve.update()


def ball_at(name, collection, place):
    bpy.ops.mesh.primitive_ico_sphere_add(subdivisions=3, radius=0.03)
    ball = bpy.context.object
    ball.name, ball.location = name, place
    collection.objects.link(ball)
    return ball


def attached_with_ball(frames):
    """A ball that is eight millimetres in the lips at the last frame."""
    scene, obj = attached(frames, moving=False)
    last = play(scene, obj, frames)[-1]
    info = session.get(obj).face.info
    lips = last[info.skin[(info.regions & 3) != 0]]
    hands = bpy.data.collections.new("hands")
    scene.collection.children.link(hands)
    ball = ball_at("ball", hands, (0, 0, 0))
    for frame, away in ((1, 0.12), (frames, 0.022)):
        ball.location = (0, lips[:, 1].min() - away, lips[:, 2].mean())
        ball.keyframe_insert("location", frame=frame)
    obj.mien.colliders = hands  # as scripts do it: nothing is updated
    bpy.context.view_layer.objects.active = obj
    return scene, obj, hands


def test_keyed_parameters_follow_their_curves():
    scene, obj = attached(6)
    plain = play(scene, obj, 6)
    for frame, strength in ((1, 0), (6, -60)):
        obj.mien.gravity = (0, 0, strength)
        obj.mien.keyframe_insert("gravity", frame=frame)
    scene.frame_set(1)
    hanging = play(scene, obj, 6)
    given = [session.get(obj).playback.frames[k].input.settings["gravity"] for k in range(1, 7)]
    curve = curve_of("mien.gravity", 2)
    for frame, (x, y, z) in enumerate(given, 1):
        assert abs(y - curve.evaluate(frame)) < 1e-4 and x == z == 0, (frame, given)
    assert np.abs(hanging[5] - plain[5]).max() > 1e-4
    raise_keys(curve, 60)  # the curve alone, without a word to anybody
    scene.frame_set(1)
    assert np.abs(play(scene, obj, 6)[5] - hanging[5]).max() > 1e-4, "frames of the curve as it was"


def test_frame_rate():
    scene, obj = attached(6)
    play(scene, obj, 6)
    s = session.get(obj)
    for fps, base in ((48, 1.0), (48, 1.001)):
        scene.render.fps, scene.render.fps_base = fps, base
        scene.frame_set(4)
        assert abs(s.settings["dt"] - base / fps) < 1e-9, s.settings["dt"]
        assert s.playback.frames[4].input.settings["dt"] == s.settings["dt"], "a frame of the old rate"


def test_colliders_that_come_and_move():
    scene, obj, hands = attached_with_ball(8)
    scene.frame_set(1)
    pushed = play(scene, obj, 8)[-1]
    s = session.get(obj)
    assert s.face.ncollider == 1 and s.playback.frames[8].summary.ncontact > 0
    # its key is edited: frames that are known are looked at again
    raise_keys(curve_of("location", 1), -0.1)
    scene.frame_set(1)
    away = play(scene, obj, 8)[-1]
    assert s.playback.frames[8].summary.ncontact == 0 and np.abs(away - pushed).max() > 1e-3, "the ball as it was"
    other = ball_at("other", hands, (0, -1, 0))
    scene.frame_set(2)
    assert s.face.ncollider == 2, "one that came"
    hands.objects.unlink(other)
    scene.frame_set(3)
    assert s.face.ncollider == 1, "one that went"
    assert not status(obj).is_error, status(obj).text


def test_weights_alone():
    """A key that moves no vertex still opens the jaw: weights are looked at, not only what they do to the skin."""
    scene, obj = attached(6)
    obj.vertex_groups.new(name="nothing")
    obj.data.shape_keys.key_blocks["jawOpen"].vertex_group = "nothing"
    bpy.context.view_layer.update()
    scene.frame_set(1)
    before = play(scene, obj, 6)
    s = session.get(obj)
    pose = s.playback.frames[6].input.pose.copy()
    raise_keys(curve_of('key_blocks["jawOpen"].value'), 0.4)
    scene.frame_set(1)
    after = play(scene, obj, 6)
    assert np.array_equal(s.playback.frames[6].input.pose, pose), "the skin moved by itself"
    assert np.abs(after[5] - before[5]).max() > 1e-5, "the jaw is where the old weights put it"
    obj.data.shape_keys.key_blocks["jawOpen"].mute = True
    scene.frame_set(1)
    play(scene, obj, 6)
    assert s.playback.frames[6].input.weights[s.shape_index["jawOpen"]] == 0, "a muted key counts"


def test_jaw_by_an_object():
    """With nothing else beside the face: it moves the flesh, and keys of it that are edited are noticed."""
    scene, obj = attached(6)
    plain = play(scene, obj, 6)[-1]
    jaw = bpy.data.objects.new("jaw", None)
    scene.collection.objects.link(jaw)
    scene.frame_set(1)
    obj.mien.jaw_target = jaw
    for frame, turn in ((1, 0.0), (6, 0.2)):
        jaw.rotation_euler = (turn, 0, 0)
        jaw.keyframe_insert("rotation_euler", frame=frame)
    scene.frame_set(1)
    turned = play(scene, obj, 6)[-1]
    assert np.abs(turned - plain).max() > 1e-4, "the jaw moves no flesh"
    raise_keys(curve_of("rotation_euler", 0), -0.2)
    scene.frame_set(1)
    assert np.abs(play(scene, obj, 6)[-1] - turned).max() > 1e-4, "the jaw as it was"


def test_mirrored_object_moves_as_the_plain_one():
    """Mirrored twice, by its mesh and by its object: the same face in the world."""
    scene, obj = attached(6)
    obj.mien.contact = "off"
    scene.frame_set(1)
    expected = play(scene, obj, 6)[-1]
    scene = fs.empty_scene(6)
    obj, _ = fs.head(mien)
    for block in obj.data.shape_keys.key_blocks:
        flat = np.empty(3 * len(block.data), np.float32)
        block.data.foreach_get("co", flat)
        flat[::3] *= -1
        block.data.foreach_set("co", flat)
    obj.data.flip_normals()  # of a mirrored mesh they look inward
    obj.scale = (-1, 1, 1)
    fs.shake(obj, 6)
    fs.key(obj, "jawOpen", {1: 0, 6: 0.6})
    scene.frame_set(1)
    assert bpy.ops.mien.attach() == {"FINISHED"}
    obj.mien.contact = "off"
    scene.frame_set(1)
    off = np.abs(play(scene, obj, 6)[-1] * (-1, 1, 1) - expected).max()
    assert off < 1e-6, f"{1e3 * off:.2f} mm off"


def test_between_frames():
    """What physics adds is between what it adds to both neighbours, on the pose of the moment."""
    scene, obj = attached(6)
    obj.mien.contact = "off"
    scene.frame_set(1)
    play(scene, obj, 6)

    def added(frame, part=0.0):
        scene.frame_set(frame, subframe=part)
        points = fs.shown(obj)
        return points - without_mien(obj)

    before, after = added(4), added(5)
    assert np.abs(after - before).max() > 1e-4
    for part in (0.25, 0.5):
        off = np.abs(added(4, part) - ((1 - part) * before + part * after)).max()
        assert off < 1e-6, f"{1e3 * off:.3f} mm off at {part}"


def test_undo_is_seen_at_once():
    """Not at the next change of frame."""
    scene, obj = attached(6)
    expected = play(scene, obj, 6)[-1]
    bpy.ops.ed.undo_push(message="start")
    obj.mien.attachment_rate = 3
    scene.frame_set(1)
    scene.frame_set(6)
    other = fs.shown(obj)
    assert np.abs(other - expected).max() > 1e-5
    bpy.ops.ed.undo_push(message="parameter")
    bpy.ops.ed.undo()
    obj = bpy.data.objects["face"]
    assert bpy.context.scene.frame_current == 6 and np.array_equal(fs.shown(obj), expected), "undone"
    bpy.ops.ed.redo()
    assert np.array_equal(fs.shown(bpy.data.objects["face"]), other), "done again"


attached_face.run(globals())
print("inputs: all checks passed in Blender", bpy.app.version_string)

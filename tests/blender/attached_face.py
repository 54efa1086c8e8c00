"""A face with mien on it, and what tests of such a face do again and again."""

import time

import bpy

import face_scene as fs

fs.enable()
from mien_blender import mien, nodes, session  # noqa: E402


def attached(frames=12, moving=True, **more):
    scene = fs.empty_scene(frames)
    obj, _ = fs.head(mien, **more)
    if moving:
        fs.shake(obj, frames)
    fs.key(obj, "jawOpen", {1: 0, frames: 0.6})
    scene.frame_set(1)
    assert bpy.ops.mien.attach() == {"FINISHED"}
    return scene, obj


def status(obj):
    return session.get(obj).status


def play(scene, obj, last):
    out = []
    for frame in range(1, last + 1):
        scene.frame_set(frame)
        out.append(fs.shown(obj))
        assert not status(obj).is_error, status(obj).text
    return out


def move_first(obj, name):
    with bpy.context.temp_override(object=obj):
        bpy.ops.object.modifier_move_to_index(modifier=name, index=0)


def without_mien(obj):
    modifier = nodes.find_modifier(obj)
    modifier.show_viewport = False
    bpy.context.view_layer.update()
    points = fs.shown(obj)
    modifier.show_viewport = True
    bpy.context.view_layer.update()
    return points


def run(tests):
    """Every function of a module's globals that is called test_..."""
    for name, test in list(tests.items()):
        if name.startswith("test_"):
            start = time.time()
            test()
            print(f"{name}: passed in {time.time() - start:.1f} s", flush=True)

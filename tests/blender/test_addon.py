"""The add-on in real Blender: attach, play, scrub, bake, render, save, reload, and the CLI's bits.

blender -b --factory-startup --python-exit-code 1 -P test_addon.py
"""

import os
import random
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import bpy
import numpy as np

import face_scene as fs

fs.enable()
from mien_blender import bake, carrier, export_shot, handlers, mien, nodes, session  # noqa: E402

FRAMES = 60
WORK = tempfile.mkdtemp(prefix="mien_blender_")


def same(a, b, what):
    assert a.shape == b.shape, (what, a.shape, b.shape)
    assert np.array_equal(a, b), f"{what}: differs by {np.abs(a - b).max()}"


def differ(a, b, what):
    assert not np.array_equal(a, b), what + ": nothing changed"


def check_errors(obj):
    status = session.get(obj).status
    assert not status.is_error, status.text


def build_shot():
    """Keys, a driver, an NLA strip, a moving head, teeth and eyes in a collection."""
    scene = fs.empty_scene(FRAMES)
    obj, others = fs.head(mien, parts=True)
    for other in others.objects:
        other.parent = obj
    fs.key(obj, "jawOpen", {1: 0, 20: 0.7, 35: 0.1, 60: 0.5})
    fs.key(obj, "mouthPressLeft", {1: 0, 30: 0.8, 60: 0})
    fs.shake(obj, FRAMES)
    obj["amount"] = 0.0
    obj.keyframe_insert('["amount"]', frame=1)
    obj["amount"] = 1.0
    obj.keyframe_insert('["amount"]', frame=FRAMES)
    curve = obj.data.shape_keys.key_blocks["mouthSmileLeft"].driver_add("value")
    curve.driver.type = "SCRIPTED"
    variable = curve.driver.variables.new()
    variable.name, variable.targets[0].id, variable.targets[0].data_path = "v", obj, '["amount"]'
    curve.driver.expression = "v * 0.6"
    keys = obj.data.shape_keys
    action = keys.animation_data.action
    track = keys.animation_data.nla_tracks.new()
    track.strips.new("speech", 1, action)
    keys.animation_data.action = None  # played by the NLA alone
    for name in ("jaw", "teeth_lower", "tongue"):
        blocks = bpy.data.objects[name].data.shape_keys.key_blocks
        curve = blocks["jawOpen"].driver_add("value")
        curve.driver.type = "SUM"
        variable = curve.driver.variables.new()
        variable.targets[0].id_type = "KEY"
        variable.targets[0].id = keys
        variable.targets[0].data_path = 'key_blocks["jawOpen"].value'
    obj.mien.colliders = others
    scene.frame_set(1)
    return scene, obj


def plain_frames(scene, obj):
    out = {}
    for frame in range(1, FRAMES + 1):
        scene.frame_set(frame)
        out[frame] = fs.shown(obj)
    return out


def test_attach_and_play(scene, obj):
    untouched = fs.raw(obj)
    plain = plain_frames(scene, obj)
    scene.frame_set(1)
    assert fs.raw(obj) == untouched
    assert bpy.ops.mien.attach() == {"FINISHED"}
    s = session.get(obj)
    assert s.face.info.has_mouth
    assert {p.kind for p in s.face.rig.info.parts} >= {mien.PartKind.TEETH_LOWER, mien.PartKind.SKULL}
    names = {g.name for g in obj.vertex_groups}
    assert names >= {"mien attachment", "mien jaw", "mien sticky"}, names
    live = {}
    for frame in range(1, FRAMES + 1):
        scene.frame_set(frame)
        live[frame] = fs.shown(obj)
        check_errors(obj)
        assert np.isfinite(live[frame]).all()
    same(live[1], plain[1], "frame 1 is the artist's")
    largest = max(np.abs(live[f] - plain[f]).max() for f in live)
    assert 1e-4 < largest < 0.05, largest
    assert s.playback.nstep == FRAMES
    scene.frame_set(1)
    assert fs.raw(obj) == untouched, "the artist's mesh or shape keys were changed"
    return plain, live


def test_any_order(scene, obj, live):
    order = list(range(1, FRAMES + 1))
    random.Random(11).shuffle(order)
    s = session.get(obj)
    before = s.playback.nstep
    for frame in order:
        scene.frame_set(frame)
        same(fs.shown(obj), live[frame], f"frame {frame} visited again")
    assert s.playback.nstep == before, "frames were simulated twice"
    s.playback.forget()
    for frame in order[:6]:  # nothing known: the frames before are simulated on the way
        scene.frame_set(frame)
        same(fs.shown(obj), live[frame], f"frame {frame} jumped to")
        assert scene.frame_current == frame


def test_command_line(scene, obj, live):
    folder = os.path.join(WORK, "shot")
    assert bpy.ops.mien.export_shot(directory=folder) == {"FINISHED"}
    environment = dict(os.environ, MIEN=os.path.join(fs.BUILD, "bin/mien"))
    subprocess.run([os.path.join(folder, "bake.sh")], check=True, env=environment, capture_output=True)
    points = mien.CacheReader(os.path.join(folder, "out.pc2")).points
    assert len(points) == FRAMES
    n = len(obj.data.vertices)
    for frame in range(1, FRAMES + 1):
        same(fs.to_blender(points[frame - 1][:n]), live[frame], f"`mien bake`, frame {frame}")


def test_edited_key(scene, obj, live):
    """A key changed at frame 30 is seen at 50 without playing through, and undone again."""
    scene.frame_set(50)
    curve = next(c for c in fs.curves() if c.data_path == "location" and c.array_index == 0)

    def point():  # looked up again: updating a curve may move its points
        return min(curve.keyframe_points, key=lambda p: abs(p.co.x - 31))

    before = point().co.y
    point().co.y = before + 0.05
    curve.update()
    obj.update_tag()
    bpy.context.view_layer.update()
    scene.frame_set(51)
    differ(fs.shown(obj), live[51], "an edited key")
    scene.frame_set(20)
    same(fs.shown(obj), live[20], "frames before the edited key")
    point().co.y = before
    curve.update()
    obj.update_tag()
    bpy.context.view_layer.update()
    scene.frame_set(51)
    same(fs.shown(obj), live[51], "the key put back")


def test_slider_at_the_same_frame(scene, obj, live):
    """Dragging a slider moves the mesh at once, with what physics adds."""
    scene.frame_set(10)
    block = obj.data.shape_keys.key_blocks["cheekPuff"]
    block.value = 0.5
    bpy.context.view_layer.update()
    moved = fs.shown(obj)
    assert np.abs(moved - live[10]).max() > 1e-3
    block.value = 0
    bpy.context.view_layer.update()
    bpy.context.view_layer.update()
    scene.frame_set(11)
    scene.frame_set(10)
    same(fs.shown(obj), live[10], "the slider put back")


def test_between_frames(scene, obj, live):
    """Motion blur: nothing is stepped between frames, what is known is interpolated."""
    s = session.get(obj)
    scene.frame_set(12)
    before = s.playback.nstep
    scene.frame_set(12, subframe=0.5)
    middle = fs.shown(obj)
    assert s.playback.nstep == before
    mean = 0.5 * (live[12] + live[13])
    assert np.abs(middle - mean).max() < 2e-3
    scene.frame_set(12)
    same(fs.shown(obj), live[12], "back from between")


def test_painting(scene, obj, live):
    scene.frame_set(24)
    group = obj.vertex_groups["mien attachment"]
    group.add(list(range(len(obj.data.vertices))), 1.0, "REPLACE")  # all of it firmly on bone
    obj.data.update_tag()
    bpy.context.view_layer.update()
    scene.frame_set(25)
    check_errors(obj)
    stiff = fs.shown(obj)
    differ(stiff, live[25], "painted attachment")
    obj.vertex_groups.remove(group)
    bpy.context.view_layer.update()
    scene.frame_set(24)
    scene.frame_set(25)
    same(fs.shown(obj), live[25], "without the map it is what mien finds")


def test_parameters(scene, obj, live):
    obj.mien.gravity = (0, 0, -9.81)
    scene.frame_set(30)
    differ(fs.shown(obj), live[30], "gravity")
    obj.mien.gravity = (0, 0, 0)
    scene.frame_set(31)
    same(fs.shown(obj), live[31], "gravity put back")
    obj.mien.seal_left = 0.0
    obj.mien.keyframe_insert("seal_left", frame=1)  # keyable parameters are part of a frame
    scene.frame_set(32)
    same(fs.shown(obj), live[32], "a keyed parameter at its default")
    obj.mien.keyframe_delete("seal_left", frame=1)


def render(scene, name):
    scene.render.engine = "CYCLES"
    scene.cycles.samples, scene.cycles.use_denoising = 4, False
    scene.render.resolution_x = scene.render.resolution_y = 96
    scene.render.resolution_percentage = 100
    if scene.camera is None:
        camera = bpy.data.objects.new("camera", bpy.data.cameras.new("camera"))
        light = bpy.data.objects.new("light", bpy.data.lights.new("light", "SUN"))
        light.data.energy = 4
        light.rotation_euler = (0.7, 0.3, 0)
        camera.location, camera.rotation_euler = (0, -0.75, 0), (np.pi / 2, 0, 0)
        scene.collection.objects.link(camera)
        scene.collection.objects.link(light)
        scene.camera = camera
    scene.render.filepath = os.path.join(WORK, name)
    bpy.ops.render.render(write_still=True)
    image = bpy.data.images.load(scene.render.filepath)
    pixels = np.array(image.pixels[:]).reshape(-1, 4)[:, :3]
    bpy.data.images.remove(image)
    assert pixels.std() > 0.02, "the picture is blank"
    return pixels


def test_save_bake_render_reload(scene, obj, live):
    path = os.path.join(WORK, "shot.blend")
    scene.frame_set(26)
    live_picture = render(scene, "live.png")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    same(fs.shown(obj), live[26], "saving does not change what is shown")
    copy = shutil.copy(path, os.path.join(WORK, "copy.blend"))  # Blender 5 does not look into the file it has open
    with bpy.data.libraries.load(copy) as (there, _):
        assert "mien carrier" in there.meshes
    assert bpy.ops.mien.bake() == {"FINISHED"}
    modifier = obj.modifiers[bake.MODIFIER]
    assert modifier.filepath.startswith("//mien_cache_shot/")
    assert not nodes.find_modifier(obj).show_render
    for frame in (1, 2, 17, 26, 43, FRAMES):
        scene.frame_set(frame)
        same(fs.shown(obj), live[frame], f"baked frame {frame}")
    scene.frame_set(26, subframe=0.5)
    mean = 0.5 * (live[26] + live[27])
    assert np.abs(fs.shown(obj) - mean).max() < 1e-6
    scene.frame_set(26)
    baked_picture = render(scene, "baked.png")
    assert np.abs(live_picture - baked_picture).max() < 1 / 255, "live and baked render differently"
    modifier.show_render = False
    off = render(scene, "off.png")
    assert np.abs(off - baked_picture).max() > 0.02, "mien makes no difference in the render"
    modifier.show_render = True
    bpy.ops.wm.save_mainfile()
    bpy.ops.wm.open_mainfile(filepath=path)
    assert not session.sessions, "sessions of the old file are left"
    scene, obj = bpy.context.scene, bpy.data.objects["face"]
    bpy.context.view_layer.objects.active = obj
    scene.frame_set(43)
    same(fs.shown(obj), live[43], "baked frame after reload")
    assert bpy.ops.mien.free_bake() == {"FINISHED"}
    same(fs.shown(obj), live[43], "simulated again after reload")
    return scene, obj, path


def test_without_the_add_on(path, plain, live):
    """A farm without mien: a live file shows the plain rig, a baked one the bake."""
    bpy.ops.wm.save_as_mainfile(filepath=path)  # live, at frame 43
    handlers.unregister()
    try:
        bpy.ops.wm.open_mainfile(filepath=path)
        scene, obj = bpy.context.scene, bpy.data.objects["face"]
        for frame in (43, 12):
            scene.frame_set(frame)
            same(fs.shown(obj), plain[frame], f"frame {frame} without the add-on")
    finally:
        handlers.register()
    scene.frame_set(12)
    same(fs.shown(obj), live[12], "with it again")
    return scene, obj


def test_detach(scene, obj, plain):
    scene.frame_set(20)
    bpy.context.view_layer.objects.active = obj
    assert bpy.ops.mien.detach(remove_maps=True) == {"FINISHED"}
    same(fs.shown(obj), plain[20], "detached")
    assert not obj.modifiers and not obj.vertex_groups
    assert not [o for o in bpy.data.objects if "mien_owner" in o], "the carrier is left"
    assert not session.sessions


def main():
    scene, obj = build_shot()
    plain, live = test_attach_and_play(scene, obj)
    test_any_order(scene, obj, live)
    test_command_line(scene, obj, live)
    test_edited_key(scene, obj, live)
    test_slider_at_the_same_frame(scene, obj, live)
    test_between_frames(scene, obj, live)
    test_painting(scene, obj, live)
    test_parameters(scene, obj, live)
    scene, obj, path = test_save_bake_render_reload(scene, obj, live)
    scene, obj = test_without_the_add_on(path, plain, live)
    test_detach(scene, obj, plain)
    print("add-on: all checks passed in Blender", bpy.app.version_string)


main()

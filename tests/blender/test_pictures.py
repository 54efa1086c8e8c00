"""The pictures of docs/blender.md, made in Blender's window of what a newcomer has, and compared with those in docs/:
a panel or a head that looks otherwise by now is a picture that has to be made anew (MIEN_UPDATE=1 writes them).

MIEN_BUILD=$PWD/build/release MIEN_WINDOW="1280 800" tests/blender/run_window.sh \
  tests/blender/test_pictures.py $PWD/docs FOLDER [shake|panel|lines|paint ...]     (none = all)
"""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import bpy
import numpy as np

import face_scene as fs
import window as ui

fs.enable()
from mien_blender import nodes, panel, session  # noqa: E402

ARGUMENTS = sys.argv[sys.argv.index("--") + 1 :]
DOCS, OUT = (os.path.abspath(folder) for folder in ARGUMENTS[:2])
WANTED = ARGUMENTS[2:] or ["shake", "panel", "lines", "paint"]
UPDATE = os.environ.get("MIEN_UPDATE", "") not in ("", "0")
FRAME = 21  # the head turns back
SIZE = 320  # of a rendered picture
CELL = 8  # pixels that are compared as one: the milliseconds of a frame are others every time
ALIKE = 0.004  # of full brightness, in the mean


def face():
    return bpy.context.scene.objects["skin"]


def pixels(path):
    image = bpy.data.images.load(path)
    out = np.array(image.pixels[:], np.float32).reshape(image.size[1], image.size[0], 4)[..., :3]
    bpy.data.images.remove(image)
    return out


def save(shown, path):
    height, width = shown.shape[:2]
    image = bpy.data.images.new("out", width, height, alpha=False)
    image.pixels = np.concatenate([shown, np.ones((height, width, 1), np.float32)], axis=2).reshape(-1)
    image.filepath_raw, image.file_format = path, "PNG"
    image.save()
    bpy.data.images.remove(image)


def coarse(shown):
    height, width = (n // CELL * CELL for n in shown.shape[:2])
    return shown[:height, :width].reshape(height // CELL, CELL, width // CELL, CELL, 3).mean(axis=(1, 3))


def judge(shown, name):
    """A picture that was made, against the one in docs/."""
    save(shown, os.path.join(OUT, name))
    if UPDATE:
        save(shown, os.path.join(DOCS, name))
        return
    known = pixels(os.path.join(DOCS, name))
    assert known.shape == shown.shape, f"{name} is {shown.shape[1::-1]} pixels now, {known.shape[1::-1]} in docs/"
    far = np.abs(coarse(shown) - coarse(known))
    print(f"{name}: {far.mean():.4f} of full brightness from docs/")
    assert far.mean() < ALIKE, f"docs/{name} shows something else: look at {OUT}/{name}, then MIEN_UPDATE=1"


def newcomers_scene():
    """The sample head, attached, alone in a new file; a camera near its cheek and mouth, a sun."""
    scene = bpy.context.scene
    bpy.data.batch_remove([o for o in bpy.data.objects])
    assert bpy.ops.mien.add_sample() == {"FINISHED"} and bpy.ops.mien.attach() == {"FINISHED"}
    camera = bpy.data.objects.new("camera", bpy.data.cameras.new("camera"))
    camera.location, camera.rotation_euler = (0.035, -0.9, -0.06), (np.pi / 2, 0, 0)
    camera.data.lens = 190
    sun = bpy.data.objects.new("sun", bpy.data.lights.new("sun", "SUN"))
    sun.data.energy, sun.data.angle, sun.rotation_euler = 2.5, 1, (0.9, 0.1, 0.4)
    scene.world.use_nodes, scene.world.color = False, (0.25, 0.27, 0.3)
    for thing in (camera, sun):
        scene.collection.objects.link(thing)
        thing.hide_set(True)  # it renders all the same
    scene.camera = camera


def render(name):
    scene = bpy.context.scene
    scene.render.engine = "CYCLES"
    scene.cycles.samples, scene.cycles.use_denoising = 24, False
    scene.render.resolution_x = scene.render.resolution_y = SIZE
    scene.render.filepath = os.path.join(bpy.app.tempdir, name)
    bpy.ops.render.render(write_still=True)
    return pixels(scene.render.filepath)


def shake():
    """The rig alone, with mien, with soft flesh, in the middle of a shake."""
    scene, shown = bpy.context.scene, []
    for preset in ("", "skin", "jowly"):
        nodes.find_modifier(face()).show_render = bool(preset)
        if preset:
            assert bpy.ops.mien.preset(preset=preset) == {"FINISHED"}
        scene.frame_set(1)
        scene.frame_set(FRAME)
        assert not session.get(face()).status.is_error, session.get(face()).status.text
        shown.append(render(f"shake_{preset}.png"))
        yield
    moved = [np.abs(one - shown[0]).mean() for one in shown[1:]]
    assert 0.002 < moved[0] < moved[1], f"nobody sees what mien does: {moved}"
    judge(np.concatenate(shown, axis=1), "blender_shake.png")
    scene.frame_set(1)


def view():
    """The whole 3D view, as it is."""
    for _ in range(4):
        yield
    ui.screenshot(os.path.join(bpy.app.tempdir, "window.png"))
    area = ui.area_of("VIEW_3D")
    shown = pixels(os.path.join(bpy.app.tempdir, "window.png"))
    return shown[area.y : area.y + area.height, area.x : area.x + area.width]


def panels():
    assert bpy.ops.mien.preset(preset="jowly") == {"FINISHED"}
    bpy.context.scene.frame_set(FRAME)
    ui.move(*ui.middle())
    judge((yield from view()), "blender_panel.png")


def paint():
    assert bpy.ops.mien.preset(preset="jowly") == {"FINISHED"}
    bpy.context.scene.frame_set(1)
    yield from ui.operate("mien.paint", map="attachment")
    judge((yield from view()), "blender_paint.png")
    with ui.in_view():
        bpy.ops.object.mode_set(mode="OBJECT")


def lines():
    """Lips pressed together and sticking, jowls that swing, with what holds them drawn."""
    scene, obj, space = bpy.context.scene, face(), ui.area_of("VIEW_3D").spaces.active
    assert bpy.ops.mien.preset(preset="jowly") == {"FINISHED"}
    obj.animation_data_clear()
    obj.data.shape_keys.animation_data_clear()
    for name in ("mouthPressLeft", "mouthPressRight"):
        fs.key(obj, name, {1: 0, 8: 1})
    fs.key(obj, "jawOpen", {8: 0, 12: 0.12})
    obj.mien.sticky = 1
    obj.mien.show_contact = obj.mien.show_sticky = obj.mien.show_attachment = True
    space.region_3d.view_location, space.region_3d.view_distance = (0, 0, -0.05), 0.25
    for frame in range(1, 10):
        scene.frame_set(frame)
        yield
    judge((yield from view()), "blender_lines.png")


def take():
    bpy.context.preferences.view.show_splash = False
    os.makedirs(OUT, exist_ok=True)
    newcomers_scene()
    yield
    drawn = set()
    panel.MIEN_PT_main.append(lambda self, _context: drawn.add(self.bl_label))
    yield from ui.open_tab(lambda: drawn)
    ui.area_of("VIEW_3D").spaces.active.show_region_hud = False  # of the operator before
    for name, make in (("shake", shake), ("panel", panels), ("paint", paint), ("lines", lines)):
        if name in WANTED:
            yield from make()


ui.run([("pictures", take)])

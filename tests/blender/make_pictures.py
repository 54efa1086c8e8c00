"""The pictures of docs/blender.md, made by script.

MIEN_BUILD=$PWD/build/release MIEN_WINDOW="1280 800" tests/blender/run_window.sh \
  tests/blender/make_pictures.py $PWD/docs [shake|panel|lines|paint ...]     (none = all)
"""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import bpy
import numpy as np

import face_scene as fs
import window as ui

fs.enable()
bpy.context.preferences.view.show_splash = False
from mien_blender import carrier, mien, nodes, panel, session  # noqa: E402

OUT = os.path.abspath(sys.argv[sys.argv.index("--") + 1])
WANTED = set(sys.argv[sys.argv.index("--") + 2 :]) or {"shake", "panel", "lines", "paint"}
FRAME = 22


def material(obj, name, colour):
    made = bpy.data.materials.new(name)
    made.use_nodes = True
    shader = made.node_tree.nodes["Principled BSDF"]
    shader.inputs["Base Color"].default_value = (*colour, 1)
    shader.inputs["Roughness"].default_value = 0.45
    made.diffuse_color = (*colour, 1)
    obj.data.materials.append(made)


def scene_with_head():
    scene = fs.empty_scene(60)
    obj, others = fs.head(mien, "head.glb", parts=True, keys=())
    colours = {"teeth": (0.85, 0.82, 0.72), "eye": (0.9, 0.9, 0.92), "tongue": (0.7, 0.3, 0.3)}
    material(obj, "skin", (0.72, 0.47, 0.36))
    for other in others.objects:
        other.parent = obj
        kind = next((c for k, c in colours.items() if k in other.name), (0.6, 0.6, 0.6))
        material(other, other.name, kind)
        other.hide_render = other.hide_viewport = False
        for polygon in other.data.polygons:
            polygon.use_smooth = True
        if other.name in ("skull", "jaw"):
            other.hide_render = True
            other.hide_set(True)
    for polygon in obj.data.polygons:
        polygon.use_smooth = True
    fs.key(obj, "jawOpen", {1: 0, 20: 0.35, 60: 0})
    fs.key(obj, "mouthSmileLeft", {1: 0, 24: 0.5, 60: 0})
    for frame, turn in ((1, 0), (12, 0), (17, 0.5), (22, -0.5), (27, 0.5), (32, 0)):
        obj.rotation_euler = (0, 0, turn)
        obj.keyframe_insert("rotation_euler", frame=frame)
    obj.mien.colliders = others
    camera = bpy.data.objects.new("camera", bpy.data.cameras.new("camera"))
    camera.location, camera.rotation_euler = (0.0, -0.85, -0.02), (np.pi / 2, 0, 0)
    camera.data.lens = 75
    sun = bpy.data.objects.new("sun", bpy.data.lights.new("sun", "SUN"))
    sun.data.energy, sun.rotation_euler = 3.5, (0.8, 0.25, 0.5)
    scene.world = scene.world or bpy.data.worlds.new("World")
    scene.world.color = (0.25, 0.27, 0.3)
    for thing in (camera, sun):
        scene.collection.objects.link(thing)
    scene.camera = camera
    scene.frame_set(1)
    assert bpy.ops.mien.attach() == {"FINISHED"}
    obj.mien.attachment_rate, obj.mien.stiffness = 15, 4000
    return scene, obj


def render(scene, name):
    scene.render.engine = "CYCLES"
    scene.cycles.samples, scene.cycles.use_denoising = 24, False
    scene.render.resolution_x, scene.render.resolution_y = 480, 480
    scene.render.film_transparent = False
    scene.render.filepath = os.path.join(bpy.app.tempdir, name)
    bpy.ops.render.render(write_still=True)
    image = bpy.data.images.load(scene.render.filepath)
    pixels = np.array(image.pixels[:], np.float32).reshape(480, 480, 4)
    bpy.data.images.remove(image)
    return pixels


def save(pixels, path):
    height, width = pixels.shape[:2]
    image = bpy.data.images.new("out", width, height)
    image.pixels = pixels.reshape(-1)
    image.filepath_raw, image.file_format = path, "PNG"
    image.save()
    bpy.data.images.remove(image)


def compare(scene, obj):
    """Left the rig alone, right with mien, in the middle of a shake."""
    scene.frame_set(FRAME)
    modifier = nodes.find_modifier(obj)
    moved = render(scene, "moved.png")
    modifier.show_render = False
    plain = render(scene, "plain.png")
    modifier.show_render = True
    save(np.concatenate([plain, moved], axis=1), os.path.join(OUT, "blender_shake.png"))


def set_up_view(obj):
    area = ui.area_of("VIEW_3D")
    space = area.spaces.active
    space.show_region_ui = True
    space.shading.type = "SOLID"
    space.shading.color_type = "MATERIAL"
    space.overlay.show_floor = space.overlay.show_axis_x = space.overlay.show_axis_y = False
    space.region_3d.view_perspective = "PERSP"
    space.region_3d.view_rotation = (0.7071, 0.7071, 0, 0)  # from the front
    space.region_3d.view_location, space.region_3d.view_distance = (0, 0, 0), 0.55
    space.overlay.show_relationship_lines = space.overlay.show_extras = False
    bpy.context.view_layer.objects.active = obj
    obj.select_set(True)


def screenshot(name, kind="VIEW_3D"):
    """One editor of the window."""
    area = ui.area_of(kind)
    with bpy.context.temp_override(window=ui.window(), area=area, region=ui.region_of(area, "WINDOW")):
        bpy.ops.screen.screenshot_area(filepath=os.path.join(OUT, name))


def take():
    """One thing per redraw: Blender draws what changed before the next picture."""
    drawn = set()
    panel.MIEN_PT_main.append(lambda self, _context: drawn.add(self.bl_label))
    set_up_view(bpy.data.objects["face"])
    yield
    yield from ui.open_tab(lambda: drawn)
    ui.move(*ui.middle())
    for _ in range(4):
        yield
    if "panel" in WANTED:
        screenshot("blender_panel.png")
    if "lines" in WANTED:
        yield from lines(bpy.data.objects["face"])
    if "paint" in WANTED:
        yield from ui.operate("mien.paint", map="attachment")
        for _ in range(4):
            yield
        screenshot("blender_paint.png")


def lines(obj):
    """Lips pressed together and sticking, with what holds them drawn."""
    scene, space = bpy.context.scene, ui.area_of("VIEW_3D").spaces.active
    obj.animation_data_clear()
    obj.rotation_euler = (0, 0, 0)
    obj.data.shape_keys.animation_data_clear()
    for name in ("mouthPressLeft", "mouthPressRight"):
        fs.key(obj, name, {1: 0, 8: 1})
    fs.key(obj, "jawOpen", {8: 0, 12: 0.12})
    obj.mien.contact, obj.mien.sticky = "plane", 1
    obj.mien.show_contact = obj.mien.show_sticky = obj.mien.show_attachment = True
    space.region_3d.view_location, space.region_3d.view_distance = (0, 0, -0.05), 0.22
    for frame in range(1, 11):
        scene.frame_set(frame)
        yield
    for _ in range(4):
        yield
    screenshot("blender_lines.png")
    obj.mien.show_contact = obj.mien.show_sticky = obj.mien.show_attachment = False
    space.region_3d.view_location, space.region_3d.view_distance = (0, 0, 0), 0.55


def main():
    scene, obj = scene_with_head()
    if "shake" in WANTED:
        compare(scene, obj)
    print(session.get(obj).status.text, len(carrier.of(obj).data.vertices))
    if bpy.app.background:
        return
    ui.run([("pictures", take)])


main()

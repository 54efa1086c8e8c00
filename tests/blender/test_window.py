"""The add-on in Blender's window, as an artist uses it: the sidebar, the viewport, undo by keyboard, lines,
four clicks, a brush, a bake that Esc ends, a render in its own thread. On a screen in memory, drawn in software."""

import os
import sys
import tempfile
import threading

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import bpy
import numpy as np
from bpy_extras import view3d_utils
from mathutils import Vector

import face_scene as fs
import window as ui

fs.enable()
from mien_blender import bake, faces, fit_muscles, mien, panel, session  # noqa: E402

WORK = tempfile.mkdtemp(prefix="mien_window_")
FRAMES = 12
drawn = set()  # labels of our panels that Blender has drawn


def face():
    return bpy.data.objects["face"]


def status():
    return session.get(face()).status


def watch_panels():
    """What Blender draws of ours, noted by Blender's own way to add to a panel."""
    for cls in panel.classes:
        cls.append(lambda self, _context: drawn.add(self.bl_label))


def build():
    bpy.context.preferences.view.show_splash = False
    for thing in list(bpy.data.objects):
        bpy.data.objects.remove(thing)
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, FRAMES
    obj, _ = fs.head(mien)
    fs.shake(obj, FRAMES)
    fs.key(obj, "jawOpen", {1: 0, FRAMES: 0.6})
    scene.frame_set(1)
    camera = bpy.data.objects.new("camera", bpy.data.cameras.new("camera"))
    camera.location, camera.rotation_euler = (0.0, -0.85, -0.02), (np.pi / 2, 0, 0)
    camera.data.lens = 75
    scene.collection.objects.link(camera)
    scene.camera = camera
    scene.render.engine = "BLENDER_WORKBENCH"
    scene.render.resolution_x = scene.render.resolution_y = 64
    scene.render.resolution_percentage = 100
    space = ui.area_of("VIEW_3D").spaces.active
    space.shading.type = "WIREFRAME"  # quick to draw in software
    space.region_3d.view_rotation = (0.7071, 0.7071, 0, 0)
    space.region_3d.view_location, space.region_3d.view_distance = (0, 0, 0), 0.55
    bpy.ops.ed.undo_push(message="build")
    bpy.ops.wm.save_as_mainfile(filepath=os.path.join(WORK, "shot.blend"))


def attach_and_undo():
    """The tab in the sidebar is drawn by Blender; Attach can be undone and redone by keyboard."""
    build()
    yield
    watch_panels()
    yield from ui.open_tab(lambda: "mien" in drawn)
    yield from ui.operate("mien.attach")
    yield lambda: face().mien.is_attached
    drawn.clear()
    yield lambda: "mien" in drawn  # with presets and sliders now
    assert bpy.context.scene.render.use_lock_interface
    ui.press("Z", ctrl=True)
    yield lambda: not face().mien.is_attached
    assert not face().modifiers, "undo leaves a modifier"
    ui.press("Z", ctrl=True, shift=True)
    yield lambda: face().mien.is_attached
    assert [m.type for m in face().modifiers] == ["NODES"]


def play_in_the_viewport():
    """Space plays; every frame is simulated in order, and shown as stepping through gives it."""
    scene = bpy.context.scene
    expected = []
    for frame in range(1, FRAMES + 1):
        scene.frame_set(frame)
        expected.append(fs.shown(face()))
        assert not status().is_error, status().text
    yield
    s = session.get(face())
    s.playback.forget()
    scene.frame_set(1)
    scene.sync_mode = "NONE"  # no frame is dropped, however slowly it is drawn
    ui.move(*ui.middle())
    ui.press("SPACE")
    yield lambda: ui.window().screen.is_animation_playing
    yield lambda: len(s.playback.frames) == FRAMES
    ui.press("SPACE")
    yield lambda: not ui.window().screen.is_animation_playing
    for frame in (FRAMES, 3, 7, 1):
        before = s.playback.nstep
        scene.frame_set(frame)
        assert np.array_equal(fs.shown(face()), expected[frame - 1]), frame
        assert s.playback.nstep == before, "played frames are simulated again"
    # and round and round without a new step
    ui.press("SPACE")
    yield lambda: ui.window().screen.is_animation_playing
    yield lambda: scene.frame_current > 4
    ui.press("SPACE")
    yield lambda: not ui.window().screen.is_animation_playing
    assert s.playback.nstep == before, "a second round simulates again"
    assert "Frame" in status().text and not status().is_error


def parameter_under_the_pointer():
    """A parameter is set in the panel's way, seen at once, and taken back by Ctrl Z."""
    scene = bpy.context.scene
    scene.frame_set(6)
    expected = fs.shown(face())
    bpy.ops.ed.undo_push(message="before")
    face().mien.attachment_rate = 4
    bpy.ops.ed.undo_push(message="attachment rate")
    yield
    scene.frame_set(6)
    assert not np.array_equal(fs.shown(face()), expected)
    ui.press("Z", ctrl=True)
    yield lambda: face().mien.attachment_rate == 50
    bpy.context.scene.frame_set(6)
    assert np.array_equal(fs.shown(face()), expected), "undone parameter"


def paint_with_the_brush():
    """A stroke of Blender's own brush in the viewport changes the map, and then the flesh."""
    scene = bpy.context.scene
    scene.frame_set(1)
    yield from ui.operate("mien.paint", map="attachment")
    yield lambda: face().mode == "WEIGHT_PAINT"
    obj = face()
    key = session.get(obj).key
    group = obj.vertex_groups.active
    before = [group.weight(v) for v in range(len(obj.data.vertices))]
    scene.tool_settings.unified_paint_settings.size = 60
    scene.tool_settings.unified_paint_settings.weight = 1 - round(before[0])
    x, y = ui.middle()
    ui.move(x - 40, y)
    ui.window().event_simulate("LEFTMOUSE", "PRESS", x=x - 40, y=y)
    yield
    for k in range(-3, 5):
        ui.move(x + 10 * k, y)
        yield
    ui.window().event_simulate("LEFTMOUSE", "RELEASE", x=x + 40, y=y)
    yield
    yield
    after = [group.weight(v) for v in range(len(obj.data.vertices))]
    changed = sum(a != b for a, b in zip(before, after))
    assert 3 < changed < len(after), f"{changed} weights changed"
    with ui.in_view():
        bpy.ops.object.mode_set(mode="OBJECT")
    yield
    scene.frame_set(2)
    assert session.get(face()).key != key, "the painted map makes no other flesh"
    assert not status().is_error, status().text


def coloured():
    """Pixels of the 3D view that are as blue as an attachment."""
    path = os.path.join(WORK, "lines.png")
    ui.screenshot(path)
    image = bpy.data.images.load(path)
    shown = np.array(image.pixels[:], np.float32).reshape(image.size[1], image.size[0], 4)
    bpy.data.images.remove(image)
    region = ui.region_of(ui.area_of("VIEW_3D"), "WINDOW")
    view = shown[region.y : region.y + region.height, region.x : region.x + region.width]
    return int(((view[..., 2] > 0.45) & (view[..., 2] - view[..., 0] > 0.15)).sum())


def draw_lines():
    """Draw > Attachments: lines over the viewport, gone when it is switched off."""
    scene = bpy.context.scene
    scene.frame_set(5)
    yield
    without = coloured()
    face().mien.show_attachment = True
    for frame in range(1, 6):
        scene.frame_set(frame)
    yield
    yield
    assert coloured() > without + 50, f"{coloured()} blue pixels, {without} without"
    face().mien.show_attachment = False
    scene.frame_set(5)
    yield
    yield
    assert coloured() < without + 50, "lines stay"


def pick_the_mouth():
    """Four clicks in the view; Backspace takes one back, Esc ends and leaves nothing, Ctrl Z undoes."""
    scene, obj = bpy.context.scene, face()
    scene.frame_set(1)
    region = ui.region_of(ui.area_of("VIEW_3D"), "WINDOW")
    view = ui.area_of("VIEW_3D").spaces.active.region_3d
    places = [(-0.03, -0.05), (0.0, -0.035), (0.03, -0.05), (0.0, -0.065)]  # of the face, from the front, m
    at = [view3d_utils.location_3d_to_region_2d(region, view, obj.matrix_world @ Vector((x, -0.1, z))) for x, z in places]
    at = [(region.x + int(p[0]), region.y + int(p[1])) for p in at]
    for ends in ("ESC", None):
        with ui.in_view():
            assert bpy.ops.mien.pick_mouth("INVOKE_DEFAULT") == {"RUNNING_MODAL"}
        yield
        if ends is None:
            for key, place in (("LEFTMOUSE", at[0]), ("LEFTMOUSE", at[1]), ("BACK_SPACE", at[1]), *(("LEFTMOUSE", p) for p in at[1:])):
                ui.move(*place)
                yield
                ui.press(key, place)
                yield
        else:
            ui.press("LEFTMOUSE", at[0])
            yield
            ui.press(ends)
        yield
        yield
        assert bool(face().mien.landmarks) == (ends is None), f"after {ends}: '{face().mien.landmarks}'"
    assert sorted(int(w.split(":")[0]) for w in face().mien.landmarks.split()) == list(range(60, 68))
    ui.press("Z", ctrl=True)
    yield lambda: not face().mien.landmarks


def cache_files():
    folder = os.path.join(WORK, "mien_cache_shot")
    return sorted(os.listdir(folder)) if os.path.isdir(folder) else []


def bake_and_escape():
    """Esc ends a bake and leaves nothing; left alone it plays from its file, what the flesh did live."""
    scene = bpy.context.scene
    scene.frame_end = 400  # long enough to be interrupted
    scene.frame_set(5)
    yield from ui.operate("mien.bake")
    yield lambda: bake.running and bake.running[0].done >= 3
    ui.press("ESC")
    yield lambda: not bake.running
    assert not faces.is_baked(face()) and cache_files() == [], cache_files()
    assert scene.frame_current == 5, "Esc leaves the frame the artist was at"
    scene.frame_end = FRAMES
    live = []
    for frame in range(1, FRAMES + 1):
        scene.frame_set(frame)
        live.append(fs.shown(face()))
    bpy.ops.ed.undo_push(message="ready")
    yield from ui.operate("mien.bake")
    yield lambda: faces.is_baked(face()) and not bake.running
    assert len(cache_files()) == 1, cache_files()
    for frame in (FRAMES, 4, 1):
        scene.frame_set(frame)
        error = np.abs(fs.shown(face()) - live[frame - 1]).max()
        assert error < 1e-7, f"frame {frame} of the bake is off by {error}"
    ui.press("Z", ctrl=True)
    yield lambda: not faces.is_baked(face())
    bpy.context.scene.frame_set(4)
    assert np.array_equal(fs.shown(face()), live[3]), "an undone bake"


def fit_and_escape():
    """Esc ends a fit at once, however long libmien takes to ask whether it may go on; nothing is changed."""
    yield from ui.operate("mien.use_muscles")
    yield lambda: len(face().mien.muscle_channels) > 20
    face().mien.expressions = "jawOpen=0.5,mouthSmileLeft"
    asked, let_go = fit_muscles.Job._tell, threading.Event()

    def asked_late(job, what, share):
        let_go.wait(20)
        return asked(job, what, share)

    fit_muscles.Job._tell = asked_late
    yield from ui.operate("mien.fit_muscles")
    yield lambda: fit_muscles.running
    job = fit_muscles.running[0]
    assert "making the flesh" in job.text, job.text
    ui.press("ESC")
    yield lambda: not fit_muscles.running
    assert job.thread.is_alive(), "the window waits for the fit that was ended"
    let_go.set()
    fit_muscles.Job._tell = asked
    yield lambda: not job.thread.is_alive()
    assert "stopped" in str(job.error) and not face().mien.fitted_muscles, job.error
    ui.press("Z", ctrl=True)
    yield lambda: not len(face().mien.muscle_channels)


def pixels(path):
    image = bpy.data.images.load(path)
    out = np.array(image.pixels[:], np.float32)
    bpy.data.images.remove(image)
    return out


def render_job():
    """Render > Render Animation in the window: Blender calls us from a thread of its own."""
    scene = bpy.context.scene
    done = []
    bpy.app.handlers.render_complete.append(lambda *_: done.append("complete"))
    bpy.app.handlers.render_cancel.append(lambda *_: done.append("cancelled"))
    scene.frame_end = 5
    scene.frame_set(1)
    pictures = {}
    for name, physics in (("live", True), ("plain", False)):
        face().modifiers["mien"].show_render = physics
        scene.render.filepath = os.path.join(WORK, name)
        done.clear()
        session.get(face()).playback.forget()  # the thread simulates, it does not only look up
        with ui.in_view():
            assert bpy.ops.render.render("INVOKE_DEFAULT", animation=True) == {"RUNNING_MODAL"}
        yield lambda: done and not bpy.app.is_job_running("RENDER")
        assert done == ["complete"], done
        yield
        pictures[name] = pixels(os.path.join(WORK, f"{name}0005.png"))
    face().modifiers["mien"].show_render = True
    scene.render.filepath = os.path.join(WORK, "again")
    bpy.ops.render.render(animation=True)  # not in the window's way: waits
    again = pixels(os.path.join(WORK, "again0005.png"))
    assert np.ptp(again) > 0.1, "a blank picture"
    assert np.array_equal(pictures["live"], again), "the window's render is another"
    assert not np.array_equal(pictures["live"], pictures["plain"]), "no physics in the window's render"
    scene.frame_end = FRAMES


def picture():
    """The screen is drawn: our panel is not a grey field."""
    path = os.path.join(WORK, "screen.png")
    ui.screenshot(path)
    image = bpy.data.images.load(path)
    shown = np.array(image.pixels[:], np.float32).reshape(image.size[1], image.size[0], 4)
    region = ui.region_of(ui.area_of("VIEW_3D"), "UI")
    side = shown[region.y : region.y + region.height, region.x : region.x + region.width, :3]
    assert len(np.unique((255 * side).astype(int).reshape(-1, 3), axis=0)) > 20, "nothing in the sidebar"
    yield


ui.run((name, step) for name, step in (
    ("attach, undo, redo", attach_and_undo), ("play", play_in_the_viewport), ("parameter", parameter_under_the_pointer),
    ("lines", draw_lines), ("pick", pick_the_mouth), ("paint", paint_with_the_brush), ("bake", bake_and_escape), ("fit", fit_and_escape),
    ("render", render_job), ("picture", picture),
))  # fmt: skip

"""The walk of a newcomer in Blender's window, from Add to a rendered bake: how long each act takes the computer, and
what is said to him on the way. With a folder as argument the screens are kept there.

MIEN_BUILD=$PWD/build/release MIEN_WINDOW="1280 800" tests/blender/run_window.sh tests/blender/test_walk.py [FOLDER]
"""

import ctypes
import os
import re
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import bpy
import numpy as np

import face_scene as fs
import window as ui

fs.enable()
from mien_blender import bake, faces, panel, session  # noqa: E402

SCREENS = os.path.abspath(sys.argv[-1]) if sys.argv[-1] != "--" and not sys.argv[-1].endswith(".py") else None
WORK = tempfile.mkdtemp(prefix="mien_walk_")
LAST = 24  # frames of the shot: a second
READING = 12  # s a newcomer needs to find the next button: five acts of his
MOST = 180  # s in all
JARGON = re.compile(r"tetrahedr|invert|\bnan\b|hash|manifold|residual|iterat|0x|[0-9a-f]{16}|MIEN_|Traceback|None\b", re.I)
said, acts = [], []


class Listener:
    """What Blender tells the user it also prints: from here on into a file."""

    KINDS = ("Info: ", "Warning: ", "Error: ")

    def __init__(self):
        self.path = os.path.join(WORK, "said.txt")
        sys.stdout.flush()
        self.before = os.dup(1)
        self.file = os.open(self.path, os.O_CREAT | os.O_WRONLY)
        os.dup2(self.file, 1)

    def end(self):
        """The lines that were said."""
        sys.stdout.flush()
        ctypes.CDLL(None).fflush(None)  # Blender's own, in C
        os.dup2(self.before, 1)
        with open(self.path, encoding="utf-8") as file:
            return [line.strip() for line in file if line.startswith(self.KINDS)]


def act(name):
    """Ends the act before; CPU time, because the machine may be busy with something else."""
    now = time.process_time()
    if acts:
        acts[-1][1] = now - acts[-1][1]
    if name:
        acts.append([name, now])


def face():
    return bpy.context.view_layer.objects.active


def screen(name):
    for _ in range(3):
        yield
    if SCREENS:
        os.makedirs(SCREENS, exist_ok=True)
        ui.screenshot(os.path.join(SCREENS, name + ".png"))


def walk():
    drawn = set()
    bpy.context.preferences.view.show_splash = False
    panel.MIEN_PT_main.append(lambda self, _context: drawn.add(self.bl_label))
    for thing in list(bpy.data.objects):
        if thing.type == "MESH":
            bpy.data.objects.remove(thing)  # the cube every newcomer deletes
    listener = Listener()
    yield
    yield from ui.open_tab(lambda: drawn)
    yield from screen("1_start")
    act("add the sample head")
    yield from ui.operate("mien.add_sample")
    yield lambda: face() is not None and face().type == "MESH" and face().data.shape_keys is not None
    bpy.context.scene.frame_end = LAST
    yield from screen("2_added")
    act("attach")
    yield from ui.operate("mien.attach")
    yield lambda: face().mien.is_attached
    yield from screen("3_attached")
    act("choose a preset")
    yield from ui.operate("mien.preset", preset="jowly")
    yield lambda: face().mien.preset == "jowly"
    act("play")
    scene, s = bpy.context.scene, session.get(face())
    scene.sync_mode = "NONE"
    scene.frame_set(1)
    ui.move(*ui.middle())
    ui.press("SPACE")
    yield lambda: ui.window().screen.is_animation_playing
    yield lambda: len(s.playback.frames) >= LAST
    ui.press("SPACE")
    yield lambda: not ui.window().screen.is_animation_playing
    assert not s.status.is_error, s.status.text
    said.append(s.status.text)
    scene.frame_set(LAST // 2)
    yield from screen("4_played")
    act("save and bake")
    bpy.ops.wm.save_as_mainfile(filepath=os.path.join(WORK, "first.blend"))
    yield from ui.operate("mien.bake")
    yield lambda: faces.is_baked(face()) and not bake.running
    yield from screen("5_baked")
    act("render a frame")
    yield from render(scene)
    act(None)
    said.extend(listener.end())
    judge()


def render(scene):
    """F12 with what a fresh file has: a camera that is put in front of the face, Workbench, a small picture."""
    camera = next((o for o in scene.objects if o.type == "CAMERA"), None)
    if camera is None:
        camera = bpy.data.objects.new("camera", bpy.data.cameras.new("camera"))
        scene.collection.objects.link(camera)
    middle = face().matrix_world.translation
    camera.location, camera.rotation_euler = (middle[0], middle[1] - 0.9, middle[2]), (np.pi / 2, 0, 0)
    camera.data.lens, scene.camera = 75, camera
    scene.render.engine = "BLENDER_WORKBENCH"
    scene.display.shading.color_type = "MATERIAL"
    scene.render.resolution_x = scene.render.resolution_y = 320
    scene.render.filepath = os.path.join(SCREENS or WORK, "6_rendered.png")
    bpy.ops.render.render(write_still=True)
    image = bpy.data.images.load(scene.render.filepath)
    pixels = np.array(image.pixels[:], np.float32)
    assert np.ptp(pixels.reshape(-1, 4)[:, :3]) > 0.2, "a blank picture"
    yield


def judge():
    for name, seconds in acts:
        print(f"  {name}: {seconds:.1f} s of CPU")
    total = sum(seconds for _, seconds in acts)
    print(f"  in all {total:.0f} s, with {READING} s to find each button {total + READING * len(acts):.0f} s; said:")
    for text in said:
        print("   ", text)
    assert any("Attached" in text for text in said) and any("baked to" in text for text in said), "nothing was told"
    odd = [text for text in said if JARGON.search(text)]
    assert not odd, f"a newcomer does not understand: {odd}"
    assert total + READING * len(acts) < MOST, "more than three minutes"


ui.run([("walk", walk)])

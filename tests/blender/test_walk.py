"""The walk of a newcomer in Blender's window, from Add to a rendered bake: how long each act takes the computer and
how long him, and what is said to him on the way. With a folder as argument the screens are kept there.

The computer's time is that of its processors, which a busy machine does not change; it counts the drawing, which here
is done without a graphics card. His is counted, too: the words of the page he follows, and every click and key.

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
PLAYED = 48  # frames he looks at before he bakes the whole shot: two seconds
PAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../docs/blender.md")
WORDS = 238 / 60  # read in a second: Brysbaert, "How many words do we read per minute?", 2019
# Card, Moran and Newell's keystroke-level model of 1980, s: to think of the next act, to point, to press a button, a key
THINK, POINT, BUTTON, KEY = 1.35, 1.1, 0.2, 0.28
NEWCOMER = 2  # its times are of people who know the program
MOST = 180  # s in all
JARGON = re.compile(r"tetrahedr|invert|\bnan\b|hash|manifold|residual|iterat|0x|[0-9a-f]{16}|(?-i:MIEN_)|Traceback|None\b", re.I)
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


def act(name, clicks=0, keys=0):
    """Ends the act before. `clicks` and `keys` are the newcomer's in this one."""
    now = time.process_time()
    if acts:
        acts[-1][1] = now - acts[-1][1]
    if name:
        hands = clicks * (THINK + POINT + BUTTON) + (THINK + keys * KEY if keys else 0)
        acts.append([name, now, NEWCOMER * hands])


def reading():
    """s for what the page says about the first result, pictures left out."""
    with open(PAGE, encoding="utf-8") as file:
        steps = file.read().split("## First result")[1].split("![")[0]
    return len(steps.split()) / WORDS


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
    listener = Listener()
    yield
    act("find the panel", clicks=1, keys=1)
    yield from ui.open_tab(lambda: drawn)
    yield from screen("1_start")
    act("add the sample head", clicks=1)
    yield from ui.operate("mien.add_sample")
    yield lambda: face() is not None and face().type == "MESH" and face().data.shape_keys is not None
    yield from screen("2_added")
    act("attach", clicks=1)
    yield from ui.operate("mien.attach")
    yield lambda: face().mien.is_attached
    yield from screen("3_attached")
    act("choose a preset", clicks=2)
    yield from ui.operate("mien.preset", preset="jowly")
    yield lambda: face().mien.preset == "jowly"
    act("play", keys=2)
    scene, s = bpy.context.scene, session.get(face())
    scene.sync_mode = "NONE"
    scene.frame_set(1)
    ui.move(*ui.middle())
    ui.press("SPACE")
    yield lambda: ui.window().screen.is_animation_playing
    yield lambda: len(s.playback.frames) >= PLAYED
    ui.press("SPACE")
    yield lambda: not ui.window().screen.is_animation_playing
    assert not s.status.is_error, s.status.text
    said.append(s.status.text)
    scene.frame_set(PLAYED // 2)
    yield from screen("4_played")
    act("save and bake", clicks=1, keys=8)
    bpy.ops.wm.save_as_mainfile(filepath=os.path.join(WORK, "first.blend"))
    yield from ui.operate("mien.bake")
    yield lambda: faces.is_baked(face()) and not bake.running
    yield from screen("5_baked")
    act("render a frame", clicks=3, keys=1)
    yield from render(scene)
    act(None)
    said.extend(listener.end())
    judge()


def render(scene):
    """F12 with what a fresh file has: its camera looks where the view does; Workbench, a small picture."""
    with ui.in_view():
        bpy.ops.view3d.camera_to_view()
    for _ in range(3):
        yield
    scene.render.engine = "BLENDER_WORKBENCH"
    scene.display.shading.color_type = "VERTEX"
    scene.render.resolution_x = scene.render.resolution_y = 320
    scene.render.filepath = os.path.join(SCREENS or WORK, "6_rendered.png")
    bpy.ops.render.render(write_still=True)
    image = bpy.data.images.load(scene.render.filepath)
    pixels = np.array(image.pixels[:], np.float32)
    assert np.ptp(pixels.reshape(-1, 4)[:, :3]) > 0.2, "a blank picture"
    yield


def judge():
    for name, seconds, hands in acts:
        print(f"  {name}: {seconds:.1f} s of CPU, {hands:.1f} s of his")
    computer, hands = (sum(act[k] for act in acts) for k in (1, 2))
    total = computer + hands + reading()
    print(f"  CPU {computer:.0f} s, his hands {hands:.0f} s, the page {reading():.0f} s, in all {total:.0f} s; said:")
    for text in said:
        print("   ", text)
    assert any("Attached" in text for text in said) and any("baked to" in text for text in said), "nothing was told"
    odd = [text for text in said if JARGON.search(text)]
    assert not odd, f"a newcomer does not understand: {odd}"
    assert total < MOST, "more than three minutes"


ui.run([("walk", walk)])

"""What a frame costs in Blender: our Python, libmien's step, Blender's own evaluations.

./run bench blender [RIG.glb]     without one: a sample head of 14 000 vertices
"""

import os
import statistics
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import bpy

import face_scene as fs

fs.enable()
from mien_blender import handlers, mien, session  # noqa: E402

FRAMES = 40
TARGET = 0.5  # ms of our Python at 14 000 vertices


def timed(scene):
    """ms of frame_set, frame by frame."""
    out = []
    for frame in range(1, FRAMES + 1):
        start = time.perf_counter()
        scene.frame_set(frame)
        out.append(1e3 * (time.perf_counter() - start))
    return out


class Ours:
    """This thread's time in all that we do in a change of frame, libmien's step left out."""

    def __init__(self, s):
        self.session, self.seconds = s, 0.0
        for name, function in (("frame_change_pre", handlers.before_frame), ("frame_change_post", handlers.on_frame)):
            listed = getattr(bpy.app.handlers, name)
            listed[listed.index(function)] = self._timed(function)

    def _timed(self, function):
        def run(*arguments):
            begin = time.thread_time()
            self.session.playback.step_seconds = 0.0
            function(*arguments)
            self.seconds += time.thread_time() - begin - self.session.playback.step_seconds

        return run

    def take(self):
        """ms since it was last asked."""
        out, self.seconds = 1e3 * self.seconds, 0.0
        return out


def make_face(given):
    if given:
        return fs.head(mien, os.path.abspath(given[0]), keys=())[0]
    obj, _ = fs.head(mien, "head_small.glb", keys=())
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.mesh.select_all(action="SELECT")
    bpy.ops.mesh.subdivide(number_cuts=2)
    bpy.ops.mesh.decimate(ratio=14000 / 15700)
    bpy.ops.object.mode_set(mode="OBJECT")
    return obj


def line(what, values):
    print(f"{what:44} {min(values):8.2f} {statistics.median(values):8.2f}")


def main():
    given = sys.argv[sys.argv.index("--") + 1 :] if "--" in sys.argv else []
    scene = fs.empty_scene(FRAMES)
    obj = make_face(given)
    fs.key(obj, "jawOpen", {1: 0, FRAMES // 2: 0.6, FRAMES: 0})
    fs.shake(obj, FRAMES)
    scene.frame_set(1)
    plain = timed(scene)
    bpy.ops.mien.attach()
    s = session.get(obj)
    print(f"{len(obj.data.vertices)} vertices in Blender, {s.face.info.nvert} of flesh, "
          f"{s.face.info.ntet} tetrahedra")  # fmt: skip
    ours = Ours(s)
    python, step, live = [], [], []
    for frame in range(1, FRAMES + 1):
        start = time.perf_counter()
        scene.frame_set(frame)
        live.append(1e3 * (time.perf_counter() - start))
        python.append(ours.take())
        step.append(s.status.milliseconds)
    cached, again = [], []
    for frame in range(1, FRAMES + 1):
        start = time.perf_counter()
        scene.frame_set(frame)
        cached.append(1e3 * (time.perf_counter() - start))
        again.append(ours.take())
    bpy.ops.wm.save_as_mainfile(filepath=os.path.join(bpy.app.tempdir, "bench.blend"))
    bpy.ops.mien.bake()
    baked = timed(scene)
    print(f"{'ms per frame':44} {'min':>8} {'median':>8}")
    line("the rig without mien", plain)
    line("with mien, simulating", live)
    stored = set(range(0, FRAMES, mien.playback.STRIDE))  # every fourth frame keeps a snapshot
    quick = [p for k, p in enumerate(python) if k not in stored]
    line("  of these our Python", quick)
    line("    in every fourth frame, with a snapshot", [p for k, p in enumerate(python) if k in stored and k])
    line("  of these libmien's step", step[1:])
    both = [a - p - c - d for a, p, c, d in zip(live, plain, python, step)]
    line("  of these Blender's second evaluation", both[1:])
    line("with mien, frames that are known", cached)
    line("  of these our Python", again[1:])
    line("baked (Blender's Mesh Cache, no Python)", baked)
    print(f"our Python {statistics.median(quick):.2f} ms, at its best {min(quick):.2f} (target {TARGET}); "
          f"a bake beyond the plain rig {min(baked) - min(plain):+.2f} ms")  # fmt: skip


main()

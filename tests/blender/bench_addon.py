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

FRAMES = 80
TARGET = 0.5  # ms of our Python at 14 000 vertices


class Clock:
    """Times of one frame, ms. CPU time is this thread's for us and the whole process's for the rest: what
    others do on the machine is not in it, but for the caches they take away."""

    def __init__(self):
        self.frame_wall = self.frame_cpu = self.wall = self.cpu = self.step_wall = self.step_cpu = 0.0

    @property
    def blender_cpu(self):
        """Whatever is neither ours nor libmien's."""
        return self.frame_cpu - self.cpu - self.step_cpu


class Meter:
    """Our handlers and, inside them, libmien's step, which is not ours."""

    def __init__(self):
        self.now = Clock()
        for name, function in (("frame_change_pre", handlers.before_frame), ("frame_change_post", handlers.on_frame)):
            listed = getattr(bpy.app.handlers, name)
            listed[listed.index(function)] = self._ours(function)

    def watch(self, state):
        """libmien's steps of a state are counted by themselves."""
        step = state._step

        def run(*arguments):
            wall, thread, cpu = time.perf_counter(), time.thread_time(), time.process_time()
            result = step(*arguments)
            self.now.step_cpu += 1e3 * (time.process_time() - cpu)
            self.now.cpu -= 1e3 * (time.thread_time() - thread)
            spent = 1e3 * (time.perf_counter() - wall)
            self.now.step_wall += spent
            self.now.wall -= spent
            return result

        state._step = run

    def _ours(self, function):
        def run(*arguments):
            wall, thread = time.perf_counter(), time.thread_time()
            function(*arguments)
            self.now.cpu += 1e3 * (time.thread_time() - thread)
            self.now.wall += 1e3 * (time.perf_counter() - wall)

        return run

    def play(self, scene):
        """A Clock for every frame."""
        out = []
        for frame in range(1, FRAMES + 1):
            self.now = Clock()
            wall, cpu = time.perf_counter(), time.process_time()
            scene.frame_set(frame)
            self.now.frame_cpu = 1e3 * (time.process_time() - cpu)
            self.now.frame_wall = 1e3 * (time.perf_counter() - wall)
            out.append(self.now)
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


def line(what, clocks, cpu, wall=None):
    cpus = [getattr(c, cpu) for c in clocks]
    walls = [getattr(c, wall) for c in clocks] if wall else []
    row = f"{what:46} {min(cpus):7.2f} {statistics.median(cpus):7.2f} {statistics.mean(cpus):7.2f}"
    print(row + (f" {min(walls):8.2f} {statistics.median(walls):7.2f}" if walls else ""))


def main():
    given = sys.argv[sys.argv.index("--") + 1 :] if "--" in sys.argv else []
    scene = fs.empty_scene(FRAMES)
    obj = make_face(given)
    fs.key(obj, "jawOpen", {1: 0, FRAMES // 2: 0.6, FRAMES: 0})
    fs.shake(obj, FRAMES)
    scene.frame_set(1)
    meter = Meter()
    plain = meter.play(scene)
    bpy.ops.mien.attach()
    s = session.get(obj)
    meter.watch(s.playback.state)
    print(f"{len(obj.data.vertices)} vertices in Blender, {s.face.info.nvert} of flesh, "
          f"{s.face.info.ntet} tetrahedra")  # fmt: skip
    new = meter.play(scene)
    known = meter.play(scene)
    s.playback.forget()
    again = meter.play(scene)
    bpy.ops.wm.save_as_mainfile(filepath=os.path.join(bpy.app.tempdir, "bench.blend"))
    bpy.ops.mien.bake()
    baked = meter.play(scene)

    def without_snapshot(clocks):
        return [c for k, c in enumerate(clocks) if k % mien.playback.STRIDE]

    def with_snapshot(clocks):
        return [c for k, c in enumerate(clocks) if k and k % mien.playback.STRIDE == 0]

    print("ours is all that our handlers of a change of frame do, copies, snapshots and comparisons too, but for mien_step")
    print(f"{'ms per frame':46} {'CPU min':>7} {'median':>7} {'mean':>7} {'wall min':>8} {'median':>7}")
    line("the rig without mien", plain, "frame_cpu", "frame_wall")
    line("with mien, new frames", new[1:], "frame_cpu", "frame_wall")
    line("  our Python and copies", without_snapshot(new), "cpu", "wall")
    line("    when a snapshot is kept (every fourth)", with_snapshot(new), "cpu", "wall")
    line("    simulated again (memory is there)", without_snapshot(again), "cpu", "wall")
    line("  libmien's step, all threads", new[1:], "step_cpu", "step_wall")
    line("  Blender, both evaluations", new[1:], "blender_cpu")
    line("with mien, frames that are known", known, "frame_cpu", "frame_wall")
    line("  our Python and copies", known[1:], "cpu", "wall")
    line("  Blender, one evaluation", known[1:], "blender_cpu")
    line("baked (Blender's Mesh Cache, no Python of ours)", baked, "frame_cpu", "frame_wall")
    ours = [c.cpu for c in without_snapshot(new)]
    extra = min(c.frame_cpu for c in baked) - min(c.frame_cpu for c in plain)
    print(f"our Python in a new frame: {min(ours):.2f} to {statistics.median(ours):.2f} ms of CPU (target {TARGET}); "
          f"a bake beyond the plain rig {extra:+.2f} ms")  # fmt: skip


main()

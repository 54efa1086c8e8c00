"""Bake to a point cache, which Blender plays by itself: no Python, no add-on, the same on a farm.

Frames are evaluated on the main thread, a slice at a time; a thread simulates and writes them. Nothing
carries the file's name before it is whole.
"""

import os
import queue
import re
import struct
import threading
import time

import bpy
import numpy as np

from . import attach, axes, faces, failures, handlers, nodes, session
from .mien import MienError, State
from .mien.output import Output
from .mien.playback import pre_roll_steps

MODIFIER = "mien bake"
running = []  # the jobs of the window, ended before another file is loaded


class Pc2Writer:
    """POINTCACHE2: a header, then the frames. In the object's space, so that Blender reads it as it is."""

    HEADER = struct.Struct("<12siiffi")

    def __init__(self, path, npoint, first_frame):
        self.npoint, self.first, self.nframe = npoint, first_frame, 0
        os.makedirs(os.path.dirname(path), exist_ok=True)
        self.output = Output(path)
        self.file = self.output.file
        self._header()

    def _header(self):
        self.file.write(self.HEADER.pack(b"POINTCACHE2\0", 1, self.npoint, self.first, 1.0, self.nframe))

    def append(self, points):
        self.file.write(points.tobytes())
        self.nframe += 1

    def finish(self):
        self.file.seek(0)
        self._header()
        self.output.commit()

    def abandon(self):
        self.output.discard()


def file_name(name):
    """As `mien bake` calls a file after a mesh: what no file name can hold becomes "_", points and blanks stay."""
    return re.sub(r'[/\\:*?"<>|]', "_", name)


def cache_path(obj, part=""):
    """Beside the file, named after the object (and a part of it, and the scene when there are several); in
    Blender's temporary folder while the file has no name. Two objects have two names in Blender."""
    shot = bpy.context.scene.name + "." if len(bpy.data.scenes) > 1 else ""
    name = file_name(shot + obj.name + ("." + part if part else "")) + ".pc2"
    if bpy.data.filepath:
        stem = os.path.splitext(os.path.basename(bpy.data.filepath))[0]
        return f"//mien_cache_{stem}/{name}"
    return os.path.join(bpy.app.tempdir, name)


class Job:
    """One bake, from the first frame to the modifier."""

    def __init__(self, obj, scene, first, last):
        self.name, self.uid, self.first, self.last = obj.name, obj.mien.uid, first, last
        self.path = cache_path(obj)
        self.next, self.done, self.cancelled, self.error = first, 0, False, None
        self.frames, self.doubtful = queue.Queue(), []
        self.before = free_cache(obj)
        try:
            self._begin(obj, scene)
        except failures.KINDS:
            self._play_before(obj)
            raise

    def _begin(self, obj, scene):
        bpy.context.view_layer.update()
        s = session.get(obj)
        depsgraph = bpy.context.evaluated_depsgraph_get()
        s.build(obj, scene, depsgraph)
        self.start_frame = s.playback.start
        if self.start_frame > self.last:
            raise MienError(f"physics begins at frame {self.start_frame}, the scene ends at {self.last}: set Start frame")
        self.session = s
        self.state = State(s.face)
        self.out = np.empty((s.source.nskin, 3), np.float32)
        self.writer = Pc2Writer(bpy.path.abspath(self.path), s.source.nskin, float(self.first))
        self.thread = threading.Thread(target=self._simulate, name="mien bake", daemon=True)
        self.thread.start()

    @property
    def total(self):
        return self.last - self.first + 1

    @property
    def told(self):
        """(level, text) when it is done."""
        text = f"{self.total} frames baked to {self.path}"
        if not self.doubtful:
            return "INFO", text
        frame, why = self.doubtful[0]
        return "WARNING", f"{text}; {len(self.doubtful)} are not plausible, first frame {frame}: {why}"

    def _object(self):
        obj = bpy.data.objects.get(self.name)
        if obj is None or obj.mien.uid != self.uid:
            raise MienError(f"'{self.name}' was renamed, deleted or detached while it was baked")
        return obj

    def take(self, scene, depsgraph):
        """The frame that Blender is at, for the thread."""
        obj = self._object()
        self.session.build(obj, scene, depsgraph)
        given, here, back = self.session.read(obj, depsgraph)
        self.frames.put((self.next, given, here, back))
        self.next += 1

    def _simulate(self):
        """In the thread; touches nothing of Blender's."""
        try:
            while self.done < self.total and not self.cancelled:
                try:
                    frame, given, here, back = self.frames.get(timeout=0.2)
                except queue.Empty:
                    continue
                if frame >= self.start_frame:
                    self._step(given, frame == self.start_frame)
                    if self.state.remark:
                        self.doubtful.append((frame, self.state.remark))
                    here = self.session.positions_out(self.state.positions, back)
                self.writer.append(axes.to_blender(here, self.out))
                self.done += 1
        except Exception as error:  # reported by whoever waits
            self.error = error

    def _step(self, given, is_first):
        for _ in range(1 + (pre_roll_steps(given.settings) if is_first else 0)):
            self.state.step(
                weights=given.weights, pose=given.pose, head=given.head, colliders=given.colliders,
                settings=given.settings, jaw=given.jaw, **given.more,
            )  # fmt: skip

    def finish(self):
        """Waits for the thread; raises what went wrong there. The cache then plays."""
        self.thread.join()
        if self.error:
            raise self.error
        obj = self._object()
        self.writer.finish()
        use_cache(obj, self.path, self.first)
        obj.mien.bake_start, obj.mien.bake_end = self.first, self.last

    def cancel(self):
        """Ends the thread and leaves nothing of this bake; one from before plays again."""
        self.cancelled = True
        self.thread.join()
        self.writer.abandon()
        self._play_before(bpy.data.objects.get(self.name))

    def _play_before(self, obj):
        if self.before is not None and obj is not None and obj.mien.uid == self.uid:
            use_cache(obj, *self.before)


def gather(jobs, scene, seconds):
    """Evaluates frames for a while, each once for all faces; False when all have been."""
    end, lead = time.perf_counter() + seconds, jobs[0]
    with handlers.quiet():
        while lead.next <= lead.last and not any(j.error for j in jobs) and time.perf_counter() < end:
            if max(j.frames.qsize() for j in jobs) > 64:  # a thread is behind
                time.sleep(0.005)
                continue
            scene.frame_set(lead.next)
            depsgraph = bpy.context.evaluated_depsgraph_get()
            for job in jobs:
                job.take(scene, depsgraph)
    return lead.next <= lead.last and not any(j.error for j in jobs)


def begin(objects, scene):
    """A job for each face, over the same frames."""
    first = min([scene.frame_start] + [obj.mien.start_frame for obj in objects])
    jobs = []
    try:
        for obj in objects:
            jobs.append(Job(obj, scene, first, max(scene.frame_end, first)))
    except failures.KINDS:
        cancel(jobs)
        raise
    return jobs


def cancel(jobs):
    for job in jobs:
        job.cancel()


def use_cache(obj, path, first):
    """Blender's own Mesh Cache in mien's place; the live modifier is hidden, not removed."""
    live = nodes.find_modifier(obj)
    modifier = obj.modifiers.get(MODIFIER) or obj.modifiers.new(MODIFIER, "MESH_CACHE")
    modifier.cache_format = "PC2"
    modifier.filepath = path
    modifier.frame_start = first
    modifier.interpolation = "LINEAR"
    modifier.deform_mode = "OVERWRITE"
    modifier.forward_axis, modifier.up_axis = "POS_Y", "POS_Z"
    flipped = modifier.flip_axis  # names of axes once, three switches since Blender 5
    modifier.flip_axis = set() if isinstance(flipped, set) else [False] * len(flipped)
    nodes.place_after_deformers(obj, modifier)
    if live is not None:
        live.show_viewport = live.show_render = False


def free_cache(obj):
    """The rig is simulated again; returns what `use_cache` was given, or None."""
    modifier = obj.modifiers.get(MODIFIER)
    if modifier is None:
        return None
    was = modifier.filepath, modifier.frame_start
    obj.modifiers.remove(modifier)
    live = nodes.find_modifier(obj)
    if live is not None:
        live.show_viewport = live.show_render = True
    return was


class MIEN_OT_bake(bpy.types.Operator):
    """Simulate the scene's frames into a point cache that plays without mien. Esc cancels"""

    bl_idname = "mien.bake"
    bl_label = "Bake"
    bl_options = {"REGISTER", "UNDO"}

    all_faces: bpy.props.BoolProperty(name="All faces", description="Every character of the scene at once")

    @classmethod
    def poll(cls, context):
        obj = attach.active_face(context)
        return obj is not None and obj.mode == "OBJECT"

    def _begin(self, context):
        if not bpy.data.filepath:
            self.report({"WARNING"}, "The file has no name yet: the cache goes to a temporary folder and is lost")
        self.frame_before = context.scene.frame_current
        chosen = faces.of_scene(context.scene) if self.all_faces else [attach.active_face(context)]
        return begin(chosen, context.scene)

    def execute(self, context):
        jobs = []
        try:
            jobs = self._begin(context)
            while gather(jobs, context.scene, 3600):
                pass
            for job in jobs:
                job.finish()
        except failures.KINDS as error:
            cancel(jobs)
            self.report({"ERROR"}, failures.told(error))
            return {"CANCELLED"}
        finally:
            with handlers.quiet():
                context.scene.frame_set(self.frame_before)
        self._tell(jobs)
        return {"FINISHED"}

    def _tell(self, jobs):
        for job in jobs:
            level, text = job.told
            self.report({level}, text)

    def invoke(self, context, _event):
        try:
            self.jobs = self._begin(context)
        except failures.KINDS as error:
            self.report({"ERROR"}, failures.told(error))
            return {"CANCELLED"}
        running[:] = self.jobs
        manager = context.window_manager
        manager.progress_begin(0, 100)
        self.timer = manager.event_timer_add(0.02, window=context.window)
        manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context, event):
        jobs = self.jobs
        if event.type == "ESC":
            cancel(jobs)
            self.report({"WARNING"}, "Bake cancelled: nothing was written")
            return self._end(context, {"CANCELLED"})
        if event.type != "TIMER":
            return {"PASS_THROUGH"}
        try:
            more = gather(jobs, context.scene, 0.1)
            done, total = sum(j.done for j in jobs), sum(j.total for j in jobs)
            context.window_manager.progress_update(100 * done / total)
            if context.area:
                frame = jobs[0].first + done // len(jobs)
                context.area.header_text_set(f"mien: frame {frame} of {jobs[0].last}   (Esc cancels)")
            if more or (any(j.thread.is_alive() for j in jobs) and not any(j.error for j in jobs)):
                return {"RUNNING_MODAL"}
            for job in jobs:
                job.finish()
        except failures.KINDS as error:
            cancel(jobs)
            self.report({"ERROR"}, failures.told(error))
            return self._end(context, {"CANCELLED"})
        self._tell(jobs)
        return self._end(context, {"FINISHED"})

    def _end(self, context, result):
        running.clear()
        context.window_manager.event_timer_remove(self.timer)
        context.window_manager.progress_end()
        if context.area:
            context.area.header_text_set(None)
        with handlers.quiet():
            context.scene.frame_set(self.frame_before)
        return result


def stop():
    """Another file is loaded, or the add-on goes."""
    cancel(running)
    running.clear()


class MIEN_OT_free_bake(bpy.types.Operator):
    """Leave the baked cache and simulate again"""

    bl_idname = "mien.free_bake"
    bl_label = "Free bake"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        obj = attach.active_face(context)
        return obj is not None and obj.modifiers.get(MODIFIER) is not None

    def execute(self, context):
        free_cache(attach.active_face(context))
        context.view_layer.update()
        handlers.refresh(context.scene)
        return {"FINISHED"}


classes = (MIEN_OT_bake, MIEN_OT_free_bake)


def register():
    handlers.before_load.append(stop)
    for cls in classes:
        bpy.utils.register_class(cls)


def unregister():
    stop()
    handlers.before_load.remove(stop)
    for cls in reversed(classes):
        bpy.utils.unregister_class(cls)

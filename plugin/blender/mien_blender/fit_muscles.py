"""Muscles fitted to expressions of this face: a job beside the window, with its progress, ended by Esc.

What is found is kept in the object as text and goes with the file; nothing changes before it is whole.
"""

import threading

import bpy
import numpy as np

from . import attach, failures, handlers, parameters, session, source
from .mien import Face, MienError

USUAL = (
    "mouthSmileLeft+mouthSmileRight,jawOpen=0.5,browInnerUp+mouthPucker,"
    "mouthFrownLeft+mouthFrownRight+browDownLeft+browDownRight,cheekPuff+noseSneerLeft+noseSneerRight"
)
running = []  # the job of the window, ended before another file is loaded


def from_keys(rig, text):
    """{name: positions} of "a=0.5+b,c"."""
    targets = {}
    for expression in (part.strip() for part in (text.strip() or USUAL).split(",")):
        weights = np.zeros(rig.info.nshape, np.float32)
        for term in expression.split("+"):
            name, _, value = term.partition("=")
            shape = rig.find_shape(name.strip())
            if shape < 0:
                raise MienError(f"there is no shape key '{name.strip()}'; write your own into Expressions")
            try:
                weights[shape] = float(value) if value else 1.0
            except ValueError:
                raise MienError(f"'{term.strip()}' needs a number after '='") from None
        targets[expression] = rig.pose(weights)
    return targets


def from_scans(rig, made, render_map, collection):
    """{name: positions} of the meshes of a collection."""
    targets = {}
    for other in collection.all_objects:
        if other.type != "MESH":
            continue
        points = source.coordinates(other.data.vertices)
        if len(points) != made.nskin:
            raise MienError(f"the scan '{other.name}' has {len(points)} vertices, the face has {made.nskin}: "
                            "vertices are missing, or it is of another mesh")  # fmt: skip
        positions = np.array(rig.positions)
        positions[render_map[: made.nskin]] = made.inward(points)
        targets[other.name] = positions
    return targets


class Job:
    def __init__(self, obj, scene):
        self.name, self.uid = obj.name, obj.mien.uid
        self.text, self.share, self.cancelled, self.error, self.found = "making the flesh", 0.0, False, None, None
        s = session.get(obj)
        s.is_dirty = True
        bpy.context.view_layer.update()
        with handlers.quiet():
            s.build(obj, scene, bpy.context.evaluated_depsgraph_get())
        rig = s.face.rig
        if obj.mien.scans is not None:
            self.targets = from_scans(rig, s.source, s.render_map, obj.mien.scans)
        else:
            self.targets = from_keys(rig, obj.mien.expressions)
        self.settings = parameters.settings(s.fixed, s.keyed, s.rate)
        self.settings["muscles"] = True
        self.rig = rig
        self.thread = threading.Thread(target=self._fit, name="mien fit", daemon=True)
        self.thread.start()

    def _tell(self, what, share):
        """Flesh is made first, in stages that each run to their own end: they are no part of the fit."""
        is_fit = what.startswith("muscles")
        self.text, self.share = (what, share) if is_fit else ("making the flesh", 0.0)
        return self.cancelled

    def _fit(self):
        """In the thread; touches nothing of Blender's."""
        try:
            face = Face(self.rig, settings=self.settings, muscle_targets=self.targets, progress=self._tell)
            info = face.info
            before, after = (1e3 * float(np.mean(e)) for e in (info.muscle_errors_before, info.muscle_errors))
            self.told = f"{info.nmuscle} muscles fitted: {after:.2f} mm from {len(self.targets)} expressions, {before:.2f} mm as in the atlas"
            self.found = face.fitted_muscles()
        except Exception as error:  # reported by whoever waits
            self.error = error

    def cancel(self):
        """The thread ends when libmien asks it next, seconds later in a large face: nobody waits for that."""
        self.cancelled = True

    def finish(self):
        """Waits; raises what went wrong there. The face then has the muscles."""
        self.thread.join()
        if self.error:
            raise self.error
        obj = bpy.data.objects.get(self.name)
        if obj is None or obj.mien.uid != self.uid:
            raise MienError(f"'{self.name}' was renamed, deleted or detached while its muscles were fitted")
        take(obj, self.found)


def take(obj, found):
    obj.mien.fitted_muscles = found
    obj.mien.muscles = True
    session.get(obj).is_dirty = True
    session.distrust(obj.mien.uid)
    handlers.refresh(bpy.context.scene, may_catch_up=False)


class MIEN_OT_fit_muscles(bpy.types.Operator):
    """Find how the muscles lie in this face from some of its expressions: minutes. Esc cancels"""

    bl_idname = "mien.fit_muscles"
    bl_label = "Fit muscles"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        obj = attach.active_face(context)
        return obj is not None and obj.mode == "OBJECT" and not running

    def _begin(self, context):
        try:
            return Job(attach.active_face(context), context.scene)
        except failures.KINDS as error:
            self.report({"ERROR"}, failures.told(error))
            return None

    def _finish(self, job):
        try:
            job.finish()
        except failures.KINDS as error:
            self.report({"ERROR"}, failures.told(error))
            return {"CANCELLED"}
        self.report({"INFO"}, job.told)
        return {"FINISHED"}

    def execute(self, context):
        job = self._begin(context)
        return {"CANCELLED"} if job is None else self._finish(job)

    def invoke(self, context, _event):
        self.job = self._begin(context)
        if self.job is None:
            return {"CANCELLED"}
        running[:] = [self.job]
        manager = context.window_manager
        manager.progress_begin(0, 100)
        self.timer = manager.event_timer_add(0.1, window=context.window)
        manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context, event):
        job = self.job
        if event.type == "ESC":
            job.cancel()
            self.report({"WARNING"}, "Fit cancelled: the muscles are as they were")
            return self._end(context, {"CANCELLED"})
        if event.type != "TIMER":
            return {"PASS_THROUGH"}
        context.window_manager.progress_update(100 * job.share)
        if context.area:
            context.area.header_text_set(f"mien: {100 * job.share:.0f} %, {job.text}   (Esc cancels)")
            context.area.tag_redraw()  # the panel says it, too
        return {"RUNNING_MODAL"} if job.thread.is_alive() else self._end(context, self._finish(job))

    def _end(self, context, result):
        running.clear()
        manager = context.window_manager
        manager.event_timer_remove(self.timer)
        manager.progress_end()
        if context.area:
            context.area.header_text_set(None)
        return result


class MIEN_OT_forget_fit(bpy.types.Operator):
    """Muscles lie as in the atlas again"""

    bl_idname = "mien.forget_fit"
    bl_label = "Forget the fit"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        obj = attach.active_face(context)
        return obj is not None and bool(obj.mien.fitted_muscles)

    def execute(self, context):
        take(attach.active_face(context), "")
        return {"FINISHED"}


def stop():
    """Another file is loaded, or the add-on goes."""
    for job in running:
        job.cancel()
    running.clear()


def register():
    handlers.before_load.append(stop)
    bpy.utils.register_class(MIEN_OT_fit_muscles)
    bpy.utils.register_class(MIEN_OT_forget_fit)


def unregister():
    stop()
    handlers.before_load.remove(stop)
    bpy.utils.unregister_class(MIEN_OT_forget_fit)
    bpy.utils.unregister_class(MIEN_OT_fit_muscles)

"""A tracker drives the face: what arrives is simulated and shown, at the pace of the clock.

Neither shape keys nor the object are touched: weights and head go to libmien, its result into the
carrier. Only `record` writes keys, which is what it is for.
"""

import time

import bpy
import numpy as np

from . import attach, axes, carrier, faces, failures, handlers, session
from .mien import MienError, Rigid, State, Stream

LEAST, MOST = 1 / 240, 1 / 15  # s: a longer pause is not simulated through
running = None  # the Drive that plays


class Drive:
    """One face and one stream."""

    def __init__(self, obj, scene, depsgraph, props):
        if faces.is_baked(obj):
            raise MienError("the face plays its bake; free the bake first")
        self.name = obj.name
        self.use_head, self.record = props.use_head, props.record
        s = session.get(obj)
        s.build(obj, scene, depsgraph)
        self.session = s
        self.stream = Stream(
            props.protocol, port=props.port, address=props.address or None,
            phone=(props.phone or None) if props.protocol == "ifacialmocap" else None,
        )  # fmt: skip
        self.state = State(s.face)
        self.settings = s.settings.copy()
        self.weights = np.zeros(s.face.rig.info.nshape, np.float32)
        self.columns = {}
        self.last, self.nframe = None, 0
        s.is_live = True  # the timeline keeps its hands off
        self.nstep, self.text = 0, f"Waiting at port {self.stream.info.port}"

    def tick(self, obj, depsgraph, now=None):
        """Reads what arrived, steps by the time that passed, shows it."""
        now = time.perf_counter() if now is None else now
        self._receive()
        dt = LEAST if self.last is None else now - self.last
        if self.last is not None and dt < LEAST:
            return
        self.settings["dt"] = min(MOST, max(LEAST, dt))
        self.last = now
        head = self.stream.info.head if self.use_head and self.stream.info.has_head else Rigid()
        self.state.step(weights=self.weights, head=head, settings=self.settings)
        self.nstep += 1
        self._show(obj, depsgraph, head)

    def _receive(self):
        self.stream.latest()
        info = self.stream.info
        if info.nframe == self.nframe:
            if info.nframe and not info.is_live:
                self.text = "The sender is gone; the last expression stays"
            return
        self.nframe = info.nframe
        for index, channel in enumerate(info.channels):
            if channel not in self.columns:
                self.columns[channel] = self.session.face.rig.find_shape(channel)
            column = self.columns[channel]
            if column >= 0:
                self.weights[column] = info.weights[index]
        self.text = f"{info.nframe} frames received, {self.nstep} simulated"

    def _show(self, obj, depsgraph, head):
        here = np.empty((self.session.source.nskin, 3), np.float32)
        if not session.read_rest(obj.evaluated_get(depsgraph).data, here):
            raise session.no_rest(obj, depsgraph)
        # the head turns what is shown: the object itself stays where it is
        turn = None
        if self.use_head:
            turn = axes.TURN.T @ head.matrix @ axes.TURN
        with handlers.quiet():
            shown = np.array(self.session.positions_out(self.state.positions, turn))
            self.session.show(self.session.open(carrier.of(obj), here), shown)

    def keep(self, obj, frame):
        """Keys of what is shown now, for those who asked for them."""
        blocks = obj.data.shape_keys.key_blocks if obj.data.shape_keys else []
        for block in blocks:
            column = self.session.shape_index.get(block.name, -1)
            if column >= 0 and block != obj.data.shape_keys.reference_key:
                block.value = float(self.weights[column])
                block.keyframe_insert("value", frame=frame)

    def close(self):
        self.session.is_live = False
        self.stream.close()


class MienLiveSettings(bpy.types.PropertyGroup):
    protocol: bpy.props.EnumProperty(
        name="From",
        items=[
            ("live_link", "Live Link Face", "Epic's app for iPhone; UDP 11111"),
            ("ifacialmocap", "iFacialMocap", "UDP 49983"),
            ("vmc", "VMC", "Virtual Motion Capture and everything that speaks it; UDP 39539"),
        ],
    )
    address: bpy.props.StringProperty(
        name="Listen at", description="Empty: this machine only. 0.0.0.0 lets the whole network in"
    )
    port: bpy.props.IntProperty(name="Port (0: usual)", min=0, max=65535, description="0 = the protocol's own")
    phone: bpy.props.StringProperty(name="Phone", description="Its address, which is asked to send")
    use_head: bpy.props.BoolProperty(name="Head turns", default=True)
    record: bpy.props.BoolProperty(
        name="Record keys", default=False, description="Key the shape keys while the timeline plays"
    )


class MIEN_OT_live(bpy.types.Operator):
    """Drive this face by a tracker or a phone; press again or Esc to stop. Shape keys are not touched"""

    bl_idname = "mien.live"
    bl_label = "Live"

    @classmethod
    def poll(cls, context):
        return running is not None or attach.active_face(context) is not None

    def invoke(self, context, _event):
        global running
        if running is not None:
            stop(context)
            return {"FINISHED"}
        obj = attach.active_face(context)
        try:
            running = Drive(obj, context.scene, context.evaluated_depsgraph_get(), context.scene.mien_live)
        except failures.KINDS as error:
            self.report({"ERROR"}, failures.told(error))
            return {"CANCELLED"}
        self.timer = context.window_manager.event_timer_add(1 / 60, window=context.window)
        context.window_manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def execute(self, context):
        return self.invoke(context, None)

    def modal(self, context, event):
        if running is None or event.type == "ESC":
            return self._end(context)
        if event.type != "TIMER":
            return {"PASS_THROUGH"}
        obj = bpy.data.objects.get(running.name)
        if obj is None or not obj.mien.is_attached:
            return self._end(context)
        try:
            running.tick(obj, context.evaluated_depsgraph_get())
            if running.record and context.screen.is_animation_playing:
                running.keep(obj, context.scene.frame_current)
        except failures.KINDS as error:
            self.report({"ERROR"}, failures.told(error))
            return self._end(context)
        if context.area:
            context.area.tag_redraw()
        return {"PASS_THROUGH"}

    def _end(self, context):
        context.window_manager.event_timer_remove(self.timer)
        stop(context)
        return {"FINISHED"}


def close():
    """Another file is loaded, or the add-on goes: the socket is given back."""
    global running
    if running is not None:
        running.close()
        running = None


def stop(context):
    """The timeline's frame is shown again."""
    if running is not None:
        close()
        handlers.refresh(context.scene)


classes = (MienLiveSettings, MIEN_OT_live)


def register():
    handlers.before_load.append(close)
    for cls in classes:
        bpy.utils.register_class(cls)
    bpy.types.Scene.mien_live = bpy.props.PointerProperty(type=MienLiveSettings)


def unregister():
    close()
    handlers.before_load.remove(close)
    del bpy.types.Scene.mien_live
    for cls in reversed(classes):
        bpy.utils.unregister_class(cls)

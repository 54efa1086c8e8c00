"""When Blender changes frame, undoes, saves, loads or renders."""

from threading import get_ident, main_thread

import bpy
from bpy.app.handlers import persistent

from . import carrier, faces, failures, nodes, session

_busy = False  # we are the ones who change the scene
_MAIN = main_thread().ident
CATCH_UP = 10000  # frames at most that a jump simulates through


class quiet:
    """Our own changes of frame and data are not taken for the artist's."""

    def __enter__(self):
        global _busy
        self.before, _busy = _busy, True

    def __exit__(self, *_):
        global _busy
        _busy = self.before


def evaluate(obj, scene, depsgraph, may_catch_up=True, only_changes=False, face=None):
    """Shows the frame the scene is at; visits earlier ones first when they are needed."""
    face = face or faces.look_at(obj)
    s = session.of(face.uid)
    if obj.mode != "OBJECT" or s.is_live:
        return
    is_render = depsgraph.mode == "RENDER"
    modifier, face = faces.modifier_of(obj, face, is_render)
    if modifier is None:
        return
    if not (modifier.show_render if is_render else modifier.show_viewport):
        s.status.say("The modifier is switched off")
        return
    if get_ident() != _MAIN and not scene.render.use_lock_interface:
        s.status.say("Rendering without Render > Lock Interface: switch it on, or bake", is_error=True)
        return
    try:
        evaluated = s.build(obj, scene, depsgraph)
        frame, part = scene.frame_current, scene.frame_subframe
        hidden = nodes.input_at(modifier, face.key)
        if part:
            _show_between(s, obj, hidden, depsgraph, frame + part)
            return
        if frame < s.playback.start:
            s.show_nothing(obj)
            s.status.say(f"Starts at frame {s.playback.start}")
            return
        if s.playback.first_needed(frame) < frame:
            depsgraph = _catch_up(s, obj, scene, depsgraph, frame, may_catch_up)
            if depsgraph is None:
                return
            evaluated = None
        given, here, back = s.read(obj, depsgraph, evaluated)
        # before the step, see Playback.visit
        opened = None if frame in s.playback.frames else s.open(hidden, here)
        before = s.playback.nstep
        positions = s.playback.visit(frame, given)
        if positions is None:  # frames that were forgotten to save memory
            s.show_again(obj)
            if may_catch_up:
                evaluate(obj, scene, depsgraph)
            return
        kept = s.playback.frames[frame]
        if here is given.pose:  # the same numbers are kept already: what is shown is compared by what it is
            here = kept.input.pose
        if kept.input is not given:
            s.let_go(given)
        shown = s.positions_out(positions, back)
        if only_changes and s.playback.nstep == before:
            s.show_change(hidden, shown, here)
        else:
            s.show(opened or s.open(hidden, here), shown)
        s.status.say_frame(frame, kept)
    except session.Hidden as reason:
        s.status.say(str(reason))
    except failures.KINDS as error:
        s.show_nothing(obj)
        s.status.say(failures.told(error), is_error=True)


def _show_between(s, obj, hidden, depsgraph, at):
    """Motion blur asks for times between frames: what is known is interpolated, nothing is stepped."""
    between = s.playback.between(at)
    if between is None:
        return
    given, here, back = s.read(obj, depsgraph)
    positions, pose = between
    # what physics added to the neighbours, on the pose of this moment
    s.show(s.open(hidden, here), s.positions_out(given.pose + (positions - pose), back))


def _catch_up(s, obj, scene, depsgraph, frame, may_catch_up):
    """Visits the frames before this one; None when that is not possible here."""
    first = s.playback.first_needed(frame)
    main = get_ident() == _MAIN
    if not (may_catch_up and main and obj.mien.catch_up) or frame - first > CATCH_UP:
        _show_unsure(s, obj, frame, first, main)
        return None
    name = obj.name
    with quiet():
        for k in range(first, frame):
            scene.frame_set(k)
            obj, at = bpy.data.objects[name], bpy.context.evaluated_depsgraph_get()
            s.build(obj, scene, at)  # keyed parameters are those of the frame
            given, _, _ = s.read(obj, at)
            if s.playback.visit(k, given) is None:
                break
        scene.frame_set(frame)
    s.build(bpy.data.objects[name], scene, depsgraph)
    return depsgraph


def _show_unsure(s, obj, frame, first, main):
    """A frame before which others would have to be looked at. One that is known is shown as it was, but
    not rendered: whether it still is so is not known."""
    known = s.playback.frames.get(frame)
    hidden = carrier.of(obj)
    if main and known is not None and hidden is not None and obj.mien.head_target is None:
        s.show_known(hidden, known)
        s.status.say(f"Something changed since: play from frame {first}")
        return
    s.show_nothing(obj)
    s.status.say(f"Frames from {first} on are not simulated: play from there", is_error=not main)


@persistent
def on_frame(scene, depsgraph=None):
    global _busy
    if _busy:
        return
    if depsgraph is None:
        depsgraph = bpy.context.evaluated_depsgraph_get()
    _busy = True
    try:
        for obj, face in faces.found(scene, depsgraph):
            evaluate(obj, scene, depsgraph, only_changes=True, face=face)
    finally:
        _busy = False


@persistent
def before_frame(scene, depsgraph=None):
    """A frame that is known is put in place before Blender evaluates: it then evaluates once, not twice.
    Whether it still is what it was is looked at afterwards."""
    if _busy:
        return
    frame = scene.frame_current
    if not session.is_known(frame) or scene.frame_subframe or get_ident() != _MAIN:
        return
    with quiet():
        for obj, face in faces.known(scene, depsgraph):
            _show_beforehand(obj, face, frame)


def _show_beforehand(obj, face, frame):
    s = session.sessions.get(face.uid)
    known = None if s is None or s.playback is None else s.playback.frames.get(frame)
    if known is None or s.is_live or obj.mode != "OBJECT" or obj.mien.head_target is not None:
        return
    modifier, face = faces.modifier_of(obj, face)
    if modifier is not None:
        s.show_known(nodes.input_at(modifier, face.key), known)


# An update of one of these says nothing about how a face moves.
_IDLE = ("LIGHT", "CAMERA", "SPEAKER", "LIGHT_PROBE")
_IDLE_TYPES = (
    bpy.types.Light, bpy.types.Camera, bpy.types.Material, bpy.types.World, bpy.types.Image,
    bpy.types.Scene, bpy.types.Collection, bpy.types.Texture,
)  # fmt: skip


def _matters(update):
    thing = update.id.original
    if isinstance(thing, _IDLE_TYPES):
        return False
    if isinstance(thing, bpy.types.Object):
        if thing.type in _IDLE or "mien_owner" in thing:
            return False
        return update.is_updated_transform or update.is_updated_geometry
    if isinstance(thing, bpy.types.Mesh):
        return not thing.name.startswith("mien carrier")
    return True


@persistent
def on_update(scene, depsgraph):
    """The artist changed something at the frame that is shown."""
    if _busy:
        return
    updates = [u for u in depsgraph.updates if _matters(u)]
    if not updates or any(s.is_animation_playing for s in bpy.data.screens):
        if updates:
            _distrust(scene, updates)
        return
    _distrust(scene, updates)
    for obj in faces.of_scene(scene):
        s = session.sessions.get(obj.mien.uid)
        if s is None or s.playback is None or obj.mode != "OBJECT":
            continue
        # the frame before is what it was a moment ago; scrubbing will look at all of them again
        frame = scene.frame_current
        s.playback.trusted = frame - 1 if frame - 1 in s.playback.frames else s.playback.trusted
        with quiet():
            evaluate(obj, scene, depsgraph, may_catch_up=False, only_changes=True)
        s.playback.distrust()


def _distrust(scene, updates):
    meshes = {u.id.original.name for u in updates if isinstance(u.id.original, bpy.types.Mesh)}
    faces.look_again()
    for obj in faces.of_scene(scene):
        s = session.sessions.get(obj.mien.uid)
        if s is None:
            continue
        session.distrust(s.uid)
        mine = {obj.data.name} | {o.data.name for o in session.collection_meshes(obj)}
        if mine & meshes:
            s.is_dirty = True


def refresh(scene=None, may_catch_up=True):
    """Everything is looked at again, then the current frame is shown."""
    scene = scene or bpy.context.scene
    faces.look_again()
    for obj in faces.of_scene(scene):
        s = session.get(obj)
        s.is_dirty = True
        if s.playback is not None:
            s.playback.distrust()
        with quiet():
            evaluate(obj, scene, bpy.context.evaluated_depsgraph_get(), may_catch_up)


@persistent
def on_undo(*_):
    if not _busy:
        refresh()


before_load = []  # what runs on its own, a bake or a stream, is ended by these


@persistent
def on_load_pre(*_):
    for stop in before_load:
        stop()
    session.drop_all()
    faces.look_again()


@persistent
def on_load_post(*_):
    faces.look_again()


def _clear_carriers():
    """The plain rig: without the add-on nobody sees a frozen face."""
    for obj in bpy.data.objects:
        if obj.type == "MESH" and obj.mien.is_attached:
            hidden = carrier.of(obj)
            if hidden is not None:
                carrier.clear(hidden)


@persistent
def on_save_pre(*_):
    _clear_carriers()


@persistent
def on_save_post(*_):
    for obj in bpy.data.objects:
        if obj.type != "MESH" or not obj.mien.is_attached:
            continue
        s = session.sessions.get(obj.mien.uid)
        if s is not None:
            s.show_again(obj)


_HOOKS = (
    ("frame_change_pre", before_frame), ("frame_change_post", on_frame), ("depsgraph_update_post", on_update), ("undo_post", on_undo),
    ("redo_post", on_undo), ("load_pre", on_load_pre), ("load_post", on_load_post),
    ("save_pre", on_save_pre), ("save_post", on_save_post),
)  # fmt: skip


def register():
    for name, function in _HOOKS:
        getattr(bpy.app.handlers, name).append(function)


def unregister():
    for name, function in _HOOKS:
        listed = getattr(bpy.app.handlers, name)
        if function in listed:
            listed.remove(function)
    _clear_carriers()
    session.drop_all()

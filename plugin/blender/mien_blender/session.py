"""One simulated face: what it was built from, the frames it has been through, what is shown.

Sessions are kept by the uid of their object; no reference to anything of Blender's is kept between
calls, so that undo, reload and deletion cannot leave one dangling.
"""

import array
import ctypes
import math
from typing import Dict, Optional

import bpy
import numpy as np

from . import axes, carrier, landmarks, muscles, nodes, parameters, source, vectors
from .mien import Face, LineKind, MienError, Rigid
from .mien._structs import address_in, is_same, quaternion
from .mien.memory import Memory
from .mien.playback import FrameInput, Playback

sessions: Dict[str, "Session"] = {}
MEMORY = 768 << 20
ASKS = ": is the unit right?"
RESERVED = 192 << 20  # of it before it is needed, for the frames the scene has


class Status:
    """What the panel says."""

    def __init__(self):
        self._text, self.is_error = "Not simulated yet: play from the start", False
        self._frame = None  # (its number, Frame), when that is what there is to say
        self.remarks = []

    def say(self, text, is_error=False):
        self._text, self._frame, self.is_error = text, None, is_error

    def say_frame(self, frame, known):
        """In words only when somebody reads them."""
        self._frame, self.is_error = (frame, known), False

    @property
    def asked(self):
        """What makes libmien ask whether the unit is right, as a sentence: here the artist scales the object. Or
        nothing."""
        found = next((remark for remark in self.remarks if ASKS in remark), "").split(ASKS)[0]
        return found and found[:1].upper() + found[1:] + "."

    @property
    def lines(self):
        """Of a frame always two. The second has room for one thing only: what the artist should look at first."""
        if self._frame is None:
            return None
        said = self._frame[1].summary
        words = f"{said.seconds * 1e3:.0f} ms"
        if said.nimplausible:
            words += ", not plausible"
        elif said.ninverted:
            words += f", {said.ninverted} crumpled"
        elif said.ncontact:
            words += f", {said.ncontact} contact" + "s" * (said.ncontact > 1)
        return f"Flesh moves by {1e3 * said.max_offset:.1f} mm", words

    @property
    def text(self):
        lines = self.lines
        return self._text if lines is None else f"Frame {self._frame[0]}: " + ", ".join(lines)


class Keys:
    """Which key is which shape. Keys come and go only with the rig."""

    def __init__(self, blocks, shape_index):
        self.count = len(blocks)
        pairs = [(i, shape_index[b.name]) for i, b in enumerate(blocks) if b.name in shape_index]
        self._rows, self._columns = (np.array([p[k] for p in pairs], int) for k in (0, 1))
        every = list(range(len(shape_index)))
        self.is_in_order = self._columns.tolist() == every and self._rows.tolist() == [i + 1 for i in every]
        self._values = array.array("f", bytes(4 * self.count))  # numpy's way of lending memory takes longer
        self._second = self._values.buffer_info()[0] + 4
        self._mute_bytes = bytearray(self.count)
        self._mutes = np.frombuffer(self._mute_bytes, bool)

    def read(self, blocks, weights):
        """What they are at, muted ones at 0."""
        blocks.foreach_get("value", self._values)
        blocks.foreach_get("mute", self._mutes)
        if self.is_in_order and 1 not in self._mute_bytes:
            ctypes.memmove(address_in(weights), self._second, weights.nbytes)
            return
        values = np.array(self._values)
        values[self._mutes] = 0
        weights.fill(0)
        weights[self._columns] = values[self._rows]


class Session:
    def __init__(self, uid):
        self.uid = uid
        self.status = Status()
        self.source: Optional[source.Source] = None
        self.face = self.playback = None
        self.key = self.flesh_key = None
        self.is_dirty = True  # the mesh or its maps may have changed
        self.is_live = False  # driven by a tracker
        self.shown = None  # (positions, pose) in the carrier, to be put back after saving
        self.fixed = None  # parameters that only the artist changes; None: to be read again
        self.stored = self.rate = self.keyed = self.settings = self.signature = None
        self.has_targets = True  # a head, a jaw or colliders that are objects of their own
        self.keys: Optional[Keys] = None
        self.nrender = 0
        self.drawn = ()  # kinds of lines that are drawn in the viewport
        self.room = Memory()  # for frames; outlives the timeline, which every change of flesh makes anew

    # -- building -----------------------------------------------------------------------------------

    def build(self, obj, scene, depsgraph):
        """Makes rig, flesh and timeline when something they depend on changed; returns what Blender
        evaluated of the object."""
        evaluated = obj.evaluated_get(depsgraph)  # a render's keyed parameters are in its own copy of the object
        self._read_parameters(evaluated, scene.render)
        flesh = self.flesh
        signature = signature_of(obj, self.has_targets)
        if signature != self.signature:
            self.is_dirty, self.signature = True, signature
        if not self.is_dirty and scene.frame_current == self.start:
            self.is_dirty = self._is_resized(evaluated, scene)
        if flesh is not self.flesh_key and flesh == self.flesh_key:
            self.flesh_key = flesh  # the same object is the same at once
        if self.face is not None and not self.is_dirty and flesh is self.flesh_key:
            self._place(scene)
            return evaluated
        scale = _size_of(evaluated, scene)
        made = source.Source(obj, scale, self._companions(obj, depsgraph, scale), landmarks.of(obj))
        colliders = [source.collider(o, depsgraph) for o in colliders_of(obj)]
        key = made.key(colliders)
        if self.face is None or key != self.key or flesh != self.flesh_key:
            rig = made.rig()
            self.face = Face(rig, colliders=colliders, settings=self.settings)
            self.status.remarks = list(rig.remarks) + list(self.face.remarks)
            self.playback = None
            self._prepare(made, rig)
        self.source, self.key, self.flesh_key, self.is_dirty = made, key, flesh, False
        self._place(scene)
        return evaluated

    def _read_parameters(self, evaluated, render):
        """Only when something is stored that was not: they are many, and Blender is slow to tell."""
        rate = render.fps_base / render.fps
        stored, self.has_targets = parameters.stored(evaluated)
        if stored is not None and stored == self.stored and rate == self.rate and not (self.fixed is None or self.is_dirty):
            return
        props = evaluated.mien
        if self.fixed is None or self.is_dirty:
            self.fixed, self.keyed = parameters.values(props, is_keyable=False), None
        keyed = parameters.values(props, is_keyable=True)
        if keyed != self.keyed or rate != self.rate:
            self.settings = parameters.settings(self.fixed, keyed, rate)
            self.flesh = parameters.settings(self.fixed, keyed, rate, flesh_only=True)
        self.stored, self.rate, self.keyed, self.start = stored, rate, keyed, props.start_frame
        self.drawn = tuple(kind for kind in LineKind if getattr(props, "show_" + kind.name.lower()))

    def _is_resized(self, evaluated, scene):
        """How large the face is counts at the start: squash and stretch later on builds nothing."""
        was, now = self.source.scale, _size_of(evaluated, scene)
        return bool((np.abs(now - was) > 1e-4 * np.abs(was)).any())

    def _companions(self, obj, depsgraph, scale):
        inverse = np.linalg.inv(np.array(obj.matrix_world, np.float64))
        turn = axes.TURN @ np.diag([*scale, 1.0]) @ inverse
        return [source.Companion(o, turn @ np.array(o.matrix_world, np.float64)) for o in companions_of(obj)]

    def _prepare(self, made, rig):
        """Vertices that lie at one place are one vertex inside: both ways by index."""
        info = rig.info
        if info.nrender != self.nrender:
            self.room = Memory()  # what the frames of another mesh took is given back
        self.render_map = np.array(info.render_map)
        self.is_welded = info.nvert != info.nrender
        _, first = np.unique(self.render_map, return_index=True)
        self.first = first
        self.nrender = info.nrender
        self.shape = (made.nskin, 3)
        self.nshape = info.nshape
        self.shape_index = {name: i for i, name in enumerate(rig.shape_names)}
        self.keys = None
        # what the mesh is before mien is what libmien gets, byte for byte, for most faces
        self.is_direct = made.plain and not self.is_welded and not made.companions

    def _place(self, scene):
        if self.playback is None or self.playback.start != self.start:
            self.playback = Playback(self.face, self.start, MEMORY, self.room)
            self.playback.reserve(scene.frame_end - self.start + 1, RESERVED)
        self.playback.keep_lines(*self.drawn)

    # -- one frame ----------------------------------------------------------------------------------

    def read(self, obj, depsgraph, evaluated=None):
        """(FrameInput, the mesh before mien, object from head); raises when the mesh does not fit.

        The mesh is in the object's space with mien's axes. The arrays are new: they can be kept."""
        evaluated = evaluated or obj.evaluated_get(depsgraph)
        here = self.room.array(self.shape)
        if not read_rest(evaluated.data, here):
            raise no_rest(obj, depsgraph)
        head, back, places, jaw = evaluated.matrix_world, None, None, None
        if self.has_targets:
            head, back, places, jaw = self._targets(obj, axes.split_scale(head)[0], depsgraph)
        pose = here if self.is_direct and back is None else self._pose(here, head, back, depsgraph)
        given = FrameInput(pose, self._read_weights(obj, depsgraph), rigid(head), places, self.settings, jaw,
                           muscles.read(evaluated.mien, self.face, self.settings))  # fmt: skip
        return given, here, back

    def let_go(self, given):
        """Of a frame that was known: what was read to compare is read into again."""
        for values in (given.pose, given.weights):
            self.room.put_back(values)

    def _targets(self, obj, world, depsgraph):
        """(head to world, object from head or None when they are the same, places of colliders, jaw)."""
        props = obj.mien
        head, back = self._head(props, world, depsgraph)
        places = None
        if props.colliders is not None:
            places = tuple(self._place_of(o, depsgraph) for o in colliders_of(obj)) or None
        return head, back, places, None if props.jaw_target is None else self._jaw(props, head, depsgraph)

    def _pose(self, here, head, back, depsgraph):
        """Every vertex of the rig in the head's space."""
        pose = np.empty((self.nrender, 3), np.float32)
        skin = pose[: self.source.nskin]
        skin[:] = self.source.scaled(here)
        if back is not None:
            skin[:] = source.transform(axes.matrix_to_mien(np.linalg.inv(back)), skin)
        if self.source.companions:
            self._read_companions(head, depsgraph, pose)
        return np.take(pose, self.first, 0) if self.is_welded else pose

    def _read_companions(self, head, depsgraph, pose):
        at = self.source.nskin
        for companion in self.source.companions:
            other = companion_object(companion.name).evaluated_get(depsgraph)
            points = plain_points(other.data)
            if len(points) != companion.nvert:
                raise MienError(f"'{companion.name}' has another number of vertices than before")
            turn = axes.TURN @ np.linalg.inv(head) @ np.array(other.matrix_world, np.float64)
            pose[at : at + companion.nvert] = source.transform(turn, points)
            at += companion.nvert

    @staticmethod
    def _head(props, world, depsgraph):
        """(head to world, object from head or None when they are the same)."""
        target = props.head_target
        if target is None:
            return world, None
        head = carried(target, props.head_bone, props.head_offset, depsgraph)
        return head, np.linalg.inv(world) @ head

    @staticmethod
    def _jaw(props, head, depsgraph):
        """Where the jaw goes in the head's space."""
        now = carried(props.jaw_target, props.jaw_bone, props.jaw_offset, depsgraph)
        return rigid((np.linalg.inv(head) @ now).tolist())

    def _read_weights(self, obj, depsgraph):
        weights = self.room.array((self.nshape,)) if self.nshape else np.zeros(0, np.float32)
        keys = obj.data.shape_keys
        if keys is None or not keys.use_relative:
            weights.fill(0)
            return weights
        blocks = keys.evaluated_get(depsgraph).key_blocks
        if self.keys is None or self.keys.count != self.signature[1]:
            self.keys = Keys(blocks, self.shape_index)
        self.keys.read(blocks, weights)
        return weights

    @staticmethod
    def _place_of(obj, depsgraph):
        return rigid(obj.evaluated_get(depsgraph).matrix_world)

    def positions_out(self, positions, back):
        """What libmien made, in the object's space with mien's axes; no copy where none is needed."""
        if self.is_direct and back is None:
            return positions
        skin = positions[self.render_map[: self.source.nskin]] if self.is_welded else positions[: self.source.nskin]
        if back is not None:
            skin = source.transform(axes.matrix_to_mien(back), skin)
        return self.source.unscaled(skin)

    def open(self, hidden, here):
        """The carrier with a pose in it, waiting for what physics makes of that; None when there is none."""
        return None if hidden is None else carrier.Opened(hidden, here)

    def show(self, opened, positions):
        """What was opened and positions must stay as they are from now on."""
        if opened is not None:
            opened.write(positions)
            self.shown = (positions, opened.pose)

    def show_change(self, hidden, positions, here):
        """Nothing is written that is there already: Blender would evaluate it again."""
        if not self._is_shown(positions, here):
            self.show(self.open(hidden, here), positions)

    def show_known(self, hidden, frame):
        """A frame that was simulated, when the object itself is the head."""
        here = self.positions_out(frame.input.pose, None)
        self.show_change(hidden, self.positions_out(frame.positions, None), here)

    def _is_shown(self, positions, here):
        return self.shown is not None and is_same(self.shown[0], positions) and is_same(self.shown[1], here)

    def show_again(self, obj):
        """What was shown before something else was written to the carrier."""
        hidden = carrier.of(obj)
        if self.shown is None:
            self.show_nothing(obj)
        elif hidden is not None:
            positions, here = self.shown
            carrier.Opened(hidden, here).write(positions)

    def show_nothing(self, obj):
        self.shown = None
        hidden = carrier.of(obj)
        if hidden is not None:
            carrier.clear(hidden)


def _size_of(evaluated, scene):
    """Metres for every unit of the object's own axes."""
    return np.array(axes.split_scale(evaluated.matrix_world)[1]) * scene.unit_settings.scale_length


def read_rest(mesh, out):
    """The mesh before mien, in mien's axes; a subdivided one begins with the vertices it was made of. False
    when it has fewer."""
    attribute = mesh.attributes.get(nodes.REST)
    if attribute is None or len(attribute.data) < len(out):
        return False
    vectors.Door(attribute.data, len(out)).read(out)
    return True


class Hidden(MienError):
    """Blender does not evaluate what it does not show: no mistake of anybody's."""


def no_rest(obj, depsgraph):
    """Why a mesh is not to be had, as an exception."""
    if depsgraph.mode == "VIEWPORT" and not obj.visible_get(view_layer=depsgraph.view_layer):
        return Hidden(f"'{obj.name}' is hidden: show it to simulate it")
    if not nodes.find_modifier(obj).show_viewport:
        return MienError("mien's modifier is switched off in the viewport; switch it on, or bake")
    return MienError("the mesh has another number of vertices than when it was attached; a modifier before mien changes it")


def carried(target, bone, offset, depsgraph):
    """Where an object or a bone carries what was at `offset` from it, without scale."""
    evaluated = target.evaluated_get(depsgraph)
    now = np.array(evaluated.matrix_world, np.float64)
    if bone:
        if evaluated.pose is None or bone not in evaluated.pose.bones:
            raise MienError(f"'{target.name}' has no bone '{bone}'")
        now = now @ np.array(evaluated.pose.bones[bone].matrix, np.float64)
    return axes.split_scale((now @ np.array(offset, np.float64).reshape(4, 4)).tolist())[0]


def plain_points(mesh):
    place = mesh.attributes.get("position")
    if place is not None:
        points = np.empty((len(place.data), 3), np.float32)
        place.data.foreach_get("vector", points.reshape(-1))
        return points
    return source.coordinates(mesh.vertices)


def rigid(matrix):
    """As `mien bake` gets it from a take, which makes quaternions of length one when it is made and again
    when it is sampled: an exported shot has the same bits. Scale is left out."""
    rotation, translation = axes.placed(matrix)
    x, y, z, w = quaternion(*rotation)
    scale = 1 / math.sqrt(x * x + y * y + z * z + w * w)
    x, y, z, w = x * scale, y * scale, z * scale, w * scale
    length = math.sqrt(x * x + y * y + z * z + w * w)
    return Rigid((x / length, y / length, z / length, w / length), translation)


def companion_object(name):
    obj = bpy.data.objects.get(name)
    if obj is None:
        raise MienError(f"'{name}' is gone; it belonged to the face")
    return obj


def collection_meshes(obj):
    collection = obj.mien.colliders
    if collection is None:
        return []
    return [o for o in collection.all_objects if o.type == "MESH" and o.name != obj.name]


def _belongs(other, obj):
    """Teeth, eyes, skull: with shape keys of its own, or carried by the same head."""
    if other.data.shape_keys is not None:
        return True
    while other is not None:
        if other == obj or other == obj.mien.head_target:
            return True
        other = other.parent
    return False


def companions_of(obj):
    return [o for o in collection_meshes(obj) if _belongs(o, obj)]


def colliders_of(obj):
    return [o for o in collection_meshes(obj) if not _belongs(o, obj)]


def signature_of(obj, has_targets=True):
    """Cheap to compare: groups, keys, vertices and colliders that came or went."""
    mesh = obj.data
    keys = mesh.shape_keys
    return (
        len(mesh.vertices),
        len(keys.key_blocks) if keys else 0,
        obj.vertex_groups.keys(),
        muscles.mark_of_fit(obj.mien),
        [o.name for o in collection_meshes(obj)] if has_targets else [],
    )


def get(obj):
    return of(obj.mien.uid)


def of(uid):
    if uid not in sessions:
        sessions[uid] = Session(uid)
    return sessions[uid]


def is_known(frame):
    """Has any face been through this frame?"""
    for s in sessions.values():
        if s.playback is not None and frame in s.playback.frames:
            return True
    return False


def distrust(uid):
    """The artist changed something: parameters are read again, frames looked at again."""
    s = sessions.get(uid)
    if s is not None:
        s.fixed = None
        if s.playback is not None:
            s.playback.distrust()


def drop(uid):
    sessions.pop(uid, None)


def keep_only(uids):
    """Faces that were deleted give their memory back."""
    for uid in set(sessions) - set(uids):
        del sessions[uid]


def drop_all():
    sessions.clear()

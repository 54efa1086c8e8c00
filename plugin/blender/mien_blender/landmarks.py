"""A mouth that mien does not find is shown to it: four clicks in the view, at the corners and in the middle
of each lip. What lies between them is found along the mesh's own edges, so that it stays on its lip."""

import heapq

import bpy
import numpy as np
from bpy_extras import view3d_utils

from . import failures, session

COUNT = 68  # in iBUG's order
RIGHT, UPPER, LEFT, LOWER = 60, 62, 64, 66
ASKED = (
    (RIGHT, "the corner of the mouth on the character's right"),
    (UPPER, "the inner edge of the upper lip, in the middle"),
    (LEFT, "the corner of the mouth on the character's left"),
    (LOWER, "the inner edge of the lower lip, in the middle"),
)
BETWEEN = {61: (RIGHT, UPPER), 63: (UPPER, LEFT), 65: (LEFT, LOWER), 67: (LOWER, RIGHT)}


def of(obj):
    """68 vertices of the mesh, -1 = unknown; None when none was picked."""
    pairs = [word.split(":") for word in obj.mien.landmarks.split()]
    if not pairs:
        return None
    out = np.full(COUNT, -1, np.int32)
    for place, vertex in pairs:
        if int(vertex) < len(obj.data.vertices):
            out[int(place)] = int(vertex)
    return out


def put(obj, picked):
    """{landmark: vertex}; an empty one forgets what was picked."""
    obj.mien.landmarks = " ".join(f"{place}:{vertex}" for place, vertex in sorted(picked.items()))


def _neighbours(mesh):
    edges = np.empty(2 * len(mesh.edges), np.int32)
    mesh.edges.foreach_get("vertices", edges)
    around = [[] for _ in mesh.vertices]
    for a, b in edges.reshape(-1, 2).tolist():
        around[a].append(b)
        around[b].append(a)
    return around


def halfway(points, around, start, end):
    """The vertex in the middle of the shortest way along edges; None when there is no way."""
    length, before, waiting = {start: 0.0}, {}, [(0.0, start)]
    while waiting:
        far, at = heapq.heappop(waiting)
        if at == end:
            break
        if far > length[at]:
            continue
        for other in around[at]:
            there = far + float(np.linalg.norm(points[other] - points[at]))
            if there < length.get(other, np.inf):
                length[other], before[other] = there, at
                heapq.heappush(waiting, (there, other))
    if end not in length:
        return None
    at = end
    while at != start and length[at] > 0.5 * length[end]:
        at = before[at]
    return at


def complete(obj, four):
    """The eight landmarks of a mouth from the four that were clicked, {landmark: vertex}."""
    missing = [place for place, _ in ASKED if place not in four]
    if missing or len(set(four.values())) < len(ASKED):
        raise ValueError("four different places are needed: both corners and the middle of each lip")
    points = np.empty(3 * len(obj.data.vertices), np.float32)
    obj.data.vertices.foreach_get("co", points)
    around = _neighbours(obj.data)
    out = dict(four)
    for place, (start, end) in BETWEEN.items():
        out[place] = halfway(points.reshape(-1, 3), around, four[start], four[end])
        if out[place] is None:
            raise ValueError("the places are on parts of the mesh that do not hang together")
    return out


def vertex_under(context, event, obj):
    """The vertex of the mesh nearest to the pointer; None beside the mesh."""
    region, view = context.region, context.region_data
    at = (event.mouse_region_x, event.mouse_region_y)
    inverse = obj.matrix_world.inverted_safe()
    origin = inverse @ view3d_utils.region_2d_to_origin_3d(region, view, at)
    direction = inverse.to_3x3() @ view3d_utils.region_2d_to_vector_3d(region, view, at)
    evaluated = obj.evaluated_get(context.evaluated_depsgraph_get())
    hit, where, _, index = evaluated.ray_cast(origin, direction)
    if not hit:
        return None
    corners = evaluated.data.polygons[index].vertices
    best = min(corners, key=lambda v: (evaluated.data.vertices[v].co - where).length)
    return best if best < len(obj.data.vertices) else None


class MIEN_OT_pick_mouth(bpy.types.Operator):
    """Show mien the mouth: click both corners and the middle of each lip. Backspace takes a click back, Esc ends"""

    bl_idname = "mien.pick_mouth"
    bl_label = "Pick the mouth"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        obj = getattr(context, "object", None)
        return obj is not None and obj.type == "MESH" and obj.mien.is_attached and obj.mode == "OBJECT"

    def invoke(self, context, _event):
        if context.area is None or context.area.type != "VIEW_3D":
            self.report({"ERROR"}, "Press this in the sidebar of a 3D view")
            return {"CANCELLED"}
        self.face_name, self.area, self.picked = context.object.name, context.area, []
        context.window_manager.modal_handler_add(self)
        self._ask()
        return {"RUNNING_MODAL"}

    def _ask(self):
        count = len(self.picked)
        self.area.header_text_set(f"mien: click {ASKED[count][1]}  ({count + 1} of {len(ASKED)}; Backspace: one back, Esc: cancel)")

    def modal(self, context, event):
        if event.type == "ESC" and event.value == "PRESS":
            self.area.header_text_set(None)
            return {"CANCELLED"}
        if event.type == "BACK_SPACE" and event.value == "PRESS" and self.picked:
            self.picked.pop()
            self._ask()
        elif event.type == "LEFTMOUSE" and event.value == "PRESS" and context.region and context.region.type == "WINDOW":
            return self._click(context, event)
        elif event.type not in {"LEFTMOUSE", "BACK_SPACE"}:
            return {"PASS_THROUGH"}  # the view can be turned meanwhile
        return {"RUNNING_MODAL"}

    def _click(self, context, event):
        obj = bpy.data.objects.get(self.face_name)
        if obj is None or not obj.mien.is_attached:
            self.area.header_text_set(None)
            return {"CANCELLED"}
        vertex = vertex_under(context, event, obj)
        if vertex is None:
            self.report({"WARNING"}, "That is beside the mesh")
            return {"RUNNING_MODAL"}
        self.picked.append(vertex)
        if len(self.picked) < len(ASKED):
            self._ask()
            return {"RUNNING_MODAL"}
        self.area.header_text_set(None)
        return self._take(context, obj)

    def _take(self, context, obj):
        try:
            put(obj, complete(obj, {place: v for (place, _), v in zip(ASKED, self.picked)}))
        except ValueError as error:
            self.report({"ERROR"}, failures.told(error))
            return {"CANCELLED"}
        s = session.get(obj)
        s.is_dirty = True
        obj.update_tag()
        context.view_layer.update()
        found = s.face is not None and s.face.info.has_mouth
        self.report({"INFO"}, "The mouth is found" if found else "Still no mouth there: paint both lips instead")
        return {"FINISHED"}


def register():
    bpy.utils.register_class(MIEN_OT_pick_mouth)


def unregister():
    bpy.utils.unregister_class(MIEN_OT_pick_mouth)

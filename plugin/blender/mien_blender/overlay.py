"""Contacts, sticky springs and attachments of the frame that is shown, drawn over the viewport.

What is drawn was found by the step that made the frame and is kept with it. Nothing here touches the GPU
without a window.
"""

import bpy
import numpy as np

from . import axes, faces, session, source
from .mien import LineKind, MienError

TOUCHES = 5e-4  # m between two sides that count as touching in the drawing
_handle = None


def colours(lines):
    """(n, 4): what a line is, and how close to its end it is."""
    out = np.ones((len(lines), 4), np.float32)
    contact, sticky = lines["kind"] == LineKind.CONTACT, lines["kind"] == LineKind.STICKY
    held = lines["kind"] == LineKind.ATTACHMENT
    near = lines["value"][contact] < TOUCHES
    out[contact] = np.where(near[:, None], (1.0, 0.1, 0.05, 1.0), (1.0, 0.55, 0.1, 0.8))
    worn = np.clip(lines["value"][sticky], 0, 1)[:, None]
    out[sticky] = (1 - worn) * np.float32((0.1, 0.9, 0.3, 1)) + worn * np.float32((1, 0.95, 0.1, 1))
    out[held] = (0.2, 0.5, 1.0, 0.5)
    return out


def lines_of(obj, scene, depsgraph):
    """(ends (n, 2, 3) in the world, colours (n, 4)) of the frame that is shown; None when there are none."""
    s = session.sessions.get(obj.mien.uid)
    known = None if s is None or s.playback is None else s.playback.frames.get(scene.frame_current)
    if known is None or known.lines is None or not len(known.lines) or faces.is_baked(obj):
        return None
    lines = known.lines
    points = np.concatenate([lines["from"], lines["to"]])
    world = np.array(obj.matrix_world, np.float64)
    if s.has_targets and obj.mien.head_target is not None:
        back = s._head(obj.mien, axes.split_scale(obj.matrix_world)[0], depsgraph)[1]
        points = source.transform(axes.matrix_to_mien(back), points)
    points = source.transform(world, axes.to_blender(s.source.unscaled(points)))
    ends = np.stack([points[: len(lines)], points[len(lines) :]], axis=1)
    return ends, colours(lines), lines["kind"]


def _shader():
    import gpu

    try:
        return gpu.shader.from_builtin("FLAT_COLOR")
    except ValueError:  # before Blender 4 builtins were named by dimension
        return gpu.shader.from_builtin("3D_FLAT_COLOR")


def draw():
    """Blender calls this for every redraw of a 3D view."""
    import gpu
    from gpu_extras.batch import batch_for_shader

    context = bpy.context
    shader, depsgraph = None, None
    for obj in faces.of_scene(context.scene):
        if not obj.visible_get() or not session.get(obj).drawn:
            continue
        depsgraph = depsgraph or context.evaluated_depsgraph_get()
        try:
            found = lines_of(obj, context.scene, depsgraph)
        except (MienError, ValueError):  # the panel says what is wrong
            continue
        if found is None:
            continue
        ends, colour, kinds = found
        if shader is None:
            shader = _shader()
            gpu.state.depth_test_set("NONE")  # seen through the skin
            gpu.state.blend_set("ALPHA")
            gpu.state.line_width_set(1.5)
        batch_for_shader(shader, "LINES", {"pos": ends.reshape(-1, 3), "color": np.repeat(colour, 2, axis=0)}).draw(shader)
        # a contact is shorter than a pixel: a dot shows where it is, with room for that of a spring in it
        for kind, size in ((LineKind.CONTACT, 9), (LineKind.STICKY, 4)):
            dots = kinds == kind
            if dots.any():
                gpu.state.point_size_set(size)
                middle = ends[dots].mean(axis=1).astype(np.float32)
                batch_for_shader(shader, "POINTS", {"pos": middle, "color": colour[dots]}).draw(shader)
    if shader is not None:
        gpu.state.depth_test_set("NONE")
        gpu.state.blend_set("NONE")
        gpu.state.line_width_set(1)


def register():
    global _handle
    if not bpy.app.background:
        _handle = bpy.types.SpaceView3D.draw_handler_add(draw, (), "WINDOW", "POST_VIEW")


def unregister():
    global _handle
    if _handle is not None:
        bpy.types.SpaceView3D.draw_handler_remove(_handle, "WINDOW")
        _handle = None

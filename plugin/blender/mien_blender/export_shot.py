"""A shot for the farm: what `mien bake` needs to give the bits that Blender shows.

A folder with shot.json, which names the rest: face.glb (rig and painted maps), take.csv (weights and head),
pose.pc2 (what Blender's own deformers make of the mesh), jaw.csv when a bone moves it, muscles.csv when muscles move
the face, settings.json. bake.sh is `mien bake shot.json`; `mien farm` takes the folder.
"""

import csv
import io
import json
import os

import bpy

from . import attach, faces, failures, handlers, muscles, session
from .mien import Cache, MienError
from .mien.output import write_text

COMMAND = """\
#!/bin/sh
# The same bits as in Blender: frames {first} to {last}, in mien's axes (Y up).
cd "$(dirname "$0")" && exec "${{MIEN:-mien}}" bake shot.json "$@"
"""


def shown(number):
    """The shortest text that is the same number again."""
    return repr(float(number))


MOTION = ["HeadX", "HeadY", "HeadZ", "HeadQX", "HeadQY", "HeadQZ", "HeadQW"]


def write_table(path, titles, rows):
    """Time and numbers; names that CSV itself could not tell apart are quoted by it."""
    text = io.StringIO()
    out = csv.writer(text, lineterminator="\n")
    out.writerow(["Time", *titles])
    out.writerows([shown(value) for value in row] for row in rows)
    write_text(path, text.getvalue())


def write_motion(folder, rig, rows):
    """Weights and head; the jaw in a file of its own when a bone moves it. True when there is one."""
    write_table(os.path.join(folder, "take.csv"), [*rig.shape_names, *MOTION],
                ([t, *g.weights, *g.head.translation, *g.head.rotation] for t, g in rows))  # fmt: skip
    if rows[0][1].jaw is None:
        return False
    write_table(os.path.join(folder, "jaw.csv"), MOTION,
                ([t, *g.jaw.translation, *g.jaw.rotation] for t, g in rows))  # fmt: skip
    return True


def write_muscles(folder, face, rows):
    """Contractions over time; True when muscles drive the face."""
    if rows[0][1].contractions is None:
        return False
    write_table(os.path.join(folder, "muscles.csv"), muscles.names_of(face), ([t, *g.contractions] for t, g in rows))
    return True


def keys_of(frames):
    """What changes over time: {name: [[frame, value], ...]}, a key where a value begins and where it ends.
    `frames` are (number, settings)."""
    keyed = {}
    tables = [(frame, settings.as_dict()) for frame, settings in frames]
    for name, first in tables[0][1].items():
        values = [(frame, table[name]) for frame, table in tables]
        if all(value == first for _, value in values):
            continue
        keys = []
        for k, (frame, value) in enumerate(values):
            before = values[k - 1][1] if k else None
            after = values[k + 1][1] if k + 1 < len(values) else None
            if value != before or value != after:
                keys.append([frame, list(value) if isinstance(value, tuple) else value])
        keyed[name] = keys
    return keyed


def write_shot(folder, *, first, fps, contact, has_jaw, has_muscles, keys):
    shot = {
        "mien_shot": 1,
        "rig": "face.glb",
        "takes": [{"file": "take.csv"}],
        "pose": "pose.pc2",
        "material": "settings.json",
        "parameters": {"contact": contact, "start_frame": first},
        "fps": fps,
        "frames": {"first": first},
        "outputs": {"cache": "out.pc2"},
    }
    if has_jaw:
        shot["jaw"] = "jaw.csv"
    if has_muscles:
        shot["muscles"] = "muscles.csv"
    if keys:
        shot["keys"] = keys
    write_text(os.path.join(folder, "shot.json"), json.dumps(shot, indent=2) + "\n")


def export(obj, scene, folder):
    """Writes the folder; returns how many frames."""
    s = session.get(obj)
    before = scene.frame_current
    first, last = obj.mien.start_frame, scene.frame_end
    fps = scene.render.fps / scene.render.fps_base
    os.makedirs(folder, exist_ok=True)
    rows = []
    with handlers.quiet():
        s.build(obj, scene, bpy.context.evaluated_depsgraph_get())
        if session.colliders_of(obj):
            raise MienError("rigid colliders cannot be exported yet: parent them to the face, or bake here")
        rig = s.face.rig
        with Cache(os.path.join(folder, "pose.pc2"), rig, frame_rate=fps, first_frame=first, welded=1) as cache:
            for frame in range(first, last + 1):
                scene.frame_set(frame)
                depsgraph = bpy.context.evaluated_depsgraph_get()
                s.build(obj, scene, depsgraph)
                given, _, _ = s.read(obj, depsgraph)
                cache.append(given.pose)
                rows.append(((frame - first) / fps, given._replace(pose=None)))
        scene.frame_set(before)
    rig.save(os.path.join(folder, "face.glb"))
    has_jaw = write_motion(folder, rig, rows)
    settings = [given.settings for _, given in rows]
    write_text(os.path.join(folder, "settings.json"), settings[0].write())
    has_muscles = write_muscles(folder, s.face, rows)
    write_shot(folder, first=first, fps=fps, contact=s.settings["contact"], has_jaw=has_jaw, has_muscles=has_muscles,
               keys=keys_of(list(zip(range(first, last + 1), settings))))  # fmt: skip
    write_text(os.path.join(folder, "bake.sh"), COMMAND.format(first=first, last=last), 0o755)
    return len(rows)


class MIEN_OT_export_shot(bpy.types.Operator):
    """Write rig, poses, head motion and settings for `mien bake` on a farm: the same bits as here"""

    bl_idname = "mien.export_shot"
    bl_label = "Export shot"

    directory: bpy.props.StringProperty(subtype="DIR_PATH")

    @classmethod
    def poll(cls, context):
        obj = attach.active_face(context)
        return obj is not None and obj.mode == "OBJECT" and not faces.is_baked(obj)

    def invoke(self, context, _event):
        context.window_manager.fileselect_add(self)
        return {"RUNNING_MODAL"}

    def execute(self, context):
        try:
            count = export(attach.active_face(context), context.scene, bpy.path.abspath(self.directory))
        except failures.KINDS as error:
            self.report({"ERROR"}, failures.told(error))
            return {"CANCELLED"}
        self.report({"INFO"}, f"{count} frames written; run bake.sh or `mien farm` in {self.directory}")
        return {"FINISHED"}


def register():
    bpy.utils.register_class(MIEN_OT_export_shot)


def unregister():
    bpy.utils.unregister_class(MIEN_OT_export_shot)

# SPDX-License-Identifier: MIT
"""mien: physics for blendshape faces, in Blender."""

bl_info = {
    "name": "mien",
    "author": "mien",
    "description": "Physics for blendshape faces: flesh that lags, lips that touch and stick",
    "version": (0, 1, 0),
    "blender": (3, 4, 0),
    "location": "3D View > Sidebar > mien",
    "category": "Physics",
}

from . import (  # noqa: E402
    attach, bake, export_shot, fit_muscles, handlers, import_result, import_rig, landmarks, live, overlay, panel, presets, properties, size,
)  # fmt: skip

_modules = (properties, attach, presets, bake, fit_muscles, export_shot, import_result, import_rig, landmarks, live,
            size, overlay, panel, handlers)


def register():
    for module in _modules:
        module.register()


def unregister():
    for module in reversed(_modules):
        module.unregister()

"""What the panels show, drawn into a layout of our own: every property, operator and icon they name exists.

Blender draws no panels in the background; a misspelt name would be seen by artists alone.
"""

import os
import sys
import types
import warnings

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import blf
import bpy
import numpy as np

import attached_face
import face_scene as fs
from attached_face import attached, play
from mien_blender import live, mien, muscles, panel, presets, session

ICONS = bpy.types.UILayout.bl_rna.functions["prop"].parameters["icon"].enum_items.keys()


# px of a sidebar as wide as it opens, seen in its window: beside an icon, without one, a number with its value, beside a
# menu or a field; of numbers 123 was whole, 132 was cut
LABEL, ALONE, NUMBER, NAME = 138, 155, 125, 35


def wide(text):
    """px, as Blender's interface draws it."""
    with warnings.catch_warnings():  # 3.4 wants the resolution of the screen, later ones do not
        warnings.simplefilter("ignore")
        try:
            blf.size(0, 11, 72)
        except TypeError:
            blf.size(0, 11)
    return blf.dimensions(0, text)[0]


def fits(text, room):
    assert wide(text) <= room, f"cut in the sidebar: '{text}' takes {wide(text):.0f} px of {room}"


class Layout:
    """Takes what a panel says; refuses what Blender would, and what a sidebar would cut."""

    enabled = True

    def __init__(self):
        self.words, self.properties, self.operators = [], [], []

    def row(self, align=False):
        return self

    column = row

    def _check(self, icon, text):
        assert icon in ICONS, icon
        self.words.append(text)

    def label(self, text="", icon="NONE"):
        fits(text, ALONE if icon == "NONE" else LABEL)
        self._check(icon, text)

    def prop(self, data, name, text=None, icon="NONE", slider=False):
        kind = data.bl_rna.properties[name]
        text = kind.name if text is None else text
        if kind.type in {"INT", "FLOAT"} and not kind.is_array:
            value = getattr(data, name)
            fits(f"{text} {value:.{kind.precision}f}" if kind.type == "FLOAT" else f"{text} {value}", NUMBER)
        else:
            fits(text, NUMBER if kind.type in {"BOOLEAN", "FLOAT"} else NAME)
        self._check(icon, text)
        self.properties.append(name)

    def operator_menu_enum(self, name, prop, text="", icon="NONE"):
        fits(text, LABEL)
        setattr(self.operator(name, text, icon), prop, None)

    def prop_search(self, data, name, where, what):
        assert what in where.bl_rna.properties, what
        self.prop(data, name)

    def operator(self, name, text="", icon="NONE"):
        fits(text, LABEL)
        self._check(icon, text)
        self.operators.append(name)
        module, function = name.split(".")
        known = getattr(getattr(bpy.ops, module), function).get_rna_type().properties

        class Settings:
            def __setattr__(self, name, _value):
                assert name in known, name

        return Settings()


def drawn():
    """All panels that are shown now, as one layout."""
    layout = Layout()
    for cls in panel.classes:
        if not hasattr(cls, "poll") or cls.poll(bpy.context):
            cls.draw(types.SimpleNamespace(layout=layout), bpy.context)
    return layout


def test_nothing_selected():
    fs.empty_scene(4)
    bpy.context.view_layer.objects.active = None
    assert "mien.add_sample" in drawn().operators


def test_kinds_of_flesh_say_what_they_are():
    """The tooltip in the menu of presets is that of the kind, not of the menu."""
    for name in mien.presets.names():
        told = presets.MIEN_OT_preset.description(None, types.SimpleNamespace(preset=name))
        assert told == mien.presets.about(name) and len(told) > 20, name


def test_before_attach():
    fs.empty_scene(4)
    obj, _ = fs.head(mien)
    layout = drawn()
    assert "mien.attach" in layout.operators and not any("no shape keys" in w for w in layout.words)
    obj.shape_key_clear()
    layout = drawn()
    assert "no shape keys" in " ".join(layout.words)
    assert "mien.add_sample" in layout.operators, "the cube of a new file is a dead end"


def test_attached():
    """Every parameter of the table is there, and every map can be painted."""
    scene, obj = attached(4)
    play(scene, obj, 3)
    rig = bpy.data.objects.new("rig", bpy.data.armatures.new("rig"))
    scene.collection.objects.link(rig)
    obj.mien.head_target = rig
    layout = drawn()
    missing = [p.name for p in panel.parameters.shown() if p.name not in layout.properties]
    assert not missing, missing
    assert {"head_bone", "colliders", "start_frame", "protocol"} <= set(layout.properties)
    assert layout.operators.count("mien.paint") >= 8
    assert any(w.startswith("Flesh moves by") for w in layout.words)
    bpy.ops.mien.paint(map="stiffness", shape="jawOpen", enter=False)
    assert "stiffness:jawOpen" in drawn().words
    assert bpy.ops.mien.paint(map="stiffness") == {"FINISHED"} and obj.mode == "WEIGHT_PAINT"
    layout = drawn()
    assert "object.mode_set" in layout.operators and "Physics waits" in " ".join(layout.words), "no way back from painting"
    bpy.ops.object.mode_set(mode="OBJECT")
    assert bpy.ops.mien.use_muscles() == {"FINISHED"}
    layout = drawn()
    assert layout.properties.count("contraction") == len(obj.mien.muscle_channels)
    for name, sides in muscles.pairs(obj.mien.muscle_channels):
        assert [side for side, _ in sides] in (["Left", "Right"], [""]), name


def test_a_face_of_another_size_is_asked_about():
    """On top, not among what was decided: nothing moves as it should in a face of two metres."""
    fs.empty_scene(4)
    obj, _ = fs.head(mien)
    obj.scale = (10, 10, 10)
    assert bpy.ops.mien.attach() == {"FINISHED"}
    words = " ".join(drawn().words)
    assert "cm tall, an adult's is 18. Is that meant?" in words and "mien.scale_face" in drawn().operators, words
    assert bpy.ops.mien.scale_face() == {"FINISHED"}
    assert np.allclose(obj.scale, (1, 1, 1)), tuple(obj.scale)
    bpy.context.scene.frame_set(1)
    assert "mien.scale_face" not in drawn().operators, session.get(obj).status.remarks
    try:
        bpy.ops.mien.scale_face()
    except RuntimeError as error:
        assert "scale the object yourself" in str(error), error
    assert np.allclose(obj.scale, (1, 1, 1)), "a human's size is scaled"


def test_scaling_takes_all_of_the_character():
    """What carries the face, and teeth that hang on nothing, keep their places in the head."""
    scene = fs.empty_scene(4)
    obj, parts = fs.head(mien, parts=True)
    carrier = bpy.data.objects.new("rig", None)
    scene.collection.objects.link(carrier)
    obj.parent, carrier.location = carrier, (1, 2, 3)
    for other in parts.objects:
        other.location, other.scale = (1, 2, 3), (10, 10, 10)
    carrier.scale, obj.mien.colliders = (10, 10, 10), parts
    bpy.context.view_layer.update()
    teeth = parts.objects["teeth_upper"]

    def between():
        """The teeth as the face sees them."""
        return np.array(obj.matrix_world.inverted() @ teeth.matrix_world)

    before = between()
    assert bpy.ops.mien.attach() == {"FINISHED"}
    assert bpy.ops.mien.scale_face() == {"FINISHED"}
    assert np.allclose(obj.matrix_world.to_scale(), (1, 1, 1)) and np.allclose(obj.scale, (1, 1, 1))
    assert np.allclose(between(), before, atol=1e-5), "the teeth stay behind"


def test_buttons_stay_where_they_are():
    """While it plays the panel has as many lines in every frame, whatever there is to say."""
    scene, obj = attached(6)
    sizes, words = set(), set()
    for frame in range(1, 7):
        scene.frame_set(frame)
        known = session.get(obj).playback.frames[frame]
        for ncontact, ninverted in ((0, 0), (1, 0), (12, 3)):
            info = mien._abi.mien_state_info.from_buffer_copy(known._info)
            info.ncontact, info.ninverted = ncontact, ninverted
            known._info = bytes(info)
            layout = drawn()
            sizes.add(len(layout.words))
            words.update(layout.words)
    assert len(sizes) == 1, sizes
    assert any(w.endswith(", 3 crumpled") for w in words) and any(w.endswith(", 1 contact") for w in words)


def test_baked_and_live():
    scene, obj = attached(4)
    assert bpy.ops.mien.bake() == {"FINISHED"}
    assert "Baked: frames 1 to 4" in drawn().words
    assert not bpy.ops.mien.reset.poll(), "a bake cannot be simulated again"
    assert bpy.ops.mien.free_bake() == {"FINISHED"}
    scene.mien_live.port = 45873
    live.running = live.Drive(obj, scene, bpy.context.evaluated_depsgraph_get(), scene.mien_live)
    try:
        assert any("45873" in w for w in drawn().words)
    finally:
        live.close()


attached_face.run(globals())
print("panel: all checks passed in Blender", bpy.app.version_string)

"""The walk of a newcomer: Add, Attach, a preset, bake, the farm and back, a mesh without a mouth, two characters."""

import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import bpy
import numpy as np
from mathutils import Matrix, Vector

import attached_face
import face_scene as fs
from attached_face import attached, play
from mien_blender import bake, faces, fit_muscles, import_result, import_rig, landmarks, mien, overlay, session, source

WORK = tempfile.mkdtemp()


def sample(last):
    fs.empty_scene(last)
    assert bpy.ops.mien.add_sample() == {"FINISHED"}
    bpy.context.scene.frame_end = last
    bpy.ops.wm.save_as_mainfile(filepath=os.path.join(WORK, "sample.blend"))
    return bpy.context.scene, bpy.context.object


def test_sample_head_has_its_looks():
    _, face = sample(4)
    assert len(bpy.data.materials) >= 8, [m.name for m in bpy.data.materials]
    skin = face.data.materials[0].diffuse_color
    assert skin[0] > skin[2] + 0.1, f"the skin is grey: {tuple(skin)}"
    assert "Color" in face.data.color_attributes
    colours = np.empty(4 * len(face.data.vertices), np.float32)
    face.data.color_attributes["Color"].data.foreach_get("color", colours)
    assert colours.reshape(-1, 4)[:, :3].std(axis=0).max() > 0.01, "one colour all over"


def test_sample_head_is_seen_in_a_new_file():
    """Not inside of the cube; a second one not inside of the first; a free place is that of the 3D cursor."""
    bpy.ops.wm.read_homefile(use_factory_startup=True)
    cube = bpy.context.object
    heads = [bpy.context.object for _ in range(2) if bpy.ops.mien.add_sample() == {"FINISHED"}]
    boxes = [np.array([o.matrix_world @ Vector(c) for c in o.bound_box]) for o in (cube, *heads)]
    for one, other in ((0, 1), (0, 2), (1, 2)):
        assert boxes[one][:, 0].max() < boxes[other][:, 0].min(), (one, other)
    bpy.data.batch_remove(list(bpy.data.objects))
    bpy.context.scene.cursor.location = (1, 2, 3)
    assert bpy.ops.mien.add_sample() == {"FINISHED"}
    assert np.allclose(bpy.context.object.location, (1, 2, 3))


def without_marks(path):
    """The sample's file as a stranger might have it: meshes called by numbers, nothing of ours beside them."""
    with open(os.path.join(fs.SAMPLES, "head.glb"), "rb") as file:
        header, data = file.read(20), file.read()
    size = int.from_bytes(header[12:16], "little")
    words, rest = json.loads(data[:size]), data[size:]
    for kind in ("nodes", "meshes", "scenes", "materials"):
        for k, thing in enumerate(words.get(kind, [])):
            thing["name"] = f"{kind}_{k}"
            if kind != "meshes":  # where the names of the shapes are
                thing.pop("extras", None)
    for mesh in words["meshes"]:
        for primitive in mesh["primitives"]:
            primitive["attributes"].pop("COLOR_0", None)
    for material in words["materials"]:
        material["pbrMetallicRoughness"] = {"baseColorFactor": [0.9, 0.5, 0.25, 1]}
    text = json.dumps(words).encode()
    text += b" " * (-len(text) % 4)
    with open(path, "wb") as file:
        file.write(header[:8] + (20 + len(text) + len(rest)).to_bytes(4, "little"))
        file.write(len(text).to_bytes(4, "little") + header[16:20] + text + rest)


def test_a_rig_that_marks_no_skin():
    """Its face is the mesh that the shapes move most; it has been refused."""
    fs.empty_scene(4)
    path = os.path.join(WORK, "stranger.glb")
    without_marks(path)
    assert bpy.ops.mien.import_rig(filepath=path) == {"FINISHED"}
    face = bpy.context.object
    others = [o for o in bpy.data.objects if o.parent == face]
    assert len(face.data.shape_keys.key_blocks) == 53 and len(others) >= 5
    assert len(face.data.vertices) > max(len(o.data.vertices) for o in others)
    assert np.allclose(face.scale, 1), "a head of human size is scaled"
    (material,) = face.data.materials
    assert np.allclose(material.diffuse_color, (0.9, 0.5, 0.25, 1), atol=1e-3), "its one colour is lost"


def _dense(shape, nvert):
    out = np.zeros((nvert, 3), np.float32)
    out[shape.indices] = shape.deltas
    return out


def _parts(rig):
    return [mien.Part(p.name, p.kind.name.lower(), p.first_vertex, p.nvert, p.first_triangle, p.ntri) for p in rig.info.parts]


def test_a_rig_of_another_size():
    """Ten times as large as an adult, in the cube of a new file: as large as one, teeth and all, and to be seen."""
    path = os.path.join(WORK, "large.glb")
    rig = mien.Rig.load(os.path.join(fs.SAMPLES, "head_small.glb"))
    made = {k: getattr(rig.info, k) for k in ("nvert", "triangles")}
    shapes = {s.name: _dense(s, made["nvert"]) * 10 for s in rig.info.shapes if s.name in fs.FEW}
    mien.Rig.create(rig.positions * 10, made["triangles"], shapes=shapes, parts=_parts(rig)).save(path)
    bpy.ops.wm.read_homefile(use_factory_startup=True)
    cube = bpy.context.object
    assert bpy.ops.mien.import_rig(filepath=path, human_size=False) == {"FINISHED"}
    assert np.allclose(bpy.context.object.scale, 1) and bpy.context.object.dimensions.z > 1
    bpy.data.objects.remove(bpy.context.object)
    assert bpy.ops.mien.import_rig(filepath=path) == {"FINISHED"}
    face = bpy.context.object
    bpy.context.view_layer.update()
    assert np.allclose(face.scale, 0.1) and all(o.matrix_world.to_scale()[0] < 0.2 for o in face.children)
    assert face.matrix_world.translation.x > cube.dimensions.x / 2, "hidden by the cube"
    assert bpy.ops.mien.attach() == {"FINISHED"} and not session.get(face).status.asked


def test_a_take_moves_a_face_from_where_it_stands():
    """Wherever it stands and looks, and the second take from the same place as the first."""
    _, obj = attached(4, moving=False)
    obj.animation_data_clear()
    obj.location, obj.rotation_euler = (1, 2, 3), (0, 0, np.pi / 2)
    bpy.context.view_layer.update()
    home = np.array(obj.matrix_world)
    path = os.path.join(WORK, "nod.csv")
    with open(path, "w", encoding="utf-8") as file:  # half a radian about X and 0.1 m to the character's left
        half = (np.sin(0.25), 0, 0, np.cos(0.25))
        rows = [(0.1, 0, 0, *half), (0.1, 0, 0, *half)]
        file.write("Time,HeadX,HeadY,HeadZ,HeadQX,HeadQY,HeadQZ,HeadQW\n")
        file.writelines(",".join(str(v) for v in (t, *row)) + "\n" for t, row in enumerate(rows))
    nod = np.array(Matrix.Translation((0.1, 0, 0)) @ Matrix.Rotation(0.5, 4, "X"))
    for _ in range(2):
        assert bpy.ops.mien.import_take(filepath=path) == {"FINISHED"}
        bpy.context.scene.frame_set(2)
        assert np.abs(np.array(obj.matrix_world) - home @ nod).max() < 1e-5


def test_a_take_of_another_rig():
    """None of its channels is a shape key: said, instead of '0 shape keys'."""
    _, obj = attached(4)
    path = os.path.join(WORK, "other.csv")
    open(path, "w", encoding="utf-8").write("Time,wingFlap\n0,0\n1,1\n")
    assert import_rig.key_take(obj, path, bpy.context.scene)[0] == "WARNING"
    open(path, "w", encoding="utf-8").write("Time,jawOpen,wingFlap\n0,0,0\n1,1,1\n")
    assert import_rig.key_take(obj, path, bpy.context.scene)[1].startswith("1 shape key keyed")


def test_presets():
    _, obj = attached(4)
    default = obj.mien.stiffness
    assert bpy.ops.mien.preset(preset="jowly") == {"FINISHED"}
    assert obj.mien.stiffness == mien.presets.values("jowly")["stiffness"] != default
    assert np.allclose(obj.mien.gravity, (0, 0, -2)), "down is not down"
    assert bpy.ops.mien.preset(preset="skin") == {"FINISHED"}
    assert np.allclose(obj.mien.gravity, (0, 0, 0)), "a preset keeps what another one set"
    assert obj.mien.preset == "skin"
    told = session.get(obj).status.remarks
    assert len(told) < 10, told


def test_farm_and_back():
    """Export shot, bake.sh, Import farm result: on every mesh what Blender's own bake shows."""
    scene, face = sample(5)
    face.name = "skin.001"  # as the second character of a scene is called, and names have blanks
    for part in face.children:
        part.name = part.name.replace("_", " ") + ".001"
    assert bpy.ops.mien.attach() == {"FINISHED"}
    live = {frame: np.array(fs.shown(face)) for frame in range(1, 6) if scene.frame_set(frame) is None}
    folder = os.path.join(WORK, "shot")
    assert bpy.ops.mien.export_shot(directory=folder) == {"FINISHED"}
    environment = dict(os.environ, MIEN=os.path.join(fs.BUILD, "bin/mien"))
    subprocess.run([os.path.join(folder, "bake.sh")], check=True, env=environment, capture_output=True)
    out = os.path.join(folder, "out.pc2")
    assert mien.CacheReader(out).points.shape[1] > len(face.data.vertices), "only the face"
    assert bpy.ops.mien.import_result(filepath=out) == {"FINISHED"}
    parts = session.companions_of(face)
    assert faces.is_baked(face) and len(parts) > 3 and all(p.modifiers.get(bake.MODIFIER) for p in parts)
    for frame in (1, 3, 5):
        scene.frame_set(frame)
        assert np.abs(fs.shown(face) - live[frame]).max() < 1e-6, f"frame {frame}"
    for part in parts:  # in its own space, the right way up: where it was without the cache
        with_cache = np.array(fs.shown(part))
        part.modifiers[bake.MODIFIER].show_viewport = False
        bpy.context.view_layer.update()
        assert np.abs(with_cache - fs.shown(part)).max() < 0.02, part.name
    _per_mesh(folder, environment, face, out)
    other = os.path.join(WORK, "other.pc2")
    writer = bake.Pc2Writer(other, 7, 1.0)
    writer.append(np.zeros((7, 3), np.float32))
    writer.finish()
    try:
        bpy.ops.mien.import_result(filepath=other)
        raise AssertionError("the cache of another rig was taken")
    except RuntimeError as error:
        assert "7 points" in str(error) and "another rig" in str(error), error
    assert faces.is_baked(face), "a refused cache takes the one before away"


def _per_mesh(folder, environment, face, whole):
    """`mien bake -o 'parts.{mesh}.pc2'`: one file for each mesh says the same as one for all."""
    expected = import_result.read_points(whole, face)
    subprocess.run([os.path.join(folder, "bake.sh"), "-o", "parts.{mesh}.pc2"], check=True, env=environment, capture_output=True)
    one = os.path.join(folder, f"parts.{face.name}.pc2")
    assert mien.CacheReader(one).points.shape[1] == len(face.data.vertices)
    assert np.abs(import_result.read_points(one, face) - expected).max() < 1e-6, "parts in another order or space"
    assert bpy.ops.mien.import_result(filepath=one) == {"FINISHED"}
    lost = os.path.join(folder, f"parts.{session.companions_of(face)[0].name}.pc2")
    os.rename(lost, lost + ".away")
    try:
        bpy.ops.mien.import_result(filepath=one)
        raise AssertionError("a part is missing and nobody says so")
    except RuntimeError as error:
        assert "there is no parts." in str(error), error
    os.rename(lost + ".away", lost)


def test_lines_are_where_the_lips_are():
    """Contacts, springs and attachments of the frame shown, in the world, with the object moved and scaled."""
    scene, obj = attached(10, moving=False)
    obj.data.shape_keys.animation_data_clear()
    fs.key(obj, "mouthPressLeft", {1: 0, 10: 1})
    obj.mien.contact, obj.mien.sticky = "plane", 1
    play(scene, obj, 10)
    assert overlay.lines_of(obj, scene, bpy.context.evaluated_depsgraph_get()) is None, "drawn though nobody asked"
    obj.mien.show_contact = obj.mien.show_sticky = obj.mien.show_attachment = True
    obj.location, obj.scale = (1, 2, 3), (2, 2, 2)
    play(scene, obj, 10)
    ends, colours, kinds = overlay.lines_of(obj, scene, bpy.context.evaluated_depsgraph_get())
    said = session.get(obj).playback.frames[10].summary
    counts = [int((kinds == kind).sum()) for kind in mien.LineKind]
    print("contacts, springs, attachments:", counts, "the step says", said.ncontact)
    assert counts[0] >= said.ncontact > 0 and counts[1] > 0 and counts[2] > 100, counts
    inverse = np.linalg.inv(np.array(obj.matrix_world))
    local = ends.reshape(-1, 3) @ inverse[:3, :3].T + inverse[:3, 3]
    skin = fs.shown(obj)
    low, high = skin.min(axis=0) - 0.02, skin.max(axis=0) + 0.02
    assert ((local > low) & (local < high)).all(), "lines outside of the head"
    mouth = local.reshape(-1, 2, 3)[kinds == mien.LineKind.STICKY]
    assert np.abs(mouth[:, 0] - mouth[:, 1]).max() < 0.01 and np.ptp(mouth[:, 0, 0]) < 0.08, "springs beside the mouth"
    assert colours.shape == (len(kinds), 4)
    scene.frame_set(3)
    scene.frame_set(10)
    again = overlay.lines_of(obj, scene, bpy.context.evaluated_depsgraph_get())[0]
    assert np.array_equal(again, ends), "scrubbing back shows other lines"
    obj.mien.show_sticky = obj.mien.show_attachment = False
    scene.frame_set(1)
    play(scene, obj, 10)


def test_keyed_farm():
    """Parameters that change over time go to the farm with the shot, to the bit."""
    scene, obj = attached(6)
    for frame, strength, length in ((1, 0, 1.3), (6, -60, 3.7)):
        obj.mien.gravity = (0, 0, strength)
        obj.mien.sticky_length = length
        obj.mien.sticky = 1
        for name in ("gravity", "sticky_length"):
            obj.mien.keyframe_insert(name, frame=frame)
    scene.frame_set(1)
    play(scene, obj, 6)
    folder = os.path.join(WORK, "keyed_shot")
    assert bpy.ops.mien.export_shot(directory=folder) == {"FINISHED"}
    environment = dict(os.environ, MIEN=os.path.join(fs.BUILD, "bin/mien"))
    subprocess.run([os.path.join(folder, "bake.sh")], check=True, env=environment, capture_output=True)
    baked = mien.CacheReader(os.path.join(folder, "out.pc2")).points
    frames = session.get(obj).playback.frames
    n = baked.shape[1]
    for frame in range(1, 7):
        assert np.array_equal(baked[frame - 1], frames[frame].positions[:n]), f"`mien bake`, frame {frame}"


def test_two_characters_at_once():
    scene, one = attached(4)
    two = one.copy()
    two.data = one.data.copy()
    two.name = "Aunt May/old"
    scene.collection.objects.link(two)
    faces.look_again()
    bpy.context.view_layer.update()
    expected = play(scene, one, 4)
    bpy.ops.wm.save_as_mainfile(filepath=os.path.join(WORK, "two.blend"))
    assert bpy.ops.mien.bake(all_faces=True) == {"FINISHED"}
    assert faces.is_baked(one) and faces.is_baked(two)
    names = sorted(os.listdir(os.path.join(WORK, "mien_cache_two")))
    assert names == ["Aunt May_old.pc2", "face.pc2"], names
    scene.frame_set(4)
    assert np.abs(fs.shown(one) - expected[-1]).max() < 1e-6
    bpy.context.view_layer.objects.active = one
    assert bpy.ops.mien.free_bake() == {"FINISHED"} and not faces.is_baked(one)


def test_a_mesh_without_a_mouth():
    """Shape keys with names that say nothing: both lips are painted, and the face has a mouth."""
    _, obj = attached(4)
    bpy.ops.mien.detach()
    s = None
    for block in obj.data.shape_keys.key_blocks[1:]:
        block.name = "k" + block.name[::-1]
    assert bpy.ops.mien.attach(with_maps=False) == {"FINISHED"}
    s = session.get(obj)
    regions = s.face.info.regions
    lips = [s.face.on_rig((regions & int(bit) != 0).astype(np.float32))[s.face.rig.render_map[: s.source.nskin]]
            for bit in (mien.Region.LIP_UPPER, mien.Region.LIP_LOWER)]
    for lip in ("upper lip", "lower lip"):
        assert bpy.ops.mien.paint_lips(lip=lip, enter=False) == {"FINISHED"}
    assert {"mien upper lip", "mien lower lip"} <= {g.name for g in obj.vertex_groups}
    upper = np.flatnonzero(lips[0]).tolist() or [0, 1, 2]
    lower = np.flatnonzero(lips[1]).tolist() or [3, 4, 5]
    obj.vertex_groups["mien upper lip"].add(upper, 1.0, "REPLACE")
    obj.vertex_groups["mien lower lip"].add(lower, 1.0, "REPLACE")
    s.is_dirty = True
    s.build(obj, bpy.context.scene, bpy.context.evaluated_depsgraph_get())
    assert "region" in s.source.maps and "upper lip" not in s.source.maps
    found = s.face.on_rig(s.face.info.regions)[s.face.rig.render_map[: s.source.nskin]]
    assert all(found[v] & int(mien.Region.LIP_UPPER) for v in upper), "painted lips are not taken"


def test_four_clicks_show_the_mouth():
    """Without shape keys to tell by: both corners and the middle of each lip, and the lips are those of the sample."""
    _, obj = attached(4)
    s = session.get(obj)
    regions = s.face.on_rig(s.face.info.regions)[s.face.rig.render_map[: s.source.nskin]]
    inner = [_slit(s, obj, bit) for bit in (mien.Region.LIP_UPPER, mien.Region.LIP_LOWER)]
    places = np.empty(3 * len(obj.data.vertices), np.float32)
    obj.data.vertices.foreach_get("co", places)
    places = places.reshape(-1, 3)
    both = np.concatenate(inner)
    four = {landmarks.RIGHT: int(both[places[both, 0].argmin()]), landmarks.LEFT: int(both[places[both, 0].argmax()]),
            landmarks.UPPER: int(inner[0][np.abs(places[inner[0], 0]).argmin()]),
            landmarks.LOWER: int(inner[1][np.abs(places[inner[1], 0]).argmin()])}  # fmt: skip
    bpy.ops.mien.detach()
    obj.shape_key_clear()
    assert bpy.ops.mien.attach(with_maps=False) == {"FINISHED"}
    s = session.get(obj)
    had = s.face.info.has_mouth
    eight = landmarks.complete(obj, four)
    assert sorted(eight) == list(range(60, 68)) and len(set(eight.values())) == 8
    assert all(regions[v] & int(mien.Region.LIP_UPPER) for v in (eight[61], eight[63])), "not on the upper lip"
    assert all(regions[v] & int(mien.Region.LIP_LOWER) for v in (eight[65], eight[67])), "not on the lower lip"
    landmarks.put(obj, eight)
    s.is_dirty = True
    s.build(obj, bpy.context.scene, bpy.context.evaluated_depsgraph_get())
    assert s.face.info.has_mouth, s.status.remarks
    print("mouth found without landmarks:", bool(had), "- with four clicks: True")
    try:
        landmarks.complete(obj, {**four, landmarks.LEFT: four[landmarks.RIGHT]})
        raise AssertionError("two clicks at one place are taken")
    except ValueError as error:
        assert "four different places" in str(error)


def _slit(s, obj, bit):
    """Vertices of the mesh where one lip meets the other."""
    info = s.face.info
    mask = np.zeros(info.nskin, np.float32)
    mask[[v for v in info.slit if info.regions[v] & int(bit)]] = 1
    return np.flatnonzero(s.face.on_rig(mask)[s.face.rig.render_map[: s.source.nskin]])


def test_muscles_have_channels():
    """A channel for each muscle, keyed; the smile comes without a shape key, scrubbed and baked the same."""
    scene, obj = attached(8, moving=False)
    obj.data.shape_keys.animation_data_clear()
    for block in obj.data.shape_keys.key_blocks:
        block.value = 0
    assert bpy.ops.mien.use_muscles() == {"FINISHED"}
    names = [channel.name for channel in obj.mien.muscle_channels]
    assert len(names) > 20 and len(set(names)) == len(names), names
    rest = play(scene, obj, 8)[-1]
    smile = next(c for c in obj.mien.muscle_channels if "zygomatic" in c.name.lower())
    for frame, value in ((1, 0.0), (8, 0.4)):
        smile.contraction = value
        smile.keyframe_insert("contraction", frame=frame)
    moved = play(scene, obj, 8)
    far = np.abs(moved[-1] - rest).max()
    print(f"{len(names)} muscles; {smile.name} at 0.4 moves the skin by {1e3 * far:.1f} mm")
    assert 5e-4 < far < 0.03, far
    for frame in (3, 8, 1):
        scene.frame_set(frame)
        assert np.array_equal(fs.shown(obj), moved[frame - 1]), f"scrubbed to {frame}"
    assert bpy.ops.mien.bake() == {"FINISHED"}
    scene.frame_set(8)
    assert np.abs(fs.shown(obj) - moved[-1]).max() < 1e-6, "the bake is another"
    assert bpy.ops.mien.free_bake() == {"FINISHED"}
    baked = farm(os.path.join(WORK, "muscles"))
    assert np.array_equal(baked[-1], live_positions(obj, 8)), "the farm moves other muscles"


def test_muscles_stiffen_shape_keys():
    """With shape keys in charge the channels stiffen what they contract, and move nothing by themselves."""
    scene, obj = attached(6)
    assert bpy.ops.mien.use_muscles() == {"FINISHED"}
    obj.mien.drive, obj.mien.muscle_stiffening = "rest_shape", 10
    soft = play(scene, obj, 6)
    for channel in obj.mien.muscle_channels:
        channel.contraction = 0.4 if "zygomatic" in channel.name else 0
    stiff = play(scene, obj, 6)
    far = np.abs(stiff[-1] - soft[-1]).max()
    print(f"stiff muscles swing by {1e3 * far:.2f} mm less")
    assert np.array_equal(stiff[0], soft[0]), "a head that did not move yet is another one"
    assert 1e-6 < far < 0.005, far


def farm(folder):
    """What `mien bake` makes of an exported shot: (frames, vertices, 3)."""
    assert bpy.ops.mien.export_shot(directory=folder) == {"FINISHED"}
    environment = dict(os.environ, MIEN=os.path.join(fs.BUILD, "bin/mien"))
    made = subprocess.run([os.path.join(folder, "bake.sh")], env=environment, capture_output=True, text=True)
    assert made.returncode == 0, made.stderr
    return mien.CacheReader(os.path.join(folder, "out.pc2")).points


def live_positions(obj, frame):
    """Of every vertex that a cache has, in mien's axes, as the add-on simulated it."""
    s = session.get(obj)
    return s.playback.frames[frame].positions[s.render_map]


def refused(operator, said):
    try:
        operator()
    except RuntimeError as error:
        assert said in str(error), error
        return
    raise AssertionError(f"not refused: {said}")


def test_muscles_are_fitted():
    """To shape keys or to meshes; kept in the file; what cannot be fitted or was stopped changes nothing."""
    _, obj = attached(3, moving=False)
    assert bpy.ops.mien.use_muscles() == {"FINISHED"}
    atlas = np.array(session.get(obj).face.info.muscle_share)
    obj.mien.muscle_rounds = 1
    for text, said in (("", "there is no shape key"), ("jawOpen", "2 expressions at least"), ("jawOpen=x,cheekPuff", "needs a number")):
        obj.mien.expressions = text
        refused(bpy.ops.mien.fit_muscles, said)
    obj.mien.expressions = "jawOpen=0.5,mouthSmileLeft"
    job = fit_muscles.Job(obj, bpy.context.scene)
    job.cancel()
    job.thread.join()
    assert "stopped" in str(job.error) and not obj.mien.fitted_muscles, job.error
    assert bpy.ops.mien.fit_muscles() == {"FINISHED"}
    info = session.get(obj).face.info
    fitted = np.array(info.muscle_share)
    assert info.is_muscle_fitted and np.abs(fitted - atlas).max() > 0.02, "nothing was fitted"
    path = os.path.join(WORK, "fitted.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    fit_muscles.running[:] = [job]
    bpy.ops.wm.open_mainfile(filepath=path)
    assert not fit_muscles.running, "another file is loaded and the fit goes on: there can be no other"
    obj = bpy.context.object
    play(bpy.context.scene, obj, 1)
    info = session.get(obj).face.info
    assert info.is_muscle_fitted and np.array_equal(info.muscle_share, fitted), "lost with the file"
    _scans(obj)
    assert bpy.ops.mien.forget_fit() == {"FINISHED"}
    assert not session.get(obj).face.info.is_muscle_fitted


def _scans(obj):
    """The same expressions as meshes of a collection are the same targets of a fit."""
    scans = bpy.data.collections.new("scans")
    for name, value in (("jawOpen", 0.5), ("mouthSmileLeft", 1.0)):
        keys = obj.data.shape_keys.key_blocks
        basis, key = (source.key_coordinates(keys[n]) for n in ("Basis", name))
        mesh = obj.data.copy()
        other = bpy.data.objects.new(name, mesh)
        other.shape_key_clear()
        mesh.vertices.foreach_set("co", (basis + value * (key - basis)).reshape(-1))
        scans.objects.link(other)
    targets = {}
    for scanned in (None, scans):
        obj.mien.scans = scanned
        job = fit_muscles.Job(obj, bpy.context.scene)
        job.cancel()
        job.thread.join()
        targets[scanned] = job.targets
    assert sorted(targets[scans]) == ["jawOpen", "mouthSmileLeft"], sorted(targets[scans])
    for one, other in zip(targets[None].values(), targets[scans].values()):
        off, way = np.abs(one - other).max(), np.ptp(one - session.get(obj).face.rig.positions)
        assert off < 1e-6 < 1e-3 < way, (off, way)
    mesh = bpy.data.meshes.new("torn")
    mesh.from_pydata([(0, 0, 0)] * 7, [], [])
    scans.objects.link(bpy.data.objects.new("torn", mesh))
    refused(bpy.ops.mien.fit_muscles, "the scan 'torn' has 7 vertices")


attached_face.run(globals())
print("artist: all checks passed in Blender", bpy.app.version_string)

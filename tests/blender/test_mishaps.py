"""What happens to a face in an artist's hands: bakes that fail, files loaded in the middle of things, faces
that are renamed, resized, linked, deleted or switched off, parameters that are keyed, the add-on disabled.
"""

import os
import sys
import tempfile
import threading

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import bpy
import numpy as np

import attached_face
import face_scene as fs
from attached_face import attached, play, status, without_mien
from mien_blender import bake, carrier, handlers, live, mien, nodes, session

WORK = tempfile.mkdtemp(prefix="mien_mishaps_")


def save(name):
    path = os.path.join(WORK, name + ".blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    return path


def refused(operator, **settings):
    """What an operator says when it refuses; Blender makes an exception of it."""
    try:
        operator(**settings)
    except RuntimeError as error:
        assert "Traceback" not in str(error), str(error)
        return str(error)
    raise AssertionError("not refused")


def test_bake_that_fails_or_is_lost():
    scene, obj = attached(8)
    expected = play(scene, obj, 8)
    bpy.ops.wm.save_as_mainfile(filepath=os.path.join(WORK, "bake.blend"))
    job = bake.Job(obj, scene, 1, 8)
    bake.gather([job], scene, 0)
    job.cancel()
    folder = os.path.join(WORK, "mien_cache_bake")
    assert os.listdir(folder) == [], "a cancelled bake leaves something"
    assert bpy.ops.mien.bake() == {"FINISHED"}
    (name,) = os.listdir(folder)
    scene.frame_set(8)
    assert np.array_equal(fs.shown(obj), expected[7])
    file = os.path.join(folder, name)
    whole = open(file, "rb").read()
    for damage in (whole[:1000], whole[: len(whole) // 2], b"POINTCACHE2\0", None):
        os.remove(file)
        if damage is not None:
            open(file, "wb").write(damage)
        scene.frame_set(2)
        scene.frame_set(8)
        assert np.isfinite(fs.shown(obj)).all() and np.abs(fs.shown(obj)).max() < 1
    open(file, "wb").write(whole)
    assert bpy.ops.mien.free_bake() == {"FINISHED"}
    scene.frame_set(8)
    assert np.array_equal(fs.shown(obj), expected[7])


def test_live():
    """A sender drives the face; keys, mesh and object stay as they are, and so does the timeline."""
    scene, obj = attached(6, moving=False)
    expected = play(scene, obj, 4)[-1]
    untouched, place = fs.raw(obj), obj.matrix_world.copy()
    props = scene.mien_live
    props.protocol, props.port = "live_link", 45871
    drive = live.Drive(obj, scene, bpy.context.evaluated_depsgraph_get(), props)
    with mien.Stream("live_link", sends=True, port=45871) as sender:
        for k in range(12):
            sender.send({"jawOpen": 0.8}, mien.Rigid((0, 0.1, 0, 0.995)), time=k / 60)
            drive.stream.latest(0.5)
            drive.tick(obj, bpy.context.evaluated_depsgraph_get(), now=k / 60)
            bpy.context.view_layer.update()
    assert drive.stream.info.nframe > 0 and drive.nstep == 12, drive.text
    shown = fs.shown(obj)
    assert np.abs(shown - expected).max() > 5e-3, "the jaw did not open"
    assert fs.raw(obj) == untouched and obj.matrix_world == place
    unturned = fs.to_blender(drive.session.positions_out(drive.state.positions, None))
    assert 5e-3 < np.abs(unturned - expected).max() < np.abs(shown - expected).max(), "the head does not turn"
    live.running = drive
    live.stop(bpy.context)
    assert np.array_equal(fs.shown(obj), expected), "the timeline's frame is back"
    props.port = 1
    try:
        live.Drive(obj, scene, bpy.context.evaluated_depsgraph_get(), props).close()
    except mien.MienError:
        pass  # a port that only root may open


def test_render_thread():
    """A render in the window calls from a thread of its own: nothing is touched unless that is safe."""
    scene, obj = attached(4)
    assert scene.render.use_lock_interface, "attach switches it on"
    expected = play(scene, obj, 3)[-1]
    s = session.get(obj)
    before = s.playback.nstep
    scene.render.use_lock_interface = False
    depsgraph = bpy.context.evaluated_depsgraph_get()
    thread = threading.Thread(target=handlers.evaluate, args=(obj, scene, depsgraph))
    thread.start()
    thread.join()
    assert status(obj).is_error and "Lock Interface" in status(obj).text
    assert s.playback.nstep == before and np.array_equal(fs.shown(obj), expected)


# -- keyed parameters -------------------------------------------------------------------------------


def key_gravity(obj, frames):
    for frame, strength in ((1, 0), (frames, -60)):
        obj.mien.gravity = (0, 0, strength)
        obj.mien.keyframe_insert("gravity", frame=frame)


def test_keyed_parameters():
    """Scrubbed to, baked or rendered, a frame gets the parameters of every frame on the way to it."""
    scene, obj = attached(8)
    key_gravity(obj, 8)
    scene.frame_set(1)
    expected = play(scene, obj, 8)
    session.get(obj).playback.forget()
    scene.frame_set(8)
    assert np.array_equal(fs.shown(obj), expected[7]), "scrubbed to"
    assert bpy.ops.mien.bake() == {"FINISHED"}
    scene.frame_set(8)
    assert np.array_equal(fs.shown(obj), expected[7]), "baked"


def test_rendered_animation():
    """`blender -a`: the render evaluates a scene of its own, keyed parameters included."""
    scene, obj = attached(5)
    key_gravity(obj, 5)
    scene.frame_set(1)
    play(scene, obj, 5)
    playback = session.get(obj).playback
    expected = {frame: known.positions for frame, known in playback.frames.items()}
    camera = bpy.data.objects.new("camera", bpy.data.cameras.new("camera"))
    scene.collection.objects.link(camera)
    scene.camera = camera
    scene.render.engine, scene.cycles.samples, scene.cycles.use_denoising = "CYCLES", 1, False
    scene.render.resolution_x = scene.render.resolution_y = 8
    scene.render.filepath = os.path.join(WORK, "frame")
    scene.frame_set(1)
    playback.forget()
    bpy.ops.render.render(animation=True)
    for frame in range(1, 6):
        assert np.array_equal(playback.frames[frame].positions, expected[frame]), f"rendered frame {frame}"


def test_status_is_of_its_frame():
    scene, obj = attached(6)
    said = []
    for frame in range(1, 7):
        scene.frame_set(frame)
        said.append(status(obj).text)
    for frame in (2, 5, 1, 6):
        scene.frame_set(frame)
        assert status(obj).text == said[frame - 1], (frame, status(obj).text, said[frame - 1])


def test_words_of_the_system():
    """A place that cannot be written to is named in a sentence, without the system's numbers; what was there stays."""
    _, obj = attached(4)
    save("words")
    taken = os.path.join(WORK, "mien_cache_words")
    open(taken, "w").close()
    for operator, given in ((bpy.ops.mien.bake, {}), (bpy.ops.mien.export_shot, {"directory": taken})):
        said = refused(operator, **given)
        assert f"cannot use '{taken}'" in said and "Errno" not in said, said
    assert obj.modifiers.get(bake.MODIFIER) is None and not status(obj).is_error
    picture = os.path.join(WORK, "picture.png")
    open(picture, "wb").write(b"\x89PNG\r\n\x1a\n" + bytes(range(256)))
    for operator in (bpy.ops.mien.import_take, bpy.ops.mien.import_rig, bpy.ops.mien.import_result):
        refused(operator, filepath=picture)


# -- bakes ------------------------------------------------------------------------------------------


def leftovers(name):
    return [n for n in os.listdir(os.path.join(WORK, "mien_cache_" + name)) if n.endswith(".part")]


def test_bake_of_nothing():
    """Physics that begins after the last frame: refused, not baked without a word."""
    scene, obj = attached(8)
    save("nothing")
    obj.mien.start_frame = 9
    said = refused(bpy.ops.mien.bake)
    assert "begins at frame 9" in said and "ends at 8" in said, said
    assert not os.path.exists(os.path.join(WORK, "mien_cache_nothing")) and obj.modifiers.get(bake.MODIFIER) is None


def test_bake_stopped_by_an_error():
    """Nothing of it is left, neither file nor thread, and the bake there was before plays again."""
    scene, obj = attached(8)
    expected = play(scene, obj, 8)
    save("stopped")
    assert bpy.ops.mien.bake() == {"FINISHED"}
    before, threads = obj.modifiers[bake.MODIFIER].filepath, threading.active_count()
    real = session.Session.read

    def fails(self, obj, depsgraph):
        if bpy.context.scene.frame_current == 4:
            raise mien.MienError("the mesh is gone")
        return real(self, obj, depsgraph)

    session.Session.read = fails
    try:
        assert "the mesh is gone" in refused(bpy.ops.mien.bake)
    finally:
        session.Session.read = real
    assert leftovers("stopped") == [] and threading.active_count() == threads
    assert obj.modifiers[bake.MODIFIER].filepath == before
    scene.frame_set(8)
    assert np.array_equal(fs.shown(obj), expected[7])


def test_bake_of_what_is_deleted():
    scene, obj = attached(8)
    save("deleted")
    job = bake.Job(obj, scene, 1, 8)
    bake.gather([job], scene, 0)
    bpy.data.objects.remove(obj)
    try:
        bake.gather([job], scene, 10)
        raise AssertionError("a face that is gone was baked")
    except mien.MienError as error:
        assert "deleted" in str(error)
    job.cancel()
    assert leftovers("deleted") == [] and not job.thread.is_alive()


def test_loaded_while_baking_and_live():
    """Another file: the bake ends and leaves nothing, the socket is free again."""
    scene, obj = attached(8)
    path = save("loaded")
    bake.running[:] = bake.begin([obj], scene)
    thread = bake.running[0].thread
    bpy.ops.wm.open_mainfile(filepath=path)
    assert not bake.running and not thread.is_alive() and leftovers("loaded") == []
    scene, obj = bpy.context.scene, bpy.data.objects["face"]
    scene.mien_live.port = 45872
    live.running = live.Drive(obj, scene, bpy.context.evaluated_depsgraph_get(), scene.mien_live)
    bpy.ops.wm.open_mainfile(filepath=path)
    assert live.running is None
    mien.Stream("live_link", port=45872).close()


def test_bake_follows_save_as():
    scene, obj = attached(8)
    expected = play(scene, obj, 8)
    save("here")
    assert bpy.ops.mien.bake() == {"FINISHED"}
    os.makedirs(os.path.join(WORK, "there"))
    path = save("there/copy")
    bpy.ops.wm.open_mainfile(filepath=path)
    bpy.context.scene.frame_set(8)
    assert np.array_equal(fs.shown(bpy.data.objects["face"]), expected[7])


def test_live_of_a_bake():
    scene, obj = attached(4)
    assert bpy.ops.mien.bake() == {"FINISHED"}
    try:
        live.Drive(obj, scene, bpy.context.evaluated_depsgraph_get(), scene.mien_live).close()
        raise AssertionError("a bake was driven live")
    except mien.MienError as error:
        assert "free the bake" in str(error)


# -- the face itself --------------------------------------------------------------------------------


def test_modifier_switched_off():
    scene, obj = attached(6)
    expected = play(scene, obj, 6)
    nodes.find_modifier(obj).show_viewport = False
    scene.frame_set(3)
    assert not status(obj).is_error and "switched off" in status(obj).text, status(obj).text
    nodes.find_modifier(obj).show_viewport = True
    scene.frame_set(6)
    assert np.array_equal(fs.shown(obj), expected[5])


def test_renamed():
    scene, obj = attached(6)
    expected = play(scene, obj, 6)
    session.get(obj).playback.forget()
    obj.name = "hero"
    scene.frame_set(6)
    assert np.array_equal(fs.shown(obj), expected[5])


def test_resized():
    """What a face weighs goes by its size at the start, whenever it was scaled and wherever one looks first."""
    scene, obj = attached(8)
    play(scene, obj, 8)
    mass = session.get(obj).face.info.mass
    obj.scale = (2, 2, 2)
    bpy.context.view_layer.update()
    scene.frame_set(8)
    large = fs.shown(obj)
    assert abs(session.get(obj).face.info.mass / mass - 8) < 2, "the flesh did not grow with the face"
    session.drop_all()  # as after reload
    scene.frame_set(8)
    assert np.array_equal(fs.shown(obj), large)
    obj.keyframe_insert("scale", frame=1)
    obj.scale = (2, 2, 3)
    obj.keyframe_insert("scale", frame=8)
    scene.frame_set(1)
    stretched = play(scene, obj, 8)[-1]
    session.drop_all()
    scene.frame_set(8)
    assert np.array_equal(fs.shown(obj), stretched), "a stretched face depends on where one looks first"


def test_uneven_scale():
    """Scale of the object and scale applied to the mesh are the same face."""
    scale, places = np.array([1.0, 1.25, 0.8]), []
    for is_applied in (False, True):
        scene = fs.empty_scene(8)
        obj, _ = fs.head(mien)
        for block in obj.data.shape_keys.key_blocks if is_applied else ():
            at = np.empty(3 * len(block.data), np.float32)
            block.data.foreach_get("co", at)
            block.data.foreach_set("co", (at.reshape(-1, 3) * scale).astype(np.float32).reshape(-1))
        obj.scale = (1, 1, 1) if is_applied else scale
        fs.shake(obj, 8)
        scene.frame_set(1)
        assert bpy.ops.mien.attach() == {"FINISHED"}
        obj.mien.contact = "off"
        points = play(scene, obj, 8)[-1]
        moved = points - without_mien(obj)
        places.append(moved if is_applied else moved * scale)
    assert np.abs(places[1]).max() > 1e-4
    assert np.abs(places[0] - places[1]).max() < 2e-6, np.abs(places[0] - places[1]).max()


def test_linked_is_not_written_to():
    scene, obj = attached(4)
    bpy.ops.mien.detach(remove_maps=True)
    path = save("character")
    scene = fs.empty_scene(4)
    with bpy.data.libraries.load(path, link=True) as (_, here):
        here.objects = ["face"]
    scene.collection.objects.link(here.objects[0])
    bpy.context.view_layer.objects.active = here.objects[0]
    assert "override" in refused(bpy.ops.mien.attach)
    assert not here.objects[0].mien.is_attached and not here.objects[0].modifiers


def test_deleted_while_playing():
    scene, obj = attached(6)
    play(scene, obj, 3)
    bpy.data.objects.remove(obj)
    for frame in (4, 2, 6):
        scene.frame_set(frame)
    assert not session.sessions, "its memory is kept"
    path = save("orphans")
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)  # no Blender 5 looks into the file it has open
    with bpy.data.libraries.load(path) as (there, _):
        assert not there.objects, there.objects


def test_add_on_disabled():
    """The plain rig at once, not a face frozen in its last frame; enabled again it goes on."""
    scene, obj = attached(6)
    expected = play(scene, obj, 6)
    plain = without_mien(obj)
    assert np.abs(expected[5] - plain).max() > 1e-5
    handlers.unregister()
    bpy.context.view_layer.update()
    assert np.array_equal(fs.shown(obj), plain), "disabled it still moves the mesh"
    handlers.register()
    scene.frame_set(6)
    assert np.array_equal(fs.shown(obj), expected[5])


def test_no_shape_keys():
    scene = fs.empty_scene(8)
    obj, _ = fs.head(mien)
    obj.shape_key_clear()
    fs.shake(obj, 8)
    scene.frame_set(1)
    assert bpy.ops.mien.attach() == {"FINISHED"}
    frames = play(scene, obj, 5)
    assert max(np.abs(f - frames[0]).max() for f in frames) > 1e-4, "its flesh does not move"
    assert any("mouth" in r for r in session.get(obj).status.remarks)


def test_paint_without_flesh():
    """A mesh that was emptied after Attach: a sentence, not a traceback."""
    _, obj = attached(4)
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.mesh.select_all(action="SELECT")
    bpy.ops.mesh.delete(type="VERT")
    bpy.ops.object.mode_set(mode="OBJECT")
    refused(bpy.ops.mien.paint, map="stiffness")


attached_face.run(globals())
print("mishaps: all checks passed in Blender", bpy.app.version_string)

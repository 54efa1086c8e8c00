"""The zip as an artist installs it, into settings that know nothing of the build."""

import glob
import os
import subprocess
import sys
import tempfile

import bpy

BUILD = os.environ["MIEN_BUILD"]
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))


def make_zip(folder):
    script = os.path.join(ROOT, "plugin/blender/make_zip.py")
    library = os.path.realpath(os.path.join(BUILD, "lib/libmien.so"))
    addon = os.path.join(BUILD, "blender/mien_blender")
    python = "/usr/bin/python3" if os.path.exists("/usr/bin/python3") else sys.executable
    command = [python, script, addon, library, "0.1.0", os.path.join(ROOT, "LICENSE"), folder]
    subprocess.run(command, check=True, capture_output=True)
    (path,) = glob.glob(os.path.join(folder, "*.zip"))
    return path


def install(path):
    if hasattr(bpy.ops.preferences, "addon_install"):
        bpy.ops.preferences.addon_install(filepath=path)
        return "mien_blender"
    bpy.ops.extensions.package_install_files(filepath=path, repo="user_default")
    return "bl_ext.user_default.mien_blender"


def main():
    with tempfile.TemporaryDirectory() as folder:
        path = make_zip(folder)
        assert os.path.getsize(path) < 12e6, os.path.getsize(path)
        name = install(path)
    assert bpy.ops.preferences.addon_enable(module=name) == {"FINISHED"}
    module = sys.modules[name]
    assert module.__file__.startswith(os.environ["BLENDER_USER_SCRIPTS"]), module.__file__
    loaded = [line.split()[-1] for line in open("/proc/self/maps") if "libmien" in line]
    assert loaded and all(p.startswith(os.environ["BLENDER_USER_SCRIPTS"]) for p in loaded), loaded

    import face_scene as fs

    scene = fs.empty_scene(4)
    assert bpy.ops.mien.add_sample() == {"FINISHED"}
    obj = bpy.context.view_layer.objects.active
    assert len(obj.data.shape_keys.key_blocks) == 53 and scene.frame_end > 200
    assert bpy.ops.mien.attach() == {"FINISHED"}
    session = sys.modules[name + ".session"].get(obj)
    parts = {p.kind.name for p in session.face.rig.info.parts}
    assert parts >= {"SKIN", "SKULL", "TEETH_LOWER", "TEETH_UPPER", "EYE_LEFT"}, parts
    scene.frame_set(4)
    assert session.playback.nstep == 4 and not session.status.is_error, session.status.text
    assert bpy.ops.preferences.addon_disable(module=name) == {"FINISHED"}
    assert not hasattr(bpy.types.Object, "mien")
    assert not [h for h in bpy.app.handlers.frame_change_post if "mien" in h.__module__]
    print("package: installed, used and disabled in Blender", bpy.app.version_string)


main()

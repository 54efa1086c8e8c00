"""The zip as an artist installs it, into settings that know nothing of the build."""

import glob
import os
import subprocess
import sys
import tempfile
import zipfile

import bpy

BUILD = os.environ["MIEN_BUILD"]
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))


def make_zip(folder):
    script = os.path.join(ROOT, "plugin/blender/make_zip.py")
    library = os.path.realpath(os.path.join(BUILD, "package/libmien.so"))
    addon = os.path.join(BUILD, "blender/mien_blender")
    python = "/usr/bin/python3" if os.path.exists("/usr/bin/python3") else sys.executable
    command = [python, script, addon, library, "0.1.0", os.path.join(ROOT, "LICENSE"), folder]
    subprocess.run(command, check=True, capture_output=True)
    (path,) = glob.glob(os.path.join(folder, "*.zip"))
    return path


# What the add-on must not say, for the sake of Blender 3.6 to 5: names that are gone or read-only there.
GONE = {
    'foreach_set("loop_total"': "read-only since 3.6", "use_auto_smooth": "gone in 4.1", "calc_normals": "gone in 4.0",
    "create_normals_split": "gone in 4.1", ".fcurves": "gone in 5.0", "vertex_colors": "gone in 5.0",
    "import bgl": "gone in 5.0", "import imp": "gone in Python 3.12", ".face_maps": "gone in 4.0",
    "context.copy()": "operators take no overrides since 4.0", "annotations.layers": "gone in 5.0",
    ".session_uid": "not there before 4.1", "SeparateRGB": "gone in 5.0", "CombineRGB": "gone in 5.0",
    "MixRGB": "gone in 5.0", "GeometryNodeAttributeTransfer": "gone in 3.4",
}  # fmt: skip


# what Blender 4.2 and newer ask of an extension, and what they know of tags and permissions
NEEDED = "schema_version id version name tagline maintainer type blender_version_min license".split()
PERMISSIONS = {"files", "network", "clipboard", "camera", "microphone"}


def check_manifest(text, addon):
    """An extension in 4.2 and newer, an add-on of the old kind (bl_info) before: one zip is both."""
    try:
        import tomllib
    except ImportError:  # Python 3.10 and older
        return
    manifest = tomllib.loads(text)
    missing = [key for key in NEEDED if not manifest.get(key)]
    assert not missing, missing
    assert manifest["id"] == "mien_blender" and manifest["type"] == "add-on" and manifest["schema_version"] == "1.0.0"
    assert all(name.startswith("SPDX:") for name in manifest["license"]), manifest["license"]
    assert set(manifest["permissions"]) <= PERMISSIONS, manifest["permissions"]
    assert set(manifest["platforms"]) <= {"linux-x64", "windows-x64", "macos-x64", "macos-arm64"}
    assert "bl_info" in addon and '"blender": (3, 4, 0)' in addon
    # the folder has another name as an extension (bl_ext.user_default.mien_blender)
    assert "import mien_blender" not in addon


def check_names(path):
    with zipfile.ZipFile(path) as archive:
        manifest = archive.read("mien_blender/blender_manifest.toml").decode()
        check_manifest(manifest, archive.read("mien_blender/__init__.py").decode())
        for name in archive.namelist():
            if name.endswith(".py"):
                text = archive.read(name).decode()
                found = {word: why for word, why in GONE.items() if word in text}
                assert not found, (name, found)
                assert "import mien_blender" not in text and "from mien_blender" not in text, name
    info = archive_version(path)
    assert f'version = "{info}"' in manifest and 'blender_version_min = "4.2.0"' in manifest
    # Blender's own rules for extensions: lines of at most 64 characters that do not end in a full stop
    for line in manifest.splitlines():
        key, _, value = line.partition(" = ")
        if key in ("tagline", "files", "network"):
            assert len(value.strip('"')) <= 64 and not value.strip('"').endswith("."), line


def archive_version(path):
    return os.path.basename(path).split("-")[1]


def install(path):
    if bpy.app.version < (4, 2, 0):
        bpy.ops.preferences.addon_install(filepath=path)
        return "mien_blender"
    bpy.ops.extensions.package_install_files(filepath=path, repo="user_default")
    return "bl_ext.user_default.mien_blender"


def main():
    with tempfile.TemporaryDirectory() as folder:
        path = make_zip(folder)
        check_names(path)
        assert os.path.getsize(path) < 12e6, os.path.getsize(path)
        name = install(path)
    assert bpy.ops.preferences.addon_enable(module=name) == {"FINISHED"}
    module = sys.modules[name]
    # since 4.2 a zip with a manifest is an extension
    folders = os.environ["BLENDER_USER_SCRIPTS"], os.environ["BLENDER_USER_EXTENSIONS"]
    assert module.__file__.startswith(folders), module.__file__
    loaded = [line.split()[-1] for line in open("/proc/self/maps") if "libmien" in line]
    assert loaded and all(p.startswith(folders) for p in loaded), loaded

    import face_scene as fs

    scene = fs.empty_scene(4)
    bpy.ops.mesh.primitive_cube_add()  # selected, as the one of a new file
    assert bpy.ops.mien.add_sample() == {"FINISHED"}
    obj = bpy.context.view_layer.objects.active
    assert bpy.context.selected_objects == [obj], bpy.context.selected_objects
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

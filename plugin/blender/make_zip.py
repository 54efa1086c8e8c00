"""Writes the add-on as a zip: what Blender's Install button wants, with everything it needs inside.

usage: make_zip.py ADDON_FOLDER LIBRARY VERSION LICENSE OUT_FOLDER
"""

import os
import platform
import sys
import tempfile
import zipfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../python"))

import bundle  # noqa: E402
from make_wheel import STAMP, files_in  # noqa: E402


def add(archive, name, data):
    info = zipfile.ZipInfo("mien_blender/" + name, STAMP)
    info.external_attr = 0o644 << 16
    info.compress_type = zipfile.ZIP_DEFLATED
    archive.writestr(info, data)


def main():
    addon, library, version, license_path, out = sys.argv[1:]
    os.makedirs(out, exist_ok=True)
    path = os.path.join(out, f"mien_blender-{version}-linux-{platform.machine()}.zip")
    with tempfile.TemporaryDirectory() as stage, zipfile.ZipFile(path + ".part", "w") as archive:
        glibc = bundle.collect(library, stage)
        for relative, source in files_in(addon):
            if not relative.endswith(".so"):
                add(archive, relative, open(source, "rb").read())
        for relative, source in files_in(stage):
            add(archive, "mien/lib/" + relative, open(source, "rb").read())
        add(archive, "LICENSE", open(license_path, "rb").read())
        add(archive, "NEEDS.txt", "Linux with glibc {}.{} or newer, Blender 3.4 or newer.\n".format(*glibc).encode())
    os.replace(path + ".part", path)
    print(path)


if __name__ == "__main__":
    main()

"""Writes the wheel, with nothing but the standard library.

usage: make_wheel.py PACKAGE_FOLDER LIBRARY VERSION LICENSE OUT_FOLDER
"""

import base64
import hashlib
import os
import platform
import sys
import tempfile
import zipfile

import bundle

METADATA = """\
Metadata-Version: 2.1
Name: mien
Version: {version}
Summary: Physics for blendshape faces
License: MIT
Requires-Python: >=3.7
Requires-Dist: numpy>=1.19
Classifier: Operating System :: POSIX :: Linux
Description-Content-Type: text/markdown

Flesh under the skin of a blendshape rig, in real time. `import mien; help(mien)`.

Holds libmien and the libraries it needs (jansson, libpng, SuiteSparse, LAPACKE, reference BLAS). It asks
for glibc {glibc} or newer.
"""
WHEEL = "Wheel-Version: 1.0\nGenerator: mien\nRoot-Is-Purelib: false\nTag: {tag}\n"
STAMP = (2020, 1, 1, 0, 0, 0)  # the same files give the same wheel


def add(archive, records, name, data):
    info = zipfile.ZipInfo(name, STAMP)
    info.external_attr = 0o644 << 16
    info.compress_type = zipfile.ZIP_DEFLATED
    archive.writestr(info, data)
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    records.append(f"{name},sha256={digest},{len(data)}")


def files_in(folder):
    for root, folders, files in os.walk(folder, followlinks=True):
        folders[:] = sorted(f for f in folders if f != "__pycache__")
        for name in sorted(files):
            path = os.path.join(root, name)
            yield os.path.relpath(path, folder), path


def main():
    package, library, version, license_path, out = sys.argv[1:]
    with tempfile.TemporaryDirectory() as stage:
        glibc = bundle.collect(library, stage)
        tag = "py3-none-manylinux_{}_{}_{}".format(*glibc, platform.machine())
        name = f"mien-{version}-{tag}.whl"
        info = f"mien-{version}.dist-info"
        records = []
        os.makedirs(out, exist_ok=True)
        path = os.path.join(out, name)
        with zipfile.ZipFile(path + ".part", "w") as archive:
            for relative, source in files_in(package):
                if not relative.endswith(".so"):
                    add(archive, records, "mien/" + relative, open(source, "rb").read())
            for relative, source in files_in(stage):
                add(archive, records, "mien/lib/" + relative, open(source, "rb").read())
            words = METADATA.format(version=version, glibc="{}.{}".format(*glibc))
            add(archive, records, info + "/METADATA", words.encode())
            add(archive, records, info + "/WHEEL", WHEEL.format(tag=tag).encode())
            add(archive, records, info + "/LICENSE", open(license_path, "rb").read())
            records.append(info + "/RECORD,,")
            archive.writestr(zipfile.ZipInfo(info + "/RECORD", STAMP), "\n".join(records) + "\n")
        os.replace(path + ".part", path)
    print(path)


if __name__ == "__main__":
    main()

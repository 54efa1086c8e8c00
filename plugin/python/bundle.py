"""What libmien needs beside it so that it runs elsewhere.

usage: bundle.py LIBRARY FOLDER     copies what it needs, not the library itself

collect(library, folder) copies the library and every shared library it needs, but for the C library
and its kin, which every Linux has. Reference BLAS and LAPACK are taken where they are installed:
1 MB instead of 36, and only orders and the reference solver use them.
"""

import glob
import os
import re
import shutil
import subprocess
import sys

# part of every system, and not to be mixed between versions
SYSTEM = ("linux-vdso", "ld-linux", "libc.so", "libm.so", "libdl.so", "libpthread.so", "librt.so")


def needed(library):
    """Paths of all shared libraries it needs, by the name they are asked for."""
    small = glob.glob("/usr/lib/*/blas") + glob.glob("/usr/lib/*/lapack")
    environment = dict(os.environ, LD_LIBRARY_PATH=":".join(small))
    listed = subprocess.run(["ldd", library], env=environment, capture_output=True, text=True, check=True)
    if "not found" in listed.stdout:
        raise SystemExit("ldd does not find everything:\n" + listed.stdout)
    pairs = re.findall(r"^\s*(\S+) => (/\S+)", listed.stdout, re.M)
    return {name: path for name, path in pairs if not name.startswith(SYSTEM)}


def glibc(paths):
    """The oldest C library on which all of them load, like (2, 35)."""
    newest = (2, 2)
    for path in paths:
        symbols = subprocess.run(["objdump", "-T", path], capture_output=True, text=True, check=True)
        for version in re.findall(r"GLIBC_(\d+)\.(\d+)", symbols.stdout):
            newest = max(newest, tuple(map(int, version)))
    return newest


def copy_needed(library, folder):
    """Copies the company of a library; returns where it was found."""
    os.makedirs(folder, exist_ok=True)
    others = needed(library)
    for name, path in others.items():
        shutil.copyfile(path, os.path.join(folder, name))
    return others


def collect(library, folder):
    """Copies all of it into `folder` as libmien.so and its company; returns the glibc it asks for."""
    others = copy_needed(library, folder)
    shutil.copyfile(library, os.path.join(folder, "libmien.so"))
    return glibc([library, *others.values()])


if __name__ == "__main__":
    copy_needed(*sys.argv[1:])

"""What libmien needs beside it so that it runs elsewhere, and whose it is.

usage: bundle.py LIBRARY FOLDER     copies what it needs, not the library itself

collect(library, folder) copies the library and every shared library it needs, but for the C library
and its kin, which every Linux has, with a file of notices: the licences of all of them, as their
packages state them. What is stricter than its own library is refused.
"""

import os
import re
import shutil
import subprocess
import sys

# part of every system, and not to be mixed between versions
SYSTEM = ("linux-vdso", "ld-linux", "libc.so", "libm.so", "libdl.so", "libpthread.so", "librt.so")
# Licences that ask no more of whoever hands the package on than to hand on the notice.
PERMISSIVE = ("libjansson.so", "libpng16.so", "libz.so")
NOTICES = "THIRD_PARTY.txt"
WORDS = """\
This package holds libmien (MIT, see LICENSE) and, unchanged, the libraries below, each with the
copyright file of the Debian package that it was taken from.
"""


def needed(library):
    """Paths of all shared libraries it needs, by the name they are asked for."""
    listed = subprocess.run(["ldd", library], capture_output=True, text=True, check=True)
    if "not found" in listed.stdout:
        raise SystemExit("ldd does not find everything:\n" + listed.stdout)
    pairs = re.findall(r"^\s*(\S+) => (/\S+)", listed.stdout, re.M)
    found = {name: path for name, path in pairs if not name.startswith(SYSTEM)}
    strict = sorted(name for name in found if not name.startswith(PERMISSIVE))
    if strict:
        raise SystemExit(f"{library} needs {', '.join(strict)}: not in a package under MIT")
    return found


def notice(name, path):
    """What the package of a library says about its licence."""
    for place in (path, os.path.realpath(path), os.path.realpath(path).replace("/usr/lib/", "/lib/", 1)):
        owner = subprocess.run(["dpkg", "-S", place], capture_output=True, text=True)
        if owner.returncode == 0:
            package = owner.stdout.split(":")[0]
            with open(f"/usr/share/doc/{package}/copyright", encoding="utf-8", errors="replace") as file:
                return f"\n{'=' * 79}\n{name} (Debian package {package})\n{'=' * 79}\n\n{file.read()}"
    raise SystemExit(f"nobody says under which licence {path} is")


def glibc(paths):
    """The oldest C library on which all of them load, like (2, 35)."""
    newest = (2, 2)
    for path in paths:
        symbols = subprocess.run(["objdump", "-T", path], capture_output=True, text=True, check=True)
        for version in re.findall(r"GLIBC_(\d+)\.(\d+)", symbols.stdout):
            newest = max(newest, tuple(map(int, version)))
    return newest


def copy_needed(library, folder):
    """Copies the company of a library and its notices; returns where it was found."""
    os.makedirs(folder, exist_ok=True)
    others = needed(library)
    for name, path in sorted(others.items()):
        shutil.copyfile(path, os.path.join(folder, name))
    with open(os.path.join(folder, NOTICES), "w", encoding="utf-8") as file:
        file.write(WORDS + "".join(notice(name, path) for name, path in sorted(others.items())))
    return others


def collect(library, folder):
    """Copies all of it into `folder` as libmien.so and its company; returns the glibc it asks for."""
    others = copy_needed(library, folder)
    shutil.copyfile(library, os.path.join(folder, "libmien.so"))
    return glibc([library, *others.values()])


if __name__ == "__main__":
    copy_needed(*sys.argv[1:])

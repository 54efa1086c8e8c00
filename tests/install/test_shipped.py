"""test_shipped.py BUILD SOURCE WORK: every file that leaves this machine, looked at as a studio would.

No library is searched where the user stands or where it was built; what can be hardened is; nothing
stricter than the licence says goes along; packages made twice are the same bytes.
"""
import glob
import os
import re
import shutil
import subprocess
import sys
import zipfile

BUILD, SOURCE, WORK = map(os.path.abspath, sys.argv[1:4])
STRICT = re.compile(r"cholmod|metis|tetgen|amd_|camd|colamd|suitesparse|libtet|umfpack|GOMP_|openblas|dgemm|dpotrf", re.I)
failures = []


def complain(path, text):
    failures.append(f"{os.path.relpath(path, WORK)}: {text}")


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def make(script, content, folder):
    library = os.path.realpath(os.path.join(BUILD, "package/libmien.so"))
    run(sys.executable, os.path.join(SOURCE, "plugin", script), os.path.join(BUILD, content), library, "0.1.0",
        os.path.join(SOURCE, "LICENSE"), folder)  # fmt: skip


def packages(folder):
    make("python/make_wheel.py", "python/mien", folder)
    make("blender/make_zip.py", "blender/mien_blender", folder)
    return sorted(glob.glob(folder + "/*.whl") + glob.glob(folder + "/*.zip"))


def elf_files(folder):
    for root, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(root, name)
            with open(path, "rb") as file:
                if file.read(4) == b"\x7fELF" and not os.path.islink(path):
                    yield path


def check_search(path, dynamic):
    """An entry that is empty or relative is looked up where the user stands, before the system's."""
    for found in re.findall(r"R(?:UN)?PATH\).*\[(.*)\]", dynamic):
        for entry in found.split(":"):
            if not re.fullmatch(r"\$ORIGIN(/.*)?", entry):
                complain(path, f"libraries are searched in '{entry}' (of '{found}')")


def check_hardened(path, dynamic):
    if not re.search(r"BIND_NOW|FLAGS_1.*\bNOW\b", dynamic):
        complain(path, "functions are bound late (BIND_NOW)")
    segments = run("readelf", "-lW", path)
    if "GNU_RELRO" not in segments:
        complain(path, "no RELRO")
    if re.search(r"GNU_STACK.*RWE", segments):
        complain(path, "the stack can be run")
    symbols = run("readelf", "--dyn-syms", "-W", path)
    if "__stack_chk_fail" not in symbols:
        complain(path, "no stack protector")
    if not re.search(r"__\w+_chk\b", symbols.replace("__stack_chk_fail", "")):
        complain(path, "not built with FORTIFY")
    if "Type:" in (kind := run("readelf", "-h", path)) and "DYN" not in kind:
        complain(path, "at a fixed address")


def check_no_trace(path):
    with open(path, "rb") as file:
        if SOURCE.encode() + b"/" in file.read():
            complain(path, "it says where it was built")


def check_licence(path, dynamic):
    symbols = run("readelf", "-sW", path)  # hidden ones, too: linked in, they are there as well
    found = sorted(set(m.group() for m in map(STRICT.search, re.findall(r"\S+$", symbols, re.M)) if m))
    found += [n for n in re.findall(r"NEEDED.*\[(.*)\]", dynamic) if STRICT.search(n) or "gomp" in n]
    if found:
        complain(path, f"holds or needs what is stricter than MIT: {found}")


def check_package(path):
    folder = path + ".unpacked"
    with zipfile.ZipFile(path) as archive:
        archive.extractall(folder)
        names = archive.namelist()
    notices = [n for n in names if n.endswith("THIRD_PARTY.txt")]
    if len(notices) != 1 or not any(n.endswith("LICENSE") for n in names):
        complain(path, "LICENSE or THIRD_PARTY.txt is missing")
        return
    with open(os.path.join(folder, notices[0]), encoding="utf-8") as file:
        words = file.read()
    for one in elf_files(folder):
        dynamic, name = run("readelf", "-dW", one), os.path.basename(one)
        check_search(one, dynamic)
        check_licence(one, dynamic)
        if name == "libmien.so":
            check_hardened(one, dynamic)
            check_no_trace(one)
        elif f"\n{name} (Debian package" not in words:
            complain(one, "has no notice in THIRD_PARTY.txt")


# A file that has every protection; then one is taken out, and that is what has to be told.
CODE = """#include <stdio.h>
#include <string.h>
int shown(const char *text, size_t size) { char copy[64]; memcpy(copy, text, size); return printf("%s", copy); }
"""
WHOLE = ["-shared", "-fPIC", "-O2", "-fstack-protector-strong", "-D_FORTIFY_SOURCE=2", "-Wl,-z,relro", "-Wl,-z,now"]
TAKEN_OUT = {
    "": None,
    "no stack protector": ["-fno-stack-protector"],
    "not built with FORTIFY": ["-U_FORTIFY_SOURCE"],
    "functions are bound late": ["-Wl,-z,lazy"],
    "no RELRO": ["-Wl,-z,norelro"],
    "the stack can be run": ["-Wl,-z,execstack"],
    "libraries are searched in ''": ["-Wl,-rpath,$ORIGIN:"],
    "libraries are searched in 'lib'": ["-Wl,-rpath,lib"],
    "it says where it was built": ["-DWHERE"],
    "holds or needs what is stricter": ["-DSTRICT"],
    "at a fixed address": ["-no-pie", "-fno-pic", "-DPROGRAM"],
}


def check_the_checks():
    """A check that was never seen to fail may look at nothing."""
    folder = os.path.join(WORK, "checks")
    os.makedirs(folder)
    with open(os.path.join(folder, "code.c"), "w", encoding="utf-8") as file:
        file.write(CODE + f'#ifdef WHERE\nconst char *where = "{SOURCE}/core";\n#endif\n')
        file.write("#ifdef STRICT\nint cholmod_start(void) { return 0; }\n#endif\n")
        file.write("#ifdef PROGRAM\nint main(void) { return shown(\"a program\", 3); }\n#endif\n")
    for number, (wanted, without) in enumerate(TAKEN_OUT.items()):
        path = os.path.join(folder, f"{number}.so")
        flags = [flag for flag in WHOLE if flag not in ("-shared", "-fPIC") or "-DPROGRAM" not in (without or [])]
        if without == ["-U_FORTIFY_SOURCE"]:
            flags.remove("-D_FORTIFY_SOURCE=2")
        run("cc", *flags, *(without or []), os.path.join(folder, "code.c"), "-o", path)
        dynamic, before = run("readelf", "-dW", path), len(failures)
        check_search(path, dynamic)
        check_hardened(path, dynamic)
        check_no_trace(path)
        check_licence(path, dynamic)
        told = failures[before:]
        del failures[before:]
        if len(told) != (wanted != "") or wanted not in "".join(told):
            failures.append(f"a file without protection: '{wanted}' was to be told, not {told}")


def main():
    shutil.rmtree(WORK, ignore_errors=True)
    check_the_checks()
    first = packages(os.path.join(WORK, "first"))
    for path, again in zip(first, packages(os.path.join(WORK, "second"))):
        if open(again, "rb").read() != open(path, "rb").read():
            complain(again, "made twice, it is not the same bytes")
        check_package(path)
    installed = os.path.join(WORK, "installed")
    run("cmake", "--install", BUILD, "--prefix", installed)
    count = 0
    for path in list(elf_files(installed)) + [os.path.realpath(os.path.join(BUILD, "lib/libmien.so"))]:
        dynamic = run("readelf", "-dW", path)
        check_search(path, dynamic)
        check_hardened(path, dynamic)
        check_no_trace(path)
        count += 1
    if len(first) != 2 or count < 3:
        failures.append(f"only {len(first)} packages and {count} files were looked at")
    for line in failures:
        print("FAILED:", line)
    print(f"{len(first)} packages, {count} files installed, {len(failures)} failures")
    sys.exit(1 if failures else 0)


main()

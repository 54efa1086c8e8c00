"""The public header stands alone in C and C++, and the library exports what it declares, no more and no less. Every
function that can fail works in the usual mode of the processor, whatever the host has set, as the header promises.

usage: check_header.py SOURCE LIBRARY CC CXX
"""
import pathlib
import re
import subprocess
import sys
import tempfile

source, library, cc, cxx = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3], sys.argv[4]
header = source / "core/include/mien/mien.h"
text = re.sub(r"//.*", "", header.read_text())
problems = []

# Uses what the preprocessor hides from a mere inclusion: the _init macros and the inline function.
structs = re.findall(r"#define (mien_\w+)_init\(", text)
program = "#include <mien/mien.h>\nint main(void) {\n  mien_settings settings;\n  mien_settings_init(&settings);\n"
for i, name in enumerate(structs):
    program += f"  {name} a{i};\n  {name}_init(&a{i});\n"
program += "  return settings.struct_size != sizeof settings;\n}\n"
with tempfile.TemporaryDirectory() as folder:
    for compiler, standard, end in ((cc, "c99", "c"), (cc, "c11", "c"), (cxx, "c++17", "cpp")):
        file = pathlib.Path(folder) / f"alone.{end}"
        file.write_text(program)
        run = subprocess.run(
            [compiler, f"-std={standard}", "-Wall", "-Wextra", "-pedantic", "-Werror", "-fsyntax-only",
             f"-I{source}/core/include", str(file)], capture_output=True, text=True)
        if run.returncode:
            problems.append(f"mien.h as {standard}:\n{run.stderr}")

declared = set(re.findall(r"MIEN_API [^;(]*?\b(mien_\w+)\(", text))
listed = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True, check=True).stdout
exported = {line.split()[-1].split("@")[0] for line in listed.splitlines()}
exported = {name for name in exported if not name.startswith("_")}  # the linker's own
for name in sorted(declared - exported):
    problems.append(f"{name} is declared and not exported")
for name in sorted(exported - declared):
    problems.append(f"{name} is exported and not declared")
sized = set(re.findall(r"typedef struct (mien_\w+) \{\s*uint32_t struct_size;", text))
for name in sorted(sized - set(structs) - {"mien_settings"}):
    problems.append(f"{name} has a struct_size and no _init")
tested = (source / "tests/core/api/test_versions.c").read_text()
for name in sorted(structs):
    if f"INIT({name[5:]})" not in tested:
        problems.append(f"{name} is not in tests/core/api/test_versions.c")
if len(declared) < 50 or len(structs) < 8:
    problems.append(f"only {len(declared)} functions and {len(structs)} structs were found")

bodies = {}
for file in sorted((source / "core/src").rglob("*.c")):
    bodies.update(re.findall(r"^mien_result (mien_\w+)\((?:[^;{]*)\) \{\n(.*?)^\}", file.read_text(), re.M | re.S))
for name in sorted(re.findall(r"MIEN_API mien_result (mien_\w+)\(", text)):
    body = bodies.get(name, "")
    hands_on = re.fullmatch(r"  return mien_\w+\([^;]*\);\n", body)
    if not hands_on and not re.search(r"MI_USUAL_FLOATS|mi_host_enter", body):
        problems.append(f"{name} works in the mode that the host has set (MI_USUAL_FLOATS)")

for problem in problems:
    print(problem)
if problems:
    sys.exit(1)
print(f"{len(declared)} functions, {len(structs)} structs with a size")

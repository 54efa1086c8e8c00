"""Every field of the option structs is in the table of parameters, and the manual shows the table.

usage: check_params.py SOURCE MIEN
"""
import json
import pathlib
import re
import subprocess
import sys

source, mien = pathlib.Path(sys.argv[1]), sys.argv[2]
header = (source / "core/include/mien/mien.h").read_text()

# what is no parameter: sizes, pointers, and what the animation brings
EXEMPT = {
    "face": {"struct_size", "tetrahedralise", "tetrahedralise_user", "colliders", "ncollider",
             "muscle_meshes", "nmuscle_mesh", "muscle_targets", "nmuscle_target", "muscle_resume"},
    "step": {"struct_size"},
    "input": {"struct_size", "weights", "pose", "head", "has_jaw", "jaw", "colliders", "ncollider",
              "contractions", "activations"},
    "play": {"struct_size"},
}
STRUCTS = {"face": "mien_face_def", "step": "mien_step_opts", "input": "mien_input", "play": "mien_play_opts"}

table = json.loads(subprocess.run([mien, "params", "--json"], capture_output=True, check=True).stdout)
rows = {row["field"] for row in table if row["field"]}
problems, checked = [], 0
for part, struct in STRUCTS.items():
    body = re.search(r"typedef struct %s \{(.*?)\n\} %s;" % (struct, struct), header, re.S).group(1)
    body = re.sub(r"//.*", "", body)
    fields = set()
    for declaration in body.split(";"):
        names = declaration.split(None, 1)
        if len(names) < 2:
            continue
        for name in names[1].replace("const ", "").split(","):
            fields.add(re.sub(r"\[.*\]", "", name).strip(" *\n").split()[-1].strip("*"))
    if len(fields) < 3:
        problems.append(f"the fields of {struct} could not be read")
    for field in sorted(fields - EXEMPT[part]):
        checked += 1
        if f"{part}.{field}" not in rows:
            problems.append(f"{struct}.{field} has no row in core/src/base/params_table.c")
    for field in EXEMPT[part] - fields:
        problems.append(f"{struct} has no field {field} (named in check_params.py)")

# "1 to 100" in the comment of a field is the range of its row
ranges = 0
for field, least, most in re.findall(r"^  (?:double|int) (\w+);\s*//[^\n]*?([-\d.e]+) to ([-\d.e]+)\b", header, re.M):
    for row in table:
        if row["field"] == f"step.{field}":
            ranges += 1
            if (row["min"], row["max"]) != (float(least), float(most)):
                problems.append(f"mien.h says {field} is {least} to {most}, the table {row['min']} to {row['max']}")
if ranges < 3:
    problems.append(f"found only {ranges} ranges in mien.h")

page = subprocess.run([mien, "params", "--markdown"], capture_output=True, check=True, text=True).stdout
manual = source / "docs" / "parameters.md"
if not manual.exists() or manual.read_text() != page:
    problems.append("docs/parameters.md is not what `mien params --markdown` prints: write it anew")

for problem in problems:
    print(problem)
if problems:
    sys.exit(1)
print(f"{checked} fields, {len(table)} rows")

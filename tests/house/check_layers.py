"""Includes point downward only, names say where they belong, and docs/architecture.md names files that are there.

Fails when it scanned next to nothing: a check that checks nothing is worse than none.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(sys.argv[1])
SRC = ROOT / "core" / "src"
LAB = ROOT / "ui" / "lab"

# A module may include itself and those named here.
ALLOWED = {
    "base": set(),
    "math": {"base"},
    "sparse": {"base", "math"},
    "mesh": {"base", "math", "sparse"},
    "rig": {"base", "math", "sparse", "mesh"},
    "contact": {"base", "math", "sparse", "mesh"},
    "face": {"base", "math", "sparse", "mesh", "rig", "contact"},
    "energy": {"base", "math", "sparse", "mesh", "rig", "face"},
    "drive": {"base", "math", "sparse", "mesh", "rig", "face", "energy", "contact", "solve"},
    "solve": {"base", "math", "sparse", "mesh", "rig", "face", "energy", "contact", "drive"},
    "fit": {"base", "math", "sparse", "mesh", "rig", "face", "energy", "contact", "solve", "drive", "io"},
    "track": {"base", "math", "sparse", "mesh", "rig", "face", "energy", "contact", "solve", "io"},
    "io": {"base", "math", "mesh", "rig", "face"},
    "live": {"base", "math", "rig", "io"},
    "api": {"base", "math", "sparse", "mesh", "rig", "face", "energy", "contact", "solve", "drive", "fit",
            "track", "io", "live"},
}
# Everything that writes a file does it by one mechanism, and joints' names mean the same to all readers; these parts
# need the C library alone.
SHARED_WITH_USERS = {"base/child.h", "base/text.h", "io/output.h", "rig/joint_name.h"}
FORBIDDEN_WORDS = re.compile(r"(^|_)(util|utils|common|helper|helpers|manager|misc)(_|\.|$)")
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.M)
PUBLIC = re.compile(r"^MIEN_API\s+[\w\s\*]*?\b(\w+)\(", re.M)
# a definition or declaration at the start of a line that is not static
SHARED = re.compile(r"^(?!static|typedef|return|else|extern)[a-z_][\w\s]*?[\s\*](\w+)\([^;{]*\)\s*[;{]", re.M)

problems = []


def complain(path, text):
    problems.append(f"{path.relative_to(ROOT)}: {text}")


def check_core(path):
    module = path.relative_to(SRC).parts[0]
    text = path.read_text()
    if module not in ALLOWED:
        complain(path, f"'{module}' is not a module of the core")
        return
    for name in INCLUDE.findall(text):
        target = name.split("/")[0]
        if "/" not in name:
            complain(path, f'"{name}" must be written with its module')
        elif target != module and target not in ALLOWED[module]:
            complain(path, f'{module} must not include "{name}"')
    for name in SHARED.findall(text):
        if not name.startswith(("mi_", "mien_", "MI_")):
            complain(path, f"'{name}' is seen by other files and does not start with mi_")
    if re.search(r"\b(abort|exit|_Exit|rand|srand)\s*\(", text):
        complain(path, "the core never ends the process and draws no numbers of the C library")
    if re.search(r"\b(v?printf|puts|putchar|perror)\s*\(|\b(stdout|stderr)\b", text):
        complain(path, "the core prints nothing: it gives the host a sentence")
    if re.search(r"<ctype\.h>|\bstrn?casecmp\s*\(", text):
        complain(path, "what a letter is must not depend on the host's locale: base/text.h")


def check_user(path):
    """Hosts and the command line see the public header alone, and not the laboratory. The
    laboratory may look inside the core: it measures kernels."""
    is_lab = path.parent == LAB
    for name in INCLUDE.findall(path.read_text()):
        if (SRC / name).exists() and not is_lab and name not in SHARED_WITH_USERS:
            complain(path, f'"{name}" is inside the core')
        if (LAB / name).exists() and path.parent == ROOT / "ui" / "cli":
            complain(path, f'"{name}" is of the laboratory; ui/cli must not need it')


def check_size(path):
    text = path.read_text()
    lines = text.count("\n")
    if lines > 700:
        complain(path, f"{lines} lines; 700 is the most")
    start = None
    for number, line in enumerate(text.split("\n"), 1):
        if re.match(r"^[a-zA-Z_].*\{$", line):
            start = number
        elif line == "}" and start:
            if number - start > 110:
                complain(path, f"the function at line {start} has {number - start} lines; 110 is the most")
            start = None


def check_banners(path):
    """`// -- name ----` is one line: one that is too long is broken in two by the formatter."""
    for number, line in enumerate(path.read_text().split("\n"), 1):
        if re.match(r"^\s*//\s*-+\s*$", line):
            complain(path, f"line {number} is a banner without a name; shorten the one before to 100 columns")


def check_map():
    """A path of docs/architecture.md starts at the root, in core/src or core; a bare name is of the core or ui.
    Returns how many there are."""
    page, count = ROOT / "docs/architecture.md", 0
    for line in page.read_text().split("\n"):
        for name in re.findall(r"`([\w./*]+\.(?:c|h|md|py|svg|txt|json)|[\w]+/[\w./*]+)`", line):
            if "/" in name:
                is_there = any(any(folder.glob(name)) for folder in (ROOT, SRC, ROOT / "core"))
            else:
                is_there = any(any(folder.rglob(name)) for folder in (SRC, ROOT / "ui", ROOT / "docs"))
            count += is_there
            if not is_there:
                complain(page, f"'{name}' is not there")
    return count


core = sorted(SRC.rglob("*.[ch]"))
users = sorted(p for folder in ("ui", "sample_rigs") for p in (ROOT / folder).rglob("*.[ch]"))
everything = core + users + sorted((ROOT / "tests").rglob("*.[ch]"))
for path in core:
    check_core(path)
for path in users:
    check_user(path)
for path in everything:
    check_size(path)
    if FORBIDDEN_WORDS.search(path.name):
        complain(path, "this name says nothing; name the file after what it does")
banners = sorted(p for folder in ("core", "ui", "tests", "sample_rigs", "plugin")
                 for p in (ROOT / folder).rglob("*.[ch]*") if p.suffix in (".c", ".h", ".cpp", ".hpp"))
for path in banners:
    check_banners(path)

nmapped = check_map()

public = PUBLIC.findall((ROOT / "core/include/mien/mien.h").read_text())
for name in public:
    if not name.startswith("mien_"):
        problems.append(f"mien.h: '{name}' does not start with mien_")
if len(public) > 80:
    problems.append(f"mien.h: {len(public)} functions; 80 is the most")
if len(core) < 40 or len(users) < 30 or len(public) < 30 or len(banners) < 400 or nmapped < 50:
    problems.append(f"scanned only {len(core)} core files, {len(users)} others, {len(banners)} in all, "
                    f"{len(public)} functions, {nmapped} paths of the map")

print(f"{len(core)} files of the core, {len(users)} of its users, {len(public)} public functions")
for problem in problems:
    print(problem)
sys.exit(1 if problems else 0)

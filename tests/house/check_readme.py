"""Compiles and runs every C block of the README, and checks that its commands and paths exist.

usage: check_readme.py SOURCE BUILD COMPILER
"""
import pathlib
import re
import subprocess
import sys
import tempfile

source, build, compiler = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3]
text = (source / "README.md").read_text()
blocks = re.findall(r"^```(\w+)\n(.*?)^```", text, re.M | re.S)
snippets = [code for language, code in blocks if language == "c"]
if not snippets:
    sys.exit("the README holds no C block")

with tempfile.TemporaryDirectory() as folder:
    for i, code in enumerate(snippets):
        program = pathlib.Path(folder) / f"snippet{i}"
        (pathlib.Path(folder) / f"snippet{i}.c").write_text(code)
        subprocess.run(
            [compiler, "-std=c17", "-Wall", "-Wextra", "-Werror", f"{program}.c", "-o", program,
             f"-I{source}/core/include", f"-L{build}/lib", "-lmien", f"-Wl,-rpath,{build}/lib"],
            check=True)
        run = subprocess.run([program], cwd=build / "share" / "mien", capture_output=True, text=True)
        print(run.stdout, run.stderr)
        if run.returncode or not run.stdout.strip():
            sys.exit(f"C block {i} of the README ended with {run.returncode}")

# every `mien COMMAND --option` that the README names is one the program knows
checked = 0
for command, rest in re.findall(r"`?mien ([a-z]+)((?: [^`\n]*)?)", text):
    listed = subprocess.run([build / "bin" / "mien", command, "--help"], capture_output=True, text=True)
    if listed.returncode:
        continue  # a sentence such as "mien adds", not a command
    for option in re.findall(r"(--[a-z-]+)", rest):
        checked += 1
        if option not in listed.stdout:
            sys.exit(f"README: 'mien {command}' has no option {option}")
for path in re.findall(r"\]\((?!http)([^)#]+)\)", text):
    if not (source / path).exists():
        sys.exit(f"README: {path} does not exist")
help_text = subprocess.run([source / "run", "help"], capture_output=True, text=True).stdout
for verb in set(re.findall(r"\./run ([a-z]+)", text)):
    if not re.search(rf"^  {verb}\b", help_text, re.M) and verb != "help":
        sys.exit(f"README: ./run has no verb '{verb}'")


# -- every sentence is backed by a claim or a test, or says why not ----------------------------------

LEAST = 30  # letters: shorter pieces are headings and numbers of a list


def sentences():
    prose = re.sub(r"```.*?```", "", text, flags=re.S)
    lines = [line for line in prose.split("\n") if not line.startswith(("|", "!["))]
    for part in re.split(r"\n\s*\n|\n- |\n\d\. ", "\n".join(lines)):
        yield from re.split(r"(?<=[.;]) (?=[A-Z`*])", re.sub(r"\s+", " ", part.strip("-# \n")))


def check_backing(piece, backing):
    for one in [] if backing.startswith("stated: ") else backing.split(", "):
        if re.fullmatch(r"[A-Z]\d+", one):
            if not re.search(rf"^  {one} .*(?<!\(missing\))$", claims, re.M):
                sys.exit(f"README: '{piece}' is backed by claim {one}, which does not exist")
            continue
        path, _, name = one.partition(": ")
        test = source / path
        # a function that is run, not a word in a comment
        wanted = rf"^static void {re.escape(name)}\(" if path.endswith(".c") else re.escape(name)
        if not name or not test.exists() or not re.search(wanted, test.read_text(), re.M):
            sys.exit(f"README: '{piece}' is backed by {one}, which does not exist")


claims = subprocess.run([build / "bin/mien", "reproduce", "--help"], capture_output=True,
                        text=True).stdout


def ids(mark):
    return re.findall(rf"^  ([A-Z]\d+) .*\({mark}\)$", claims, re.M)


# what is missing and what does not hold is said wherever claims are praised
for mark in ["missing", "known not to hold"]:
    for name in ["README.md", "CHANGELOG.md"]:
        told = f"{mark}: {', '.join(ids(mark))}"
        if told.lower() not in re.sub(r"\s+", " ", (source / name).read_text()).lower():
            sys.exit(f"{name} does not say '{told}'")
    part = (source / "docs/claims.md").read_text().split(f"## {mark.capitalize()}\n")[1].split("\n## ")[0]
    if sorted(re.findall(r"^- \*\*([A-Z]\d+)\*\*", part, re.M)) != sorted(ids(mark)):
        sys.exit(f"docs/claims.md lists other claims as '{mark}' than the program: {', '.join(ids(mark))}")
lines = (source / "tests/house/readme_sentences.txt").read_text().split("\n")
backed = dict(line.split(" | ", 1) for line in lines if line and not line.startswith("#"))
whole = re.sub(r"\s+", " ", text)
for piece, backing in backed.items():
    if piece not in whole:
        sys.exit(f"readme_sentences.txt: '{piece}' is not in the README")
    check_backing(piece, backing)
unbacked = [s for s in sentences() if len(s) > LEAST and
            not any(piece[:len(s)] in s or piece in s for piece in backed)]
if unbacked:
    sys.exit("README says what neither claim nor test backs (tests/house/readme_sentences.txt):\n  " +
             "\n  ".join(unbacked))
print(f"{len(snippets)} C blocks run, {checked} options checked, {len(backed)} sentences backed")

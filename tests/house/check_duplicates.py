"""No block of twelve lines stands twice in the core.

Blank lines, comments and includes do not count, nor does a block of braces and table rows alone.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(sys.argv[1])
BLOCK = 12
WORD = re.compile(r"[A-Za-z_]\w+")


def lines_of(path):
    """Line numbers and code."""
    for number, line in enumerate(path.read_text().split("\n"), 1):
        code = " ".join(line.partition("//")[0].split())
        if code and not code.startswith("#include"):
            yield number, code


files = sorted((ROOT / "core").rglob("*.[ch]"))
seen, problems, nline = {}, [], 0
for path in files:
    lines, end = list(lines_of(path)), 0
    nline += len(lines)
    for k in range(len(lines) - BLOCK + 1):
        block = "\n".join(code for _, code in lines[k:k + BLOCK])
        if k < end or len(WORD.findall(block)) < BLOCK:
            continue
        place = f"{path.relative_to(ROOT)}:{lines[k][0]}"
        if block in seen:
            problems.append(f"{place}: {BLOCK} lines are those of {seen[block]}")
            end = k + BLOCK
        seen.setdefault(block, place)
print(f"{len(files)} files, {nline} lines")
if len(files) < 250 or nline < 30000:
    problems.append("scanned next to nothing")
for problem in problems:
    print(problem)
sys.exit(1 if problems else 0)

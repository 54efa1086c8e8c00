"""Identifiers of the core and comments of core, ui and tests use the field's words (words.txt,
docs/glossary.md). In core and ui no sentence of a comment has "what ..." for its subject or hangs on an "of ...":
such a sentence has to be translated before it can be reviewed.

Public names (mien.h) and string literals are left alone. Fails when it scanned next to nothing.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(sys.argv[1])
SRC = ROOT / "core" / "src"
TESTS = ROOT / "tests"
WORDS = pathlib.Path(__file__).with_name("words.txt")
COMMENT_OR_STRING = re.compile(r'(//[^\n]*|/\*.*?\*/)|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)
IDENTIFIER = re.compile(r"\b[A-Za-z_]\w*\b")
RIDDLE = re.compile(r"^\s*(What|Of|Nobody|Who|Whose) (?!.*\?)")  # a question may begin like this


def read_words():
    rows = {"name": {}, "part": {}, "member": {}, "comment": {}}
    for line in WORDS.read_text().splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        kind, old, new, *where = re.split(r"\s{2,}", line.strip())
        rows[kind][old] = (new, where[0].split() if where else [])
    return rows


def identifiers_of(text):
    return IDENTIFIER.findall(COMMENT_OR_STRING.sub(" ", text))


def judge_identifier(word, path, rows):
    """What to write instead, or None."""
    if word in rows["name"]:
        return rows["name"][word][0]
    for part in word.lower().split("_"):
        if part in rows["part"]:
            return rows["part"][part][0]
    new, where = rows["member"].get(word, (None, []))
    relative = path.relative_to(SRC).as_posix()
    return new if any(relative == w or relative.startswith(w + "/") for w in where) else None


def check(path, rows, public):
    text = path.read_text()
    for number, line in enumerate(blank_strings(text).split("\n"), 1):
        code, _, comment = line.partition("//")
        for word in set(IDENTIFIER.findall(code)) - public if SRC in path.parents else ():
            new = judge_identifier(word, path, rows)
            if new:
                yield f"{path.relative_to(ROOT)}:{number}: '{word}': {new}"
        if TESTS not in path.parents and not code.strip() and RIDDLE.match(comment):
            yield f"{path.relative_to(ROOT)}:{number}: name the subject, give it a verb: '{comment.strip()}'"
        for phrase in phrases.findall(comment):
            yield f"{path.relative_to(ROOT)}:{number}: comment says '{phrase}': {rows['comment'][phrase][0]}"


def blank_strings(text):
    """The text with its strings emptied and its lines kept."""
    return COMMENT_OR_STRING.sub(lambda m: m.group(0) if m.group(1) else '""', text)


rows = read_words()
phrases = re.compile(rf"\b(?:{'|'.join(map(re.escape, rows['comment']))})\b")
public = set(identifiers_of((ROOT / "core/include/mien/mien.h").read_text()))
files = sorted(p for folder in (SRC, ROOT / "ui", ROOT / "tests" / "core", ROOT / "tests" / "scenes")
               for p in folder.rglob("*.[ch]"))
problems = [problem for path in files for problem in check(path, rows, public)]
count = sum(len(kind) for kind in rows.values())
print(f"{len(files)} files, {count} old words")
if len(files) < 400 or count < 30:
    problems.append("scanned next to nothing")
for problem in problems:
    print(problem)
sys.exit(1 if problems else 0)

#!/usr/bin/env python3
"""mutate.py [MODULE|FAULT ...|claims] [--tests] [--again] | --list | --check MIEN | --table: tests that can fail.

Puts the deliberate faults of faults.toml into a copy of the sources, one at a time, builds what is
needed, and runs the tests and quick claims that have to notice. A fault that none of them notices
has survived: that is an error unless it has an `excuse`. A fault whose text is no longer in its
file, or is there twice, is an error, too: faults must not rot.

What came out is kept in seen.txt beside this file, a line a fault, with a sum of the fault: what was
tried with it as it is now is not tried again but with --again, so a campaign that was stopped goes on.

  MODULE   faults in one folder of core/src (solve, face, ...); FAULT: the one with this id
  claims   faults that claims have to notice; --tests: tests alone, which are quicker than claims
  --list   what there is, and what came out; --table: the table of docs/claims.md
  --check  every fault can be put in, none that was tried is unseen, every claim has one (no build)
"""
import hashlib
import pathlib
import re
import shutil
import subprocess
import sys
import time
import tomllib

ROOT = pathlib.Path(__file__).resolve().parents[2]
SEEN = ROOT / "tests/mutate/seen.txt"
COPY = ROOT / "build/mutate/source"
BUILD = COPY / "build/release"  # as far from its sources as ours from ours: compiler caches know them
LOG = ROOT / "build/mutate/log.txt"
PASSED = ROOT / "build/mutate/passed.txt"  # what passes without a fault, with a sum of the sources
EXEMPT = {}  # claims that no fault can break, and why
BESIDE = {"cli/faults_some": {"io_faults", "fuzz_seeds"}, "cli/import": {"compare_rigs"}}  # programs that scripts run, too
FIELDS = {"id", "what", "file", "old", "new", "tests", "claims", "excuse"}


def read_faults():
    text = tomllib.loads((ROOT / "tests/mutate/faults.toml").read_text())
    faults, seen = text["fault"], set()
    EXEMPT.update(text["exempt"])
    for fault in faults:
        unknown = set(fault) - FIELDS
        if unknown or fault["id"] in seen:
            sys.exit(f"faults.toml: {fault['id']}: twice, or unknown fields {unknown}")
        seen.add(fault["id"])
        fault.setdefault("tests", [])
        fault.setdefault("claims", [])
        fault["module"] = fault["file"].split("/")[2] if fault["file"].startswith("core/") else "ui"
        fault["sum"] = sum_of(fault[key] for key in ("file", "old", "new"))
    return faults


def sum_of(texts):
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()[:12]


def faulty_text(fault, folder):
    """The file with the fault in it."""
    text = (folder / fault["file"]).read_text()
    count = text.count(fault["old"])
    if count != 1:
        sys.exit(f"fault {fault['id']}: its text is {count} times in {fault['file']}, not once")
    return text.replace(fault["old"], fault["new"])


# -- what came out --------------------------------------------------------------------------------


def read_seen():
    """fault -> (sum, who noticed, who did not)"""
    seen = {}
    for line in SEEN.read_text().splitlines() if SEEN.exists() else []:
        name, key, rest = (line + "  ").split(" ", 2)
        caught, _, blind = rest.partition("| not:")
        seen[name] = (key, caught.split(), blind.split())
    return seen


def write_seen(seen, faults):
    lines = []
    for fault in faults:
        if fault["id"] not in seen:
            continue
        key, caught, blind = seen[fault["id"]]
        more = f" | not: {' '.join(blind)}" if blind else ""
        lines.append(f"{fault['id']} {key} {' '.join(caught)}{more}".rstrip())
    SEEN.write_text("\n".join(lines) + "\n")


def tried(fault, seen):
    """Who noticed the fault as it is now, who did not."""
    key, caught, blind = seen.get(fault["id"], ("", [], []))
    return (caught, blind) if key == fault["sum"] else ([], [])


def left(fault, seen):
    """Who is to notice and has not been asked."""
    caught, blind = tried(fault, seen)
    return [name for name in fault["tests"] + fault["claims"] if name not in caught + blind]


def was_tried(fault, seen):
    return fault["id"] in seen and seen[fault["id"]][0] == fault["sum"] and not left(fault, seen)


def is_unseen(fault, seen):
    """Nothing noticed, or a claim that is named for it did not."""
    _, caught, blind = seen[fault["id"]]
    if "excuse" in fault:
        return False
    return not caught or bool(set(blind) & set(fault["claims"]))  # of those that were asked


def claims_of(mien):
    """Claims with an experiment, from the program's own list."""
    text = subprocess.run([mien, "reproduce", "--help"], capture_output=True, text=True).stdout
    rows = re.findall(r"^  ([A-Z]\d+) +(.*)$", text, re.M)
    return [name for name, line in rows if not line.endswith("(missing)")]


def check(faults, mien):
    seen, untried = read_seen(), []
    for fault in faults:
        faulty_text(fault, ROOT)
        if not fault["tests"] and not fault["claims"] and "excuse" not in fault:
            sys.exit(f"fault {fault['id']}: nothing is to catch it, and no excuse")
        if not was_tried(fault, seen):
            untried.append(fault["id"])
        elif is_unseen(fault, seen):
            sys.exit(f"fault {fault['id']} was not seen by all that have to: tests/mutate/seen.txt")
    caught = {claim for fault in faults for claim in fault["claims"]}
    missing = [claim for claim in claims_of(mien) if claim not in caught and claim not in EXEMPT]
    if missing:
        sys.exit("claims that no fault is known to break: " + ", ".join(missing))
    shown = (ROOT / "docs/claims.md").read_text()
    if table(faults) not in shown:
        sys.exit("docs/claims.md is not what 'tests/mutate/mutate.py --table' prints")
    print(f"{len(faults)} faults can be put in; {len(caught)} claims have one; "
          f"{len(untried)} were not tried as they are now: {' '.join(untried)}")


def table(faults):
    rows, seen = {}, read_seen()
    for fault in faults:
        for claim in tried(fault, seen)[0]:
            if claim in fault["claims"]:
                rows.setdefault(claim, []).append(f"{fault['what']} (`{fault['id']}`)")
    for fault in faults:
        for claim in fault["claims"]:
            if claim not in EXEMPT:
                rows.setdefault(claim, [f"not tried yet (`{fault['id']}`)"])
    order = sorted(rows, key=lambda claim: (claim[0], int(claim[1:])))
    lines = ["| claim | did not hold when |", "|---|---|"]
    lines += [f"| {claim} | {'; '.join(rows[claim])} |" for claim in order]
    lines += [f"| {claim} | - ({why}) |" for claim, why in EXEMPT.items()]
    return "\n".join(lines) + "\n"


def list_faults(faults):
    seen = read_seen()
    for fault in faults:
        print(f"{fault['module']:8} {fault['id']:28} {fault['what']}")
        out = "not tried as it is now"
        if was_tried(fault, seen):
            out = verdict(*seen[fault["id"]][1:])
        print(f"{'':8} {'':28}   {out}")


# -- building and running -------------------------------------------------------------------------


def run(command, log, **more):
    log.write("\n$ " + " ".join(map(str, command)) + "\n")
    log.flush()
    return subprocess.run(command, stdout=log, stderr=subprocess.STDOUT, **more).returncode


def copy_sources():
    """Only what has changed, so that little is built anew. The sum of them all."""
    names = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True, check=True)
    total = hashlib.sha256()
    for name in names.stdout.split("\n"):
        source, target = ROOT / name, COPY / name
        if not name or not source.is_file():
            continue
        data = source.read_bytes()
        if name.startswith(("core/", "ui/", "sample_rigs/", "tests/")) and source != SEEN:
            total.update(name.encode() + b"\0" + data)
        if target.exists() and target.read_bytes() == data:
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source, target)
    return total.hexdigest()[:12]


def is_claim(name):
    return "/" not in name


def build(names, log):
    """What is named: a test written in C has a program of its own, others run mien itself."""
    wanted = {"sample_files"}
    for name in names:
        has_program = not is_claim(name) and not name.startswith(("cli/", "house/"))
        wanted.add("test_" + name.replace("/", "_") if has_program else "mien_cli")
        wanted |= BESIDE.get(name, set())
    command = ["cmake", "--build", BUILD, "--target", *sorted(wanted), "--", "--quiet"]
    return run(command, log) == 0


def fails(name, log):
    """Whether a test fails, or a claim says that it does not hold; None when neither was said: what was
    cut off on a busy machine, or ended with an error, has noticed nothing."""
    if is_claim(name):
        command = [BUILD / "bin/mien", "reproduce", name, "--quick", "-o", BUILD / "claims"]
    else:
        command = ["ctest", "--test-dir", BUILD, "-R", f"^{name}$", "--no-tests=error", "--timeout", "7200",
                   "--output-on-failure"]
    log.flush()
    begin = LOG.stat().st_size
    code = run(command, log)
    said = LOG.read_bytes()[begin:].decode(errors="replace")
    if code and ("***Timeout" in said or (is_claim(name) and "; does not hold" not in said)):
        print(f"    {name} gave no verdict: {LOG}", flush=True)
        return None
    return code != 0


def look_without_fault(names, sources, log):
    """Without a fault everything passes; else nothing follows from a failure."""
    known = PASSED.read_text().split() if PASSED.exists() else []
    passed = known[1:] if known[:1] == [sources] else []
    names = [name for name in names if name not in passed]
    if names and not build(names, log):
        sys.exit(f"the sources do not build: {LOG}")
    bad = []
    for name in names:
        if fails(name, log) is not False:
            bad.append(name)
        else:
            passed.append(name)
            PASSED.write_text("\n".join([sources, *passed]) + "\n")
    if bad:
        print("fail without any fault, and are left out: " + ", ".join(bad) + f"; see {LOG}")
    return bad


def try_fault(fault, names, log):
    """Who noticed, who did not."""
    text = faulty_text(fault, COPY)
    original = (COPY / fault["file"]).read_text()
    (COPY / fault["file"]).write_text(text)
    log.write(f"\n==== {fault['id']}\n")
    try:
        if not build(names, log):
            sys.exit(f"fault {fault['id']} does not build: {LOG}")
        failed = {name: fails(name, log) for name in names}
    finally:
        (COPY / fault["file"]).write_text(original)
    return [name for name in names if failed[name]], [name for name in names if failed[name] is False]


def verdict(caught, blind):
    text = "caught by " + ", ".join(caught) if caught else "SURVIVED"
    return text + ("; not seen by " + ", ".join(blind) if blind else "")


def campaign(chosen, faults, flags):
    COPY.mkdir(parents=True, exist_ok=True)
    seen, todo = read_seen(), []
    for fault in chosen:
        if "--again" in flags:
            seen.pop(fault["id"], None)
        names = [name for name in left(fault, seen) if "/" in name or "--tests" not in flags]
        if names:
            todo.append((fault, names))
        elif fault["id"] in seen:
            print(f"{fault['id']}: {verdict(*tried(fault, seen))} (tried before)")
    bad = []
    with open(LOG, "w") as log:
        sources = copy_sources()
        options = ["-DMIEN_TESTS=ON", "-DMIEN_CAPTURE=ON"]
        if todo and run(["cmake", "--preset", "release", *options], log, cwd=COPY):
            sys.exit(f"cmake failed: {LOG}")
        for number, (fault, names) in enumerate(todo):
            begin = time.time()
            bad += look_without_fault([name for name in names if name not in bad], sources, log)
            caught, blind = try_fault(fault, [name for name in names if name not in bad], log)
            known = tried(fault, seen)
            if caught or blind:  # of what could be asked
                seen[fault["id"]] = (fault["sum"], known[0] + caught, known[1] + blind)
                write_seen(seen, faults)
            print(f"[{number + 1} of {len(todo)}, {time.time() - begin:.0f} s] {fault['id']}: "
                  f"{verdict(caught, blind) if caught or blind else 'nothing could be asked'}", flush=True)
            if "excuse" in fault and not caught:
                print(f"    {fault['excuse']}")
    unseen = [fault["id"] for fault in chosen if fault["id"] in seen and is_unseen(fault, seen)]
    if unseen or bad:
        sys.exit(f"{len(unseen)} faults were not seen as they must be: " + ", ".join(unseen))
    print(f"all {len(chosen)} faults were seen, or are excused")


def main():
    faults = read_faults()
    flags = {"--again", "--tests"} & set(sys.argv[1:])
    words = [word for word in sys.argv[1:] if word not in flags]
    what = words[0] if words else ""
    if what == "--check":
        return check(faults, words[1])
    if what == "--table":
        return print(table(faults), end="")
    if what == "--list":
        return list_faults(faults)
    chosen = faults
    if what == "claims":
        chosen = [fault for fault in faults if fault["claims"]]
    elif what:
        chosen = [fault for fault in faults if {fault["module"], fault["id"]} & set(words)]
    if not chosen:
        sys.exit(f"there is no fault in '{what}'; --list shows all")
    return campaign(chosen, faults, flags)


main()

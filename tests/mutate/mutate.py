#!/usr/bin/env python3
"""mutate.py [MODULE|FAULT ...|claims] [--list] [--check MIEN] [--table]: tests that can fail.

Puts the deliberate faults of faults.toml into a copy of the sources, one at a time, builds what is
needed, and runs the tests and quick claims that have to notice. A fault that none of them notices
has survived: that is an error unless it has an `excuse`. A fault whose text is no longer in its
file, or is there twice, is an error, too: faults must not rot.

  MODULE   faults in one folder of core/src (solve, face, ...); FAULT: the one with this id
  claims   every claim against its faults: each one that is named must stop to hold
  --list   what there is; --check: every fault can be put in, every claim has one (no build)
  --table  the table of docs/claims.md
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tomllib

ROOT = pathlib.Path(__file__).resolve().parents[2]
COPY = ROOT / "build/mutate/source"
BUILD = ROOT / "build/mutate/build"
LOG = ROOT / "build/mutate/log.txt"
EXEMPT = {}  # claims that no fault can break, and why
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
    return faults


def faulty_text(fault, folder):
    """The file with the fault in it."""
    text = (folder / fault["file"]).read_text()
    count = text.count(fault["old"])
    if count != 1:
        sys.exit(f"fault {fault['id']}: its text is {count} times in {fault['file']}, not once")
    return text.replace(fault["old"], fault["new"])


def claims_of(mien):
    """Claims with an experiment, from the program's own list."""
    text = subprocess.run([mien, "reproduce", "--help"], capture_output=True, text=True).stdout
    rows = re.findall(r"^  ([A-Z]\d+) +(.*)$", text, re.M)
    return [name for name, line in rows if not line.endswith("(missing)")]


def check(faults, mien):
    for fault in faults:
        faulty_text(fault, ROOT)
        if not fault["tests"] and not fault["claims"] and "excuse" not in fault:
            sys.exit(f"fault {fault['id']}: nothing is to catch it, and no excuse")
    caught = {claim for fault in faults for claim in fault["claims"]}
    missing = [claim for claim in claims_of(mien) if claim not in caught and claim not in EXEMPT]
    if missing:
        sys.exit("claims that no fault is known to break: " + ", ".join(missing))
    shown = (ROOT / "docs/claims.md").read_text()
    if table(faults) not in shown:
        sys.exit("docs/claims.md is not what 'tests/mutate/mutate.py --table' prints")
    print(f"{len(faults)} faults can be put in; {len(caught)} claims have one")


def table(faults):
    rows = {}
    for fault in faults:
        for claim in fault["claims"]:
            rows.setdefault(claim, []).append(f"{fault['what']} (`{fault['id']}`)")
    order = sorted(rows, key=lambda claim: (claim[0], int(claim[1:])))
    lines = ["| claim | does not hold when |", "|---|---|"]
    lines += [f"| {claim} | {'; '.join(rows[claim])} |" for claim in order]
    lines += [f"| {claim} | - ({why}) |" for claim, why in EXEMPT.items()]
    return "\n".join(lines) + "\n"


# -- building and running -------------------------------------------------------------------------


def run(command, log, **more):
    log.write("\n$ " + " ".join(map(str, command)) + "\n")
    log.flush()
    return subprocess.run(command, stdout=log, stderr=subprocess.STDOUT, **more).returncode


def copy_sources():
    """Only what has changed, so that little is built anew."""
    names = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True)
    for name in names.stdout.split("\n"):
        source, target = ROOT / name, COPY / name
        if not name or not source.is_file():
            continue
        if target.exists() and target.read_bytes() == source.read_bytes():
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source, target)


def target_of(test):
    return "test_" + test.replace("/", "_")


def build(tests, has_claims, log):
    wanted = [target_of(test) for test in tests] + ["sample_files"]
    wanted += ["mien_cli"] if has_claims else []
    return run(["cmake", "--build", BUILD, "--target", *wanted, "--", "--quiet"], log) == 0


def run_test(test, log):
    return run(["timeout", "600", BUILD / "tests" / target_of(test)], log, cwd=BUILD / "tests") == 0


def run_claim(claim, log):
    """0 holds, 1 does not hold; anything else is no verdict."""
    mien = BUILD / "bin/mien"
    command = ["timeout", "900", mien, "reproduce", claim, "--quick", "-o", BUILD / "claims"]
    return run(command, log)


def baseline(faults, log):
    """Without a fault everything passes; else nothing follows from a failure."""
    tests = sorted({test for fault in faults for test in fault["tests"]})
    claims = sorted({claim for fault in faults for claim in fault["claims"]})
    if not build(tests, claims, log):
        sys.exit(f"the sources do not build: {LOG}")
    bad = [test for test in tests if not run_test(test, log)]
    bad += [claim for claim in claims if run_claim(claim, log)]
    if bad:
        sys.exit("fail without any fault: " + ", ".join(bad) + f"; see {LOG}")


def try_fault(fault, only_claims, log):
    """Who noticed; the claims that did not."""
    tests = [] if only_claims else fault["tests"]
    text = faulty_text(fault, COPY)
    original = (COPY / fault["file"]).read_text()
    (COPY / fault["file"]).write_text(text)
    log.write(f"\n==== {fault['id']}\n")
    try:
        if not build(tests, fault["claims"], log):
            sys.exit(f"fault {fault['id']} does not build: {LOG}")
        caught = [test for test in tests if not run_test(test, log)]
        codes = {claim: run_claim(claim, log) for claim in fault["claims"]}
    finally:
        (COPY / fault["file"]).write_text(original)
    caught += [claim for claim, code in codes.items() if code]
    return caught, [claim for claim, code in codes.items() if not code]


def campaign(faults, only_claims):
    COPY.mkdir(parents=True, exist_ok=True)
    survivors = []
    with open(LOG, "w") as log:
        copy_sources()
        options = ["-DCMAKE_BUILD_TYPE=Release", "-DMIEN_TESTS=ON", "-DMIEN_SUITESPARSE=ON"]
        if run(["cmake", "-S", COPY, "-B", BUILD, "-G", "Ninja", *options], log):
            sys.exit(f"cmake failed: {LOG}")
        baseline(faults, log)
        for number, fault in enumerate(faults):
            caught, blind = try_fault(fault, only_claims, log)
            verdict = "caught by " + ", ".join(caught) if caught else "SURVIVED"
            if blind:
                verdict += "; not seen by " + ", ".join(blind)
            print(f"[{number + 1} of {len(faults)}] {fault['id']}: {verdict}", flush=True)
            if "excuse" in fault and not caught:
                print(f"    {fault['excuse']}")
            elif not caught or blind:
                survivors.append(fault["id"])
    if survivors:
        sys.exit(f"{len(survivors)} faults were not seen as they must be: " + ", ".join(survivors))
    print(f"all {len(faults)} faults were seen")


def main():
    faults = read_faults()
    what = sys.argv[1] if len(sys.argv) > 1 else ""
    if what == "--check":
        return check(faults, sys.argv[2])
    if what == "--table":
        return print(table(faults), end="")
    if what == "--list":
        for fault in faults:
            print(f"{fault['module']:8} {fault['id']:28} {fault['what']}")
        return None
    if what == "claims":
        faults = [fault for fault in faults if fault["claims"]]
    elif what:
        faults = [fault for fault in faults if {fault["module"], fault["id"]} & set(sys.argv[1:])]
    if not faults:
        sys.exit(f"there is no fault in '{what}'; --list shows all")
    return campaign(faults, what == "claims")


main()

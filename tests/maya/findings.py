#!/usr/bin/env python3
"""findings.py --check | --table | --run BUILD [ID ...]: what Maya's interface said against the plug-in.

findings.toml lists every finding with its mend, the text that was there before, and a test. --run takes each
mend back in a copy of the sources, builds what is needed against the facts-checked host of a finished build,
and runs the test, which has to fail. --check: every mend is still there to be taken back, and README.md has
the table (no build).
"""
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import tomllib

ROOT = pathlib.Path(__file__).resolve().parents[2]
HERE = ROOT / "tests/maya"
SHARE = 0.95  # of the findings need a test that fails without the mend
COPIED = ("plugin/maya", "mel", "core/src/io", "core/src/base", "core/include", "tests/maya/module_probe", "presets")
SECONDS = 60  # of the processor, for a program that may not end
VERSION = "-DMAYA_HOST_VERSION=20220000"


def read_findings():
    return tomllib.loads((HERE / "findings.toml").read_text())["finding"]


def with_fault(finding, folder):
    """The file as it was before the mend."""
    text = (folder / finding["file"]).read_text()
    count = text.count(finding["old"])
    if count != 1:
        sys.exit(f"finding {finding['id']}: its text is {count} times in {finding['file']}, not once")
    return text.replace(finding["old"], finding["new"])


def table(findings):
    lines = ["| finding | what Maya does | what was changed | fails without it |", "|---|---|---|---|"]
    for f in findings:
        lines.append(f"| {f['id']} | {f['what']} | {f['mend']} | {f.get('test') or '- (' + f['without'] + ')'} |")
    return "\n".join(lines) + "\n"


def check(findings):
    tested = [f for f in findings if "test" in f]
    for f in tested:
        with_fault(f, ROOT)
    if len(tested) < SHARE * len(findings):
        sys.exit(f"only {len(tested)} of {len(findings)} findings have a test")
    if table(findings) not in (HERE / "README.md").read_text():
        sys.exit("tests/maya/README.md is not what 'tests/maya/findings.py --table' prints")
    print(f"{len(tested)} of {len(findings)} findings have a test that fails without their mend")


def run(command, **more):
    return subprocess.run([str(c) for c in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **more)


class Bench:
    """Builds and runs against the host and the library of a finished build."""

    def __init__(self, build, source, work):
        self.build, self.source, self.work = build, source, work
        self.include = [f"-isystem{ROOT}/tests/maya_host/include", f"-I{source}/plugin/maya", f"-I{source}/core/include",
                        f"-I{source}/core/src"]  # fmt: skip
        self.host = build / "maya/2022/lib"

    def libraries(self):
        """As plugin/maya/CMakeLists.txt names them."""
        text = (self.source / "plugin/maya/CMakeLists.txt").read_text()
        return text.split("foreach(name ")[1].split(")")[0].split()

    def compile(self, finding):
        return run(["g++", "-std=c++17", "-fsyntax-only", VERSION, *self.include, self.source / finding["file"]])

    def link(self, finding):
        """The file of the finding compiled anew, the others as the build has them."""
        folders = list(self.build.rglob("mien_maya_2022.dir"))
        made = {o.name[:-2]: o for o in folders[0].rglob("*.o")} if folders else {}
        if not made:
            sys.exit(f"{self.build} has no objects of mien_maya_2022: build it first")
        changed = pathlib.Path(finding["file"])
        if changed.suffix == ".cpp":
            made[changed.name] = self.work / (changed.name + ".o")
            done = run(["g++", "-std=c++17", "-O0", "-fPIC", VERSION, *self.include, "-c", self.source / changed, "-o",
                        made[changed.name]])  # fmt: skip
            if done.returncode:
                return done
        return run(["g++", "-shared", *made.values(), "-o", self.plugin(), f"-L{self.host}",
                    *(f"-l{name}" for name in self.libraries()), f"-L{self.build}/lib", "-lmien", "-ljansson",
                    "-Wl,-z,defs", "-Wl,--no-as-needed", f"-Wl,-rpath,{self.host}:{self.build}/lib:{self.build}"])  # fmt: skip

    def plugin(self):
        return self.work / "mienFace.so"

    def mel(self, _finding):
        return run(["python3", ROOT / "tests/maya_host/check_mel.py", self.source, self.build / "tests/maya_list_attributes",
                    self.build / "maya/2022/mienFace.so"])  # fmt: skip

    def module(self, _finding):
        return run(["sh", HERE / "test_module.sh", "cmake", self.source])

    def program(self, finding):
        made = self.link(finding)
        if made.returncode:
            sys.exit(f"the sources do not build:\n{made.stdout}")
        # of the processor's time: a busy machine is no failure
        limit = lambda: resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))  # noqa: E731
        return run([self.build / f"tests/test_maya_{finding['test']}", self.plugin(), self.build / "share/mien"], preexec_fn=limit)

    def test(self, finding):
        """0 = passed."""
        known = {"compile": self.compile, "link": self.link, "mel": self.mel, "module": self.module}
        kind = finding["test"]
        return known[kind](finding) if kind in known else self.program(finding)


def run_all(findings, build, wanted):
    chosen = [f for f in findings if "test" in f and (not wanted or f["id"] in wanted)]
    survived = []
    with tempfile.TemporaryDirectory(prefix="mien_findings_") as folder:
        work = pathlib.Path(folder)
        source = work / "source"
        for name in COPIED:
            shutil.copytree(ROOT / name, source / name)
        bench = Bench(build.resolve(), source, work)
        for kind in sorted({f["test"] for f in chosen}):  # without a fault everything passes
            first = next(f for f in chosen if f["test"] == kind)
            done = bench.test(first)
            if done.returncode:
                sys.exit(f"{kind} fails without any fault:\n{done.stdout}")
        for finding in chosen:
            target = source / finding["file"]
            before = target.read_text()
            target.write_text(with_fault(finding, source))
            done = bench.test(finding)
            target.write_text(before)
            why = [line for line in done.stdout.splitlines() if re.search(r"\.cpp:\d+: |error|undefined|refused|not linked|no PATH|knows no", line)]
            said = (why or [f"ended with {done.returncode}"])[0] if done.returncode else "PASSED"
            print(f"{finding['id']:12} {finding['test']:8} {'seen' if done.returncode else 'NOT SEEN'}: {said[:110]}", flush=True)
            survived += [] if done.returncode else [finding["id"]]
    print(f"{len(chosen) - len(survived)} of {len(chosen)} are seen")
    sys.exit(1 if survived else 0)


def main():
    findings = read_findings()
    if sys.argv[1:] == ["--table"]:
        print(table(findings), end="")
    elif sys.argv[1:] == ["--check"]:
        check(findings)
    elif len(sys.argv) > 2 and sys.argv[1] == "--run":
        run_all(findings, pathlib.Path(sys.argv[2]), sys.argv[3:])
    else:
        sys.exit(__doc__)


main()

#!/usr/bin/env python3
"""sweep.py JUDGE MIEN SAMPLES SHARED KEPT [N] [SEED]: shots drawn by chance, each judged.

A shot is a rig (words of a hard one, a sample head, a real one), a take and where it begins, a motion
of the head, frames a second, preset, substeps, sticky lips and contact. Shot K of a seed is
the same on every machine; a rig that is not there is skipped. Coarse rigs come first: they take a
tenth of the time. What was judged is kept in KEPT/SEED.json with a sum of the judge, so a sweep that
was stopped goes on, and one of a larger N judges only what is new; KEPT/SEED_SHOT.csv has the frames.
SWEEP_JOBS: judges at a time (as many as processors). Exit code 1: a clause is violated.
"""
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import time

SECONDS = 0.75  # of a shot
LENGTH = {"jaw": 2, "press": 3.5, "kiss": 3.5, "phrase": 9, "reel": 45, "run": 8, "jump": 3.5, "shake": 4.5}
AVATARS = ["Male_Adult_01", "Female_Adult_06", "Female_Child_01"]
# what judge prints -> figure
FIGURES = {
    "worse": r"more than the neutral +(\d+)",
    "by": r"crossing pairs, output +at most (\d+)",
    "lips": r"more than the neutral .*lips (\d+)",
    "lids_left": r"more than the neutral .*lids left (\d+)",
    "lids_right": r"more than the neutral .*lids right (\d+)",
    "rest": r"more than the neutral .*rest (\d+)",
    "free": r"while the pose is free +(\d+)",
    "late": r"frames late at a free pose (\d+)",
    "left": r"frames off the neutral +(\d+)",
    "far": r"farthest from the pose +(\S+) mm",
    "spikes": r"worst spike .*; (\d+) frames",
    "beyond": r"worst spike .*; (\S+) mm beyond",
    "inverted": r"frames, inverted tets +(\d+)",
    "most": r"frames, inverted tets .*at most (\d+)",
    "tremble": r"settled (\S+)",
    "wild": r"frames not finite +(\d+)",
}


# -- drawing --------------------------------------------------------------------------------------


class Draw:
    """Every choice has its own number: a new kind of choice leaves the others as they were."""

    def __init__(self, seed, shot):
        self.key = f"{seed} {shot} "

    def below(self, name, count):
        return int.from_bytes(hashlib.sha256((self.key + name).encode()).digest()[:8], "big") % count

    def of(self, name, choices):
        return choices[self.below(name, len(choices))]


def draw_words(draw):
    words = []
    amount = draw.of("lips", ["", "", "overlap=20", "overlap=60", "overlap=90", "overlap=120", "overlap=150",
                              "deep=1", "deep=3", "deep=8"])
    bag = draw.of("bag", ["", "", "", "", "thin_bag", "bag=3", "bag=6", "bag=10", "bag=15"])
    density = draw.of("density", ["coarse", "coarse", "", "", "", "density=1"])
    words += [word for word in (amount, bag, density) if word]
    for word, one_in in (("welded", 4), ("lids", 4), ("teeth_in_skin", 8), ("body", 8), ("up=z", 8)):
        words += [word] if draw.below(word, one_in) == 0 else []
    return ",".join(words + [f"seed={draw.below('seed', 10000)}"])


def draw_shot(seed, shot):
    """(cost, what the rig is, its name, judge's arguments)"""
    draw = Draw(seed, shot)
    kind = draw.of("kind", ["hard"] * 7 + ["sample"] * 2 + ["real"])
    if kind == "hard":
        name = draw_words(draw)
        cost = 0 if "coarse" in name else 2 if "density" in name else 1
    elif kind == "sample":
        name = draw.of("sample", ["head_small", "head_small", "creature", "head", "head_large"])
        cost = {"head_small": 1, "creature": 1}.get(name, 3)
    else:
        name, cost = draw.of("real", AVATARS + ["facecap"]), 2
    take = draw.of("take", list(LENGTH))
    fps = draw.of("fps", [24, 30, 60])
    begins = (LENGTH[take] - SECONDS) * draw.below("begins", 100) / 100
    args = ["--fps", str(fps), "--first", str(int(begins * fps)), "--frames", str(int(SECONDS * fps))]
    if take != "jaw":
        args += ["--anim", take]
    head = draw.of("head", ["", "", "jump", "run", "shake"])
    if head:
        args += ["--head", head]
    for option, choices in (("preset", ["", "", "", "skin", "fat", "jowly", "cartoon", "stiff"]),
                            ("substeps", ["", "", "2", "4"]), ("sticky", ["", "", "", "0.5", "1"]),
                            ("contact", ["", "", "", "barrier"])):
        value = draw.of(option, choices)
        args += [f"--{option}", value] if value else []
    return cost, kind, name, args


# -- judging --------------------------------------------------------------------------------------


class Judge:
    def __init__(self, judge, mien, samples, shared, kept, seed):
        self.judge, self.mien, self.samples, self.shared = judge, mien, samples, pathlib.Path(shared)
        self.kept, self.seed = pathlib.Path(kept), re.sub("[^A-Za-z0-9]", "_", seed)
        self.kept.mkdir(parents=True, exist_ok=True)

    def find_rig(self, kind, name):
        """The rig's arguments, or None."""
        if kind == "hard":
            return ["--hard", name]
        if kind == "sample":
            return [f"{self.samples}/{name}.glb"]
        source = self.shared / ("facecap-head/facecap_threejs.glb" if name == "facecap" else f"rocketbox/{name}_facial.fbx")
        rig = self.kept / f"{name}.glb"
        if not rig.exists() and source.exists():
            made = self.kept / f"{name}.{os.getpid()}.glb"
            if subprocess.run([self.mien, "import", source, "-o", made], capture_output=True).returncode == 0:
                made.rename(rig)
        return [str(rig)] if rig.exists() else None

    def command(self, kind, name, args):
        rig = self.find_rig(kind, name)
        args = [f"{self.samples}/{value}.csv" if option in ("--anim", "--head") else value
                for option, value in zip([""] + args, args)]
        return rig and [self.judge, *rig, *args, "--check", "--csv"] + ["--foreign"] * (kind == "real")

    def run(self, shot, kind, name, args):
        """What came out of a shot: figures and clauses, or why there are none."""
        command = self.command(kind, name, args)
        if not command:
            return {"skipped": "not on this machine"}
        got = subprocess.run(command, capture_output=True, text=True)
        if got.returncode == 2 and "this cannot be made" in got.stderr:
            return {"skipped": "cannot be made"}
        figures = {}
        for key, pattern in FIGURES.items():
            found = re.search(pattern, got.stderr)
            figures[key] = float(found[1]) if found else None
        (self.kept / f"{self.seed}_{shot}.csv").write_text(got.stdout)
        clauses = re.findall(r"^VIOLATED: (.*)$", got.stdout, re.M)
        if got.returncode not in (0, 1) or None in figures.values():
            clauses = [f"exit code {got.returncode}: {got.stderr.strip()[-200:]}"]
        return {"figures": figures, "clauses": clauses}


# -- the table ------------------------------------------------------------------------------------

HEADING = "shot  more/free  late/left  farthest  spikes (mm)  inverted (most)  tremble  what"


def row(shot, name, args, result):
    what = f"{name} {' '.join(args)}"
    if "skipped" in result:
        return f"{shot:4}  skipped: {result['skipped']}: {what}"
    f = result["figures"]
    if None in f.values():
        return f"{shot:4}  {what}"
    return (f"{shot:4}  {f['worse']:4.0f}/{f['free']:<4.0f}  {f['late']:4.0f}/{f['left']:<4.0f}  {f['far']:8.2f}"
            f"  {f['spikes']:4.0f} ({f['beyond']:4.2f})  {f['inverted']:6.0f} ({f['most']:4.0f})  {f['tremble']:7.3f}  {what}")


def show(shot, drawn, result):
    _, _, name, args = drawn
    print(row(shot, name, args, result), flush=True)
    for clause in result.get("clauses", []):
        print(f"      VIOLATED: {clause}", flush=True)


def main():
    if len(sys.argv) < 6:
        sys.exit(__doc__)
    count = int(sys.argv[6]) if len(sys.argv) > 6 else 50
    seed = sys.argv[7] if len(sys.argv) > 7 else "1"
    judge = Judge(*sys.argv[1:6], seed)
    kept_in = judge.kept / f"{judge.seed}.json"
    version = hashlib.sha256(pathlib.Path(judge.judge).read_bytes()).hexdigest()[:12]
    kept = json.loads(kept_in.read_text()) if kept_in.exists() else {}
    results = kept.get(version, {})
    shots = sorted(range(count), key=lambda shot: draw_shot(seed, shot)[0])
    drawn = {shot: draw_shot(seed, shot) for shot in shots}
    print(HEADING)
    for shot in shots:
        if str(shot) in results:
            show(shot, drawn[shot], results[str(shot)])
    left = [shot for shot in shots if str(shot) not in results]
    began, total = time.monotonic(), sum(10 ** (0.4 * drawn[shot][0]) for shot in left)
    done = 0
    with concurrent.futures.ThreadPoolExecutor(int(os.environ.get("SWEEP_JOBS", os.cpu_count()))) as pool:
        waiting = {pool.submit(judge.run, shot, *drawn[shot][1:]): shot for shot in left}
        for job in concurrent.futures.as_completed(waiting):
            shot = waiting[job]
            results[str(shot)] = job.result()
            partial = kept_in.with_suffix(".part")
            partial.write_text(json.dumps({version: results}, indent=1))
            partial.rename(kept_in)
            show(shot, drawn[shot], results[str(shot)])
            done += 10 ** (0.4 * drawn[shot][0])
            rest = (time.monotonic() - began) * (total - done) / done
            print(f"{len(results)} of {count}, {rest / 60:.0f} min left", file=sys.stderr, flush=True)
    nbad = sum(bool(results[str(shot)].get("clauses")) for shot in shots)
    nskipped = sum("skipped" in results[str(shot)] for shot in shots)
    print(f"{count} shots, {nskipped} skipped, {nbad} violate a clause")
    return nbad > 0


if __name__ == "__main__":
    sys.exit(main())

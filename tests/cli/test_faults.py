"""test_faults.py MIEN IO_FAULTS RIG WORK [--all]: every n-th write, sync and rename fails, or is the last before a
kill or before the power is cut, which leaves what was synced.

No command says that it is done when it is not, no whole frame or row is lost, what is old stays until
what is new is whole, and --resume makes the same bits. By default some of the calls; --all: every
one, and 200 kills at random moments.
"""
import os
import random
import shutil
import subprocess
import sys
import time

MIEN, FAULTS, RIG, WORK = map(os.path.abspath, sys.argv[1:5])
ALL = "--all" in sys.argv
NFRAME = 52  # a snapshot is made after 48
failures = []
counts = {}


def run(*command):
    return subprocess.run(command, capture_output=True, text=True)


def faulted(mode, n, command):
    """(exit code, whether the fault came)"""
    done = run(FAULTS, mode, str(n), *command)
    if done.returncode == 77:
        print(done.stderr + "skipped: system calls cannot be followed here (ptrace)")
        sys.exit(77)
    return done.returncode, "io_faults: came" in done.stderr, done.stderr


def read(path):
    return open(path, "rb").read() if os.path.exists(path) else None


def check(ok, what):
    if not ok:
        failures.append(what)


def clean():
    for name in os.listdir("."):
        if name.startswith("out."):
            os.remove(name)


def calls(command, clean_up):
    """1, 2, ... for all, or a few of them in the beginning, the middle and the end."""
    clean_up()
    _, _, words = faulted("error", 10**9, command)
    total = int(words.split("after ")[-1].split()[0])
    few = sorted({2, total // 2, total - 1, total})
    return [n for n in (range(1, total + 1) if ALL else few) if 1 <= n <= total]


def try_bake(end):
    out = "out." + end
    command = [MIEN, "bake", "face.glb", "--anim", "take.csv", "--fps", "100", "-t", "1", "--seconds",
               str((NFRAME - 1) / 100), "-o", out]  # fmt: skip
    run(*command)
    whole = read(out)
    frames = out + ".part" if end == "pc2" else out + ".frames.part"
    frame_size = (os.path.getsize("size.pc2") - 32) // NFRAME
    assert whole
    for mode in ("error", "kill", "power") if ALL or end == "pc2" else ("error", "power"):
        for n in calls(command, clean):
            clean()
            code, came, words = faulted(mode, n, command)
            name = f"{out}: {mode} at call {n}"
            check(came and code != 0, f"{name}: exit code {code}")
            check(read(out) in (None, whole), f"{name}: half a file got its name")
            kept = max(0, (os.path.getsize(frames) - 32) // frame_size) if os.path.exists(frames) else 0
            vouched = int.from_bytes((read(out + ".state") or b"")[8:16], "little")
            check(kept >= vouched, f"{name}: {kept} frames are kept, the snapshot vouches for {vouched}")
            if "frames are kept" in words:
                said = int(words.split(" of ")[-2].split()[-1])
                check(kept >= said, f"{name}: {kept} frames are kept, {said} were promised")
            again = run(*command, "--resume")
            check(again.returncode == 0, f"{name}: --resume: {again.stderr[-200:]}")
            check(read(out) == whole, f"{name}: resumed, it differs")
            left = [f for f in os.listdir(".") if f.startswith("out.") and f != out]
            check(not left, f"{name}: left behind: {left}")
            counts[mode] = counts.get(mode, 0) + 1
    if ALL and end == "pc2":
        started = time.time()
        run(*command)
        length = time.time() - started
        for k in range(200):
            clean()
            process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(random.Random(k).random() * length)
            process.kill()
            process.wait()
            again = run(*command, "--resume")
            check(again.returncode == 0 and read(out) == whole, f"{out}: killed at random {k}: {again.stderr[-200:]}")
            counts["random"] = counts.get("random", 0) + 1


def try_record():
    out = "out.csv"
    command = [MIEN, "live", "face.glb", "--take", "take.csv", "--every", "--seconds", "1",
               "-t", "1", "--record", out]  # fmt: skip
    run(*command)
    whole = read(out)
    for mode in ("error", "kill"):
        for n in calls(command, clean):
            clean()
            code, came, _ = faulted(mode, n, command)
            name = f"{out}: {mode} at call {n}"
            check(came and code != 0, f"{name}: exit code {code}")
            check(read(out) in (None, whole), f"{name}: half a recording got its name")
            rows = read(out) or read(out + ".part") or b""
            check(whole.startswith(rows), f"{name}: what is kept is not what was recorded")
            check(rows.count(b"\n") >= n - 2, f"{name}: {rows.count(10)} rows are kept")
            counts[mode] = counts.get(mode, 0) + 1


def try_attach():
    out = "out.glb"
    command = [MIEN, "attach", "face.glb", "-t", "1", "-o", out]

    def old():
        clean()
        with open(out, "wb") as file:
            file.write(b"old")

    run(*command)
    whole = read(out)
    for mode in ("error", "kill", "power"):
        for n in calls(command, old):
            old()
            code, came, _ = faulted(mode, n, command)
            name = f"{out}: {mode} at call {n}"
            # the folder is synced after the name is there: that cannot be undone, and need not be
            check(came and (code != 0 or read(out) == whole), f"{name}: exit code {code}")
            check(read(out) in (b"old", whole), f"{name}: the old file is gone and the new one is not whole")
            check(mode != "error" or not os.path.exists(out + ".part"), f"{name}: a part was left")
            counts[mode] = counts.get(mode, 0) + 1
    clean()


shutil.rmtree(WORK, ignore_errors=True)
os.makedirs(WORK)
os.chdir(WORK)
with open("take.csv", "w", encoding="ascii") as file:  # the head shakes, so every frame has bits of its own
    file.write("Time,up,HeadYaw\n")
    for k in range(101):
        file.write(f"{k / 100},{k % 20 / 20},{0.3 * ((k * 7) % 10) / 10}\n")
assert run(MIEN, "attach", RIG, "-o", "face.glb").returncode == 0
run(MIEN, "bake", "face.glb", "--anim", "take.csv", "--fps", "100", "--seconds", str((NFRAME - 1) / 100), "-o", "size.pc2")
try_bake("pc2")
try_bake("usda")
try_record()
try_attach()
for line in failures:
    print("FAILED:", line)
print(f"{counts} faults, {len(failures)} failures")
sys.exit(1 if failures or counts.get("error", 0) < 14 else 0)

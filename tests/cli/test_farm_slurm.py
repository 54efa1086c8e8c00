"""Many short shots through a real Slurm, whose node is lost in the middle and comes back.

usage: test_farm_slurm.py MIEN SAMPLES WORK [SHOTS]

Nothing may be lost, nothing done twice, and every cache must be what `mien bake` makes of the shot by itself.
"""

import collections
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time

import slurm_cluster

MIEN, SAMPLES, WORK = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3]).resolve()
COUNT = int(sys.argv[4]) if len(sys.argv) > 4 else 200
SKIPPED = 77


def write_shots(show):
    """All different; one in twenty is long, with several snapshots on its way, so that the lost node has some in
    hand."""
    show.mkdir()
    subprocess.run([MIEN, "attach", SAMPLES / "head_small.glb", "-o", show / "face.glb"], check=True, capture_output=True)
    shutil.copy(SAMPLES / "phrase.csv", show)
    shutil.copy(SAMPLES / "shake.csv", show)
    for k in range(COUNT):
        folder = show / f"shot{k:03d}"
        folder.mkdir()
        shot = {
            "mien_shot": 1,
            "rig": "../face.glb",
            "takes": [{"file": "../phrase.csv"}],
            "head": "../shake.csv",
            "parameters": {"iterations": 1, "wind": [0.1 * k, 0, 1]},
            "seconds": 3 if k % 20 == 5 else 0.1,
            "fps": 96 if k % 20 == 5 else 24,
            "outputs": {"cache": "out.pc2"},
        }
        (folder / "shot.json").write_text(json.dumps(shot, indent=1))


def start_farm(cluster, show, farm):
    shots = sorted(str(path) for path in show.glob("shot*"))
    return subprocess.Popen([MIEN, "farm", "--engine", "slurm", "-o", str(farm), *shots], env=cluster.environment)


def ended(farm, what="done"):
    journal = farm / "journal.txt"
    lines = journal.read_text().splitlines() if journal.exists() else []
    return collections.Counter(line.split()[4] for line in lines if line.split()[3] == what)


def has_progress(show):
    """Whether an unfinished bake has a snapshot to go on with (snapshot_file.c: magic, next frame)."""
    for state in show.glob("*/*.state"):
        try:
            if int.from_bytes(state.read_bytes()[8:16], "little") > 0:
                return True
        except FileNotFoundError:
            pass
    return False


def lose_the_node(cluster, show, farm):
    """When a third is done and a bake is in the middle; it comes back by itself a little later."""
    cluster.until(lambda: sum(ended(farm).values()) >= COUNT // 3, "a third of the shots", 3600)
    cluster.until(lambda: has_progress(show) and cluster.is_baking(), "a long shot", 3600)
    done = sum(ended(farm).values())
    print(f"the node is lost with {done} shots done: {cluster.kill_node()} processes killed", flush=True)
    time.sleep(3)
    cluster.start_node()


def interrupt(cluster, process, show, farm):
    """Ctrl-C on the farm when half is done, and the same command again."""
    cluster.until(lambda: sum(ended(farm).values()) >= COUNT // 2, "half of the shots", 3600)
    cluster.until(cluster.is_baking, "a bake", 600)
    process.send_signal(signal.SIGINT)
    code = process.wait(300)
    assert code == 1, f"a farm that was stopped ended with {code}"
    assert not cluster.tell("squeue", "-h").strip(), "tasks are left in the queue"
    print(f"stopped with {sum(ended(farm).values())} shots done", flush=True)
    return start_farm(cluster, show, farm)


def kill_farm(cluster, process, show, farm):
    """kill -9 on the farm: its tasks go on, and the same command waits for them."""
    cluster.until(lambda: sum(ended(farm).values()) >= 2 * COUNT // 3, "two thirds of the shots", 3600)
    process.kill()
    process.wait()
    before = cluster.tell("squeue", "-h", "-r")
    print(f"the farm is killed; {len(before.splitlines())} tasks go on", flush=True)
    return start_farm(cluster, show, farm)


def check_results(show, farm):
    done = ended(farm)
    report = json.loads((farm / "report.json").read_text())
    assert len(report) == COUNT and all(row["status"] == "done" for row in report), "the report lacks shots"
    assert len(done) == COUNT, f"{COUNT - len(done)} shots were lost"
    twice = [name for name, times in done.items() if times > 1]
    assert not twice, f"done twice: {twice}"
    left = [str(path) for path in show.rglob("*") if path.name.endswith((".part", ".state"))]
    assert not left, f"left behind: {left}"
    resumed = sum(row["result"]["runs"] > 1 for row in report)
    starts = ended(farm, "start")
    assert resumed or COUNT < 20, "no bake was gone on with"
    print(f"{COUNT} done once; begun {sum(starts.values())} times, {resumed} gone on with in the middle", flush=True)
    return {row["shot"]: row["result"]["files"][0]["sha256"] for row in report}


def check_one_by_one(hashes, step):
    """Every step-th shot again, alone, without a farm."""
    shots = sorted(hashes)[::step]
    for path in shots:
        out = subprocess.run([MIEN, "bake", path, "-o", str(WORK / "alone.pc2"), "--json"], capture_output=True,
                             check=True)  # fmt: skip
        alone = json.loads(out.stdout)["files"][0]["sha256"]
        assert alone == hashes[path], f"{path} differs from its bake alone"
    print(f"{len(shots)} caches are those of a bake alone", flush=True)


def main():
    lacking = slurm_cluster.missing()
    if lacking:
        print(f"skipped: no {', '.join(lacking)} here (./run farm-test installs them)")
        return SKIPPED
    shutil.rmtree(WORK, ignore_errors=True)
    WORK.mkdir(parents=True)
    show, farm = WORK / "show", WORK / "farm"
    write_shots(show)
    try:
        cluster = slurm_cluster.Cluster(WORK / "cluster")
    except (TimeoutError, OSError) as error:
        print(f"skipped: no Slurm could be started here: {error}")
        return SKIPPED
    started = time.time()
    try:
        process = start_farm(cluster, show, farm)
        lose_the_node(cluster, show, farm)
        process = interrupt(cluster, process, show, farm)
        process = kill_farm(cluster, process, show, farm)
        code = process.wait(3600)
        assert code == 0, f"the farm ended with {code}"
    finally:
        cluster.stop()
    print(f"{time.time() - started:.0f} s", flush=True)
    check_one_by_one(check_results(show, farm), 1)
    return 0


if __name__ == "__main__":
    os.umask(0o022)
    sys.exit(main())

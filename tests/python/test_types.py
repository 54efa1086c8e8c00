"""The module is typed (py.typed): mypy has nothing to say about it. Skipped where there is no mypy."""

import os
import shutil
import subprocess
import sys
import tempfile

BUILD = os.environ["MIEN_BUILD"]
USE = """import numpy as np
import mien

rig = mien.Rig.load("head.glb")
state = mien.State(mien.Face(rig, stiffness=8000))
state.step(weights=np.zeros(52, np.float32), head=mien.Rigid(), dt=1 / 24)
points: np.ndarray = state.positions
wrong: int = state.positions  # mypy must see this one
"""

mypy = shutil.which("mypy")
if mypy is None:
    print("skipped: no mypy (apt-get install mypy)")
    sys.exit(77)
with tempfile.TemporaryDirectory() as cache:
    command = [mypy, "--cache-dir", cache, "--no-error-summary"]
    done = subprocess.run(command + [os.path.join(BUILD, "python/mien")], capture_output=True, text=True)
    print(done.stdout + done.stderr, end="")
    assert done.returncode == 0, "the module's types do not fit together"
    script = os.path.join(cache, "use.py")
    with open(script, "w") as file:
        file.write(USE)
    path = dict(os.environ, MYPYPATH=os.path.join(BUILD, "python"))
    done = subprocess.run(command + [script], capture_output=True, text=True, env=path)
    found = [line for line in done.stdout.splitlines() if "use.py" in line]
    assert len(found) == 1 and ":8: error" in found[0], done.stdout

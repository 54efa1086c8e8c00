"""How far a shaken head throws its flesh, stiffness by stiffness.

usage: jiggle.py RIG.glb
"""

import math
import sys

import mien

rig = mien.Rig.load(sys.argv[1])
for stiffness in (2000, 8000, 32000):
    state = mien.State(mien.Face(rig, stiffness=stiffness))
    largest = 0.0
    for frame in range(24):
        angle = 0.3 * math.sin(2 * math.pi * 3 * frame / 24)
        turn = (0, math.sin(angle / 2), 0, math.cos(angle / 2))
        state.step(head=(turn, (0, 0, 0)), dt=1 / 24)
        largest = max(largest, state.info.max_offset)
    print(f"stiffness {stiffness:6} Pa: up to {1e3 * largest:.2f} mm from the artist's pose")

"""From a rig and a performance to an animated cache, which Blender, Maya and 3ds Max read.

usage: animate.py RIG.glb TAKE.csv OUT.pc2
"""

import sys

import mien

rig = mien.Rig.load(sys.argv[1])
take = mien.Take.load(sys.argv[2]).bind(rig)
state = mien.State(mien.Face(rig))
with mien.Cache(sys.argv[3], rig, frame_rate=24) as cache:
    for frame in range(take.nframes(24)):
        weights, head = take.sample(take.start + frame / 24)
        state.step(weights=weights, head=head, contact="plane", dt=1 / 24)
        cache.append(state.positions)

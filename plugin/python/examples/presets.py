"""How far a shake throws the flesh of three presets, frame by frame, as a picture.

usage: presets.py RIG.glb TAKE.csv OUT.svg      (in a notebook: IPython.display.SVG(picture))
"""

import sys

import mien

rig = mien.Rig.load(sys.argv[1])
take = mien.Take.load(sys.argv[2]).bind(rig)
lines = ""
for preset, colour in (("stiff", "gray"), ("skin", "teal"), ("jowly", "crimson")):
    state, points = mien.State(mien.Face(rig, preset=preset)), ""
    for frame in range(72):
        weights, head = take.sample(take.start + frame / 24)
        state.step(weights=weights, head=head, dt=1 / 24)
        points += f"{8 * frame},{180 - 1.5e4 * state.info.max_offset:.1f} "
    lines += f'<polyline fill="none" stroke="{colour}" stroke-width="2" points="{points}"><title>{preset}</title></polyline>'
picture = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 580 190">{lines}</svg>'
with open(sys.argv[3], "w", encoding="utf-8") as file:
    file.write(picture)

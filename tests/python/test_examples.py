"""The examples run, and what they write is what the command line writes."""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
EXAMPLES = os.path.join(ROOT, "plugin/python/examples")
BUILD = os.environ["MIEN_BUILD"]
SAMPLES = os.path.join(BUILD, "share/mien")
RIG, TAKE = os.path.join(SAMPLES, "head_small.glb"), os.path.join(SAMPLES, "jump.csv")


def example(name, *arguments):
    command = [sys.executable, os.path.join(EXAMPLES, name), *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


class Examples(unittest.TestCase):
    def test_animate_equals_mien_bake(self):
        with tempfile.TemporaryDirectory() as folder:
            ours, theirs = os.path.join(folder, "a.pc2"), os.path.join(folder, "b.pc2")
            example("animate.py", RIG, TAKE, ours)
            command = [os.path.join(BUILD, "bin/mien"), "bake", RIG, "--anim", TAKE, "-o", theirs]
            subprocess.run(command, check=True, capture_output=True)
            with open(ours, "rb") as a, open(theirs, "rb") as b:
                self.assertTrue(a.read() == b.read(), "Python and `mien bake` differ")

    def test_it_is_twelve_lines(self):
        lines = open(os.path.join(EXAMPLES, "animate.py")).read().split('"""')[2].split("\n")
        self.assertLessEqual(len([line for line in lines if line.strip()]), 12)

    def test_the_manual_runs(self):
        """docs/python.md as it stands, in a folder with files of the names it uses."""
        text = open(os.path.join(ROOT, "docs/python.md")).read()
        blocks = [b.split("```")[0] for b in text.split("```python\n")[1:]]
        self.assertTrue(blocks)
        with tempfile.TemporaryDirectory() as folder:
            for name, source in (("head.glb", RIG), ("phrase.csv", TAKE)):
                shutil.copy(source, os.path.join(folder, name))
            for block in blocks:
                subprocess.run([sys.executable, "-c", block], cwd=folder, check=True, capture_output=True)
            theirs = os.path.join(folder, "b.pc2")
            example("animate.py", RIG, TAKE, theirs)
            with open(os.path.join(folder, "head.pc2"), "rb") as a, open(theirs, "rb") as b:
                self.assertTrue(a.read() == b.read(), "the manual and the example differ")

    def test_the_picture_of_the_manual(self):
        """Stiff flesh moves least, jowly most; the picture in docs/ shows the same three lines."""
        with tempfile.TemporaryDirectory() as folder:
            out = os.path.join(folder, "out.svg")
            example("presets.py", RIG, os.path.join(SAMPLES, "shake.csv"), out)
            made, shown = (open(p, encoding="utf-8").read() for p in (out, os.path.join(ROOT, "docs/python_presets.svg")))
        reach = {}
        for line in made.split("<polyline")[1:]:
            heights = [float(point.split(",")[1]) for point in line.split('points="')[1].split('"')[0].split()]
            reach[line.split("<title>")[1].split("<")[0]] = 180 - min(heights)
        self.assertEqual(sorted(reach, key=reach.get), ["stiff", "skin", "jowly"])
        self.assertTrue(all(f"<title>{name}</title>" in shown for name in reach))

    def test_jiggle(self):
        said = example("jiggle.py", RIG).splitlines()
        reach = [float(line.split("up to ")[1].split()[0]) for line in said]
        self.assertEqual(reach, sorted(reach, reverse=True))
        self.assertGreater(reach[0], reach[-1])


if __name__ == "__main__":
    unittest.main()

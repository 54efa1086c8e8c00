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
RIG = os.path.join(SAMPLES, "head_small.glb")


def short_take(folder, seconds=0.9):
    """The beginning of a jump: a second is as much of a test as the whole."""
    with open(os.path.join(SAMPLES, "jump.csv"), encoding="utf-8") as file:
        head, *rows = file.read().splitlines()
    path = os.path.join(folder, "short.csv")
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join([head, *(row for row in rows if float(row.split(",")[0]) <= seconds)]) + "\n")
    return path


def example(name, *arguments):
    command = [sys.executable, os.path.join(EXAMPLES, name), *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def manual():
    """The pieces of Python in docs/python.md."""
    with open(os.path.join(ROOT, "docs/python.md"), encoding="utf-8") as file:
        return [block.split("```")[0] for block in file.read().split("```python\n")[1:]]


def heights(picture):
    """{colour: heights of the line}"""
    lines = picture.split("<polyline")[1:]
    return {line.split('stroke="')[1].split('"')[0]: [float(p.split(",")[1]) for p in line.split('points="')[1].split('"')[0].split()]
            for line in lines}  # fmt: skip


class Examples(unittest.TestCase):
    def test_animate_equals_mien_bake(self):
        with tempfile.TemporaryDirectory() as folder:
            ours, theirs = os.path.join(folder, "a.pc2"), os.path.join(folder, "b.pc2")
            take = short_take(folder)
            example("animate.py", RIG, take, ours)
            command = [os.path.join(BUILD, "bin/mien"), "bake", RIG, "--anim", take, "-o", theirs]
            subprocess.run(command, check=True, capture_output=True)
            with open(ours, "rb") as a, open(theirs, "rb") as b:
                self.assertTrue(a.read() == b.read(), "Python and `mien bake` differ")

    def test_it_is_twelve_lines(self):
        lines = open(os.path.join(EXAMPLES, "animate.py")).read().split('"""')[2].split("\n")
        self.assertLessEqual(len([line for line in lines if line.strip()]), 12)

    def test_the_manual_runs(self):
        """docs/python.md as it stands, in a folder with files of the names it uses."""
        blocks = [block for block in manual() if "picture" not in block]
        self.assertTrue(blocks)
        with tempfile.TemporaryDirectory() as folder:
            take = short_take(folder)
            for name, source in (("head.glb", RIG), ("phrase.csv", take)):
                shutil.copy(source, os.path.join(folder, name))
            for block in blocks:
                subprocess.run([sys.executable, "-c", block], cwd=folder, check=True, capture_output=True)
            theirs = os.path.join(folder, "b.pc2")
            example("animate.py", RIG, take, theirs)
            with open(os.path.join(folder, "head.pc2"), "rb") as a, open(theirs, "rb") as b:
                self.assertTrue(a.read() == b.read(), "the manual and the example differ")

    def test_the_picture_of_the_manual(self):
        """The manual's twelve lines make the lines of the picture in docs/: stiff flesh moves least, jowly most."""
        (block,) = (block for block in manual() if "picture" in block)
        self.assertLessEqual(len([line for line in block.split("\n") if line.strip()]), 12)
        with tempfile.TemporaryDirectory() as folder:
            for name in ("head.glb", "shake.csv"):
                shutil.copy(os.path.join(SAMPLES, name), folder)
            run = subprocess.run([sys.executable, "-c", block + "\nprint(picture)"], cwd=folder, check=True, capture_output=True, text=True)
        with open(os.path.join(ROOT, "docs/python_presets.svg"), encoding="utf-8") as file:
            shown = heights(file.read())
        made = heights(run.stdout)
        self.assertEqual(sorted(made, key=lambda colour: min(made[colour])), ["crimson", "teal", "gray"])
        self.assertEqual({colour: len(line) for colour, line in made.items()}, dict.fromkeys(made, 72))
        for colour, line in made.items():  # as high as a line is thick
            far = max(abs(a - b) for a, b in zip(line, shown[colour]))
            self.assertLess(far, 2, f"{colour}: docs/python_presets.svg shows something else, make it anew with presets.py")

    def test_jiggle(self):
        said = example("jiggle.py", RIG).splitlines()
        reach = [float(line.split("up to ")[1].split()[0]) for line in said]
        self.assertEqual(reach, sorted(reach, reverse=True))
        self.assertGreater(reach[0], reach[-1])


if __name__ == "__main__":
    unittest.main()

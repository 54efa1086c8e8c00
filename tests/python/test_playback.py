"""Scrubbing: whatever the order, a frame is what an uninterrupted run gives, to the last bit."""

import os
import random
import unittest

import numpy as np

import mien
from mien.playback import FrameInput, Playback

SAMPLES = os.path.join(os.environ["MIEN_BUILD"], "share/mien")
NFRAME = 24


class Shot:
    """Inputs of a short shot; `edited` changes a frame of it."""

    def __init__(self, rig):
        self.rig, self.edited, self.settings, self.presses = rig, {}, mien.Settings(dt=1 / 24), False

    def input(self, frame):
        weights = np.zeros(self.rig.info.nshape, np.float32)
        weights[self.rig.find_shape("jawOpen")] = 0.5 + 0.5 * np.sin(frame)
        if self.presses:
            weights[:] = 0
            for name in ("mouthPressLeft", "mouthPressRight", "mouthClose"):
                weights[self.rig.find_shape(name)] = min(1.0, 0.2 * frame)
        turn = self.edited.get(frame, 0.2 * np.sin(1.3 * frame))
        head = ((0.0, float(np.sin(turn / 2)), 0.0, float(np.cos(turn / 2))), (0.0, 0.0, 0.0))
        return FrameInput(self.rig.pose(weights), weights, head, None, self.settings)

    def show(self, playback, frame):
        while True:  # a second time when frames had been forgotten to save memory
            for k in range(playback.first_needed(frame), frame):
                playback.visit(k, self.input(k))
            shown = playback.visit(frame, self.input(frame))
            if shown is not None:
                return shown

    def reference(self, last=NFRAME):
        state, out = mien.State(self.face), {}
        for frame in range(1, last + 1):
            given = self.input(frame)
            state.step(weights=given.weights, pose=given.pose, head=given.head, settings=given.settings)
            out[frame] = state.positions.copy()
        return out


class Scrubbing(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.rig = mien.Rig.load(os.path.join(SAMPLES, "head_small.glb"))
        cls.face = mien.Face(cls.rig)

    def setUp(self):
        self.shot = Shot(self.rig)
        self.shot.face = self.face

    def check(self, playback, order, expected):
        for frame in order:
            shown = self.shot.show(playback, frame)
            self.assertTrue(np.array_equal(shown, expected[frame]), f"frame {frame}")

    def test_any_order(self):
        self.shot.settings["contact"] = "plane"
        expected = self.shot.reference()
        order = list(range(1, NFRAME + 1))
        random.Random(7).shuffle(order)
        playback = Playback(self.face, 1)
        self.check(playback, order, expected)
        self.assertEqual(playback.nstep, NFRAME)  # nothing was simulated twice
        self.check(playback, reversed(order), expected)
        self.assertEqual(playback.nstep, NFRAME)

    def test_an_edit_is_seen_by_later_frames(self):
        playback = Playback(self.face, 1)
        self.check(playback, [NFRAME], self.shot.reference())
        self.shot.edited[10] = 0.9
        playback.distrust()
        changed = self.shot.reference()
        self.check(playback, [20, 5, 10, 11, NFRAME], changed)
        self.assertEqual(playback.nstep, NFRAME + NFRAME - 9)  # 1 to 9 were kept

    def test_an_edit_with_contact(self):
        """Lips that press and stick: snapshots hold that, too, and only what follows the edit is simulated."""
        self.shot.presses = True
        for contact in ("plane", "barrier"):
            self.shot.settings["contact"], self.shot.settings["sticky"] = contact, 1
            self.shot.edited.clear()
            playback = Playback(self.face, 1)
            self.check(playback, [10], self.shot.reference(10))
            self.assertGreater(playback.frames[10].summary.ncontact, 10)
            self.shot.edited[8] = 0.9
            playback.distrust()
            self.check(playback, [8, 10], self.shot.reference(10))
            # 8 to 10, and up to three frames from the snapshot before
            self.assertLessEqual(playback.nstep, 10 + 3 + 3)

    def test_an_edit_and_back(self):
        expected = self.shot.reference()
        playback = Playback(self.face, 1)
        self.check(playback, [12], expected)
        self.shot.edited[12] = 0.5
        playback.distrust()
        self.shot.show(playback, 12)
        del self.shot.edited[12]
        playback.distrust()
        self.check(playback, [12, 14, 3], expected)

    def test_options_are_inputs(self):
        playback = Playback(self.face, 1)
        self.shot.show(playback, 6)
        self.shot.settings = mien.Settings(dt=1 / 24, gravity=(0, -9.81, 0))
        playback.distrust()
        self.check(playback, [6, 4], self.shot.reference())

    def test_little_memory(self):
        expected = self.shot.reference()
        playback = Playback(self.face, 1, memory=1 << 20)
        self.check(playback, [20, 3, 17, 9, NFRAME, 2], expected)
        self.assertLess(sum(f.size() for f in playback.frames.values()), 2 << 20)

    def test_before_the_start_and_unseen(self):
        playback = Playback(self.face, 5)
        self.assertIsNone(playback.visit(4, self.shot.input(4)))
        self.assertIsNone(playback.visit(9, self.shot.input(9)))
        self.assertEqual(playback.first_needed(9), 5)
        self.assertEqual(playback.first_needed(2), 2)

    def test_arrays_are_kept_not_copied(self):
        """A host that writes into what it gave would change the past: it cannot."""
        playback = Playback(self.face, 1)
        given = self.shot.input(1)
        playback.visit(1, given)
        self.assertIs(playback.frames[1].input.pose, given.pose)
        for array in (given.pose, given.weights):
            with self.assertRaises(ValueError):
                array[0] = 1

    def test_between_frames(self):
        playback = Playback(self.face, 1)
        self.shot.show(playback, 3)
        positions, pose = playback.between(2.5)
        mean = 0.5 * (playback.frames[2].positions + playback.frames[3].positions)
        self.assertLess(np.abs(positions - mean).max(), 1e-7)
        self.assertEqual(pose.shape, positions.shape)
        self.assertIsNone(playback.between(40.5))


if __name__ == "__main__":
    unittest.main()

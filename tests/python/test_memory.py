"""Memory that is used again: never while somebody looks at it."""

import gc
import os
import unittest

import numpy as np

import mien
from mien import _structs
from mien.memory import Memory
from mien.playback import FrameInput, Playback

SAMPLES = os.path.join(os.environ["MIEN_BUILD"], "share/mien")


class Pieces(unittest.TestCase):
    def test_none_is_anothers(self):
        memory = Memory()
        arrays = [memory.array((100, 3)) for _ in range(50)] + [memory.array((7,)) for _ in range(50)]
        for k, array in enumerate(arrays):
            array.fill(k)
        self.assertTrue(all((array == k).all() for k, array in enumerate(arrays)))
        self.assertEqual(arrays[0].shape, (100, 3))
        self.assertEqual(arrays[0].dtype, np.float32)

    def test_used_again_when_nobody_looks(self):
        memory = Memory()
        kept = {memory.array((1000, 3)).address for _ in range(400)}  # each is gone before the next
        self.assertLess(len(kept), 100)

    def test_not_while_a_part_is_looked_at(self):
        memory = Memory()
        part = memory.array((1000, 3))[10:20]
        part.fill(5)
        others = [memory.array((1000, 3)) for _ in range(400)]
        for other in others:
            other.fill(9)
        self.assertTrue((part == 5).all())
        del others
        gc.collect()

    def test_outlives_where_it_came_from(self):
        memory = Memory()
        array = memory.array((1000, 3))
        array.fill(3)
        del memory
        gc.collect()
        np.empty((1 << 20,), np.float32).fill(7)
        self.assertTrue((array == 3).all())

    def test_reserved(self):
        """What was reserved is one piece of memory; nothing is asked for as long as it lasts."""
        memory = Memory()
        memory.reserve(12000, 64)
        places = sorted(array.address for array in [memory.array((1000, 3)) for _ in range(64)])
        steps = {b - a for a, b in zip(places, places[1:])}
        self.assertEqual(len(steps), 1)
        self.assertTrue(12000 <= steps.pop() <= 12000 * 9 // 8)
        self.assertTrue(all(place % 64 == 0 for place in places))

    def test_arrays_made_ahead_of_time(self):
        memory = Memory()
        memory.reserve_arrays((1000, 3), 40)
        memory.reserve_arrays((1000, 3), 20)  # they are there
        places = sorted(array.address for array in [memory.array((1000, 3)) for _ in range(40)])
        self.assertEqual(len({b - a for a, b in zip(places, places[1:])}), 1)

    def test_put_back(self):
        """The next to ask gets it; not a part of it, nor what never came from here."""
        memory = Memory()
        array = memory.array((1000, 3))
        memory.put_back(array)
        self.assertIs(memory.array((1000, 3)), array)
        for other in (array[:], np.empty((1000, 3), np.float32), memory.bytes(12000)):
            memory.put_back(other)
            self.assertIsNot(memory.array((1000, 3)), other)

    def test_the_same_numbers(self):
        memory = Memory()
        a, b = memory.array((1000, 3)), memory.array((1000, 3))
        a[:], b[:] = 1.5, 1.5
        for x, y in ((a, b), (a, np.array(b)), (a[5:], b[5:])):
            self.assertTrue(_structs.is_same(x, y))
        self.assertTrue(_structs.is_same(None, None) and not _structs.is_same(a, None))
        b[-1, -1] = np.nextafter(np.float32(1.5), np.float32(2))
        self.assertFalse(_structs.is_same(a, b) or _structs.is_same(a, memory.array((999, 3))))

    def test_sizes_that_vary_share(self):
        memory = Memory()
        first = memory.bytes(1000, 2000).address
        second = memory.bytes(1900, 2000)
        self.assertEqual((second.address, second.nbytes), (first, 1900))
        self.assertEqual(memory.bytes(5000, 2000).nbytes, 5000)

    def test_nothing_is_refused(self):
        with self.assertRaises(ValueError):
            Memory().array((0, 3))

    def test_address(self):
        """Of a whole, of a part, of what cannot be written to, of what is not in one piece."""
        block = Memory().array((10, 3))
        fixed = np.zeros((4, 3), np.float32)
        fixed.setflags(write=False)
        for array in (block, block[3:], block[:, 1], fixed, np.zeros(5, np.float32)[1:]):
            self.assertEqual(_structs.address_in(array), array.ctypes.data)


class Kept(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.rig = mien.Rig.load(os.path.join(SAMPLES, "head_small.glb"))
        cls.face = mien.Face(cls.rig)
        cls.settings = mien.Settings(dt=1 / 24)

    def input(self, frame):
        head = ((0.0, float(np.sin(0.1 * frame)), 0.0, float(np.cos(0.1 * frame))), (0.0, 0.0, 0.0))
        return FrameInput(self.rig.pose(np.zeros(self.rig.info.nshape)), None, head, None, self.settings)

    def test_forgotten_frames_leave_their_memory(self):
        playback = Playback(self.face, 1)
        places = []
        for _ in range(3):
            shown = [playback.visit(k, self.input(k)) for k in range(1, 9)]
            places.append({array.address for array in shown})
            first = [array.copy() for array in shown]
            del shown
            playback.forget()
        self.assertEqual(places[1] & places[2], places[2])
        self.assertTrue(all(np.isfinite(array).all() for array in first))

    def test_what_somebody_holds_stays(self):
        """A host shows a frame that was forgotten meanwhile."""
        playback = Playback(self.face, 1)
        held = [playback.visit(k, self.input(k)) for k in range(1, 6)]
        before = [array.copy() for array in held]
        playback.forget()
        for k in range(1, 30):
            playback.visit(k, self.input(2 * k))
        self.assertTrue(all(np.array_equal(a, b) for a, b in zip(held, before)))

    def test_a_reserved_timeline(self):
        playback, plain = Playback(self.face, 1), Playback(self.face, 1)
        playback.reserve(1000, 4 << 20)  # bytes end it before frames do
        for k in range(1, 7):
            self.assertTrue(np.array_equal(playback.visit(k, self.input(k)), plain.visit(k, self.input(k))))
        self.assertEqual(playback.frames[6].summary.ncontact, plain.frames[6].summary.ncontact)
        self.assertEqual(playback.frames[6].summary.max_offset, plain.frames[6].summary.max_offset)
        self.assertNotEqual(playback.frames[6].summary.max_offset, playback.frames[2].summary.max_offset)

    def test_room_that_does_not_fit(self):
        state = mien.State(self.face)
        fixed = np.zeros(state.size, np.uint8)
        fixed.setflags(write=False)
        for room in (fixed, np.zeros(2 * state.size, np.uint8)[::2], np.zeros(state.size, np.float32)):
            with self.assertRaises(ValueError):
                state.save(room)
        with self.assertRaises(mien.MienError):
            state.save(np.zeros(state.size - 1, np.uint8))
        with self.assertRaises(ValueError):
            state.copy_positions(np.zeros((self.rig.info.nvert - 1, 3), np.float32))
        saved = state.save(np.zeros(state.size, np.uint8))
        self.assertTrue(np.array_equal(saved, state.save()))


if __name__ == "__main__":
    unittest.main()

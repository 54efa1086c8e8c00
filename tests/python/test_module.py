"""The module against the library's promises: shapes, lifetimes, errors, no needless copies."""

import gc
import os
import subprocess
import sys
import tempfile
import threading
import unittest

import numpy as np

import mien

SAMPLES = os.path.join(os.environ["MIEN_BUILD"], "share/mien")


def quad_rig(**more):
    """A sheet with one shape; small enough to look at."""
    n = 9
    grid = np.stack(np.meshgrid(np.arange(n), np.arange(n), indexing="xy"), -1).reshape(-1, 2)
    positions = np.concatenate([0.02 * grid, np.zeros((n * n, 1))], 1).astype(np.float32)
    at = (np.arange(n - 1)[:, None] * n + np.arange(n - 1)).reshape(-1, 1)
    faces = np.concatenate([at, at + 1, at + n + 1, at + n], 1).astype(np.int32)
    bulge = np.zeros_like(positions)
    bulge[:, 2] = 0.01 * np.exp(-50 * ((positions[:, :2] - 0.08) ** 2).sum(1))
    return mien.Rig.create(positions, faces, np.full(len(faces), 4), {"bulge": bulge}, **more)


class Rigs(unittest.TestCase):
    def test_load_and_look(self):
        rig = mien.Rig.load(os.path.join(SAMPLES, "head_small.glb"))
        info = rig.info
        self.assertEqual(rig.positions.shape, (info.nvert, 3))
        self.assertEqual(info.triangles.shape, (info.ntri, 3))
        self.assertEqual(len(rig.shape_names), info.nshape)
        self.assertEqual(rig.render_map.shape, (info.nrender,))
        self.assertTrue(np.allclose(rig.positions.max(0), info.box_max))
        self.assertIn(mien.PartKind.SKIN, [p.kind for p in info.parts])
        self.assertEqual(rig.find_shape("jaw_open"), rig.find_shape("jawOpen"))
        self.assertFalse(rig.positions.flags.writeable)
        with self.assertRaises(AttributeError):
            info.nothing_like_it

    def test_pose_is_rest_plus_deltas(self):
        rig = quad_rig()
        shape = rig.info.shapes[0]
        posed = rig.pose(rig.weights(bulge=0.5))
        expected = rig.positions.copy()
        expected[shape.indices] += np.float32(0.5) * shape.deltas
        self.assertTrue(np.array_equal(posed, expected))
        with self.assertRaises(KeyError):
            rig.weights(nose=1)

    def test_maps_and_parts(self):
        painted = np.linspace(0, 1, 81, dtype=np.float32)
        rig = quad_rig(maps={"attachment": painted, "up": np.ones((81, 3))}, weld=0,
                       parts=[mien.Part("all", "skin", 0, 81, 0, 64)])  # fmt: skip
        self.assertTrue(np.array_equal(rig.map("attachment"), painted))
        self.assertEqual(rig.map("up").shape, (81, 3))
        self.assertIsNone(rig.map("none"))
        self.assertEqual(rig.info.parts[0].kind, mien.PartKind.SKIN)

    def test_strided_input_is_not_copied(self):
        from mien import _structs

        wide = np.zeros((10, 4), np.float32)
        keep = []
        view = _structs.floats(wide[:, :3], 3, keep)
        self.assertEqual((view.count, view.stride), (10, 4))
        self.assertTrue(np.shares_memory(keep[0], wide))
        view = _structs.floats(np.zeros((3, 10), np.float32).T, 3, keep)
        self.assertEqual(view.stride, 3)  # columns apart: copied
        view = _structs.floats(np.zeros((10, 3)), 3, keep)
        self.assertEqual(keep[-1].dtype, np.float32)
        view = _structs.floats(wide[::-1, :3], 3, keep)  # backwards: copied
        self.assertEqual(view.stride, 3)

    def test_arrays_outlive_their_object(self):
        rig = mien.Rig.load(os.path.join(SAMPLES, "cube.glb"))
        positions, name = rig.positions, rig.info.name
        before = positions.copy()
        del rig
        gc.collect()
        self.assertTrue(np.array_equal(positions, before))
        self.assertTrue(name)


class Errors(unittest.TestCase):
    def test_the_library_speaks(self):
        with self.assertRaisesRegex(OSError, "no_such") as caught:
            mien.Rig.load("no_such.glb")
        self.assertIsInstance(caught.exception, mien.MienError)
        self.assertEqual(caught.exception.result, mien.Result.ERR_IO)
        with self.assertRaises(mien.FormatError):
            mien.Rig.read(b"glTF nonsense that is long enough to look at")
        with self.assertRaises(mien.NotFiniteError):
            mien.Rig.create(np.full((3, 3), np.nan, np.float32), [[0, 1, 2]])
        with self.assertRaises(ValueError):
            mien.Rig.create(np.zeros((3, 3)), [[0, 1, 7]])

    def test_names_are_checked(self):
        with self.assertRaisesRegex(TypeError, "did you mean 'stiffness'"):
            mien.Face(quad_rig(), stifness=1)
        state = mien.State(mien.Face(quad_rig()))
        with self.assertRaisesRegex(ValueError, "plane"):
            state.step(contact="glue")
        with self.assertRaises(mien.OptionsError):
            state.step(dt=0)
        with self.assertRaises(mien.MismatchError):
            state.step(weights=np.zeros(99, np.float32))
        self.assertEqual(state.info.nstep, 0)

    def test_progress_stops_and_exceptions_come_through(self):
        with self.assertRaisesRegex(RuntimeError, "mine"):
            mien.Face(mien.Rig.load(os.path.join(SAMPLES, "head_small.glb")), host={"progress": self.fail_loudly})
        with self.assertRaisesRegex(mien.Cancelled, "stopped by the host"):
            mien.Face(mien.Rig.load(os.path.join(SAMPLES, "head_small.glb")), host={"progress": lambda what, done: True})
        said = []
        face = mien.Face(mien.Rig.load(os.path.join(SAMPLES, "head_small.glb")), preset="jowly",
                         progress=lambda what, done: said.append((what, done)))  # fmt: skip
        self.assertTrue(said and all(what and 0 <= done <= 1 for what, done in said), said)
        self.assertEqual(face.settings["stiffness"], mien.presets.values("jowly")["stiffness"])

    @staticmethod
    def fail_loudly(what, done):
        raise RuntimeError("mine")


class Steps(unittest.TestCase):
    def shaken(self, threads):
        state = mien.State(mien.Face(quad_rig()), threads=threads)
        for frame in range(6):
            state.step(weights=[0.5], head=((0, 0, 0, 1), (0.01 * frame % 0.03, 0, 0)))
        return state

    def test_a_step_that_is_not_plausible_says_so(self):
        state = mien.State(mien.Face(quad_rig()))
        self.assertEqual((state.step(), state.remark), (0, ""))
        self.assertEqual(state.step(head=((0, 0, 0, 1), (1000, 0, 0))), 1)
        self.assertIn("the head moves 1e+03 m in one step", state.remark)
        self.assertGreaterEqual(state.info.implausible_vertex, 0)
        self.assertGreater(state.info.nimplausible, 0)

    def test_same_bits_for_any_number_of_threads(self):
        self.assertEqual(self.shaken(1).hash, self.shaken(4).hash)

    def test_snapshots(self):
        state = self.shaken(1)
        kept, before = state.save(), state.positions.copy()
        state.step(head=((0, 0, 0, 1), (0.1, 0, 0)))
        after = state.positions.copy()
        self.assertFalse(np.array_equal(before, after))
        state.restore(kept)
        self.assertTrue(np.array_equal(state.positions, before))
        state.step(head=((0, 0, 0, 1), (0.1, 0, 0)))
        self.assertTrue(np.array_equal(state.positions, after))
        with self.assertRaises(mien.MienError):
            state.restore(kept[:100])

    def test_pose_equals_weights(self):
        rig = quad_rig()
        face = mien.Face(rig)
        a, b = mien.State(face), mien.State(face)
        wide = np.zeros((81, 5), np.float32)
        for k in range(4):
            weights, head = rig.weights(bulge=0.2 * k), ((0, 0, 0, 1), (0.01 * k, 0, 0))
            wide[:, :3] = rig.pose(weights)
            a.step(weights=weights, head=head)
            b.step(weights=weights, pose=wide[:, :3], head=head)
        self.assertEqual(a.hash, b.hash)

    def test_matrices(self):
        angle = 0.3
        m = np.eye(4)
        m[:3, :3] = [[np.cos(angle), 0, np.sin(angle)], [0, 1, 0], [-np.sin(angle), 0, np.cos(angle)]]
        m[:3, 3] = (1, 2, 3)
        self.assertTrue(np.allclose(mien.Rigid.from_matrix(m).matrix, m))
        turn = mien.Rigid((0.5, 0.5, 0.5, 0.5), (0, 0, 0))
        self.assertTrue(np.allclose(mien.Rigid.from_matrix(turn.matrix).rotation, turn.rotation))
        half = mien.Rigid((1, 0, 0, 0))  # half a turn: the trace is -1
        self.assertTrue(np.allclose(np.abs(mien.Rigid.from_matrix(half.matrix).rotation), (1, 0, 0, 0)))
        with self.assertRaises(ValueError):
            mien.Rigid.from_matrix(np.full((4, 4), np.nan))

    def test_the_lock_is_released_and_a_state_has_one_user(self):
        face = mien.Face(mien.Rig.load(os.path.join(SAMPLES, "head_small.glb")))
        states = [mien.State(face, threads=1) for _ in range(2)]
        found = []

        def work(state):
            for k in range(5):
                state.step(head=((0, 0, 0, 1), (0.01 * k, 0, 0)))
            found.append(state.hash)

        threads = [threading.Thread(target=work, args=(s,)) for s in states]
        [t.start() for t in threads]
        [t.join() for t in threads]
        self.assertEqual(found[0], found[1])
        real, state = states[0]._step, states[0]

        def meanwhile(*arguments):
            with self.assertRaisesRegex(mien.MienError, "another thread"):
                state.step()
            return real(*arguments)

        state._step = meanwhile
        for _ in range(2):  # and it is free again afterwards
            state.step()


class Files(unittest.TestCase):
    def test_takes(self):
        take = mien.Take.create(["bulge"], [0, 0.5, 1], [[0], [1], [0]], [mien.Rigid()] * 3)
        weights, head = take.sample(0.25)
        self.assertAlmostEqual(float(weights[0]), 0.5)
        self.assertEqual(head.rotation[3], 1)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "take.csv")
            take.save(path)
            again = mien.Take.load(path)
            self.assertTrue(np.array_equal(again.info.weights, take.info.weights))
            self.assertEqual(again.info.channels, ["bulge"])
        bound = take.bind(quad_rig())
        self.assertEqual((bound.unmatched, bound.info.nchannel), (0, 1))

    def test_caches(self):
        rig = quad_rig()
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "out.pc2")
            with mien.Cache(path, rig) as cache:
                for k in range(3):
                    cache.append(rig.pose([k]))
                self.assertFalse(os.path.exists(path))
            points = mien.CacheReader(path).points
            self.assertEqual(points.shape, (3, 81, 3))
            self.assertTrue(np.array_equal(points[2], rig.pose([2])))
            with self.assertRaises(ZeroDivisionError):
                with mien.Cache(os.path.join(folder, "bad.pc2"), rig) as cache:
                    cache.append(rig.positions)
                    1 / 0
            self.assertEqual(os.listdir(folder), ["out.pc2"])

    def test_rig_round_trip(self):
        rig = quad_rig()
        face = mien.Face(rig)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "face.glb")
            rig.save(path, face)
            again = mien.Rig.load(path)
            self.assertTrue(np.array_equal(again.positions, rig.positions))
            self.assertIsNotNone(again.map("attachment"))


class Loading(unittest.TestCase):
    def import_with(self, library):
        code = "import mien"
        environment = dict(os.environ, MIEN_LIBRARY=library)
        return subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)

    def test_a_missing_library_is_said(self):
        done = self.import_with("/no/such/libmien.so")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("libmien could not be loaded", done.stderr)

    def test_another_library_is_refused(self):
        done = self.import_with("libm.so.6")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("another version", done.stderr)


if __name__ == "__main__":
    unittest.main()

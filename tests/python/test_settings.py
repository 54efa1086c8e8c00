"""The table of parameters, settings, streams: what hosts build their panels and live drives from."""

import os
import unittest

import numpy as np

import mien
from mien import settings

SAMPLES = os.path.join(os.environ["MIEN_BUILD"], "share/mien")


class Presets(unittest.TestCase):
    def test_a_face_by_name(self):
        """The flesh, and what its steps use: jowly cheeks hang, which is gravity."""
        self.assertIn("jowly", mien.presets.names())
        self.assertTrue(all(mien.presets.about(name) for name in mien.presets.names()))
        rig = mien.Rig.load(os.path.join(SAMPLES, "head_small.glb"))
        made = mien.Settings.preset("jowly")
        named, given = (mien.State(mien.Face(rig, **how)) for how in ({"preset": "jowly"}, {"settings": made}))
        plain = mien.State(mien.Face(rig))
        for _ in range(3):
            named.step(dt=1 / 24)
            plain.step(dt=1 / 24)
            made["dt"] = 1 / 24
            given.step(settings=made)
        self.assertEqual(named.hash, given.hash)
        self.assertGreater(np.abs(named.positions - plain.positions).max(), 1e-5)
        with self.assertRaisesRegex(ValueError, "there are .*jowly"):
            mien.Face(rig, preset="jolly")
        with self.assertRaises(TypeError):
            mien.Face(rig, preset="fat", settings=made)


class Table(unittest.TestCase):
    def test_every_parameter_can_be_shown(self):
        rows = settings.parameters()
        self.assertGreater(len(rows), 20)
        self.assertEqual(len({p.name for p in rows}), len(rows))
        for p in rows + settings.maps():
            self.assertTrue(p.help, p.name)
            if p.choices:
                self.assertIn(p.default, p.choices)
            elif isinstance(p.default, (int, float)):
                self.assertLessEqual(p.minimum, p.default, p.name)
                self.assertLessEqual(p.default, p.maximum, p.name)
        self.assertIn("attachment", {p.name for p in settings.maps()})

    def test_defaults_are_the_library_s(self):
        made = mien.Settings()
        for p in settings.parameters():
            self.assertEqual(made[p.name], p.default, p.name)
        self.assertEqual(made.struct.step.iterations, mien.options.defaults("step")["iterations"])

    def test_values(self):
        made = mien.Settings(sticky=0.5, contact="barrier", gravity=(0, -9.81, 0), sticky_length=3)
        self.assertEqual(made["contact"], "barrier")
        self.assertEqual(made["gravity"], (0, -9.81, 0))
        self.assertAlmostEqual(made.struct.step.sticky_length, 3e-3)  # millimetres outside
        again = mien.Settings()
        again.read(made.write())
        self.assertEqual(again, made)
        other = made.copy()
        other["sticky"] = 0.25
        self.assertNotEqual(other, made)
        self.assertEqual(made["sticky"], 0.5)

    def test_wrong_values_change_nothing(self):
        made = mien.Settings()
        for name, value in (("friction", -1), ("contact", "glue"), ("iterations", 0), ("gravity", (0, float("nan"), 0))):
            with self.assertRaises(mien.MienError, msg=name):
                made[name] = value
        with self.assertRaises(KeyError):
            made["bounce"] = 1
        with self.assertRaises(mien.MienError):
            made.read('{"friction": 0.5, "nonsense": 1}')
        self.assertEqual(made, mien.Settings())

    def test_settings_are_used(self):
        rig = mien.Rig.load(os.path.join(SAMPLES, "bar.glb"))
        masses = [mien.Face(rig, settings=mien.Settings(density=d)).info.mass for d in (1000, 2000)]
        self.assertAlmostEqual(masses[1] / masses[0], 2, places=5)
        face = mien.Face(rig)
        hanging = mien.Settings(gravity=(0, -9.81, 0), dt=1 / 24)
        a, b = mien.State(face), mien.State(face)
        a.step(settings=hanging)
        b.step(gravity=(0, -9.81, 0), dt=1 / 24)
        self.assertEqual(a.hash, b.hash)


class Streams(unittest.TestCase):
    def test_a_frame_arrives(self):
        for protocol, port in (("live_link", 45881), ("vmc", 45882), ("ifacialmocap", 45883)):
            with mien.Stream(protocol, port=port) as listener, mien.Stream(protocol, sends=True, port=port) as sender:
                self.assertFalse(listener.latest())
                sender.send({"jawOpen": 0.5, "mouthSmileLeft": 0.25}, mien.Rigid(), time=0.1)
                self.assertTrue(listener.latest(wait=2), protocol)
                self.assertAlmostEqual(listener.weights["jawOpen"], 0.5, places=2, msg=protocol)
                self.assertEqual(listener.info.nmalformed, 0)

    def test_refusals(self):
        with self.assertRaises(ValueError):
            mien.Stream("smoke_signals")
        with self.assertRaises(mien.MienError):
            mien.Stream("vmc", address="no such place")


class Jaw(unittest.TestCase):
    def test_a_transform_moves_the_jaw(self):
        rig = mien.Rig.load(os.path.join(SAMPLES, "head_small.glb"))
        face = mien.Face(rig)
        still, moved = mien.State(face), mien.State(face)
        for k in range(3):
            still.step()
            turn = (float(np.sin(0.1)), 0.0, 0.0, float(np.cos(0.1)))
            moved.step(jaw=(turn, (0, 0, 0)))
        self.assertGreater(np.abs(still.positions - moved.positions).max(), 1e-3)


if __name__ == "__main__":
    unittest.main()

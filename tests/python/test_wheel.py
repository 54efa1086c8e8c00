"""The wheel: whole, and it runs from a folder that knows nothing of the build."""

import ast
import base64
import csv
import glob
import hashlib
import io
import os
import subprocess
import sys
import tempfile
import unittest
import zipfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.environ["MIEN_BUILD"]


class Wheel(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        script = os.path.join(ROOT, "plugin/python/make_wheel.py")
        subprocess.run(
            [sys.executable, script, os.path.join(BUILD, "python/mien"),
             os.path.realpath(os.path.join(BUILD, "package/libmien.so")), "0.1.0",
             os.path.join(ROOT, "LICENSE"), cls.folder.name],
            check=True, capture_output=True,
        )  # fmt: skip
        (cls.path,) = glob.glob(os.path.join(cls.folder.name, "mien-0.1.0-py3-none-manylinux_*.whl"))

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_record(self):
        with zipfile.ZipFile(self.path) as wheel:
            rows = list(csv.reader(io.StringIO(wheel.read("mien-0.1.0.dist-info/RECORD").decode())))
            self.assertEqual({r[0] for r in rows}, set(wheel.namelist()))
            for name, digest, size in rows[:-1]:
                data = wheel.read(name)
                self.assertEqual(int(size), len(data))
                expected = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
                self.assertEqual(digest, "sha256=" + expected)
            self.assertIn("mien/_abi.py", wheel.namelist())
            self.assertIn("mien/py.typed", wheel.namelist())

    def test_installed_in_an_environment_of_its_own(self):
        """pip install, then the example of the manual, with nothing of the build in sight."""
        with tempfile.TemporaryDirectory() as place:
            environment = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "MIEN_"))}
            python = os.path.join(place, "venv/bin/python")
            made = subprocess.run(
                [sys.executable, "-m", "venv", "--system-site-packages", os.path.join(place, "venv")], capture_output=True
            )
            if made.returncode:
                self.skipTest("this Python makes no virtual environments (python3-venv)")
            install = [python, "-m", "pip", "install", "-q", "--no-index", "--no-deps", self.path]
            subprocess.run(install, env=environment, check=True, capture_output=True)
            samples, out = os.path.join(BUILD, "share/mien"), os.path.join(place, "out.pc2")
            example = os.path.join(ROOT, "plugin/python/examples/animate.py")
            files = [os.path.join(samples, "head_small.glb"), os.path.join(samples, "jump.csv"), out]
            subprocess.run([python, example, *files], env=environment, cwd=place, check=True, capture_output=True)
            self.assertGreater(os.path.getsize(out), 1000)

    def test_every_python_from_3_7_reads_it(self):
        """3.7 is the Python of Maya 2022."""
        with zipfile.ZipFile(self.path) as wheel:
            self.assertIn("Requires-Python: >=3.7", wheel.read("mien-0.1.0.dist-info/METADATA").decode())
            for name in wheel.namelist():
                if name.endswith(".py"):
                    ast.parse(wheel.read(name).decode(), name, feature_version=(3, 7))

    def test_it_runs_with_its_own_libraries(self):
        with tempfile.TemporaryDirectory() as place:
            with zipfile.ZipFile(self.path) as wheel:
                wheel.extractall(place)
            code = (
                "import mien, os; "
                "maps = open('/proc/self/maps').read(); "
                "print(mien.build_info()); "
                "print([l.split()[-1] for l in maps.splitlines() if 'libcholmod' in l or 'libjansson' in l][:1])"
            )
            environment = {k: v for k, v in os.environ.items() if k != "MIEN_LIBRARY"}
            environment["PYTHONPATH"] = place
            said = subprocess.run(
                [sys.executable, "-c", code], env=environment, cwd=place, check=True, capture_output=True, text=True
            ).stdout
            self.assertIn("mien 0.1.0", said)
            self.assertIn(place, said, "the libraries beside libmien are not the ones it uses")


if __name__ == "__main__":
    unittest.main()

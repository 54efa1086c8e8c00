"""In a process that has brought libraries of its own, of the names libmien's have."""

import os
import subprocess
import sys
import tempfile
import unittest

# another CHOLMOD: says its version, is used for nothing
OTHER = """
#include <stdlib.h>
int cholmod_version(int version[3]) { version[0] = 5, version[1] = 3, version[2] = 5; return 5003; }
#define REFUSES(name) int name(void) { abort(); }
REFUSES(cholmod_start) REFUSES(cholmod_finish) REFUSES(cholmod_metis) REFUSES(cholmod_analyze)
REFUSES(cholmod_factorize) REFUSES(cholmod_solve2) REFUSES(cholmod_allocate_dense)
REFUSES(cholmod_free_dense) REFUSES(cholmod_free_factor) REFUSES(cholmod_malloc) REFUSES(cholmod_free)
"""

SHOT = """
import ctypes, os, sys
if sys.argv[1] != "alone":
    ctypes.CDLL(sys.argv[1], ctypes.RTLD_GLOBAL)
if sys.argv[2] == "shallow" and hasattr(os, "RTLD_DEEPBIND"):
    del os.RTLD_DEEPBIND  # as on systems that have none
import mien
rig = mien.Rig.load(os.path.join(os.environ["MIEN_BUILD"], "share/mien/head_small.glb"))
state = mien.State(mien.Face(rig))
for k in range(4):
    state.step(head=((0.0, 0.1 * k, 0.0, (1 - 0.01 * k * k) ** 0.5), (0.0, 0.0, 0.0)), dt=1 / 24)
print(state.hash, float(abs(state.positions - rig.positions).max()))
"""


class OtherCholmod(unittest.TestCase):
    def run_shot(self, *arguments):
        done = subprocess.run([sys.executable, "-c", SHOT, *arguments], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        hashed, motion = done.stdout.split()
        self.assertGreater(float(motion), 1e-5)
        return hashed, float(motion)

    def test_same_bits_beside_another(self):
        with tempfile.TemporaryDirectory() as folder:
            source, library = os.path.join(folder, "other.c"), os.path.join(folder, "libother.so")
            with open(source, "w") as file:
                file.write(OTHER)
            subprocess.run([os.environ.get("CC", "cc"), "-shared", "-fPIC", source, "-o", library], check=True)
            alone = self.run_shot("alone", "deep")
            if hasattr(os, "RTLD_DEEPBIND"):
                self.assertEqual(self.run_shot(library, "deep"), alone)
            # where libmien cannot be told to prefer its own, it does without: other rounding, no crash
            self.assertAlmostEqual(self.run_shot(library, "shallow")[1], alone[1], 5)


if __name__ == "__main__":
    unittest.main()

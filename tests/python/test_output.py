"""Files that Python writes obey the library's rules: one writer, no links, whole when they have their name."""

import os
import signal
import stat
import tempfile
import unittest

import mien
from mien.output import Output, write_text

SAMPLES = os.path.join(os.environ["MIEN_BUILD"], "share/mien")


class Outputs(unittest.TestCase):
    def setUp(self):
        self.room = tempfile.TemporaryDirectory()
        self.addCleanup(self.room.cleanup)
        self.path = os.path.join(self.room.name, "file.glb")
        self.part = self.path + ".part"
        signal.alarm(60)  # whoever waits for a pipe's other end has failed
        self.addCleanup(signal.alarm, 0)

    def read(self, path):
        with open(path, encoding="utf-8") as file:
            return file.read()

    def refused(self, words):
        with self.assertRaises(OSError) as caught:
            Output(self.path)
        self.assertIn(words, str(caught.exception))

    def test_second_writer_is_refused(self):
        """Of whatever program of mien: the library knows the same lock."""
        first = Output(self.path)
        self.refused("another program is writing it")
        with self.assertRaisesRegex(mien.FileError, "another program is writing it"):
            mien.Rig.load(os.path.join(SAMPLES, "cube.glb")).save(self.path)
        first.file.write(b"first")
        first.commit()
        self.assertEqual(self.read(self.path), "first")
        self.assertFalse(os.path.exists(self.part))

    def test_what_is_in_the_way(self):
        os.mkfifo(self.part)
        self.refused("a link, or not a file")
        os.unlink(self.part)
        os.mkdir(self.path)
        self.refused("a folder")
        self.path = os.path.join(self.room.name, "absent/file")
        with self.assertRaises(FileNotFoundError):
            Output(self.path)

    def test_links_are_not_followed(self):
        victim = os.path.join(self.room.name, "victim")
        write_text(victim, "precious")
        os.symlink(victim, self.part)
        self.refused("a link, or not a file")
        os.unlink(self.part)
        os.symlink(victim, self.path)  # replaced, not what it points to
        write_text(self.path, "mine")
        self.assertFalse(os.path.islink(self.path))
        os.unlink(self.path)
        os.link(victim, self.part)  # left by nobody we know: a fresh file takes the name
        write_text(self.path, "mine")
        self.assertEqual((self.read(victim), self.read(self.path)), ("precious", "mine"))

    def test_whole_or_not_at_all(self):
        write_text(self.path, "old")
        out = Output(self.path)
        out.file.write(b"half of it")
        out.file.flush()
        self.assertEqual(self.read(self.path), "old")
        out.discard()
        self.assertFalse(os.path.exists(self.part))
        with self.assertRaises(UnicodeEncodeError):
            write_text(self.path, "\udc80")
        self.assertEqual(os.listdir(self.room.name), ["file.glb"])
        out = Output(self.path)
        os.unlink(self.part)
        with open(self.part, "w", encoding="utf-8") as file:
            file.write("another's")
        with self.assertRaisesRegex(OSError, "removed or replaced"):
            out.commit()
        self.assertEqual((self.read(self.path), self.read(self.part)), ("old", "another's"))

    def test_text_is_utf8_whatever_the_locale(self):
        write_text(self.path, "Mund öffnen, 口\n", 0o755)
        with open(self.path, "rb") as file:
            self.assertEqual(file.read(), "Mund öffnen, 口\n".encode())
        self.assertEqual(stat.S_IMODE(os.stat(self.path).st_mode), 0o755)


unittest.main()

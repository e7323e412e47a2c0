"""Tests of failures of the virtual board and its images: a clear error within a limit, and no remaining files."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parent))

from boards import BIG, LACKS, ROOT, leaves_nothing  # noqa: E402
from vboard import image  # noqa: E402
from vboard.agent_link import AgentLink  # noqa: E402
from vboard.board import Board, BoardError, Disk  # noqa: E402
from vboard.reader import Reader  # noqa: E402


@unittest.skipIf(LACKS, f"no virtual board: {LACKS}")
class BadInput(unittest.TestCase):
    """A clear error within a limit, and no remaining files."""

    def test_no_qemu(self) -> None:
        with leaves_nothing(self), mock.patch.dict(os.environ, {"PATH": "/nowhere"}):
            with self.assertRaisesRegex(BoardError, "no qemu-system-aarch64 on PATH; apt-get install qemu-system-arm"):
                Board.start("bare")

    def test_no_such_image(self) -> None:
        with self.assertRaisesRegex(BoardError, "choose one of bare, debian"):
            Board.start("fedora")

    def test_no_such_disk(self) -> None:
        with leaves_nothing(self), self.assertRaisesRegex(BoardError, "no disk image /no/such"):
            Board.start("bare", disks=[Disk("/no/such")])
        with leaves_nothing(self), self.assertRaisesRegex(BoardError, "(?s)qemu ended with status 1 .*nbd.*|No such file"):
            Board.start("bare", disks=[Disk("nbd:unix:/no/such/socket")])

    def test_a_kernel_that_is_none(self) -> None:
        with tempfile.TemporaryDirectory() as directory, leaves_nothing(self):
            real = image.ensure("bare").directory
            (Path(directory) / "kernel").write_bytes(b"not a kernel")
            (Path(directory) / "initramfs").symlink_to(real / "initramfs")
            with mock.patch.object(image, "ensure", lambda name: image.Image("bare", Path(directory))):
                start = time.monotonic()
                with self.assertRaises(BoardError):
                    Board.start("bare", timeout=3)
                self.assertLess(time.monotonic() - start, 20)

    def test_a_board_that_disappears(self) -> None:
        with leaves_nothing(self), Board.start("bare") as board:
            threading.Timer(0.5, lambda: os.kill(board.pid, signal.SIGKILL)).start()
            start = time.monotonic()
            with self.assertRaisesRegex(BoardError, "(?s)qemu was ended by signal 9"):
                board.run(["sleep", "1000"], timeout=120)
            self.assertLess(time.monotonic() - start, 30)
            self.assertFalse(board.alive)

    def test_a_board_that_panics(self) -> None:
        with leaves_nothing(self), Board.start("bare") as board:
            with self.assertRaisesRegex(BoardError, "(?s)the board restarted.*end of the console.*Kernel panic"):
                board.run("echo c > /proc/sysrq-trigger", timeout=120)

    def test_a_board_that_does_not_answer(self) -> None:
        with leaves_nothing(self), Board.start("bare") as board:
            os.kill(board.pid, signal.SIGSTOP)
            start = time.monotonic()
            for attempt in (lambda: board.run("true", timeout=1), lambda: board.put(BIG, "/tmp/x", timeout=1),
                            lambda: board.get("/proc/version", timeout=1)):
                with self.assertRaises(BoardError):
                    attempt()
            self.assertLess(time.monotonic() - start, 30)

    def test_an_agent_that_is_killed_restarts(self) -> None:
        with leaves_nothing(self), Board.start("bare") as board:
            with self.assertRaisesRegex(BoardError, "the agent of the board restarted"):
                board.run("kill -9 $PPID; sleep 100", timeout=60)
            self.assertEqual(board.run("echo again").out, b"again\n")

    def test_lives_on_without_the_thread_that_started_it(self) -> None:
        boards: list[Board] = []
        thread = threading.Thread(target=lambda: boards.append(Board.start("bare")))
        thread.start()
        thread.join()
        with boards[0] as board:
            self.assertEqual(board.run("echo here").text, "here\n")

    def test_frames_are_found_again_after_rubbish(self) -> None:
        condition = threading.Condition(threading.RLock())
        with contextlib.ExitStack() as stack:
            near, far = socket.socketpair()
            stack.callback(near.close)
            stack.callback(far.close)
            link = AgentLink(near, condition, lambda: None)
            job = link.open(2, b"", "a command", time.monotonic() + 5)
            frame = struct.pack("<IIII", 0x544C4356, 3, 17, job.number) + b"abc"
            with condition:
                link.feed(b"VCLrubbish" + frame[:7])
                link.feed(frame[7:])
                link.feed(struct.pack("<IIII", 0x544C4356, 1 << 30, 17, job.number) + frame)
            self.assertEqual(bytes(job.out), b"abcabc")


class Links(unittest.TestCase):
    """The host's ends of the connections, without a board."""

    def setUp(self) -> None:
        self.condition = threading.Condition(threading.RLock())
        self.near, self.far = socket.socketpair()
        self.addCleanup(self.near.close)
        self.addCleanup(self.far.close)
        self.link = AgentLink(self.near, self.condition, lambda: None)

    def frame(self, kind: int, number: int, payload: bytes) -> bytes:
        return struct.pack("<IIII", 0x544C4356, len(payload), kind, number) + payload

    def test_unread_output_has_a_limit(self) -> None:
        job = self.link.open(2, b"", "a command", time.monotonic() + 5)
        with mock.patch("vboard.agent_link.OUTPUT_MAX", 1 << 20), self.condition:
            for _ in range(100):
                self.link.feed(self.frame(17, job.number, bytes(60000)))
        self.assertLess(len(job.out), 2 << 20)
        with self.assertRaisesRegex(BoardError, "of output is waiting to be read during a command"):
            self.link.finish(job, time.monotonic() + 5)

    def test_frames_before_a_reset_are_handled_before_it(self) -> None:
        """Half a frame of the boot that has ended must not swallow the first frames of the next."""
        qmp, qemu = socket.socketpair()
        self.addCleanup(qmp.close)
        self.addCleanup(qemu.close)
        for end in (qmp, self.near):
            end.setblocking(False)
        taken: list[bytes] = []
        machine = mock.Mock(qmp=qmp, agent=self.near)
        reader = Reader(machine, self.condition, taken.append, taken.append, lambda ending: None)
        self.far.sendall(b"half a frame")
        qemu.sendall(b"RESET")
        reader._take(qmp)
        self.assertEqual(taken, [b"half a frame", b"RESET"])


class Images(unittest.TestCase):
    """Tests of images in the cache."""

    def test_no_network(self) -> None:
        with tempfile.TemporaryDirectory() as directory, mock.patch.dict(
                os.environ, {"CLEAT_CACHE": directory, "CLEAT_DEBIAN_MIRROR": "http://127.0.0.1:9"}):
            with self.assertRaisesRegex(BoardError, "apt-get.*update failed.*the mirror must be reachable"):
                image.ensure("bare")
            left = [path.name for path in (Path(directory) / "vboard").iterdir() if path.name not in ("lock", "apt", "debs")]
            self.assertEqual(left, [])

    def test_unused_images_are_removed_and_used_ones_stay(self) -> None:
        with tempfile.TemporaryDirectory() as directory, mock.patch.dict(os.environ, {"CLEAT_CACHE": directory}):
            store = image.store()
            for name, days in ((f"bare-{image.recipe('bare')}-aaa", 30), ("bare-old-bbb", 30), ("bare-new-ccc", 1)):
                (store / name).mkdir()
                os.utime(store / name, (time.time() - days * 86400,) * 2)
            found = image.find("bare")
            image.remove_unused(store)
            self.assertEqual({path.name for path in store.iterdir()},
                             {f"bare-{image.recipe('bare')}-aaa", "bare-new-ccc"})
            self.assertEqual(found, image.find("bare"))

    def test_a_cache_that_cannot_be_written(self) -> None:
        with mock.patch.dict(os.environ, {"CLEAT_CACHE": "/proc/none"}):
            with self.assertRaisesRegex(BoardError, "cannot be made.*CLEAT_CACHE"):
                image.ensure("bare")

    def test_wrong_usage(self) -> None:
        for words in (["fedora"], [], ["--nonsense"]):
            done = subprocess.run([ROOT / "cross/vboard/images", *words], capture_output=True, text=True)
            self.assertEqual(done.returncode, 64, done.stderr)

    @unittest.skipIf(LACKS, f"no virtual board: {LACKS}")
    def test_an_image_in_the_cache_needs_no_network(self) -> None:
        with mock.patch.dict(os.environ, {"CLEAT_DEBIAN_MIRROR": "http://127.0.0.1:9"}):
            done = subprocess.run([ROOT / "cross/vboard/images", "bare"], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertTrue((Path(done.stdout.strip()) / "kernel").exists())


if __name__ == "__main__":
    unittest.main()

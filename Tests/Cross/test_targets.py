"""Targets themselves: what they promise to tests, and what happens when one disappears.

`python3 -m unittest discover -s Tests/Cross -t Tests/Cross`
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path
from unittest import mock

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPOSITORY / "cross"))
sys.path.insert(0, str(Path(__file__).resolve().parent))

from left_behind import descendants, held_directories  # noqa: E402
from private_server import PrivateServer, lacks  # noqa: E402
from target.errors import MissingCapability, TargetError, TargetGone, TargetMissing, TargetTimeout  # noqa: E402
from target.opening import open_target  # noqa: E402
from target.target import CAPABILITIES, Target  # noqa: E402
from vboard.errors import BoardError  # noqa: E402


class TargetContract(unittest.TestCase):
    """Tests of every target; subclasses open one."""

    target: Target

    @classmethod
    def setUpClass(cls) -> None:
        if cls is TargetContract:
            raise unittest.SkipTest("it is the description that the others follow")

    def test_facts(self) -> None:
        self.assertLessEqual(self.target.capabilities, set(CAPABILITIES))
        self.assertEqual(self.target.run("uname -m").out.strip(), self.target.architecture)
        self.assertTrue(self.target.directory.startswith("/"))
        self.assertTrue(self.target.is_alive())

    def test_run(self) -> None:
        done = self.target.run("echo out; echo err >&2; exit 3")
        self.assertEqual((done.status, done.out, done.err), (3, "out\n", "err\n"))
        self.assertEqual(self.target.run(["printf", "%s|", "a b", "$HOME", "'"]).out, "a b|$HOME|'|")
        self.assertEqual(self.target.run("cat", input=b"\0\xff\n").out.encode(errors="surrogateescape"), b"\0\xff\n")
        self.assertEqual(self.target.run("echo $A", environment={"A": "x 'y' $z"}).out, "x 'y' $z\n")
        self.assertEqual(self.target.run("cat", timeout=5).out, "", "without input there is an end at once")
        self.assertEqual(self.target.run("kill -9 $$").status, 137)
        self.assertIn(self.target.run(["/nowhere/program"]).status, (126, 127))

    def test_a_command_that_takes_too_long(self) -> None:
        start = time.monotonic()
        with self.assertRaises(TargetTimeout) as caught:
            self.target.run("sleep 600 & echo $! >" + f"{self.target.directory}/late; echo before; wait", timeout=1)
        self.assertIn("before", str(caught.exception))
        self.assertLess(time.monotonic() - start, 60)
        late = self.target.get(f"{self.target.directory}/late").decode().strip()
        self.target.eventually("what it started is killed", lambda: self.target.run(f"kill -0 {late}").status != 0)

    def test_files(self) -> None:
        place = f"{self.target.directory}/a b/file'"
        body = os.urandom(300_000)
        self.target.put(body, place, mode=0o750)
        self.assertEqual(self.target.get(place), body)
        self.assertEqual(self.target.run(["stat", "-c", "%a", place]).out, "750\n")
        with tempfile.NamedTemporaryFile() as file:
            file.write(b"from a file")
            file.flush()
            self.target.put(file.name, place)
        self.assertEqual(self.target.get(place), b"from a file")
        with self.assertRaises(TargetError) as caught:
            self.target.get(f"{self.target.directory}/nothing")
        self.assertIn("nothing", str(caught.exception))
        with self.assertRaises((TargetError, AssertionError)):
            self.target.put(b"", "/proc/no/such/place")

    def test_processes(self) -> None:
        with self.target.spawn("echo $$; echo note >&2; while read -r line; do echo \"got $line\"; done", input=True) as one:
            self.assertEqual(one.read_line(), str(one.pid))
            one.write(b"x\ny\n")
            self.assertEqual([one.read_line(), one.read_line()], ["got x", "got y"])
            with self.assertRaises(TargetTimeout):
                one.read_line(0.1)
            self.assertEqual(one.err, "note\n")
        self.target.eventually("it is gone", lambda: self.target.run(f"kill -0 {one.pid}").status != 0)
        with self.target.spawn(["sh", "-c", "exit 4"]) as two:
            self.assertEqual(two.wait(), 4)
            self.assertIsNone(two.read_line())
        with self.target.spawn("exec sleep 600") as three:
            with self.assertRaises(TargetTimeout):
                three.wait(0.1)
            three.signal(15)
            self.assertEqual(three.wait(), 143)

    def test_missing_capabilities(self) -> None:
        with self.assertRaises(MissingCapability):
            self.target.plug("steam-engine", "x")
        if not self.target.can("cut"):
            with self.assertRaises(MissingCapability):
                self.target.cut()

    def test_links(self) -> None:
        if not self.target.can("veth"):
            self.skipTest(f"{self.target.name} makes no veth")
        self.target.plug("veth", "cleat-t1")
        try:
            self.target.check("ip link set cleat-t1 up")
            read = "cat /sys/class/net/cleat-t1/carrier"
            self.target.eventually("there is a carrier", lambda: self.target.run(read).out == "1\n")
            self.target.link("cleat-t1", False)
            self.target.eventually("there is none", lambda: self.target.run(read).out == "0\n")
        finally:
            self.target.unplug("cleat-t1")
        self.assertNotEqual(self.target.run("ip link show cleat-t1").status, 0)


class LocalTests(TargetContract):
    """This machine."""

    @classmethod
    def setUpClass(cls) -> None:
        cls.before = descendants()
        cls.target = open_target("local")

    @classmethod
    def tearDownClass(cls) -> None:
        # What still runs in the target ends with it.
        cls.target.spawn("sleep 600 & exec sleep 600")
        place = cls.target.directory
        cls.target.close()
        cls.target.close()
        assert not os.path.exists(place)
        assert descendants() <= cls.before, "processes were left behind"

    def test_the_machine_is_not_touched(self) -> None:
        if not self.target.can("root"):
            self.skipTest("an ordinary user has no namespaces here")
        own = {name: os.readlink(f"/proc/self/ns/{name}") for name in ("mnt", "net", "uts", "ipc", "pid")}
        for name, link in own.items():
            self.assertNotEqual(self.target.run(["readlink", f"/proc/self/ns/{name}"]).out.strip(), link)

    def test_closed(self) -> None:
        other = open_target("local")
        other.close()
        self.assertFalse(other.is_alive())
        with self.assertRaises(TargetGone):
            other.run("true")


class _SSHTests(TargetContract):
    kind = ""

    @classmethod
    def setUpClass(cls) -> None:
        if not cls.kind:
            raise unittest.SkipTest("it is the description that the others follow")
        if why := lacks(cls.kind):
            raise unittest.SkipTest(why)
        cls.before = descendants()
        cls.server = PrivateServer(cls.kind)
        cls.target = open_target(cls.server.address, ssh=cls.server.ssh, slowness=3)

    @classmethod
    def tearDownClass(cls) -> None:
        place = cls.target.directory
        cls.target.spawn("exec sleep 600")
        cls.target.close()
        assert not os.path.exists(place), f"{place} was left on the target"
        cls.server.close()
        assert descendants() <= cls.before, "processes were left behind"

    def _lost(self, how: str) -> None:
        """A target that disappears in the middle of a command and of a process: told in bounded time, nothing left."""
        before = descendants()
        with PrivateServer(self.kind) as server:
            with open_target(server.address, ssh=server.ssh, slowness=2) as target:
                # This machine is the board: what stays on a board that was lost is to be removed here.
                self.addCleanup(shutil.rmtree, target.directory, ignore_errors=True)
                process = target.spawn("echo there; exec sleep 600")
                self.assertEqual(process.read_line(), "there")
                waiting = target.spawn("echo waits; exec sleep 600")
                self.assertEqual(waiting.read_line(), "waits")
                getattr(server, how)()
                start = time.monotonic()
                with self.assertRaises(TargetGone) as caught:
                    target.run("sleep 600", timeout=3)
                self.assertIn(server.address, str(caught.exception))
                try:
                    # The end of the connection is the end of the output, or the time limit detects it.
                    self.assertIsNone(process.read_line(3))
                except TargetGone:
                    pass
                self.assertFalse(target.is_alive())
                self.assertLess(time.monotonic() - start, 60)
                start = time.monotonic()
                target.close()
                self.assertLess(time.monotonic() - start, 30)
        self.assertLessEqual(descendants(), before, "processes were left behind")

    def test_a_target_that_is_switched_off(self) -> None:
        self._lost("kill")

    def test_a_target_that_hangs(self) -> None:
        self._lost("freeze")


class OpenSSHTests(_SSHTests):
    """A board with OpenSSH's server."""

    kind = "openssh"


class DropbearTests(_SSHTests):
    """A board with dropbear."""

    kind = "dropbear"


class VBoardTests(TargetContract):
    """The virtual board's bare image."""

    @classmethod
    def setUpClass(cls) -> None:
        cls.before = descendants()
        try:
            cls.target = open_target("vboard")
        except TargetMissing as error:
            raise unittest.SkipTest(f"no board here: {error}") from error

    @classmethod
    def tearDownClass(cls) -> None:
        cls.target.close()
        assert descendants() <= cls.before, "processes were left behind"

    def test_z_a_board_that_dies(self) -> None:
        process = self.target.spawn("echo there; exec sleep 600")
        self.assertEqual(process.read_line(), "there")
        os.kill(self.target.board.pid, signal.SIGKILL)  # type: ignore[attr-defined]
        start = time.monotonic()
        with self.assertRaises(TargetGone) as caught:
            self.target.run("sleep 600")
        self.assertIn("vboard (bare)", str(caught.exception))
        with self.assertRaises(TargetGone):
            process.read_line()
        self.assertFalse(self.target.is_alive())
        self.assertLess(time.monotonic() - start, 10)
        process.close()
        with self.assertRaises(TargetGone):
            self.target.check("true")


class OpeningTests(unittest.TestCase):
    """Targets that cannot be had."""

    def test_addresses_that_are_none(self) -> None:
        for address in ("", "nowhere", "ssh:/host", "ssh://", "ssh://-oProxyCommand=x", "ssh://a b", "ssh://host:port"):
            with self.subTest(address=address), self.assertRaises(ValueError):
                open_target(address)

    def test_no_server(self) -> None:
        directories = held_directories()
        # No program listens on port 1 (tcpmux); the name of the second is reserved for missing hosts.
        for address in ("ssh://root@127.0.0.1:1", "ssh://root@nowhere.invalid"):
            with self.subTest(address=address):
                before = descendants()
                start = time.monotonic()
                with self.assertRaises(TargetGone) as caught:
                    open_target(address, ssh=["ssh", "-F", "none"])
                self.assertIn(address, str(caught.exception))
                self.assertLess(time.monotonic() - start, 25)
                self.assertLessEqual(descendants(), before)
        self.assertEqual(held_directories(), directories)

    def test_a_machine_without_qemu(self) -> None:
        """It is reported by name, before anything is built."""
        with tempfile.TemporaryDirectory() as place:
            for name in ("env", "sh", "git"):
                Path(place, name).symlink_to(str(shutil.which(name)))
            Path(place, "python3").symlink_to(sys.executable)
            done = subprocess.run([str(REPOSITORY / "cross/test"), "vboard"], capture_output=True, text=True, timeout=60,
                                  check=False, env={**os.environ, "PATH": place})
        self.assertEqual(done.returncode, 69, done.stderr)
        self.assertRegex(done.stderr, "no qemu-system-aarch64 on PATH; apt-get install qemu-system-arm")
        self.assertNotIn("building", done.stderr)

    def test_a_board_that_cannot_be_made_is_no_failure_one_that_does_not_come_up_is(self) -> None:
        with mock.patch("target.vboard.Board.start", side_effect=BoardError("no network", missing=True)):
            with self.assertRaises(TargetMissing):
                open_target("vboard")
        with mock.patch("target.vboard.Board.start", side_effect=BoardError("kernel panic")):
            with self.assertRaises(TargetError) as caught:
                open_target("vboard")
        self.assertNotIsInstance(caught.exception, (TargetMissing, TargetGone))
        self.assertEqual(held_directories(), set())

    def test_a_run_of_failures_alone_is_a_run(self) -> None:
        for words, said in ((["it_starts_and_stops"], False), (["no such test at all"], True)):
            with self.subTest(words=words), tempfile.TemporaryDirectory() as place:
                done = subprocess.run(
                    [str(REPOSITORY / "cross/test"), "local", "--suite", "system", "--no-build", "--programs", place,
                     "--filter", *words], capture_output=True, text=True, timeout=60, check=False)
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertEqual("no test ran" in done.stderr, said, done.stderr)

    def test_command_line(self) -> None:
        command = str(REPOSITORY / "cross/test")
        for words, status in (
            ([], 64), (["moon"], 64), (["local", "--suite", "power"], 64), (["local", "--suite", "none"], 64),
            (["ssh://root@127.0.0.1:1", "--no-build", "--ssh", "ssh -F none"], 69), (["--help"], 0),
        ):
            with self.subTest(words=words):
                done = subprocess.run([command, *words], capture_output=True, text=True, timeout=60, check=False)
                self.assertEqual(done.returncode, status, done.stderr)
                self.assertNotIn("Traceback", done.stderr)


if __name__ == "__main__":
    unittest.main()

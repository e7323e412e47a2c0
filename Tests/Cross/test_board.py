"""Tests of the virtual board itself: what it promises to the tests that run on it, and how it fails.

The Debian board is tested where its image is in the cache, or with CLEAT_VBOARD_DEBIAN=1: it takes a minute to make.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parent))

from boards import BIG, LACKS, leaves_nothing  # noqa: E402
from vboard import image  # noqa: E402
from vboard.board import Board, BoardError, BoardTimeout, Disk  # noqa: E402
from vboard.qcow2 import create_overlay  # noqa: E402

SEEN = {"usb-storage": "/sys/block/sd?", "usb-serial": "/sys/class/tty/ttyUSB0", "usb-net": "/sys/class/net/usb0",
        "usb-kbd": "/sys/class/input/event?", "virtio-net": "/sys/class/net/eth1"}


@unittest.skipIf(LACKS, f"no virtual board: {LACKS}")
class BareBoard(unittest.TestCase):
    """One board for all tests that leave it as it was."""

    board: Board

    @classmethod
    def setUpClass(cls) -> None:
        start = time.monotonic()
        cls.board = Board.start("bare")
        print(f"bare board: up in {time.monotonic() - start:.2f} s", file=sys.stderr)
        cls.addClassCleanup(cls.board.close)

    def test_is_a_bare_arm_board(self) -> None:
        said = self.board.run("uname -m; id -u; cat /sys/class/net/lo/operstate; cat /proc/1/comm; ls /run/udev").text
        self.assertEqual(said.split(), ["aarch64", "0", "unknown", "init"])
        self.assertEqual(self.board.run(["touch", "/here", "/etc/here"]).status, 0)

    def test_has_an_ordinary_user_and_one_in_the_group(self) -> None:
        self.assertIn("uid=1000(tester) gid=1000(tester)", self.board.run("id", user="tester").text)
        self.assertIn("990(cleat)", self.board.run("id", user="operator").text)
        self.assertNotEqual(self.board.run("touch /etc/mine", user="tester").status, 0)
        with self.assertRaisesRegex(BoardError, "No such file"):
            self.board.run("id", user="nobody-here")

    def test_reports_the_end_of_a_command(self) -> None:
        done = self.board.run("echo out; echo err >&2; exit 7")
        self.assertEqual((done.status, done.out, done.err), (7, b"out\n", b"err\n"))
        self.assertEqual(self.board.run("kill -TERM $$").status, -signal.SIGTERM)
        with self.assertRaisesRegex(BoardError, "/no/such/program.*No such file"):
            self.board.run(["/no/such/program"])
        with self.assertRaisesRegex(BoardError, "status 7: err"):
            done.check()

    def test_runs_words_as_they_are(self) -> None:
        self.assertEqual(self.board.run(["printf", "%s|", "a b", "$HOME", "", "ä"]).text, "a b|$HOME||ä|")

    def test_passes_the_environment_and_the_directory(self) -> None:
        done = self.board.run("echo $X $HOME; pwd", environment={"X": "1 2"}, directory="/proc/self")
        self.assertEqual(done.text.splitlines()[0], "1 2 /root")
        self.assertRegex(done.text.splitlines()[1], "/proc/")

    def test_streams_ten_megabytes_through_a_command(self) -> None:
        self.assertEqual(self.board.run(["cat"], input=BIG).out, BIG)

    def test_takes_ten_megabytes_from_both_streams(self) -> None:
        done = self.board.run("head -c 10485760 /dev/zero & head -c 10485760 /dev/zero >&2; wait")
        self.assertEqual((len(done.out), len(done.err)), (10485760, 10485760))

    def test_drops_unread_input(self) -> None:
        self.assertEqual(self.board.run("exec true", input=BIG).status, 0)

    def test_copies_in_and_out(self) -> None:
        self.board.put(BIG, "/tmp/deep/er/big", 0o640)
        self.assertEqual(self.board.get("/tmp/deep/er/big"), BIG)
        self.assertEqual(self.board.run("stat -c '%a %U' /tmp/deep/er/big; ls -A /tmp/deep/er; rm -r /tmp/deep").text,
                         "640 root\nbig\n")
        self.board.put(b"", "/tmp/empty")
        self.assertEqual(self.board.get("/tmp/empty"), b"")
        with self.assertRaisesRegex(BoardError, "reading /no/such: No such file"):
            self.board.get("/no/such")

    def test_replaces_a_program_that_runs(self) -> None:
        self.board.put(self.board.get("/bin/busybox"), "/tmp/sleep")
        with self.board.spawn(["/tmp/sleep", "100"]) as process:
            self.board.put(b"#!/bin/sh\necho new\n", "/tmp/sleep")
            self.assertTrue(process.running)
        self.assertEqual(self.board.run(["/tmp/sleep"]).out, b"new\n")

    def test_a_target_without_space_keeps_the_old_file(self) -> None:
        self.board.run("mkdir /tmp/small; mount -t tmpfs -o size=1M none /tmp/small").check()
        self.addCleanup(lambda: self.board.run("umount /tmp/small"))
        self.board.put(b"old", "/tmp/small/file")
        with self.assertRaisesRegex(BoardError, "No space left"):
            self.board.put(BIG, "/tmp/small/file")
        self.assertEqual(self.board.get("/tmp/small/file"), b"old")
        self.assertEqual(self.board.run("ls /tmp/small").text, "file\n")

    def test_streams_lines_while_a_process_runs(self) -> None:
        with self.board.spawn("while read line; do echo got $line; done; echo end; exit 3") as process:
            for word in ("one", "two"):
                process.write(f"{word}\n".encode())
                self.assertEqual(process.read_line(20), f"got {word}")
            process.close_input()
            self.assertEqual(list(process.lines(20)), ["end"])
            self.assertEqual(process.wait(20), 3)
            self.assertEqual(process.out, b"got one\ngot two\nend\n")

    def test_signals_one_process_or_its_group(self) -> None:
        with self.board.spawn(["sleep", "100"]) as process:
            process.signal(signal.SIGTERM)
            self.assertEqual(process.wait(20), -signal.SIGTERM)
        with self.board.spawn("trap 'echo caught; exit 5' USR1; echo ready; while :; do sleep 1 & wait; done") as process:
            self.assertEqual(process.read_line(20), "ready")
            process.signal(signal.SIGUSR1, group=False)
            self.assertEqual((process.read_line(20), process.wait(20)), ("caught", 5))
        with self.board.spawn("sleep 1234 & echo $!; wait") as process:
            pid = process.read_line(20)
            process.signal(signal.SIGKILL)
            process.wait(20)
        self.board.wait_for(f"/proc/{pid}", present=False)

    def test_does_not_wait_for_background_processes_of_a_command(self) -> None:
        start = time.monotonic()
        done = self.board.run("sleep 300 & echo $!", timeout=60)
        self.assertLess(time.monotonic() - start, 50)
        self.board.run(["kill", done.text.strip()]).check()

    def test_runs_many_at_once(self) -> None:
        results: dict[int, str] = {}

        def one(number: int) -> None:
            results[number] = self.board.run(f"head -c 100000 /dev/zero | wc -c; echo {number}").text

        threads = [threading.Thread(target=one, args=(number,)) for number in range(12)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
        self.assertEqual(results, {number: f"100000\n{number}\n" for number in range(12)})

    def test_kills_a_command_at_its_limit(self) -> None:
        with self.assertRaisesRegex(BoardTimeout, "did not end within 1 s and was killed.*so far it wrote: begun"):
            self.board.run("echo begun; echo $$ > /tmp/pid; sleep 4321", timeout=1)
        pid = self.board.get("/tmp/pid").decode().strip()
        self.board.wait_for(f"/proc/{pid}", present=False)
        self.assertNotIn("sleep", self.board.run("cat /proc/[0-9]*/comm").text.split())

    def test_a_wait_has_a_limit(self) -> None:
        with self.assertRaisesRegex(BoardTimeout, "/no/such to be there"):
            self.board.wait_for("/no/such", timeout=0.3)
        self.assertEqual(self.board.wait_for("/proc/sys/kernel/ostype", content="Linux"), ["/proc/sys/kernel/ostype"])

    def test_plugs_and_unplugs_every_kind(self) -> None:
        times = []
        for kind, pattern in SEEN.items():
            with self.subTest(kind):
                before = set(self.board.run(f"ls -d {pattern} 2>/dev/null").text.split())
                start = time.monotonic()
                self.board.plug(kind, "thing")
                found = set(self.board.wait_for(pattern)) - before
                self.assertEqual(len(found), 1)
                if kind.endswith("-net"):
                    self.assertEqual(found, {f"/sys/class/net/{self.board.interface('thing')}"})
                plugged = time.monotonic()
                self.board.unplug("thing")
                self.board.wait_for(found.pop(), present=False)
                times.append(f"{kind} {plugged - start:.2f} / {time.monotonic() - plugged:.2f} s")
        print(f"plug / unplug: {', '.join(times)}", file=sys.stderr)

    def test_a_stick_has_the_contents_of_the_file(self) -> None:
        with tempfile.NamedTemporaryFile() as file:
            file.write(b"stick".ljust(65536, b"\0"))
            file.flush()
            self.board.plug("usb-storage", "stick", path=file.name, serial="S-1")
            self.addCleanup(self.board.unplug, "stick")
            [block] = self.board.wait_for("/sys/block/sd?")
            self.assertEqual(self.board.run(["head", "-c", "5", f"/dev/{block[-3:]}"]).out, b"stick")
            self.assertEqual(self.board.run("cat /sys/bus/usb/devices/*/serial | grep S-1").text, "S-1\n")

    def test_data_come_over_a_serial_line(self) -> None:
        self.board.plug("usb-serial", "line")
        self.addCleanup(self.board.unplug, "line")
        self.board.wait_for("/dev/ttyUSB0")
        line = self.board.plugs.serial("line")
        with self.assertRaisesRegex(BoardTimeout, "no line came"):
            line.read_line(0.05)
        with self.board.spawn("stty -F /dev/ttyUSB0 raw -echo; exec cat >/dev/ttyUSB0") as process:
            for text in ("to the host", "and more"):
                process.write(f"{text}\n".encode())
                self.assertEqual(line.read_line(60), text)
        self.assertFalse(hasattr(line, "write"), "a byte from the host stops the emulator")
        self.assertEqual(self.board.run("echo alive").text, "alive\n")

    def test_refuses_devices_that_make_no_sense(self) -> None:
        self.board.plug("usb-kbd", "one")
        self.addCleanup(self.board.unplug, "one")
        for kind, name, said in (("usb-kbd", "one", "plugged in already"), ("floppy", "two", "a board has no floppy")):
            with self.assertRaisesRegex(BoardError, said):
                self.board.plug(kind, name)
        with self.assertRaisesRegex(BoardError, "no device named two"):
            self.board.unplug("two")
        with self.assertRaisesRegex(BoardError, "refused"):
            self.board.plug("usb-storage", "three", path="/no/such/file")

    def test_takes_a_link_down_and_up(self) -> None:
        self.board.link("net0", False)
        self.board.wait_for("/sys/class/net/eth0/carrier", content="0")
        self.board.link("net0", True)
        self.board.wait_for("/sys/class/net/eth0/carrier", content="1")
        self.assertEqual(self.board.interface("net0"), "eth0")

    def test_the_clock_is_this_machine_s(self) -> None:
        self.assertAlmostEqual(int(self.board.run("date +%s").text), time.time(), delta=5)

    def test_reports_its_journal_and_round_trip(self) -> None:
        self.assertIn("Linux version", self.board.journal())
        start = time.monotonic()
        for _ in range(20):
            self.board.run(["true"])
        print(f"a command: {(time.monotonic() - start) / 20 * 1000:.0f} ms", file=sys.stderr)


@unittest.skipIf(LACKS, f"no virtual board: {LACKS}")
class PowerOfABoard(unittest.TestCase):
    """The contents of a board's disks after a cut, a restart and a reboot, with one disk in a file."""

    def test_disks_outlive_a_reboot_and_a_cut(self) -> None:
        with tempfile.TemporaryDirectory() as directory, leaves_nothing(self):
            paths = [Path(directory) / name for name in ("one.img", "two.img")]
            for path in paths:
                path.write_bytes(path.name.encode().ljust(8 << 20, b"\0"))
            subprocess.run(["/sbin/mke2fs", "-q", "-t", "ext4", "-F", str(paths[1])], check=True, stdin=subprocess.DEVNULL)
            with Board.start("bare", disks=[Disk(paths[0], read_only=True, serial="first"), Disk(paths[1])],
                             log_directory=Path(directory)) as board:
                self.assertEqual(board.run("head -c 3 /dev/vda; cat /sys/block/vda/serial /sys/block/vda/ro").text,
                                 "onefirst1\n")
                mount = "mount -t ext4 -o data=ordered,commit=300 /dev/vdb /mnt"
                board.run(f"{mount} && echo kept > /mnt/kept && echo in memory > /gone").check()
                boot = board.boot_id
                board.reboot()
                self.assertNotEqual(board.boot_id, boot)
                self.assertEqual(board.run(f"{mount}; cat /mnt/kept /gone").out, b"kept\n")
                board.run("echo synced > /mnt/synced; sync; echo lost > /mnt/lost").check()
                pid = board.pid
                with board.spawn(["sleep", "1000"]) as process:
                    board.cut()
                    self.assertFalse(board.alive)
                    self.assertFalse(Path(f"/proc/{pid}").exists())
                    with self.assertRaisesRegex(BoardError, "signal 9"):
                        process.wait(20)
                with self.assertRaisesRegex(BoardError, "restart"):
                    board.run("true")
                board.cut()
                start = time.monotonic()
                board.restart()
                print(f"on again after a cut in {time.monotonic() - start:.2f} s", file=sys.stderr)
                self.assertEqual(board.run(f"{mount}; cd /mnt; ls").text.split(), ["kept", "lost+found", "synced"])
                board.power_off()
                self.assertFalse(board.alive)

    def test_an_overlay_keeps_the_files_below(self) -> None:
        with tempfile.TemporaryDirectory() as directory:
            base, overlay = Path(directory) / "base", Path(directory) / "over,lay"
            base.write_bytes(b"below".ljust(1 << 20, b"\0"))
            create_overlay(overlay, "base", "raw", 1 << 20)
            before = base.read_bytes()
            with mock.patch.object(Disk, "blockdev", lambda disk, node: {
                    "driver": "qcow2", "node-name": node, "file": {"driver": "file", "filename": str(overlay)}}):
                with Board.start("bare", disks=[Disk(overlay)]) as board:
                    # A sync alone does not flush a bare block device's cache.
                    board.run("head -c 5 /dev/vda > /tmp/a; echo above | dd of=/dev/vda conv=fsync").check()
                    self.assertEqual(board.get("/tmp/a"), b"below")
                    board.cut()
                    board.restart()
                    self.assertEqual(board.run(["head", "-c", "5", "/dev/vda"]).out, b"above")
            self.assertEqual(base.read_bytes(), before)


@unittest.skipUnless(os.environ.get("CLEAT_VBOARD_DEBIAN") == "1" or (not LACKS and image.find("debian")),
                     "the Debian image is not in the cache; CLEAT_VBOARD_DEBIAN=1, or cross/vboard/images debian, makes it")
class DebianBoard(unittest.TestCase):
    """The board with systemd and udevd, restored for each test."""

    def test_each_board_starts_the_same(self) -> None:
        with Board.start("debian") as board:
            boot = board.boot_id
            self.assertEqual(board.run("cat /proc/sys/kernel/random/boot_id").text.strip(), boot)
        for _ in range(2):
            with leaves_nothing(self):
                start = time.monotonic()
                with Board.start("debian") as board:
                    print(f"debian board: restored in {time.monotonic() - start:.2f} s (hold: 1 s)", file=sys.stderr)
                    # One and the same boot: a board that was booted, and not restored, has a number of its own.
                    self.assertEqual(board.boot_id, boot)
                    self.assertEqual(board.run("test -e /root/mine; echo $?; touch /root/mine; cat /proc/1/comm").text,
                                     "1\nsystemd\n")
                    self.assertAlmostEqual(int(board.run("date +%s").text), time.time(), delta=5)

    def test_udev_detects_and_renames_plugged_devices(self) -> None:
        with Board.start("debian") as board:
            for kind in ("virtio-net", "usb-net"):
                board.plug(kind, kind)
                name = board.interface(kind)
                self.assertTrue(name.startswith("en"), name)
                board.unplug(kind)
                board.wait_for(f"/sys/class/net/{name}", present=False)
            board.plug("usb-storage", "stick")
            self.assertTrue(board.wait_for("/dev/disk/by-id/usb-*stick*"))

    def test_disks_have_the_names_of_a_boot_and_a_reboot_keeps_the_overlay(self) -> None:
        with tempfile.TemporaryDirectory() as directory:
            disks = []
            for name in ("one", "two"):
                path = Path(directory) / name
                path.write_bytes(name.encode().ljust(1 << 20, b"\0"))
                disks.append(Disk(path, serial=name))
            with Board.start("debian", disks=disks) as board:
                look = "head -c 3 /dev/vdb; head -c 3 /dev/disk/by-id/virtio-two; cat /root/kept /root/synced; true"
                self.assertEqual(board.run(look).out, b"onetwo")
                board.run("echo 1 > /root/kept").check()
                board.reboot()
                self.assertEqual(board.run(look).out, b"onetwo1\n")
                board.run("echo 2 > /root/synced; sync").check()
                board.cut()
                board.restart()
                self.assertEqual(board.run(look).out, b"onetwo1\n2\n")


if __name__ == "__main__":
    unittest.main()

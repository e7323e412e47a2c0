"""Tests of the power-cut tools themselves: the disk, its protocol, the replay, and what is called proof."""

from __future__ import annotations

import os
import random
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import unittest
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "cross"))

from power import nbd
from power.checker import Checker, Finding
from power.cutset import CutSet, Violation, run_cuts
from power.cycle import Cycle
from power.disk import PowerIsOff, VolatileDisk
from power.oplog import Kind, Note, Operation, OperationLog
from power.recording import Recording, load_recordings
from power.replay import Cut, Replayer, choose, promised, write_sparse
from power.survivors import SECTOR, Fate, survivors
from power.variants import CONTROLS, VARIANTS

SIZE = 1 << 16
FIRST = 1 << 16
LIMIT = 10.0


class WithDisk(unittest.TestCase):
    """Has a disk of 64 KiB in a directory of its own."""

    def setUp(self) -> None:
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.directory = Path(place.name)
        self.image = self.directory / "disk.img"
        self.image.write_bytes(bytes(SIZE))
        self.disk = VolatileDisk(self.image)
        self.addCleanup(self.disk.close)

    def medium(self) -> bytes:
        """What is on the medium, whatever the cache holds."""
        return self.image.read_bytes()


class CacheTests(WithDisk):
    def test_an_unflushed_write_is_read_back_and_lost_in_a_cut(self) -> None:
        self.disk.write(1024, b"x" * 512)
        self.assertEqual(self.disk.read(1024, 512), b"x" * 512)
        self.assertEqual(self.medium(), bytes(SIZE))
        self.assertEqual(self.disk.unflushed, 1)
        self.assertEqual(self.disk.cut(Fate.NONE, "1"), 512)
        self.assertEqual(self.medium(), bytes(SIZE))

    def test_a_flushed_write_is_kept(self) -> None:
        self.disk.write(1024, b"x" * 512)
        self.disk.flush()
        self.disk.write(2048, b"y" * 512)
        self.disk.cut(Fate.NONE, "1")
        self.assertEqual(self.medium()[1024:1536], b"x" * 512)
        self.assertEqual(self.medium()[2048:2560], bytes(512))

    def test_a_write_with_fua_is_kept_and_its_neighbours_are_not(self) -> None:
        self.disk.write(0, b"a" * 512)
        self.disk.write(512, b"b" * 512, durable=True)
        self.disk.write(1024, b"c" * 512)
        self.disk.cut(Fate.NONE, "1")
        self.assertEqual(self.medium()[:1536], bytes(512) + b"b" * 512 + bytes(512))

    def test_a_flush_does_not_bring_back_what_fua_has_overwritten(self) -> None:
        self.disk.write(0, b"old" + bytes(509))
        self.disk.write(0, b"new" + bytes(509), durable=True)
        self.disk.flush()
        self.disk.cut(Fate.NONE, "1")
        self.assertEqual(self.medium()[:3], b"new")

    def test_zeros_are_cached_like_writes(self) -> None:
        self.disk.write(0, b"x" * 1024)
        self.disk.flush()
        self.disk.zero(0, 512)
        self.assertEqual(self.disk.read(0, 1024), bytes(512) + b"x" * 512)
        self.disk.cut(Fate.NONE, "1")
        self.assertEqual(self.medium()[:1024], b"x" * 1024)

    def test_nothing_is_answered_without_power(self) -> None:
        self.disk.cut(Fate.NONE, "1")
        for use in (lambda: self.disk.read(0, 1), lambda: self.disk.write(0, b"x"), self.disk.flush):
            with self.assertRaises(PowerIsOff):
                use()

    def test_the_power_fails_at_the_chosen_operation_which_leaves_no_trace(self) -> None:
        self.disk.write(0, b"1" * 512)
        self.disk.cut_after(1)
        self.disk.write(512, b"2" * 512)
        self.assertFalse(self.disk.power_failed.is_set())
        with self.assertRaises(PowerIsOff):
            self.disk.flush()
        self.assertTrue(self.disk.power_failed.is_set())
        self.assertEqual(len(self.disk.log), 2)
        self.assertEqual(self.medium(), bytes(SIZE))

    def test_a_loaded_cut_waits_for_something_to_lose(self) -> None:
        self.disk.cut_after(1, loaded=True)
        for _ in range(3):
            self.disk.flush()
        self.disk.write(0, b"1" * 512)
        with self.assertRaises(PowerIsOff):
            self.disk.flush()
        self.assertEqual(self.disk.cut(Fate.NONE, "1"), 512)

    def test_an_empty_cut_loses_nothing(self) -> None:
        for fate in Fate:
            self.assertEqual(list(survivors([], fate, "1")), [])


class SurvivorTests(unittest.TestCase):
    def setUp(self) -> None:
        self.pending = [Operation(Kind.WRITE, FIRST + index * 4096, 4096, bytes([index + 1]) * 4096) for index in range(20)]

    def test_the_same_seed_keeps_the_same_sectors(self) -> None:
        for fate in Fate:
            self.assertEqual(list(survivors(self.pending, fate, "7")), list(survivors(self.pending, fate, "7")))
        self.assertNotEqual(list(survivors(self.pending, Fate.SOME, "7")), list(survivors(self.pending, Fate.SOME, "8")))

    def test_some_is_a_proper_subset_of_whole_sectors(self) -> None:
        kept = list(survivors(self.pending, Fate.SOME, "3"))
        self.assertTrue(0 < len(kept) < 160)
        for offset, content in kept:
            self.assertEqual((offset % SECTOR, len(content)), (0, SECTOR))
        self.assertEqual({len(list(survivors(self.pending, Fate.SOME, str(seed)))) > 80 for seed in range(20)}, {True, False})

    def test_sectors_are_the_devices_not_the_writes(self) -> None:
        odd = [Operation(Kind.WRITE, 300, 1000, b"z" * 1000)]
        seen: set[tuple[int, int]] = set()
        for seed in range(60):
            seen.update((offset, len(content)) for offset, content in survivors(odd, Fate.SOME, str(seed)))
        self.assertEqual(seen, {(300, 212), (512, 512), (1024, 276)})

    def test_the_superblock_is_written_whole(self) -> None:
        block = [Operation(Kind.WRITE, 0, 4096, b"s" * 4096)]
        for fate in (Fate.SOME, Fate.TORN):
            for seed in range(60):
                image = bytearray(4096)
                for offset, content in survivors(block, fate, str(seed)):
                    image[offset:offset + len(content)] = content
                self.assertIn(bytes(image[1024:2048]), (bytes(1024), b"s" * 1024))

    def test_torn_tears_one_write_and_keeps_the_order(self) -> None:
        torn = 0
        for seed in range(40):
            kept = sum(len(content) for _, content in survivors(self.pending, Fate.TORN, str(seed)))
            image = bytearray(20 * 4096)
            for offset, content in survivors(self.pending, Fate.TORN, str(seed)):
                image[offset - FIRST:offset - FIRST + len(content)] = content
            whole = [image[at:at + 4096] == bytes([at // 4096 + 1]) * 4096 for at in range(0, len(image), 4096)]
            absent = [image[at:at + 4096] == bytes(4096) for at in range(0, len(image), 4096)]
            first = whole.index(False) if False in whole else 20
            self.assertTrue(all(absent[first + 1:]), f"seed {seed}")
            torn += kept % 4096 != 0
        self.assertGreater(torn, 10)

    def test_newest_drops_only_the_older_ones(self) -> None:
        for seed in range(20):
            offsets = [offset for offset, _ in survivors(self.pending, Fate.NEWEST, str(seed))]
            self.assertEqual(offsets, [FIRST + 4096 * index for index in range(20 - len(offsets), 20)])

    def test_fua_survives_every_fate(self) -> None:
        pending = self.pending + [Operation(Kind.WRITE_FUA, FIRST, 512, b"F" * 512)]
        for fate in Fate:
            for seed in range(10):
                image = bytearray(20 * 4096)
                for offset, content in survivors(pending, fate, str(seed)):
                    image[offset - FIRST:offset - FIRST + len(content)] = content
                self.assertEqual(image[:512], b"F" * 512, f"{fate} {seed}")


class LogTests(WithDisk):
    def sample(self) -> OperationLog:
        log = OperationLog()
        log.note("start")
        log.append(Operation(Kind.WRITE, 512, 4, b"abcd"))
        log.note("1")
        log.append(Operation(Kind.FLUSH))
        log.append(Operation(Kind.ZERO, 0, 4096))
        log.append(Operation(Kind.WRITE_FUA, 9, 1, b"x"))
        log.note("copy 7")
        log.note("end ü")
        return log

    def test_a_saved_log_is_read_back_whole(self) -> None:
        log, path = self.sample(), self.directory / "log"
        log.save(path)
        again = OperationLog.load(path)
        self.assertEqual(again.operations, log.operations)
        self.assertEqual(again.notes, log.notes)
        self.assertEqual(again.flushes, [1])

    def test_a_log_that_ends_too_early_is_refused_everywhere_but_between_records(self) -> None:
        path = self.directory / "log"
        self.sample().save(path)
        whole = path.read_bytes()
        refused = 0
        for size in range(len(whole)):
            path.write_bytes(whole[:size])
            try:
                self.assertLess(len(OperationLog.load(path).operations) + len(OperationLog.load(path).notes), 8)
            except ValueError as error:
                self.assertIn(str(path), str(error))
                refused += 1
        self.assertEqual(len(whole) - refused, 8)

    def test_an_unknown_operation_and_another_file_are_refused(self) -> None:
        path = self.directory / "log"
        for content in (b"", b"something else", b"CLEATLOG1\n" + struct.pack("<BxxxIQQ", 99, 0, 0, 0)):
            path.write_bytes(content)
            with self.assertRaises(ValueError):
                OperationLog.load(path)

    def test_what_was_promised_is_what_was_said_before_the_cut(self) -> None:
        log = OperationLog(notes=[Note(2, "open 0"), Note(3, "1"), Note(3, "copy 1"), Note(5, "2"), Note(5, "done")])
        self.assertEqual([promised(log, at) for at in (0, 2, 3, 4, 5, 9)],
                         [(0, 0), (0, 0), (1, 1), (1, 1), (2, 1), (2, 1)])


class ReplayTests(WithDisk):
    def random_log(self, seed: int, count: int = 120) -> OperationLog:
        chance = random.Random(seed)
        for _ in range(count):
            what = chance.random()
            offset = chance.randrange(0, SIZE // SECTOR - 16) * SECTOR
            if what < 0.6:
                self.disk.write(offset, chance.randbytes(chance.randint(1, 8) * SECTOR))
            elif what < 0.75:
                self.disk.write(offset, chance.randbytes(SECTOR), durable=True)
            elif what < 0.85:
                self.disk.zero(offset, SECTOR * 4)
            else:
                self.disk.flush()
            if chance.random() < 0.3:
                self.disk.log.note(str(len(self.disk.log)))
        return self.disk.log

    def test_a_replayed_cut_leaves_what_a_real_one_leaves(self) -> None:
        log = self.random_log(1)
        for position in (0, 1, 17, 60, 119, 120):
            for fate in Fate:
                path = self.directory / "again.img"
                path.write_bytes(bytes(SIZE))
                disk = VolatileDisk(path)
                for operation in log.operations[:position]:
                    if operation.kind is Kind.FLUSH:
                        disk.flush()
                    elif operation.kind in (Kind.WRITE, Kind.WRITE_FUA):
                        disk.write(operation.offset, operation.data, durable=operation.kind.durable)
                    else:
                        disk.zero(operation.offset, operation.length, durable=operation.kind.durable)
                disk.cut(fate, "9")
                disk.close()
                image = Replayer(bytes(SIZE), log.operations).image(Cut(position, fate.value, "9"))
                self.assertEqual(image, path.read_bytes(), f"{position} {fate}")

    def test_one_way_through_the_log_gives_the_same_images_as_many(self) -> None:
        log = self.random_log(2)
        replayer = Replayer(bytes(SIZE), log.operations)
        for cut in choose(log, 60, 5):
            self.assertEqual(replayer.image(cut), Replayer(bytes(SIZE), log.operations).image(cut))

    def test_a_log_is_not_cut_backwards_or_behind_its_end(self) -> None:
        replayer = Replayer(bytes(SIZE), self.random_log(3).operations)
        replayer.image(Cut(50, "none", "1"))
        for position in (49, 121, -1):
            with self.assertRaises(ValueError):
                replayer.image(Cut(position, "none", "1"))

    def test_cuts_are_as_many_as_asked_for_all_different_and_repeatable(self) -> None:
        log = self.random_log(4)
        for count in (2, 10, 200):
            cuts = choose(log, count, 7)
            self.assertEqual(len(set(cuts)), count)
            self.assertEqual(cuts, choose(log, count, 7))
            self.assertTrue(any(cut.position == len(log) for cut in cuts))
        cuts = choose(log, 200, 7)
        self.assertEqual({cut.fate for cut in cuts}, {fate.value for fate in Fate})
        around = {flush + near for flush in log.flushes for near in (0, 1, 2)}
        self.assertGreater(sum(cut.position in around for cut in cuts), 90)
        self.assertNotEqual(cuts, choose(log, 200, 8))

    def test_an_empty_log_can_be_cut(self) -> None:
        cuts = choose(OperationLog(), 5, 1)
        self.assertEqual({cut.position for cut in cuts}, {0})

    def test_a_cut_is_read_from_what_it_prints(self) -> None:
        cut = Cut(12, "torn", "7.3")
        self.assertEqual(Cut.parse(str(cut)), cut)
        for text in ("", "12", "12:torn", "x:torn:1", "1:half:1"):
            with self.assertRaises(ValueError):
                Cut.parse(text)

    def test_an_image_is_written_without_its_zeros(self) -> None:
        path, image = self.directory / "sparse.img", bytearray(8 << 20)
        image[5 << 20:(5 << 20) + 3] = b"abc"
        write_sparse(image, path)
        self.assertEqual(path.read_bytes(), image)
        self.assertLess(path.stat().st_blocks * 512, 1 << 20)


class Client:
    """Speaks NBD as far as the tests need it."""

    def __init__(self, path: Path) -> None:
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(LIMIT)
        self.socket.connect(str(path))

    def receive(self, count: int) -> bytes:
        data = b""
        while len(data) < count:
            part = self.socket.recv(count - len(data))
            if not part:
                raise EOFError
            data += part
        return data

    def hello(self, flags: int = 3) -> None:
        magic, options, _ = struct.unpack(">QQH", self.receive(18))
        assert (magic, options) == (nbd.MAGIC, nbd.OPTION_MAGIC)
        self.socket.sendall(struct.pack(">I", flags))

    def option(self, option: int, data: bytes = b"") -> list[tuple[int, bytes]]:
        self.socket.sendall(struct.pack(">QII", nbd.OPTION_MAGIC, option, len(data)) + data)
        replies = []
        while True:
            magic, what, kind, length = struct.unpack(">QIII", self.receive(20))
            assert (magic, what) == (nbd.OPTION_REPLY_MAGIC, option)
            replies.append((kind, self.receive(length)))
            if kind == nbd.REP_ACK or kind >> 31:
                return replies

    def go(self) -> "Client":
        self.hello()
        assert self.option(nbd.OPT_GO, struct.pack(">IH", 0, 0))[-1][0] == nbd.REP_ACK
        return self

    def send(self, command: int, offset: int = 0, length: int = 0, data: bytes = b"", flags: int = 0,
             handle: int = 1) -> None:
        self.socket.sendall(struct.pack(">IHHQQI", nbd.REQUEST_MAGIC, flags, command, handle, offset, length) + data)

    def reply(self, length: int = 0) -> tuple[int, int, bytes]:
        magic, error, handle = struct.unpack(">IIQ", self.receive(16))
        assert magic == nbd.REPLY_MAGIC
        return error, handle, b"" if error else self.receive(length)

    def ask(self, command: int, offset: int = 0, length: int = 0, data: bytes = b"", flags: int = 0) -> int:
        self.send(command, offset, length, data, flags)
        return self.reply(length if command == nbd.READ else 0)[0]

    def ended(self) -> bool:
        """Whether the server has hung up."""
        try:
            return not self.socket.recv(1)
        except ConnectionResetError:
            return True

    def close(self) -> None:
        self.socket.close()


class ProtocolTests(WithDisk):
    def setUp(self) -> None:
        super().setUp()
        self.server = nbd.NBDServer(self.disk, self.directory / "nbd.sock")
        self.server.start()
        self.addCleanup(self.server.stop)

    def client(self) -> Client:
        client = Client(self.server.path)
        self.addCleanup(client.close)
        return client

    def assert_serves(self) -> None:
        """The server still serves a well-behaved client."""
        client = self.client().go()
        self.assertEqual(client.ask(nbd.READ, 0, 512), 0)
        client.send(nbd.DISCONNECT)
        self.assertTrue(client.ended())

    def test_a_client_is_told_the_size_and_what_the_disk_can_do(self) -> None:
        client = self.client()
        client.hello()
        replies = client.option(nbd.OPT_GO, struct.pack(">I4sHH", 4, b"disk", 1, nbd.INFO_BLOCK_SIZE))
        self.assertEqual(replies[0], (nbd.REP_INFO, struct.pack(">HQH", 0, SIZE, 1 | 4 | 8 | 32 | 64)))
        self.assertEqual(replies[-1], (nbd.REP_ACK, b""))

    def test_the_old_way_to_name_an_export_works_with_and_without_padding(self) -> None:
        for flags, padding in ((1, 124), (3, 0)):
            client = self.client()
            client.hello(flags)
            client.socket.sendall(struct.pack(">QII", nbd.OPTION_MAGIC, nbd.OPT_EXPORT_NAME, 1) + b"x")
            size, _ = struct.unpack(">QH", client.receive(10))
            self.assertEqual((size, client.receive(padding)), (SIZE, bytes(padding)))
            self.assertEqual(client.ask(nbd.FLUSH), 0)
            client.close()

    def test_other_options_are_answered_and_the_negotiation_goes_on(self) -> None:
        client = self.client()
        client.hello()
        self.assertEqual(client.option(nbd.OPT_LIST)[0], (nbd.REP_SERVER, bytes(4)))
        self.assertEqual(client.option(nbd.OPT_LIST, b"x"), [(nbd.REP_INVALID, b"")])
        self.assertEqual(client.option(8), [(nbd.REP_UNSUPPORTED, b"")])
        self.assertEqual(client.option(77, b"junk"), [(nbd.REP_UNSUPPORTED, b"")])
        self.assertEqual(client.option(nbd.OPT_GO, b"abc"), [(nbd.REP_INVALID, b"")])
        self.assertEqual(client.option(nbd.OPT_GO, struct.pack(">IH", 1 << 30, 0)), [(nbd.REP_INVALID, b"")])
        self.assertEqual(client.option(nbd.OPT_GO, struct.pack(">IH", 0, 9)), [(nbd.REP_INVALID, b"")])
        self.assertEqual(client.option(5, bytes(nbd.OPTION_LIMIT + 1)), [(nbd.REP_TOO_BIG, b"")])
        self.assertEqual(client.option(nbd.OPT_INFO, bytes(6))[-1][0], nbd.REP_ACK)
        self.assertEqual(client.option(nbd.OPT_GO, bytes(6))[-1][0], nbd.REP_ACK)
        self.assertEqual(client.ask(nbd.FLUSH), 0)

    def test_an_abort_is_answered_and_ends_the_connection(self) -> None:
        client = self.client()
        client.hello()
        self.assertEqual(client.option(nbd.OPT_ABORT), [(nbd.REP_ACK, b"")])
        self.assertTrue(client.ended())
        self.assert_serves()

    def test_a_bad_handshake_ends_the_connection_and_not_the_server(self) -> None:
        for greeting in (struct.pack(">I", 0), struct.pack(">I", 0xFFFFFFFF), struct.pack(">I", 3) + b"GET / HTTP/1.1\r\n\r\n"):
            client = self.client()
            client.receive(18)
            client.socket.sendall(greeting)
            self.assertTrue(client.ended())
            self.assert_serves()

    def test_a_client_that_leaves_in_the_middle_of_anything_is_forgotten(self) -> None:
        def in_greeting(client: Client) -> None:
            client.receive(3)

        def in_flags(client: Client) -> None:
            client.socket.sendall(b"\0\0")

        def in_option(client: Client) -> None:
            client.hello()
            client.socket.sendall(struct.pack(">QII", nbd.OPTION_MAGIC, nbd.OPT_GO, 100) + b"short")

        def in_large_option(client: Client) -> None:
            client.hello()
            client.socket.sendall(struct.pack(">QII", nbd.OPTION_MAGIC, 99, 0xFFFFFFFF) + b"short")

        def in_request(client: Client) -> None:
            client.go().socket.sendall(struct.pack(">IH", nbd.REQUEST_MAGIC, 0))

        def in_data(client: Client) -> None:
            client.go().send(nbd.WRITE, 0, 4096, b"half")

        for leave in (in_greeting, in_flags, in_option, in_large_option, in_request, in_data):
            with self.subTest(leave.__name__):
                client = self.client()
                leave(client)
                client.close()
                self.assert_serves()
        self.assertEqual(len(self.disk.log), 0)

    def test_what_is_no_request_ends_the_connection(self) -> None:
        client = self.client().go()
        client.socket.sendall(b"x" * 28)
        self.assertTrue(client.ended())
        client = self.client().go()
        client.send(nbd.WRITE, 0, nbd.REQUEST_LIMIT + 1)
        self.assertTrue(client.ended())
        self.assert_serves()

    def test_out_of_range_is_an_error_that_changes_nothing(self) -> None:
        client = self.client().go()
        for offset, length in ((SIZE, 1), (SIZE - 1, 2), ((1 << 64) - 1, 1), (1 << 63, 512)):
            self.assertEqual(client.ask(nbd.READ, offset, length), nbd.EINVAL)
            self.assertEqual(client.ask(nbd.WRITE, offset, length, b"x" * length), nbd.ENOSPC)
            self.assertEqual(client.ask(nbd.WRITE_ZEROES, offset, length), nbd.ENOSPC)
            self.assertEqual(client.ask(nbd.TRIM, offset, length), nbd.EINVAL)
        self.assertEqual(client.ask(nbd.WRITE_ZEROES, 0, (1 << 32) - 1), nbd.ENOSPC)
        self.assertEqual(client.ask(17), nbd.EINVAL)
        self.assertEqual(client.ask(nbd.WRITE, 0, 1, b"x", flags=1 << 9), nbd.EINVAL)
        self.assertEqual(client.ask(nbd.READ, SIZE - 512, 512), 0)
        self.assertEqual(len(self.disk.log), 0)

    def test_flush_fua_trim_and_zeroes_reach_the_disk_as_such(self) -> None:
        client = self.client().go()
        self.assertEqual(client.ask(nbd.WRITE, 0, 4, b"abcd"), 0)
        self.assertEqual(client.ask(nbd.WRITE, 4, 4, b"efgh", flags=nbd.FUA), 0)
        self.assertEqual(client.ask(nbd.WRITE_ZEROES, 0, 2, flags=nbd.NO_HOLE), 0)
        self.assertEqual(client.ask(nbd.WRITE_ZEROES, 2, 1, flags=nbd.FUA), 0)
        self.assertEqual(client.ask(nbd.TRIM, 512, 512), 0)
        self.assertEqual(client.ask(nbd.CACHE, 0, 512), 0)
        self.assertEqual(client.ask(nbd.FLUSH), 0)
        self.assertEqual([operation.kind for operation in self.disk.log.operations],
                         [Kind.WRITE, Kind.WRITE_FUA, Kind.ZERO, Kind.ZERO_FUA, Kind.ZERO, Kind.FLUSH])
        client.send(nbd.READ, 0, 8)
        self.assertEqual(client.reply(8)[2], b"\0\0\0defgh")
        self.assertEqual(self.medium()[:8], b"\0\0\0defgh")

    def test_many_requests_at_once_are_answered_in_order(self) -> None:
        client = self.client().go()
        for handle in range(50):
            client.send(nbd.WRITE, handle * 512, 512, bytes([handle]) * 512, handle=handle)
        client.send(nbd.FLUSH, handle=50)
        self.assertEqual([client.reply()[:2] for _ in range(51)], [(0, handle) for handle in range(51)])
        self.assertEqual(self.medium()[49 * 512:50 * 512], bytes([49]) * 512)

    def test_a_disk_without_power_does_not_answer_and_the_server_still_stops(self) -> None:
        client = self.client().go()
        self.disk.cut_after(0)
        client.send(nbd.FLUSH)
        self.assertTrue(self.disk.power_failed.wait(LIMIT))
        client.socket.settimeout(0.05)
        with self.assertRaises(TimeoutError):
            client.reply()
        self.server.stop()
        self.assertFalse(any(thread.name.startswith("nbd") for thread in threading.enumerate()))

    def test_a_server_stops_while_nobody_and_while_somebody_is_there(self) -> None:
        self.client().go()
        self.server.stop()
        self.assertFalse(self.server.path.exists())
        self.server.stop()
        with nbd.NBDServer(self.disk, self.server.path):
            self.assert_serves()


class ProofTests(WithDisk):
    """What may be called proof, and what may not."""

    def recording(self, name: str = "store") -> Recording:
        variant = next(one for one in (*VARIANTS, *CONTROLS) if one.name == name)
        for number in range(1, 21):
            self.disk.write(number * 512, b"x" * 512)
            self.disk.flush()
            self.disk.write(number * 512, b"y" * 512)
            self.disk.log.note(str(number))
        base = self.directory / f"{name}.base"
        base.write_bytes(bytes(SIZE))
        return Recording(variant, base, self.disk.log)

    def writer(self, body: str) -> Checker:
        script = self.directory / "writer"
        script.write_text(f"#!/bin/sh\n{body}\n")
        script.chmod(0o755)
        checker = Checker(script, self.directory, mounted=False)
        checker._take_out = lambda image, target, place: None  # type: ignore[method-assign]
        return checker

    def cuts(self, body: str, name: str = "store") -> CutSet:
        recording = self.recording(name)
        cuts = [Cut(position, "some", "1") for position in range(0, 60, 6)] + [Cut(60, "none", "1")]
        return run_cuts(recording, cuts, self.writer(body), jobs=2, say=lambda text: None)

    GOOD = """echo '{"found":1,"checked":["opens"],"problems":[]}'"""
    LOST = """echo '{"found":1,"checked":["opens"],"problems":[{"kind":"lost","text":"gone"}]}'"""

    def test_what_holds_everywhere_passes_and_a_control_that_does_is_blind(self) -> None:
        result = self.cuts(self.GOOD)
        self.assertEqual((result.passed, result.cuts, result.checked), (True, 11, Counter(opens=11)))
        self.disk.log.notes.clear()
        blind = self.cuts(self.GOOD, "no-barrier")
        self.assertFalse(blind.passed)
        self.assertIn("proves nothing", blind.blind)

    def test_a_violation_fails_a_promise_and_passes_a_control(self) -> None:
        self.assertFalse(self.cuts(self.LOST).passed)
        self.assertTrue(self.cuts(self.LOST, "no-sync").passed)

    def test_a_verifier_that_dies_or_says_nothing_is_a_violation_not_a_success(self) -> None:
        for body in ("exit 0", "exit 3", "kill -9 $$", "echo '{}'", "echo '[1]'", "echo nonsense",
                     """echo '{"found":null,"checked":[],"problems":[]}'""", self.GOOD + "; exit 1"):
            with self.subTest(body):
                finding = self.one(body)
                self.assertFalse(finding.ok)
                self.assertEqual(finding.verdict, "corrupt")

    def one(self, body: str) -> Finding:
        return self.writer(body).check(self.image, "verify", "store", {"acknowledged": 1})

    def test_a_run_with_nothing_to_keep_or_nothing_to_lose_proves_nothing(self) -> None:
        recording = self.recording()
        result = CutSet(recording, Counter(ok=100), with_promises=49, with_loose_writes=100)
        self.assertTrue(result.blind)
        result.with_promises, result.with_loose_writes = 100, 24
        self.assertTrue(result.blind)
        result.with_loose_writes = 25
        self.assertEqual((result.blind, result.passed), ("", True))
        recording.log.notes.clear()
        self.assertTrue(result.blind)

    def test_a_violation_leaves_its_image_and_can_be_repeated_from_what_was_kept(self) -> None:
        recording = self.recording()
        keep = self.directory / "keep"
        keep.mkdir()
        recording.save(keep)
        result = run_cuts(recording, [Cut(10, "some", "4")], self.writer(self.LOST), jobs=1, say=lambda text: None,
                          keep=keep)
        self.assertIsInstance(result.violations[0], Violation)
        again = load_recordings(keep)[0]
        image = Replayer(again.base.read_bytes(), again.log.operations).image(result.violations[0].cut)
        self.assertEqual((keep / "store-10-some.img").read_bytes(), image)
        self.assertEqual(again.log.notes, recording.log.notes)

    def test_a_cycle_passes_only_where_something_was_checked_and_a_control_only_where_it_was_lost(self) -> None:
        for control in (False, True):
            cycle = Cycle(1, control)
            self.assertFalse(cycle.passed)
            cycle.checked.append("starts")
            self.assertEqual(cycle.passed, not control)
            cycle.problems.append("gone")
            self.assertEqual(cycle.passed, control)

    def test_a_directory_without_a_kept_run_is_an_error(self) -> None:
        with self.assertRaisesRegex(ValueError, "--keep"):
            load_recordings(self.directory)

    def test_the_promises_take_all_cuts_together(self) -> None:
        self.assertEqual(sum(variant.cuts(200) for variant in VARIANTS), 200)
        self.assertTrue(all(variant.control for variant in CONTROLS))


class CommandTests(unittest.TestCase):
    def run_it(self, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([sys.executable, str(ROOT / "cross/power/run"), *words], capture_output=True, text=True,
                              timeout=60, env={**os.environ, **environment})

    def test_a_wrong_command_line_is_refused_with_64(self) -> None:
        for words in (["--bogus"], ["--cuts", "x"], ["--cuts", "-1"], ["--jobs", "0"], ["--only", "nothing"],
                      ["--cut", "1:none:1"], ["--replay", "/nonexistent"]):
            with self.subTest(words):
                result = self.run_it(*words, "--writer", "/bin/true")
                self.assertEqual(result.returncode, 64, result.stderr)
                self.assertIn("run", result.stderr)

    def test_what_is_missing_is_named_with_69(self) -> None:
        result = self.run_it("--writer", "/nonexistent/writer")
        self.assertEqual(result.returncode, 69, result.stderr)
        self.assertIn("swift build --product StoreWriter", result.stderr)
        result = self.run_it("--writer", "/bin/true", "--binaries", "/nonexistent")
        self.assertEqual(result.returncode, 69, result.stderr)
        self.assertIn("cross/build", result.stderr)

    def test_help_says_what_it_takes(self) -> None:
        result = self.run_it("--help")
        self.assertEqual(result.returncode, 0)
        self.assertIn("--keep", result.stdout)


if __name__ == "__main__":
    unittest.main()

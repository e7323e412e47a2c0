"""Tests of the power-cut tools: the cache that is lost, the log, and the replay."""

from __future__ import annotations

import random
import struct
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from power_support import SIZE, WithDisk

from power.disk import PowerIsOff, VolatileDisk
from power.oplog import Kind, Note, Operation, OperationLog
from power.replay import Cut, Replayer, choose, promised, write_sparse
from power.survivors import SECTOR, Fate, survivors

FIRST = 1 << 16


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

    def test_a_flush_does_not_restore_data_that_fua_has_overwritten(self) -> None:
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

    def test_promises_are_the_lines_before_the_cut(self) -> None:
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

    def test_a_replayed_cut_equals_a_real_one(self) -> None:
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

    def test_a_quarter_of_the_cuts_has_something_to_lose(self) -> None:
        durable = [Operation(Kind.WRITE_FUA, 0, 4, b"abcd"), Operation(Kind.FLUSH)] * 200
        for rare in (1, 7, 40):
            operations = durable * 2
            for place in range(rare):
                operations.insert(4 + place * 10, Operation(Kind.WRITE, 512, 4, b"efgh"))
            for count in range(2, 40):
                for seed in range(4):
                    replayer, losing = Replayer(bytes(SIZE), operations), 0
                    for cut in choose(OperationLog(operations), count, seed):
                        replayer.image(cut)
                        losing += replayer.unflushed > 0
                    self.assertGreaterEqual(losing * 4, count if count > 2 else 0, f"{rare} {count} {seed}")
        # Where nothing is lost, nothing is found either.
        self.assertEqual(len(choose(OperationLog(durable), 20, 1)), 20)

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


if __name__ == "__main__":
    unittest.main()
